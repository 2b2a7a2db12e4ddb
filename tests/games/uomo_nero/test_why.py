"""Why a turn of Gioco dell'Uomo Nero is good, in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.reasons import said


def position(phase: str, man: str, attackers: str, dice: tuple[int, int], to_move: int) -> dict[str, Any]:
    pieces = [{"seat": 0, "colour": "red", "cell": cell} for cell in attackers.split()]
    return {
        "game": "uomo-nero",
        "options": {},
        "seats": 3,
        "to_move": to_move,
        "phase": phase,
        "round": 1,
        "order": [2, 0, 1],
        "man_seat": 2,
        "man": man,
        "attackers": pieces,
        "colours": {"red": 0, "yellow": 1, "green": 0, "blue": 1},
        "dice": list(dice),
        "used": None,
        "captured": [],
        "man_turns": 9,
        "attack_scores": [0, 0, 0],
        "man_scores": [None, None, None],
    }


SENTENCES = [
    (
        position("attack", "d6", "c12 a4", (1, 3), 0),
        "c12-c13/1 a4-a7/3",
        "It brings an attacker home on c13 for a point and brings an attacker to within 6 steps of the finish (a7).",
        "Porta un attaccante al traguardo in c13 per un punto e porta un attaccante a 6 passi dal traguardo (a7).",
    ),
    (
        position("man", "d12", "d10 e10", (1, 3), 2),
        "xd10 xe10 e9",
        "It captures 2 attackers (d10, e10) and ends the round.",
        "Cattura 2 attaccanti (d10, e10) e chiude la manche.",
    ),
]


@pytest.mark.parametrize(("position", "line", "english", "italian"), SENTENCES)
def test_a_turn_is_explained_in_both_languages(position: dict[str, Any], line: str, english: str, italian: str) -> None:
    assert (said(position, line), said(position, line, "it")) == (english, italian)
