"""The words of Real Queen: every refusal in both languages, with its numbers and cells."""

from __future__ import annotations

from typing import Any

import pytest

from bot.interface.refusals import engine_words
from bot.language.rich_text import plain
from bot.language.texts import Texts
from bot.words.describe import alt_text, cell_words
from engine import IllegalAction
from tests.games.real_queen.board import load
from tests.games.real_queen.test_refusals import NEVER, REFUSALS

TEXTS = Texts()
KEY = "real-queen"
ALL: list[tuple[str, dict[str, Any]]] = [
    *((row[0], row[1]) for row in (*REFUSALS, *NEVER)),
    ("too-far", {"cell": "e5", "distance": 3, "range": 1}),
    ("makes-no-line", {"cell": "e5", "least": 4}),
    ("turn-is-over", {"text": "c5"}),
]


def words(language: str, code: str, params: dict[str, Any]) -> str:
    return plain(engine_words(TEXTS.speaker(language), KEY, IllegalAction(code, **params)))


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize(("code", "params"), ALL)
def test_every_refusal_names_its_cells_and_numbers(language: str, code: str, params: dict[str, Any]) -> None:
    said = words(language, code, params)
    assert said != words(language, "no such code", {})
    assert "{" not in said
    for name, value in params.items():
        for part in value if isinstance(value, list) else [value]:
            assert str(part) in said, (name, said)


@pytest.mark.parametrize("language", ["en", "it"])
def test_no_two_refusals_say_the_same(language: str) -> None:
    said = {code: words(language, code, params) for code, params in ALL}
    assert len(set(said.values())) == len(said)


def test_a_position_is_told_in_words() -> None:
    state = load("a4 b3 c2 d2 d3 d4", "c3 c4 c5", ("g7", None), (3, 4))
    text = alt_text(TEXTS.speaker("en").of(KEY), state, None, ["Anna", "Bruno"])
    for part in (
        "White",
        "a4, b3, c2, d2, d3, d4",
        "queen on g7",
        "3 in reserve",
        "Black",
        "c3, c4, c5",
        "4 in reserve",
    ):
        assert part in text, text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            {"a1": "white piece", "b2": "white piece", "g7": "black piece", "c3": "white queen", "e5": "black queen"},
        ),
        (
            "it",
            {
                "a1": "pedina bianca",
                "b2": "pedina bianca",
                "g7": "pedina nera",
                "c3": "regina bianca",
                "e5": "regina nera",
            },
        ),
    ],
)
def test_cells_are_named_with_what_stands_there(language: str, said: dict[str, str]) -> None:
    state = load("a1 b2", "g7", queens=("c3", "e5"))
    assert cell_words(TEXTS.speaker(language).of("real-queen"), state, ("Anna", "Bruno")) == said
