"""Positions of La Vedova Nera as dictionaries: what they say, and which are refused."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from engine.core import InvalidPosition, State
from engine.games.vedova_nera import GAME as VEDOVA_NERA
from tests.games.vedova_nera.board import DEAL_FOR_3, load, play, position, texts

GOALS = ["a1 b1 c1 d1 e1 f1", "a2 b2 c2 d2 e2 f2"]


def before_play(*actions: str) -> dict[str, Any]:
    return play(VEDOVA_NERA.start(3), *actions).to_json()


def ordinary() -> dict[str, Any]:
    return position("a4 b3 c4", "d4 e3 f4 g4", goals=GOALS, counsellor="h1")


def three(**more: Any) -> dict[str, Any]:
    return position("a4 b3", "d4 e3", "g4", goals=["a1", "b1", "c1"], counsellor="h1", **more)


def test_the_example_of_the_rules_has_these_fields_and_no_others() -> None:
    shown = VEDOVA_NERA.load(ordinary()).to_json()
    assert shown == ordinary() | {"dropped": [], "outcome": None, "extra": {}}


def test_lists_of_cells_are_read_in_any_order_and_written_sorted_by_column_then_row() -> None:
    mixed = ordinary()
    mixed["pawns"][0] = ["c4", "b3", "a4"]
    assert VEDOVA_NERA.load(mixed).to_json()["pawns"][0] == ["a4", "b3", "c4"]


def test_dropped_outcome_and_extra_may_be_absent() -> None:
    assert VEDOVA_NERA.load(ordinary()) == VEDOVA_NERA.load(ordinary() | {"dropped": [], "outcome": None, "extra": {}})


@pytest.mark.parametrize("to_move", [0, 1, None])
def test_a_position_that_shows_a_win_is_the_finished_game(to_move: int | None) -> None:
    state = VEDOVA_NERA.load(position(GOALS[0], "d4 e3", goals=GOALS, to_move=to_move))
    assert state.outcome is not None
    assert (state.to_move, state.outcome.reason, state.outcome.places) == (None, "complete", (1, 2))


@pytest.mark.parametrize("to_move", [2, None])
def test_a_position_that_all_but_one_have_left_is_the_finished_game(to_move: int | None) -> None:
    state = VEDOVA_NERA.load(three(dropped=[1, 0], to_move=to_move))
    assert state.outcome is not None
    assert (state.outcome.reason, state.outcome.places) == ("last-seat", (2, 3, 1))


@pytest.mark.parametrize("reason", ["repetition", "no-progress"])
def test_a_draw_is_believed(reason: str) -> None:
    outcome = {"reason": reason, "places": [1, 3, 1]}
    state = VEDOVA_NERA.load(three(dropped=[1], to_move=None, outcome=outcome))
    assert state.to_json()["outcome"] == outcome


def test_bans_are_read() -> None:
    state = load("a1 f3", "b4 d4", counsellor="e2", ban="e4", entry_ban=["c4", None])
    assert ("Ke4" in texts(state), "+c4" in texts(state)) == (False, False)
    assert load("a1", "b4", last_entry="b4").to_json()["last_entry"] == "b4"


def test_extra_carries_turn_count_and_history_so_that_the_game_plays_on_identically() -> None:
    state: State = load("b1 c1", "e4")
    for text in ("b1-b2", "e4-e3", "b2-b1", "e3-e4", "b1-b2", "e4-e3", "b2-b1"):
        state = play(state, text)
        again = VEDOVA_NERA.load(json.loads(json.dumps(state.to_json())))
        assert (again, again.turn, again.to_json()) == (state, state.turn, state.to_json())
    assert play(again, "e3-e4").outcome is not None


def test_states_can_be_pickled_and_copied_and_never_change() -> None:
    state = play(load("b1 c1", "e4", counsellor="g2"), "Kg3")
    assert pickle.loads(pickle.dumps(state)).to_json() == state.to_json()  # noqa: S301
    assert copy.copy(state) == state
    assert hash(copy.deepcopy(state)) == hash(state)
    for name in ("pawns", "_legal", "anything"):
        with pytest.raises(AttributeError):
            setattr(state, name, ())


def changed(change: Callable[[dict[str, Any]], Any], start: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a position after a change; a change that returns a dictionary puts it in the position's place."""
    result = copy.deepcopy(start or ordinary())
    other = change(result)
    return other if isinstance(other, dict) and "game" in other else result


def put(*path: Any) -> Callable[[dict[str, Any]], Any]:
    """Return the change that puts the last thing where the others lead."""
    *way, name, value = path

    def change(result: dict[str, Any]) -> None:
        target: Any = result
        for step in way:
            target = target[step]
        target[name] = value

    return change


def without(name: str) -> Callable[[dict[str, Any]], Any]:
    return lambda result: result.pop(name)


