"""Why a turn of Real Queen is good, in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.reasons import said


def position(white: str, black: str, queens: tuple[str | None, str | None] = (None, None)) -> dict[str, Any]:
    pieces = [white.split(), black.split()]
    return {
        "game": "real-queen",
        "options": {},
        "to_move": 0,
        "pieces": pieces,
        "queens": list(queens),
        "reserve": [20 - len(side) for side in pieces],
        "pending": None,
    }


SENTENCES = [
    (
        position("c5 b6 a7", "g1 g2 f2", (None, "c6")),
        "d4",
        "It makes a line next to Bruno's queen, which wins at once.",
        "Allinea quattro pedine accanto alla regina di Bruno, e così vince subito.",
    ),
    (
        position("a4 b3 c2 d2 d3 d4", "c3 c4 c5 g7"),
        "d1 xc5 xc4 xc3 rd1 rc2 rd2",
        "It makes 2 lines at once and captures 3 pieces (c3, c4, c5).",
        "Fa 2 allineamenti in un colpo solo e cattura 3 pedine (c3, c4, c5).",
    ),
    (
        position("g1 g2", "c3 c4 c5"),
        "c6",
        "It blocks the line that Bruno could make on c6 and has 6 lines of four still open through c6.",
        "Blocca l'allineamento che Bruno potrebbe fare in c6 e da c6 passano ancora 6 allineamenti possibili.",
    ),
    (
        position("b2 f1 g3", "c3 c4 c5", ("b7", "g7")),
        "c6",
        "It stops Bruno from winning with c6 next turn and brings 2 pieces into one line (b7, c6).",
        "Impedisce a Bruno di vincere con c6 al prossimo turno e porta 2 pedine su una stessa linea (b7, c6).",
    ),
]


@pytest.mark.parametrize(("position", "line", "english", "italian"), SENTENCES)
def test_a_turn_is_explained_in_both_languages(position: dict[str, Any], line: str, english: str, italian: str) -> None:
    assert (said(position, line), said(position, line, "it")) == (english, italian)
