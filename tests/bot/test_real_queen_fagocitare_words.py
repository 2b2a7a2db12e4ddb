"""The words of Real Queen and Fagocitare: every refusal in both languages, with its numbers and cells."""

from __future__ import annotations

from typing import Any

import pytest

from bot.cards import plain
from bot.describe import alt_text
from bot.refusals import engine_words
from bot.texts import Texts
from engine.core import IllegalAction, State
from tests.games.fagocitare import test_refusals as fagocitare
from tests.games.fagocitare.sheet import load as sheet
from tests.games.real_queen import test_refusals as real_queen
from tests.games.real_queen.board import load as board

TEXTS = Texts()
OTHERS: list[tuple[str, str, dict[str, Any]]] = [
    ("real-queen", "too-far", {"cell": "e5", "distance": 3, "range": 1}),
    ("real-queen", "makes-no-line", {"cell": "e5", "least": 4}),
    ("real-queen", "turn-is-over", {"text": "c5"}),
    ("fagocitare", "turn-is-over", {"text": "c5"}),
    ("fagocitare", "must-act", {}),
]
REFUSALS = [
    *(("real-queen", row[0], row[1]) for row in (*real_queen.REFUSALS, *real_queen.NEVER)),
    *(("fagocitare", row[0], row[1]) for row in fagocitare.REFUSALS),
    *OTHERS,
]
UNSAID = {
    ("rim-gap", "n"),
    ("rim-too-few", "n"),
    ("rim-crossing", "n"),
}
"""Numbers that only the sentence for a dot with nothing to capture says."""


def words(language: str, game: str, code: str, params: dict[str, Any]) -> str:
    speaker = TEXTS.speaker(language)
    return plain(engine_words(speaker, game, IllegalAction(code, **params)))


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize(("game", "code", "params"), REFUSALS)
def test_every_refusal_names_its_cells_and_numbers(language: str, game: str, code: str, params: dict[str, Any]) -> None:
    said = words(language, game, code, params)
    assert said != words(language, game, "no such code", {})
    assert "{" not in said
    for name, value in params.items():
        if (code, name) in UNSAID or (name == "n" and value == 1 and code == "rim-closed"):
            continue
        for part in value if isinstance(value, list) else [value]:
            assert str(part) in said, (name, said)


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("game", ["real-queen", "fagocitare"])
def test_no_two_refusals_say_the_same(language: str, game: str) -> None:
    said: dict[str, str] = {}
    for key, code, params in REFUSALS:
        if key == game:
            said[code] = words(language, game, code, params)
    assert len(set(said.values())) == len(said)


@pytest.mark.parametrize(
    ("state", "parts"),
    [
        (
            board("a4 b3 c2 d2 d3 d4", "c3 c4 c5", ("g7", None), (3, 4)),
            ["White", "a4, b3, c2, d2, d3, d4", "queen on g7", "3 in reserve", "Black", "c3, c4, c5", "4 in reserve"],
        ),
        (
            sheet("b4 d4", "e5", ("c4", ""), ("b4-d4", "")),
            ["red", "dots on b4, d4", "captured dot on c4", "capture line b4-d4", "blue", "dot on e5"],
        ),
    ],
)
def test_a_position_is_told_in_words(state: State, parts: list[str]) -> None:
    text = alt_text(TEXTS.speaker("en").of(state.game.key), state, None, ["Anna", "Bruno"])
    assert all(part in text for part in parts), text
