"""The words of Fagocitare: every refusal in both languages, with its numbers and cells; what decided a sheet."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from bot.interface.refusals import engine_words
from bot.language.rich_text import plain
from bot.language.texts import Texts
from bot.words import words as position_words
from bot.words.describe import alt_text, cell_words
from engine import IllegalAction, games
from tests.games.fagocitare.sheet import load
from tests.games.fagocitare.test_refusals import REFUSALS

TEXTS = Texts()
KEY = "fagocitare"
ALL: list[tuple[str, dict[str, Any]]] = [
    *((row[0], row[1]) for row in REFUSALS),
    ("turn-is-over", {"text": "c5"}),
    ("must-act", {}),
]
UNSAID = {
    ("rim-gap", "n"),
    ("rim-too-few", "n"),
    ("rim-crossing", "n"),
}
"""Numbers that only the sentence for a dot with nothing to capture says."""


def words(language: str, code: str, params: dict[str, Any]) -> str:
    return plain(engine_words(TEXTS.speaker(language), KEY, IllegalAction(code, **params)))


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize(("code", "params"), ALL)
def test_every_refusal_names_its_cells_and_numbers(language: str, code: str, params: dict[str, Any]) -> None:
    said = words(language, code, params)
    assert said != words(language, "no such code", {})
    assert "{" not in said
    for name, value in params.items():
        if (code, name) in UNSAID or (name == "n" and value == 1 and code == "rim-closed"):
            continue
        for part in value if isinstance(value, list) else [value]:
            assert str(part) in said, (name, said)


@pytest.mark.parametrize("language", ["en", "it"])
def test_no_two_refusals_say_the_same(language: str) -> None:
    said = {code: words(language, code, params) for code, params in ALL}
    assert len(set(said.values())) == len(said)


def test_a_position_is_told_in_words() -> None:
    state = load("b4 d4", "e5", ("c4", ""), ("b4-d4", ""))
    text = alt_text(TEXTS.speaker("en").of(KEY), state, None, ["Anna", "Bruno"])
    for part in ("red", "dots on b4, d4", "captured dot on c4", "capture line b4-d4", "blue", "dot on e5"):
        assert part in text, text


@pytest.mark.parametrize("language", TEXTS.languages)
def test_the_end_is_told_with_the_captures_that_decided_it(language: str) -> None:
    rng, state = Random(f"{KEY} 1"), games[KEY].start(2)
    while state.to_move is not None:
        state = state.play(state.random_action(rng))
    voice = TEXTS.speaker(language).of(KEY)
    text = " ".join(plain(part) for part in position_words[KEY].scored(voice, state, ("Anna", "Bruno")))
    assert all(str(len(dead)) in text or len(dead) == 1 for dead in state.to_json()["dead"])


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", {"b4": "red dot", "d4": "red dot", "e5": "blue dot", "c4": "captured blue dot"}),
        ("it", {"b4": "pallino rosso", "d4": "pallino rosso", "e5": "pallino blu", "c4": "pallino blu catturato"}),
    ],
)
def test_cells_are_named_with_what_stands_there(language: str, said: dict[str, str]) -> None:
    state = load("b4 d4", "e5", ("c4", ""), ("b4-d4", ""))
    assert cell_words(TEXTS.speaker(language).of("fagocitare"), state, ("Anna", "Bruno")) == said
