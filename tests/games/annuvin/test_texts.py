"""Annuvin: how moves and positions are written and read (docs/rules/annuvin.md, How moves are written and JSON)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine import InvalidAction, InvalidPosition
from tests.games.annuvin.board import ANNUVIN, load, place_of, play, position, refused, texts

EXAMPLE = ("d5 a1 g7", "c4 c3 a2")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("d5-d6", ["d5-d6"]),
        ("d5xc4", ["d5xc4"]),
        ("d5xc4xc3xa2", ["d5xc4", "xc3", "xa2"]),
        ("d5xc4 stop", ["d5xc4", "stop"]),
        ("d5xc4xc3 stop", ["d5xc4", "xc3", "stop"]),
        # any case, spaces or commas or - or x between cells
        ("D5-D6", ["d5-d6"]),
        ("d5 d6", ["d5-d6"]),
        ("d5d6", ["d5-d6"]),
        ("d5,d6", ["d5-d6"]),
        ("  d5  -  d6 ", ["d5-d6"]),
        ("d5–d6", ["d5-d6"]),
        ("d5→d6", ["d5-d6"]),
        ("d5-c4", ["d5xc4"]),
        ("d5 c4", ["d5xc4"]),
        ("d5×c4", ["d5xc4"]),
        ("d5 c4 c3 a2", ["d5xc4", "xc3", "xa2"]),
        ("d5-c4-c3-a2", ["d5xc4", "xc3", "xa2"]),
        ("D5C4C3A2", ["d5xc4", "xc3", "xa2"]),
        ("d5xc4, c4xc3, c3xa2", ["d5xc4", "xc3", "xa2"]),
        ("d5 c4 STOP", ["d5xc4", "stop"]),
    ],
)
def test_reading(typed: str, expected: list[str]) -> None:
    assert [action.text for action in load(*EXAMPLE).parse(typed)] == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("xc3", ["xc3"]), ("c3", ["xc3"]), ("c4xc3", ["xc3"]), ("stop", ["stop"]), ("x c3 x a2", ["xc3", "xa2"])],
)
def test_the_parts_of_a_line_can_be_entered_one_by_one(typed: str, expected: list[str]) -> None:
    state = play(load(*EXAMPLE), "d5xc4")
    assert [action.text for action in state.parse(typed)] == expected


def test_a_placement_is_just_a_cell() -> None:
    start = ANNUVIN.start(options={"setup": "empty"})
    assert [action.text for action in start.parse(" C4")] == ["c4"]
    state = load("c4", "g7", reserve=(5, 5))
    assert [action.text for action in state.parse("c4 c5")] == ["c4-c5"]
    assert [action.text for action in state.parse("c5")] == ["c5"]


def test_reading_never_adds_an_action() -> None:
    # without `stop` the turn is unfinished and the player is asked on
    state = play(load(*EXAMPLE), "d5xc4")
    assert state.to_move == 0
    assert state.turn == 0
    assert state.to_json()["moving"] == {"piece": "c4", "range": 3}


def test_a_line_is_played_whole_or_not_at_all() -> None:
    assert refused(load(*EXAMPLE), "d5xc4xg7")[0] == "own-piece-there"
    assert refused(load(*EXAMPLE), "d5-d6 c4-c5")[0] == "turn-is-over"


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("d5-h9", "no-such-cell"),
        ("a7", "no-such-cell"),
        ("d5xc4xh1", "no-such-cell"),
        ("d5", "reserve-empty"),
        ("knight", "not-understood"),
        ("d5xc4 please", "not-understood"),
        ("d5xd6", "nothing-to-capture"),
        ("d5-d6!", "not-understood"),
        ("", "empty"),
        ("d5" * 300, "too-long"),
    ],
)
def test_what_cannot_be_read(typed: str, code: str) -> None:
    if code in ("reserve-empty", "nothing-to-capture"):
        assert refused(load(*EXAMPLE), typed)[0] == code
        return
    with pytest.raises(InvalidAction) as error:
        load(*EXAMPLE).parse(typed)
    assert error.value.code == code


def test_json_of_the_start() -> None:
    shown = ANNUVIN.start().to_json()
    assert json.loads(json.dumps(shown)) == {
        "game": "annuvin",
        "options": {"board": "hexagon", "setup": "classic"},
        "to_move": 0,
        "pieces": [["b1", "c1", "d1", "d2", "e2", "f3"], ["b5", "c6", "d6", "d7", "e7", "f7"]],
        "reserve": [0, 0],
        "lost": [0, 0],
        "moving": None,
        "dropped": [],
        "outcome": None,
        "extra": {},
    }


def test_json_in_the_middle_of_a_turn() -> None:
    shown = play(load(*EXAMPLE), "d5xc4").to_json()
    assert shown["moving"] == {"piece": "c4", "range": 3}
    assert ANNUVIN.load(shown).to_json() == shown
    assert texts(ANNUVIN.load(shown)) == {"xc3", "xa2", "stop"}


def test_json_when_the_game_is_over() -> None:
    shown = play(load(*EXAMPLE), "d5xc4xc3xa2").to_json()
    assert (shown["to_move"], shown["moving"]) == (None, None)
    assert shown["outcome"] == {"reason": "eliminated", "places": [1, 2]}
    assert shown["pieces"] == [["a1", "a2", "g7"], []]
    assert shown["lost"] == [3, 6]


def test_cells_are_sorted_by_column_then_by_row() -> None:
    state = load("g7 a4 a1 d2 d1", "c6 b5")
    assert state.to_json()["pieces"] == [["a1", "a4", "d1", "d2", "g7"], ["b5", "c6"]]
    for cells in ANNUVIN.start().to_json()["pieces"]:
        assert cells == sorted(cells, key=place_of)


def test_cells_are_read_in_any_order() -> None:
    shown = position("a1 g7", "c4")
    shown["pieces"][0].reverse()
    assert ANNUVIN.load(shown).to_json()["pieces"] == [["a1", "g7"], ["c4"]]


def test_load_fills_in_options() -> None:
    shown = position("a1 g7", "c4") | {"options": {}}
    assert ANNUVIN.load(shown).to_json()["options"] == {"board": "hexagon", "setup": "classic"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"lost": [0, 3]}, "pieces-do-not-add-up"),
        ({"lost": [3]}, "wrong-length"),
        ({"lost": [3, 7]}, "out-of-range"),
        ({"reserve": [1, 0], "lost": [2, 3]}, "out-of-range"),
        ({"pieces": [["d5", "a1", "h7"], ["c4", "c3", "a2"]]}, "unknown-cell"),
        ({"pieces": [["d5", "a1", "D7"], ["c4", "c3", "a2"]]}, "unknown-cell"),
        ({"pieces": [["d5", "a1", "a1"], ["c4", "c3", "a2"]]}, "cell-twice"),
        ({"pieces": [["d5", "a1", "c3"], ["c4", "c3", "a2"]]}, "cell-twice"),
        ({"pieces": [["d5", "a1", "g7"]]}, "wrong-length"),
        ({"pieces": [[], []], "lost": [6, 6]}, "nobody-left"),
        ({"to_move": 2}, "out-of-range"),
        ({"to_move": True}, "wrong-type"),
        ({"to_move": None}, "no-outcome"),
        ({"moving": {"piece": "c4", "range": 1}}, "not-capturing"),
        ({"moving": {"piece": "d4", "range": 1}}, "not-capturing"),
        ({"moving": {"piece": "d5", "range": 4}}, "out-of-range"),
        ({"moving": {"piece": "d5", "range": 0}}, "out-of-range"),
        ({"moving": {"piece": "g7", "range": 1}}, "no-capture-left"),
        ({"moving": {"piece": "d5"}}, "missing-field"),
        ({"moving": "d5"}, "wrong-type"),
        ({"options": {"board": "square"}}, "unknown-cell"),
        ({"options": {"board": "round"}}, "option-value"),
        ({"game": "real-queen"}, "wrong-game"),
        ({"dropped": [0, 1]}, "wrong-length"),
        ({"dropped": [2]}, "out-of-range"),
        ({"outcome": {"reason": "repetition", "places": [1, 1]}}, "outcome-unfounded"),
        ({"outcome": {"reason": "repetition", "places": [1, 2]}, "to_move": None}, "outcome-unfounded"),
        ({"outcome": {"reason": "eliminated", "places": [1, 2]}, "to_move": None}, "outcome-unfounded"),
        ({"dropped": [0], "outcome": {"reason": "last-seat", "places": [1, 2]}, "to_move": None}, "outcome-differs"),
        ({"extra": {"quiet": 100}}, "out-of-range"),
        ({"extra": {"history": [1.5]}}, "wrong-type"),
        ({"extra": {"history": "x"}}, "wrong-type"),
    ],
)
def test_load_refuses(change: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidPosition) as error:
        ANNUVIN.load(position(*EXAMPLE) | change)
    assert error.value.code == code


def test_load_refuses_captures_under_way_before_anything_was_captured_or_with_a_reserve() -> None:
    nothing_lost = position("a1 g7", "a2 c4 c5 d5 e6 e7", moving=("a1", 1))
    with pytest.raises(InvalidPosition, match="not-capturing"):
        ANNUVIN.load(nothing_lost)
    with pytest.raises(InvalidPosition, match="not-capturing"):
        ANNUVIN.load(position("a1 g7", "a2 c4", reserve=(1, 1), moving=("a1", 1)))


@pytest.mark.parametrize("reason", ["repetition", "no-progress"])
def test_load_believes_a_draw_that_the_position_cannot_show(reason: str) -> None:
    outcome = {"reason": reason, "places": [1, 1]}
    state = ANNUVIN.load(position(*EXAMPLE, None, outcome=outcome))
    assert state.to_move is None
    assert state.to_json()["outcome"] == outcome


def test_load_knows_a_game_that_a_seat_has_left() -> None:
    state = ANNUVIN.load(position(*EXAMPLE, 0, dropped=[1]))
    assert state.to_json()["outcome"] == {"reason": "last-seat", "places": [1, 2]}
    assert state.to_move is None
