"""Why a turn of Fagocitare is good, in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.reasons import said


def position(red: str, blue: str, **more: Any) -> dict[str, Any]:
    dots = [red.split(), blue.split()]
    empty: dict[str, Any] = {"dead": [[], []], "lines": [[], []]}
    return {"game": "fagocitare", "options": {"size": 7}, "to_move": 0, "dots": dots, **empty, **more}


SENTENCES = [
    (
        position("b4 f2", "c4 b6"),
        "d4",
        "It captures the dot on c4 and saves 2 dots (b4, f2) from capture by Bruno.",
        "Cattura il pallino in c4 e salva da Bruno 2 pallini (b4, f2).",
    ),
    (
        position("c4 f6", "b4 g2"),
        "d4",
        "It saves the dot on c4 from capture by Bruno and leaves nothing that Bruno could capture next turn.",
        "Salva da Bruno il pallino in c4 e fa sì che al prossimo turno Bruno non possa catturare nulla.",
    ),
]


@pytest.mark.parametrize(("position", "line", "english", "italian"), SENTENCES)
def test_a_turn_is_explained_in_both_languages(position: dict[str, Any], line: str, english: str, italian: str) -> None:
    assert (said(position, line), said(position, line, "it")) == (english, italian)
