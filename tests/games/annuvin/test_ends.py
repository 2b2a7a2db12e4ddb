"""Annuvin: how a game ends (docs/rules/annuvin.md, End; docs/rules/README.md, How every game can end, Dropping out)."""

from typing import Final

import pytest

from engine import Action, Outcome, State
from tests.games.annuvin.board import ANNUVIN, load, play, position
from tests.support.present import result

WHITE_WINS, BLACK_WINS, DRAW = (1, 2), (2, 1), (1, 1)
TO_AND_FRO = ("d2-d3", "d6-d5", "d3-d2", "d5-d6")


def bare(state: State, **extra: int) -> State:
    """Return a position without what came before it, with some of that said anew."""
    shown = state.to_json()
    known = {"extra": {**shown["extra"], **extra}} if extra else {}
    return ANNUVIN.load({name: value for name, value in shown.items() if name != "extra"} | known)


ENDS: Final[dict[str, list[tuple[State, tuple[str, ...], tuple[str, tuple[int, int]] | None]]]] = {
    # the rule: positions, the turns that are played there, and how the game ends by them, None where it goes on
    "a player with nothing on the board and in reserve has lost": [
        (load("c3 a1", "c4"), ("c3xc4",), ("eliminated", WHITE_WINS)),
        (load("c3", "c4 a1", 1), ("c4xc3",), ("eliminated", BLACK_WINS)),
    ],
    "reducing the enemy to one piece without a loss wins at once": [
        (load("c3 a1 a2 a3 a4 b1", "c4 g7"), ("c3xc4",), ("reduced-to-one", WHITE_WINS)),
        (load("c4 g7", "c3 a1 a2 a3 a4 b1", 1), ("c3xc4",), ("reduced-to-one", BLACK_WINS)),
        (load("c3 a1 a2 a3", "c4 d4", board="square"), ("c3xc4",), ("reduced-to-one", WHITE_WINS)),
    ],
    "a player who has lost a piece must capture all": [(load("c3 a1 a2 a3 a4", "c4 g7"), ("c3xc4",), None)],
    "board and reserve count together": [
        # Black keeps one on the board and one in reserve: two
        (load("c3 a1 a2 a3 a4 b1", "c4 g7", reserve=(0, 1)), ("c3xc4",), None),
        # one in reserve and none on the board is one
        (load("c3 a1 a2 a3 a4 b1", "c4", reserve=(0, 1)), ("c3xc4",), ("reduced-to-one", WHITE_WINS)),
        # White's own reserve counts as not lost
        (load("c3 a1 a2 a3", "c4 g7", reserve=(2, 0)), ("c3xc4",), ("reduced-to-one", WHITE_WINS)),
    ],
    "a win is checked after every single capture": [
        # White has lost nothing: the first capture leaves one black piece, which the second could have taken
        (load("c3 c1 b1 d1", "c4 d3", board="square"), ("c3xc4",), ("reduced-to-one", WHITE_WINS)),
        (load("d5 a1 a2 a3", "c4 c3", reserve=(2, 0)), ("d5xc4",), ("reduced-to-one", WHITE_WINS)),
        # in the middle of a line the last piece falls: nothing is asked any more
        (load("d5 a1 g7", "c4 c3"), ("d5xc4", "xc3"), ("eliminated", WHITE_WINS)),
    ],
    "no progress is a draw after 100 turns of both players": [
        (load("a1 a2 b1", "g7 f7 g6", extra={"quiet": 98, "turn": 120}), ("a1-b2",), None),
        (load("a1 a2 b1", "g7 f7 g6", extra={"quiet": 98, "turn": 120}), ("a1-b2", "g7-f6"), ("no-progress", DRAW)),
    ],
    "a placement starts the count anew": [
        (load("a1 a2 b1", "b2 f7 g6 g4", reserve=(1, 0), extra={"quiet": 99}), ("d4",), None),
        (load("a1 a2 b1", "b2 f7 g6 g4", reserve=(1, 0), extra={"quiet": 99}), ("a2-a3",), ("no-progress", DRAW)),
    ],
    "the same position at the start of a turn for the third time is a draw, the first one counted": [
        (ANNUVIN.start(), TO_AND_FRO, None),
        (ANNUVIN.start(), TO_AND_FRO + TO_AND_FRO[:3], None),
        (ANNUVIN.start(), TO_AND_FRO + TO_AND_FRO, ("repetition", DRAW)),
    ],
    "a loaded position is occurrence one": [
        (bare(play(ANNUVIN.start(), *TO_AND_FRO)), TO_AND_FRO, None),
        (bare(play(ANNUVIN.start(), *TO_AND_FRO)), TO_AND_FRO + TO_AND_FRO, ("repetition", DRAW)),
    ],
    "the history goes through JSON": [
        (ANNUVIN.load(play(ANNUVIN.start(), *TO_AND_FRO).to_json()), TO_AND_FRO, ("repetition", DRAW)),
    ],
    "the seat to move matters to repetition": [
        # the same pieces, but with Black to move: White loses a turn on the way
        (
            load("a1 a2 b1", "g7 f7 g6"),
            ("a1-a3", "g7-g5", "a3-a4", "g5-g7", "a4-a1", "g7-g5", "a1-a3", "g5-g7", "a3-a1"),
            None,
        ),
    ],
    "a win comes before repetition and repetition before no progress": [
        (
            bare(play(ANNUVIN.start(), *TO_AND_FRO, *TO_AND_FRO[:3]), quiet=99),
            TO_AND_FRO[3:],
            ("repetition", DRAW),
        ),
        (load("c3 a1", "c4", extra={"quiet": 99}), ("c3xc4",), ("eliminated", WHITE_WINS)),
    ],
}


