"""How La Vedova Nera ends: the win, the two draws, dropping out, and passing."""

from typing import Any, Final

import pytest

from engine.core import PASS, Action, IllegalAction, State
from engine.games.vedova_nera import GAME as VEDOVA_NERA, Play
from tests.games.vedova_nera.board import DEAL_FOR_3, load, pawns, play, texts
from tests.support.present import catch_error, result

WIN, DRAW, REPEATED = ("complete", (1, 2, 2, 2, 2)), ("no-progress", (1, 1, 1, 1, 1)), ("repetition", (1, 1))
ROUND = ["b1-b2", "e4-e3", "b2-b1", "e3-e4"]


def five(red: str, *others: str, **more: Any) -> State:
    """Return a position of five players in which red needs b1, c1 and d1."""
    return load(red, *(others or ("", "", "", "")), **{"goals": ["b1 c1 d1"], **more})


def near_the_end(played: int) -> State:
    return five("b1 c1 d2", "e4", "", "", "", extra={"turn": played + 2, "played": played})


def walled_in(**more: Any) -> State:
    """Five players; red's pawns on a1, b1 and h1 can go nowhere, and the Counsellor only back to d1."""
    return load("a1 b1 h1", "a2 b2 g1", "h2 c2 e1", "e2", "f4", counsellor="c1", ban="d1", **more)


ENDS: Final[dict[str, list[tuple[State, list[str], tuple[str, tuple[int, ...]] | None]]]] = {
    # the rule: positions, what is played there, and how the game ends by it, None where it goes on
    "covering all own goals wins, the others share second place": [
        (five("b1 c1 d2", "e4", "", "", ""), ["d2-d1"], WIN)
    ],
    "a marble can complete the goals": [(five("b1 c1 d2"), ["Md1-d2"], WIN)],
    "entering a pawn can complete the goals": [(five("b1 c1", goals=["b1 c1 d4"]), ["+d4"], WIN)],
    "all of the goals must be covered": [(five("b1 c1", goals=["b1 c1 d4"]), ["+e4"], None)],
    "a win is the mover's and ends the game at once": [
        (five("", "b1 c1 d2", "", "", "", goals=["", "b1 c1 d1"], to_move=1), ["d2-d1"], ("complete", (2, 1, 2, 2, 2))),
    ],
    "dropouts keep the last places when another wins": [
        (five("b1 c1 d2"), ["drop 3", "drop 1", "d2-d1"], ("complete", (1, 4, 2, 5, 2))),
    ],
    "500 turns of the phase play in all are a draw": [
        (near_the_end(498), ["d2-d3"], None),
        (near_the_end(498), ["d2-d3", "e4-e3"], DRAW),
    ],
    "a win in the 500th turn is a win": [(near_the_end(499), ["d2-d1"], WIN)],
    "a turn that a drop cuts short counts, one that it does not does not": [
        (near_the_end(499), ["drop 2"], None),
        (near_the_end(499), ["drop 2", "drop 0"], ("no-progress", (4, 1, 5, 1, 1))),
    ],
    "a pass counts as a turn": [(walled_in(extra={"played": 499}), ["pass"], DRAW)],
    "the same position for the third time is a draw, the first one being occurrence one": [
        (load("b1 c1", "e4"), [*ROUND, *ROUND[:3]], None),
        (load("b1 c1", "e4"), [*ROUND, *ROUND], REPEATED),
    ],
    "repetition goes before no progress": [(load("b1 c1", "e4", extra={"played": 492}), [*ROUND, *ROUND], REPEATED)],
    "the position includes the ban of the Counsellor": [
        # But for the ban on g3 the first position stands for the third time; only the next one really does.
        (load("b1", "e4", counsellor="g2"), ["b1-b2", "Kg3", "b2-b1", "Kg2"] * 2, None),
        (load("b1", "e4", counsellor="g2"), [*(["b1-b2", "Kg3", "b2-b1", "Kg2"] * 2), "b1-b2"], REPEATED),
    ],
    "a drop starts the history anew": [
        (load("b1 c1", "e4", "g4"), ["b1-b2", "e4-e3", "g4-g3", "b2-b1", "e3-e4", "g3-g4", "drop 2", *ROUND], None),
        (
            load("b1 c1", "e4", "g4"),
            ["b1-b2", "e4-e3", "g4-g3", "b2-b1", "e3-e4", "g3-g4", "drop 2", *ROUND, *ROUND],
            ("repetition", (1, 1, 3)),
        ),
    ],
    "a draw shares first place among the remaining players": [
        (
            load("b1", "e4", "g4", "c3", extra={"played": 498}),
            ["drop 2", "b1-b2", "e4-e3"],
            ("no-progress", (1, 1, 4, 1)),
        ),
    ],
    "when one seat is left it wins and the first to leave is last": [
        (load("b1", "e4", "g4"), ["drop 0", "drop 2"], ("last-seat", (3, 1, 2))),
    ],
}


@pytest.mark.parametrize("rule", ENDS)
def test_ends(rule: str) -> None:
    for state, line, end in ENDS[rule]:
        after = play(state, *line)
        assert (result(after) if after.outcome else None) == end, line


def test_the_count_of_turns_starts_with_the_phase_play_and_at_0_in_a_loaded_position() -> None:
    for state, turn in (
        (play(VEDOVA_NERA.start(3), DEAL_FOR_3, "red", "green", "blue"), 3),
        (load("b1 c1", "e4"), 0),
    ):
        assert isinstance(state, Play)
        assert (state.turn, state.played) == (turn, 0)


