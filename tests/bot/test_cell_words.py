"""What stands on each cell, for those who go over a board with keys."""

from itertools import islice

import pytest

from bot.kernel.preferences import LANGUAGES
from bot.kernel.texts import Texts
from bot.kernel.words.describe import BoardWords
from engine import games
from render import draw
from tests.engine.playing import Setting, playout
from tests.support import kits
from tests.support.present import present

TEXTS = Texts()
NAMES = ("Anna", "Bruno", "Carla", "Dario", "Elena")


@pytest.mark.parametrize("key", games)
def test_every_piece_has_a_name_on_its_cell_in_both_languages(key: str) -> None:
    states = [state for state, _ in islice(playout(Setting(key, max(games[key].seats)), 2), 60)]
    spots = draw(states[-1]).spots
    said: set[str] = set()
    for state in states:
        english, italian = (
            BoardWords(TEXTS.speaker(language).of(key), state, None, NAMES).cells for language in ("en", "it")
        )
        assert english is not None
        assert italian is not None
        assert english.keys() == italian.keys() <= spots.keys()
        assert all(english[cell] != italian[cell] for cell in english)
        said |= {*english.values(), *italian.values()}
    assert len(said) >= 4
    assert not [words for words in said if "{" in words or "cell." in words]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", [key for key in kits.with_kit() if kits.data(key, "cells.json")])
def test_cells_are_described_with_their_contents(key: str, language: str) -> None:
    case = kits.data(key, "cells.json")
    voice, state = TEXTS.speaker(language).of(key), games[key].load(case["position"])
    found = present(BoardWords(voice, state, None, NAMES).cells)
    assert {cell: found.get(cell) for cell in case[language]} == case[language]
    assert case.get("more") or found.keys() == case[language].keys()
