"""A well-formed move that is not allowed is refused with the rule that forbids it, in every game."""

import json
from functools import cache

from hypothesis import given, strategies as st

from engine import CHANCE, Action, IllegalAction, State
from tests.engine.playing import EVERY_SETTING, Setting, playout, some_states
from tests.support.present import catch_error

CATCH_ALL = {
    *("bad-move", "cannot", "forbidden", "foreign-action", "illegal", "illegal-action", "illegal-move", "impossible"),
    *("invalid", "not-allowed", "not-legal", "not-possible", "not-understood", "unknown", "unknown-action", "wrong"),
}


@cache
def moves(setting: Setting) -> list[Action]:
    """Return actions that a seat could take somewhere in two games: all of them are well-formed."""
    found = {
        action
        for seed in (0, 1)
        for state, taken in playout(setting, seed)
        if state.to_move != CHANCE
        for action in (*state.legal_actions()[:: 7 if len(state.legal_actions()) > 40 else 1], taken)
        if action is not None and not action.is_drop
    }
    return sorted(found, key=str)


def waiting(state: State) -> bool:
    return state.to_move is not None and state.to_move != CHANCE


@EVERY_SETTING
@given(data=st.data())
def test_an_illegal_move_is_refused_by_a_rule_of_its_own_also_where_it_is_typed(
    setting: Setting, data: st.DataObject
) -> None:
    state = data.draw(st.sampled_from([state for state in some_states(setting, 60) if waiting(state)]))
    action = data.draw(st.sampled_from(moves(setting)))
    answer = None
    try:
        assert state.parse(action.text)
    except IllegalAction as refused:
        answer = refused.code
    assert answer not in CATCH_ALL
    if state.is_legal(action):
        state.play(action)
        return
    error = catch_error(IllegalAction, state.play, action)
    assert error.code not in CATCH_ALL
    json.dumps(error.params)
    assert catch_error(IllegalAction, state.read, action.text).code == error.code