IMPOSSIBLE: dict[str, tuple[str, Any]] = {
    name: (code, changed(change))
    for name, (code, change) in {
        "another game": ("wrong-game", put("game", "annuvin")),
        "an option": ("unknown-option", put("options", {"board": "web"})),
        "no pawns at all": ("missing-field", without("pawns")),
        "a field too many": ("unknown-field", put("pawn", [])),
        "six seats": ("out-of-range", put("seats", 6)),
        "one seat": ("out-of-range", put("seats", 1)),
        "no such seat to move": ("out-of-range", put("to_move", 2)),
        "nobody to move and no end": ("no-outcome", put("to_move", None)),
        "an unknown phase": ("not-a-choice", put("phase", "end")),
        "the wrong number of colours": ("wrong-length", put("colours", ["red"])),
        "an unknown colour": ("not-a-choice", put("colours", 0, "pink")),
        "black for a seat": ("not-a-choice", put("colours", 0, "black")),
        "one colour twice": ("colour-twice", put("colours", 0, "green")),
        "a seat without a colour": ("colours-order", put("colours", 0, None)),
        "marbles of a colour nobody has": ("unknown-field", put("marbles", "white", [])),
        "no marbles of a colour": ("missing-field", lambda result: result["marbles"].pop("red")),
        "a marble too few": ("wrong-number", lambda result: result["marbles"]["red"].pop()),
        "a marble too many": ("wrong-number", lambda result: result["marbles"]["red"].append("h4")),
        "two marbles in one hollow": ("cell-twice", put("marbles", "red", 0, "a2")),
        "a marble nowhere": ("unknown-cell", put("marbles", "red", 0, "i1")),
        "a pawn nowhere": ("unknown-cell", put("pawns", 0, 0, "A4")),
        "two pawns on one node": ("cell-twice", put("pawns", 0, 0, "d4")),
        "a pawn too few": ("wrong-number", put("off", 0, 2)),
        "a pawn too many": ("wrong-number", put("off", 0, 4)),
        "pawns less than none off": ("out-of-range", put("off", 0, -1)),
        "a number that is none": ("wrong-type", put("off", 0, True)),
        "no Counsellor": ("wrong-type", put("counsellor", None)),
        "the Counsellor on a pawn": ("counsellor-on-pawn", put("counsellor", "a4")),
        "a ban where the Counsellor is": ("impossible-ban", put("counsellor_ban", "h1")),
        "a ban out of line": ("impossible-ban", put("counsellor_ban", "g2")),
        "a ban behind a pawn": ("impossible-ban", lambda r: r.update(counsellor="a2", counsellor_ban="c3")),
        "a ban on a pawn": ("impossible-ban", lambda r: r.update(counsellor="a3", counsellor_ban="b3")),
        "an entry where nobody is": ("impossible-entry", put("last_entry", "h4")),
        "an entry inside": ("impossible-entry", put("last_entry", "e3")),
        "an entry of the seat to move": ("impossible-entry", put("last_entry", "a4")),
        "an entry of the Counsellor": ("impossible-entry", lambda r: r.update(counsellor="h4", last_entry="h4")),
        "an entry and a slide": ("impossible-ban", lambda r: r.update(last_entry="d4", counsellor_ban="h2")),
        "an entry ban where a pawn is": ("impossible-entry-ban", put("entry_ban", 0, "a4")),
        "an entry ban inside": ("impossible-entry-ban", put("entry_ban", 0, "h3")),
        "an entry ban for the seat not to move": ("impossible-entry-ban", put("entry_ban", 1, "h4")),
        "two entry bans": ("impossible-entry-ban", put("entry_ban", ["h4", "h4"])),
        "a seat left twice": ("seat-twice", put("dropped", [1, 1])),
        "everybody left": ("wrong-length", put("dropped", [1, 0])),
        "a win that is none": ("outcome-unfounded", put("outcome", {"reason": "complete", "places": [1, 2]})),
        "a draw and somebody to move": (
            "outcome-unfounded",
            put("outcome", {"reason": "repetition", "places": [1, 1]}),
        ),
        "history that is none": ("wrong-type", put("extra", {"history": 3})),
        "a turn that is none": ("wrong-type", put("extra", {"turn": "1"})),
        "500 turns and somebody to move": ("broken-history", put("extra", {"played": 500})),
    }.items()
} | {
    "no dictionary": ("not-a-position", []),
    "an entry ban with nobody off": (
        "impossible-entry-ban",
        position("a1 b1 c1 d1 e1 f1", "d4", goals=["a2 b2 c2 d2 e2 f2"], entry_ban=["h4", None]),
    ),
    "two winners": ("two-winners", position(*GOALS, goals=GOALS)),
    "a winner that has left": (
        "winner-left",
        position("a1 b1 c1 d1 e1", "d4 e3", "g4", goals=["a1 b1 c1 d1 e1"], dropped=[0], to_move=1),
    ),
    "a winner when all others have left": (
        "winner-left",
        position("a1 b1 c1 d1 e1", "d4 e3", "g4", goals=["a1 b1 c1 d1 e1"], dropped=[1, 2], to_move=None),
    ),
    "another outcome than the position shows": (
        "outcome-differs",
        position(GOALS[0], "d4", goals=GOALS, to_move=None, outcome={"reason": "repetition", "places": [1, 1]}),
    ),
    "a seat to move that has left": ("out-of-range", three(dropped=[0])),
    "a draw with the wrong places": (
        "outcome-unfounded",
        three(dropped=[1], to_move=None, outcome={"reason": "repetition", "places": [1, 1, 3]}),
    ),
    "an entry with three players": ("impossible-entry", three(last_entry="d4")),
    "an entry ban with three players": ("impossible-entry-ban", three(entry_ban=["h4", None, None])),
    "a deal with marbles": ("wrong-number", changed(put("marbles", "red", ["a1"]), before_play())),
    "a deal with a colour chosen": ("not-empty", changed(put("colours", 0, "red"), before_play())),
    "a deal with seat 1 to move": ("out-of-range", changed(put("to_move", 1), before_play())),
    "a deal with pawns": ("not-empty", changed(put("pawns", 0, ["a1"]), before_play())),
    "a deal with pawns off": ("not-empty", changed(put("off", 0, 1), before_play())),
    "a deal with a Counsellor": ("not-empty", changed(put("counsellor", "a1"), before_play())),
    "a deal with a ban": ("not-empty", changed(put("counsellor_ban", "a1"), before_play())),
    "a deal with an entry": ("not-empty", changed(put("last_entry", "a4"), before_play())),
    "a deal with an entry ban": ("not-empty", changed(put("entry_ban", 0, "a4"), before_play())),
    "a deal without black": ("missing-field", changed(lambda r: r["marbles"].pop("black"), before_play())),
    "colours with a marble too few": (
        "wrong-number",
        changed(lambda r: r["marbles"]["white"].pop(), before_play(DEAL_FOR_3)),
    ),
    "colours with two black marbles": (
        "wrong-number",
        changed(put("marbles", "black", ["h3", "h4"]), before_play(DEAL_FOR_3)),
    ),
    "colours with two marbles in one hollow": (
        "cell-twice",
        changed(put("marbles", "black", ["a1"]), before_play(DEAL_FOR_3)),
    ),
    "colours chosen out of turn": (
        "colours-order",
        changed(put("colours", [None, "red", None]), before_play(DEAL_FOR_3)),
    ),
    "all colours chosen and no play": (
        "colours-order",
        changed(put("colours", ["green", "red", "blue"]), before_play(DEAL_FOR_3)),
    ),
    "colours with the wrong seat to move": ("not-to-move", changed(put("to_move", 1), before_play(DEAL_FOR_3))),
    "colours with the seat to move gone": (
        "out-of-range",
        changed(put("dropped", [0]), before_play(DEAL_FOR_3)),
    ),
    "colours where a seat that left long ago has not got its own": (
        "colours-order",
        changed(lambda r: r.update(dropped=[0, 2], to_move=None), before_play(DEAL_FOR_3)),
    ),
    "colours and a draw": (
        "outcome-unfounded",
        changed(
            lambda r: r.update(to_move=None, outcome={"reason": "repetition", "places": [1, 1, 1]}),
            before_play(DEAL_FOR_3),
        ),
    ),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_impossible_positions_are_refused_with_what_is_wrong(name: str) -> None:
    code, impossible = IMPOSSIBLE[name]
    with pytest.raises(InvalidPosition) as caught:
        VEDOVA_NERA.load(impossible)
    assert caught.value.code == code


def test_the_positions_that_were_changed_for_this_are_themselves_possible() -> None:
    for possible in (ordinary(), three(), before_play(), before_play(DEAL_FOR_3)):
        assert isinstance(VEDOVA_NERA.load(possible), State)


@pytest.mark.parametrize("value", [None, 0, "", "x", -1, 10**30, 1.5, [], ["a1", "a1"], [[]], {}, {"a": 1}, True])
@pytest.mark.parametrize("start", [ordinary(), before_play(), before_play(DEAL_FOR_3)])
def test_nonsense_in_any_field_raises_nothing_but_invalid_position(start: dict[str, Any], value: object) -> None:
    for field in [*start, "dropped", "outcome", "extra"]:
        try:
            state = VEDOVA_NERA.load({**start, field: value})
        except InvalidPosition:
            continue
        assert VEDOVA_NERA.load(state.to_json()) == state
        assert not value or field == "extra"
