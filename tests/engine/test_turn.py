"""Turns as people look back on them."""

import json
from typing import Any

import pytest

from engine import CHANCE, InvalidPosition, Turn, games, turn_from_json
from engine.turn import group_turns, turns_from_json, turns_to_json
from tests.engine.playing import EVERY_SETTING, Setting, playout
from tests.engine.tiny import TINY


@EVERY_SETTING
@pytest.mark.parametrize("seed", [0, 1])
def test_a_game_falls_into_its_turns(setting: Setting, seed: int) -> None:
    actions = [action for _, action in playout(setting, seed) if action is not None]
    found = list(group_turns(setting.start(), actions))
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
        assert (again, again.after) == (turn, turn.after)
    for at in range(0, len(found), max(1, len(found) // 5)):
        part = tuple(found[at : at + 4])
        assert turns_from_json(games[setting.key], json.loads(json.dumps(turns_to_json(part)))) == part


def test_an_unfinished_turn_comes_last() -> None:
    start = TINY.load(TINY.start().to_json() | {"pieces": [["a1", "d4"], ["b1", "b2"]]})
    (turn,) = group_turns(start, start.parse("a1xb1"))
    assert (turn.number, turn.seat, [action.text for action in turn.actions]) == (1, 0, ["a1xb1"])
    assert turn.after.to_json()["moving"] == "b1"


@pytest.mark.parametrize(
    "change",
    [
        *({"number": "x"}, {"number": True}, {"seat": None}, {"actions": ["a1-a4"]}, {"actions": [5]}),
        *({"actions": None}, {"before": {}}, {"before": None}),
    ],
)
def test_a_broken_turn_is_refused(change: dict[str, Any]) -> None:
    turn = Turn(1, 0, TINY.start().parse("a1-a2"), TINY.start()).to_json()
    assert turn_from_json(TINY, turn).actions
    with pytest.raises(InvalidPosition, match="broken-turn"):
        turn_from_json(TINY, turn | change)
    with pytest.raises(InvalidPosition, match="broken-turn"):
        turn_from_json(TINY, {name: value for name, value in turn.items() if name not in change})
    following = turns_to_json([turn_from_json(TINY, turn)])
    first, where = following["turns"][0], "before" in change
    broken = following | change if where else following | {"turns": [first, first | change]}
    with pytest.raises(InvalidPosition, match="broken-turn"):
        turns_from_json(TINY, broken)
