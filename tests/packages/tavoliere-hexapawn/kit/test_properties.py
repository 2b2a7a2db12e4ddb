"""What never breaks in Hexapawn, whatever is played."""

from itertools import pairwise

from hypothesis import given, strategies as st

from engine import State, games
from tests.support.present import present

HEXAPAWN = games["hexapawn"]


@st.composite
def lines(draw: st.DrawFn) -> list[State]:
    """Return the states of a whole game."""
    state = HEXAPAWN.start(options={"board": draw(st.sampled_from(["3x3", "4x4", "5x5"]))})
    states = [state]
    while state.to_move is not None:
        state = state.play(draw(st.sampled_from(list(state.legal_actions()))))
        states.append(state)
    return states


@given(lines())
def test_every_turn_takes_one_pawn_one_row_ahead(line: list[State]) -> None:
    for before, after in pairwise(line):
        seat = before.to_move or 0
        then, now = (set(state.to_json()["pawns"][seat]) for state in (before, after))
        (left,), (reached,) = then - now, now - then
        assert int(reached[1:]) - int(left[1:]) == (-1 if seat else 1)


@given(lines())
def test_games_end_in_time_with_a_winner(line: list[State]) -> None:
    size = int(line[0].to_json()["options"]["board"][0])
    assert present(line[-1].outcome).winner is not None
    # each turn a pawn goes on by a row, and no pawn goes on from the last one
    assert len(line) - 1 <= 2 * size * (size - 1)
    assert all(state.outcome is None for state in line[:-1])
