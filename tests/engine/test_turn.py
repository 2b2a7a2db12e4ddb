"""Turns as people look back on them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine import CHANCE, Action, InvalidPosition, Turn, games, turn_from_json
from engine.turn import extended, turns
from tests.engine.playing import Setting, playout, settings

ANNUVIN = games["annuvin"]


@pytest.mark.parametrize("setting", settings(), ids=str)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_game_falls_into_its_turns(setting: Setting, seed: int) -> None:
    actions = [action for _, action in playout(setting, seed) if action is not None]
    found = list(turns(setting.start(), actions))
    assert [action for turn in found for action in turn.actions] == actions
    for number, turn in enumerate(found):
        assert turn.number == number + 1 == turn.before.turn + 1
        after = turn.after
        assert (after.turn == turn.number) or after.to_move is None
        if number:
            assert turn.before == found[number - 1].after
        assert turn.seat in range(setting.seats) if turn.own else turn.seat in (*range(setting.seats), CHANCE)
    some = found[:: max(1, len(found) // 10)]
    for turn in some:
        again = turn_from_json(games[setting.key], json.loads(json.dumps(turn.to_json())))
        assert again == turn
        assert again.after == turn.after


def test_an_unfinished_turn_comes_last() -> None:
    start = ANNUVIN.load(
        ANNUVIN.start().to_json() | {"pieces": [["a1", "d5", "g7"], ["a2", "c3", "c4"]], "lost": [3, 3]}
    )
    (turn,) = turns(start, start.parse("d5xc4"))
    assert (turn.number, turn.seat, [action.text for action in turn.actions]) == (1, 0, ["d5xc4"])
    assert turn.after.to_json()["moving"] == {"piece": "c4", "range": 3}


def test_a_drop_by_the_seat_that_waits_belongs_to_the_turn_under_way() -> None:
    state = games["vedova-nera"].start(3)
    deal = next(action for _, action in playout(Setting("vedova-nera", 3), 0) if action)
    dealt = state.play(deal)
    turn = extended(extended(None, state, deal), dealt, Action.drop(2))
    assert (turn.seat, turn.actions) == (2, (deal, Action.drop(2)))
    left = dealt.play(Action.drop(2))
    assert extended(turn, left, left.legal_actions()[0]).seat == 0


@pytest.mark.parametrize(
    "change",
    [
        {"number": "x"},
        {"number": True},
        {"seat": None},
        {"actions": ["d2-d5"]},
        {"actions": [5]},
        {"actions": None},
        {"before": {}},
        {"before": None},
    ],
)
def test_a_broken_turn_is_refused(change: dict[str, Any]) -> None:
    turn = Turn(1, 0, ANNUVIN.start().parse("d2-d3"), ANNUVIN.start()).to_json()
    assert turn_from_json(ANNUVIN, turn).actions
    with pytest.raises(InvalidPosition, match="broken-turn"):
        turn_from_json(ANNUVIN, turn | change)
    with pytest.raises(InvalidPosition, match="broken-turn"):
        turn_from_json(ANNUVIN, {name: value for name, value in turn.items() if name not in change})
