"""Positions of Hexapawn in words: how many pawns are left and lost, and what stands in the way of a move."""

from typing import Any

import pytest

from bot.kernel.refusals import engine_words
from bot.kernel.texts import Texts, strip_styles
from bot.kernel.words import words
from bot.kernel.words.teller import PositionTeller
from engine import IllegalAction, State, games
from tests.support.present import catch_error

TEXTS = Texts()
BLOCKED = "An enemy pawn stands on c3, straight ahead of c2: it blocks the way, and pawns capture only aslant."


def state(white: str, black: str) -> State:
    pawns = [white.split(), black.split()]
    position: dict[str, Any] = {"game": "hexapawn", "options": {"board": "4x4"}, "to_move": 0, "pawns": pawns}
    return games["hexapawn"].load(position)


@pytest.mark.parametrize(
    ("language", "white", "black"),
    [
        ("en", ["pawns on a1, b2", "2 lost"], ["pawn on c3", "3 lost"]),
        ("it", ["pedoni in a1, b2", "2 persi"], ["pedone in c3", "3 persi"]),
    ],
)
def test_pieces_of_each_side_are_described(language: str, white: list[str], black: list[str]) -> None:
    teller = PositionTeller(TEXTS.speaker(language).of("hexapawn"), state("a1 b2", "c3"), ("Anna", "Bruno"))
    assert [list(words["hexapawn"].seat(teller, seat)) for seat in (0, 1)] == [white, black]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("b2-b4", "b4 is too far away: the pawn on b2 goes one cell at a time."),
        ("b2-a3", "The pawn on b2 may go aslant only to capture, and a3 is empty."),
        ("c2-c3", BLOCKED),
        ("c3-c2", "The pawn on c3 is not yours."),
        ("pass", "You cannot pass in this game: whoever has a move must make one."),
    ],
)
def test_a_refusal_names_the_rule_and_the_cells(text: str, said: str) -> None:
    error = catch_error(IllegalAction, state("b2 c2", "c3").parse, text)
    assert strip_styles(engine_words(TEXTS.speaker("en"), "hexapawn", error)) == said
