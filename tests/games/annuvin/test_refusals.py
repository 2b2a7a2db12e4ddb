"""Annuvin: every rule that can stand in a move's way has a refusal of its own; refusals.json has their positions."""

import pytest

from engine import Action, IllegalAction, games
from tests.games.annuvin.board import load
from tests.support.present import catch_error

# A piece that stays where it is, a pass, and what is no move of Annuvin are legal nowhere.
NEVER_LEGAL = {"stays-put": "a1-a1", "must-act": "pass", "foreign-action": "Qe4", "no-such-seat": "drop 2"}


def move(text: str) -> Action:
    return Action(text, "drop" if text.startswith("drop") else "move", value=2)


@pytest.mark.parametrize("code", NEVER_LEGAL)
def test_impossible_moves_are_refused_with_their_code(code: str) -> None:
    assert catch_error(IllegalAction, load("a1 g7", "a3 c6").play, move(NEVER_LEGAL[code])).code == code


def test_refusal_names_the_first_violated_rule() -> None:
    # an enemy's piece, onto an enemy's piece, too far: that it is not yours matters most
    assert catch_error(IllegalAction, load("a1 g7 g6 g5", "b2 f6").parse, "b2-f6").code == "enemy-piece"
    assert games["annuvin"].start().is_legal(Action("b1-a1", "move"))
