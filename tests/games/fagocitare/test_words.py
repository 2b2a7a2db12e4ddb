"""The words of Fagocitare: what decided a sheet."""

from random import Random

import pytest

from bot.kernel.texts import Texts, strip_styles
from bot.kernel.words import words as position_words
from engine import games

TEXTS = Texts()
KEY = "fagocitare"


@pytest.mark.parametrize("language", TEXTS.languages)
def test_end_is_described_with_the_deciding_captures(language: str) -> None:
    rng, state = Random(f"{KEY} 1"), games[KEY].start(2)
    while state.to_move is not None:
        state = state.play(state.random_action(rng))
    voice = TEXTS.speaker(language).of(KEY)
    text = " ".join(strip_styles(part) for part in position_words[KEY].scored(voice, state, ("Anna", "Bruno")))
    assert all(str(len(dead)) in text or len(dead) == 1 for dead in state.to_json()["dead"])
