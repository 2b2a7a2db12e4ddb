"""Why a turn of Hexapawn is good, in one sentence."""

from typing import Any

import pytest

from tests.bot.reasons import explain_line


def position(white: str, black: str, to_move: int = 0) -> dict[str, Any]:
    pawns = [white.split(), black.split()]
    return {"game": "hexapawn", "options": {"board": "4x4"}, "to_move": to_move, "pawns": pawns}


BLOCKING = position("b2 c2 d2", "b3 c4 d3")
SENTENCES = [
    (position("c3 a1", "a4 b4"), "c3-c4", "It reaches the farthest row and wins.", "Arriva all'ultima riga e vince."),
    (position("a1 b2", "c3"), "b2xc3", "It captures the last pawn and wins.", "Cattura l'ultimo pedone e vince."),
    (BLOCKING, "c2-c3", "It leaves Bruno without a move and wins.", "Lascia Bruno senza mosse e vince."),
]


@pytest.mark.parametrize(("position", "line", "english", "italian"), SENTENCES)
def test_a_turn_is_explained_in_both_languages(position: dict[str, Any], line: str, english: str, italian: str) -> None:
    assert (explain_line(position, line), explain_line(position, line, "it")) == (english, italian)