def test_the_position_includes_the_ban_on_entering_the_marbles_and_who_is_off_the_board() -> None:
    marbles = load("a1", "b4 d4", goals=["a3"])
    assert load("a1", "b4 d4", goals=["b3"]) != marbles
    assert load("a1", "b4 d4", goals=["a3"], entry_ban=["c4", None]) != marbles
    assert load("a1", "b4", goals=["a3"]) != marbles
    assert load("a1", "b4 d4", goals=["a3"]) == marbles


def test_a_game_loaded_in_between_ends_by_repetition_at_the_same_turn() -> None:
    state: State = load("b1 c1", "e4")
    for number, text in enumerate(ROUND * 2, start=1):
        state = VEDOVA_NERA.load(play(state, text).to_json())
        assert (state.outcome is not None) == (number == 8)


# --- Passing ----------------------------------------------------------------------------------------------------------


def test_a_seat_without_any_legal_action_passes_and_that_was_no_counsellor_move() -> None:
    state = walled_in()
    assert state.legal_actions() == (PASS,)
    after = state.play(PASS)
    assert (after.to_move, after.turn, pawns(after)) == (1, 1, pawns(state))
    assert (after.to_json()["counsellor_ban"], "Kd1" in texts(after)) == (None, True)


def test_passing_is_never_allowed_otherwise() -> None:
    state = load("b1 c1", "e4")
    assert PASS not in state.legal_actions()
    assert catch_error(IllegalAction, state.read, "pass").code == "must-act"


# --- Dropping out -----------------------------------------------------------------------------------------------------

SHOWN: Final[dict[str, list[tuple[State, list[str], dict[str, Any]]]]] = {
    # the rule: positions, what is played there, and what the position shows then
    "the pawns of a seat that left stay and its turns are skipped": [
        (load("b1", "e4", "g4"), ["drop 1"], {"pawns": [["b1"], ["e4"], ["g4"]], "to_move": 0, "extra": {}}),
        (load("b1", "e4", "g4"), ["drop 1", "b1-b2"], {"to_move": 2}),
        (load("b1", "e4", "g4"), ["drop 1", "b1-b2", "g4-g3"], {"to_move": 0}),
    ],
    "a seat that drops on the move ends its turn": [
        (load("b1", "e4", "g4"), ["drop 0"], {"to_move": 1, "dropped": [0], "extra": {"turn": 1, "played": 1}}),
    ],
    "pawns of a seat that left can be captured and trap together with the Counsellor": [
        (load("c1 d3", "c2", "g4"), ["drop 1", "d3-c3"], {"pawns": [["c1", "c3"], [], ["g4"]], "off": [3, 5, 4]}),
        (load("e3", "a2", "b2", counsellor="c1"), ["drop 1", "Kc2"], {"pawns": [["e3"], ["a2"], []]}),
    ],
    "pawns of a seat that left are stable as before": [
        (
            load("c1 d3", "c2", "g4", goals=["", "c2"]),
            ["drop 1", "d3-c3"],
            {"pawns": [["c1", "c3"], ["c2"], ["g4"]]},
        ),
    ],
    "each goes on with the pawns of as many seats as there were": [
        (load("a1 b1", "e4", "g4"), ["drop 1"], {"off": [3, 4, 4]}),
    ],
    "the ban on entering of two players does not come when two of three are left": [
        (load("a1", "b4 c3", "g4", goals=["d2 e2 f2 g2 h2"]), ["drop 2", "+c4"], {"last_entry": None}),
        (
            load("a1", "b4 c3", "g4", goals=["d2 e2 f2 g2 h2"]),
            ["drop 2", "+c4", "+d4"],
            {"pawns": [["a1"], ["b4", "c3", "d4"], ["g4"]], "entry_ban": [None, None, None]},
        ),
        (load("a1", "b4 c3", "g4", goals=["d2 e2 f2 g2 h2"]), ["drop 2", "+c4", "+d4", "+c4"], {"to_move": 1}),
    ],
}


@pytest.mark.parametrize("rule", SHOWN)
def test_what_an_action_changes(rule: str) -> None:
    for state, line, expected in SHOWN[rule]:
        shown = play(state, *line).to_json()
        assert {name: shown[name] for name in expected} == expected, line


@pytest.mark.parametrize(
    ("others", "stable_pawns", "goals", "leaver", "allowed"),
    [
        # three seats need 3 stable pawns for a marble, also when two are left (two from the start would need 4)
        (("e4", "g4"), "a1 b1", "a1 b1 c1 d2 h2", 1, False),
        (("e4", "g4"), "a1 b1 c1", "a1 b1 c1 d2 h2", 1, True),
        # four need 2, also when three are left (three from the start would need 3)
        (("e4", "g4", "h4"), "a1 b1", "a1 b1 d2 h2", 1, True),
    ],
)
def test_stable_pawns_for_a_marble_are_those_of_the_seats_at_the_start(
    others: tuple[str, ...], stable_pawns: str, goals: str, leaver: int, allowed: bool
) -> None:
    state = play(load(stable_pawns, *others, goals=[goals]), f"drop {leaver}")
    assert bool(texts(state, "marble")) == allowed


@pytest.mark.parametrize("seat", [-1, 2, 3, "0", None, True])
def test_only_a_seat_still_playing_can_drop(seat: object) -> None:
    state = play(load("b1", "e4", "g4"), "drop 2")
    refusal = state.refusal(Action(f"drop {seat}", "drop", value=seat))
    assert (refusal.code, state.is_legal(Action(f"drop {seat}", "drop", value=seat))) == ("no-such-seat", False)
