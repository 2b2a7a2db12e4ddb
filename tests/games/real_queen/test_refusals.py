"""Real Queen: which rule stands in the way, and what players may type."""

from hypothesis import given, settings, strategies as st

from engine.core import PASS, Action, State
from engine.games.real_queen import GAME as REAL_QUEEN
from engine.games.real_queen.rules import CAPTURES, CROWNS, MOVES, PLACES, RETURNS, SHIFTS, STEPS
from tests.engine.playing import last_of
from tests.games.real_queen.board import load, play
from tests.support import kits
from tests.support.examples import scaled

MOVED = [action for table in (STEPS, SHIFTS) for row in table for action in row.values()]
WELL_FORMED = {action.text: action for action in (PASS, *PLACES, *CROWNS, *CAPTURES, *RETURNS, *MOVED)}
ENTRIES = kits.data("real-queen", "refusals.json")["refusals"]
CODES = {entry["code"] for entry in ENTRIES}
LOADED = [REAL_QUEEN.load(entry[name]) for entry in ENTRIES for name in ("position", "without") if name in entry]


@given(st.sampled_from(LOADED), st.lists(st.integers(0, 10**6), max_size=6), st.sampled_from([*WELL_FORMED.values()]))
@settings(max_examples=scaled(60))
def test_every_well_formed_action_is_legal_or_refused_by_a_rule_of_its_own(
    state: State, numbers: list[int], action: Action
) -> None:
    state = last_of(state, numbers)
    assert state.is_legal(action) == (action in state.legal_actions())
    if state.to_move is not None and not state.is_legal(action):
        assert state.refusal(action).code in CODES


def test_well_formed_actions_are_all_that_the_game_knows() -> None:
    assert set(WELL_FORMED) == set(MOVES)


def test_readings_are_never_ambiguous_in_the_middle_of_a_turn() -> None:
    state = play(load("a4 b3 c2 d2 d3 d4", "c3 c4 c5"), "d1 xc5 xc4 xc3 rd1")
    for action in state.legal_actions():
        assert state.parse(str(action.target)) == (action,)