@pytest.mark.parametrize("rule", ENDS)
def test_ends(rule: str) -> None:
    for state, turns, end in ENDS[rule]:
        after = play(state, *turns)
        assert (result(after) if after.outcome else None) == end, turns


def quiet_turns(state: State, turns: int) -> State:
    """Play turns without capture or placement that repeat nothing three times: White walks about, Black to and fro."""
    for _ in range(turns):
        seen = state
        for action in state.legal_actions():
            after = state.play(action)
            if action.verb == "move" and (after.outcome is None or after.outcome.reason == "no-progress"):
                state = after
                if after.outcome is not None or len(set(after.legal_actions())) > 1:
                    break
        assert state is not seen
    return state


def test_a_player_with_a_reserve_goes_on_without_pieces_on_the_board() -> None:
    state = play(load("c3 a1", "c4", reserve=(0, 2)), "c3xc4")
    assert state.outcome is None
    assert (state.to_move, {action.verb for action in state.legal_actions()}) == (1, {"place"})


def test_the_capture_that_wins_finishes_the_turn() -> None:
    state = play(load("c3 a1", "c4"), "c3xc4")
    assert state.turn == 1
    assert state.to_json()["moving"] is None


def test_no_progress_counts_from_0_and_in_a_loaded_position_again() -> None:
    state = quiet_turns(load("a1 a2 b1", "g7 f7 g6"), 99)
    assert (state.outcome, state.turn) == (None, 99)
    assert result(quiet_turns(state, 1)) == ("no-progress", DRAW)
    assert quiet_turns(bare(state), 99).outcome is None


def test_a_capture_starts_the_count_anew() -> None:
    state = play(load("a1 a2 b1", "b2 f7 g6 g4", extra={"quiet": 99}), "a1xb2")
    assert state.outcome is None
    assert quiet_turns(state, 99).outcome is None


@pytest.mark.parametrize("to_move", [0, 1])
@pytest.mark.parametrize("leaver", [0, 1])
def test_dropping_out_of_a_game_for_two_ends_it(leaver: int, to_move: int) -> None:
    state = load("c3 a1", "c5 g7", to_move)
    assert Action.drop(leaver) not in state.legal_actions()
    after = state.play(Action.drop(leaver))
    assert result(after) == ("last-seat", BLACK_WINS if leaver == 0 else WHITE_WINS)
    assert after.dropped == (leaver,)
    # the pieces stay; a turn that the drop cuts short counts
    assert (after.to_json()["pieces"], after.turn) == (state.to_json()["pieces"], leaver == to_move)


def test_dropping_out_in_the_middle_of_captures_ends_the_turn_there() -> None:
    state = play(load("d5 a1 g7", "c4 c3 a2 g4"), "d5xc4")
    after = state.play(Action.drop(0))
    assert after.to_json()["moving"] is None
    assert (after.to_json()["pieces"], after.turn) == ([["a1", "c4", "g7"], ["a2", "c3", "g4"]], 1)
    assert state.play(Action.drop(1)).turn == 0


@pytest.mark.parametrize(
    ("white", "black", "reserve", "reason"),
    [
        ("c3 a1", "", (0, 0), "eliminated"),
        ("c3 a1 a2 a3 a4 b1", "g7", (0, 0), "reduced-to-one"),
        ("c3 a1 a2 a3", "", (2, 1), "reduced-to-one"),
    ],
)
def test_a_loaded_position_with_a_win_is_over(white: str, black: str, reserve: tuple[int, int], reason: str) -> None:
    for shown in (
        position(white, black, 1, reserve=reserve),
        position(white, black, None, reserve=reserve),
        position(white, black, None, reserve=reserve, outcome={"reason": reason, "places": [1, 2]}),
    ):
        assert ANNUVIN.load(shown).outcome == Outcome(reason, WHITE_WINS)
    swapped = position(black, white, 0, reserve=(reserve[1], reserve[0]))
    assert ANNUVIN.load(swapped).outcome == Outcome(reason, BLACK_WINS)
