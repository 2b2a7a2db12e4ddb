"""Annuvin: every rule that can stand in a move's way has a refusal of its own; refusals.json has their positions."""

from engine import Action, IllegalAction, games
from tests.games.annuvin.board import load
from tests.support.present import catch_error


def test_refusal_names_the_first_violated_rule() -> None:
    # an enemy's piece, onto an enemy's piece, too far: that it is not yours matters most
    assert catch_error(IllegalAction, load("a1 g7 g6 g5", "b2 f6").parse, "b2-f6").code == "enemy-piece"
    assert games["annuvin"].start().is_legal(Action("b1-a1", "move"))
