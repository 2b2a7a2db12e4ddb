"""The words of Fagocitare: positions, and what decided a sheet."""

from random import Random

import pytest

from bot.language.texts import Texts, strip_styles
from bot.words import words as position_words
from bot.words.describe import alt_text
from engine import games
from tests.games.fagocitare.sheet import load

TEXTS = Texts()
KEY = "fagocitare"


def test_position_is_described_in_words() -> None:
    state = load("b4 d4", "e5", ("c4", ""), ("b4-d4", ""))
    text = alt_text(TEXTS.speaker("en").of(KEY), state, None, ["Anna", "Bruno"])
    for part in ("red", "dots on b4, d4", "captured dot on c4", "capture line b4-d4", "blue", "dot on e5"):
        assert part in text, text


@pytest.mark.parametrize("language", TEXTS.languages)
def test_end_is_described_with_the_deciding_captures(language: str) -> None:
    rng, state = Random(f"{KEY} 1"), games[KEY].start(2)
    while state.to_move is not None:
        state = state.play(state.random_action(rng))
    voice = TEXTS.speaker(language).of(KEY)
    text = " ".join(strip_styles(part) for part in position_words[KEY].scored(voice, state, ("Anna", "Bruno")))
    assert all(str(len(dead)) in text or len(dead) == 1 for dead in state.to_json()["dead"])
