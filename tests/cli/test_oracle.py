"""`tavoliere oracle`."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine import games
from tests.cli.conftest import Run
from tests.games.annuvin.board import position


def written(data: dict[str, Any]) -> str:
    Path("position.json").write_text(json.dumps(data), encoding="utf-8")
    return "position.json"


def test_oracle_lists_every_move_best_first(run: Run) -> None:
    printed = run("oracle", written(position("b3 c2", "c5 e3"))).success()
    lines = printed.splitlines()
    assert lines[:2] == [
        "Seat 1 to move: a win, the next capture within 11 turns.",
        "b3-e6  a win, the next capture within 11 turns",
    ]
    assert len(lines) == 1 + len(games["annuvin"].load(position("b3 c2", "c5 e3")).legal_actions())
    assert "c2xe3  a loss, the next capture this turn" in printed


def test_the_square_is_a_draw(run: Run) -> None:
    ran = run("oracle", written(games["annuvin"].start(2, {"board": "square"}).to_json()), LANG="it_IT.UTF-8")
    assert ran.out.splitlines()[:2] == ["Tocca al posto 1: patta.", "a1-a2  patta"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (games["annuvin"].start().to_json(), "not among those that were worked out"),
        (position("b3 c2", "c5 e3", extra={"quiet": 90}), "what came before in the game"),
        (position("b3 c2", "", None, outcome={"reason": "eliminated", "places": [1, 2]}), "the game is over"),
        (games["fagocitare"].start().to_json(), "Nothing is worked out from the end for fagocitare"),
    ],
)
def test_oracle_gives_the_reason_for_an_unknown_result(run: Run, data: dict[str, Any], said: str) -> None:
    ran = run("oracle", written(data))
    assert ran.code != 0
    assert said in ran.err
    assert not ran.out
