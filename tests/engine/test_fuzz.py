"""Whatever is typed or loaded, the engine answers with an error of its own or with something that works."""

import json
from functools import cache
from typing import Any

from hypothesis import given, settings, strategies as st

from engine import CHANCE, AmbiguousAction, GameOver, IllegalAction, InvalidAction, InvalidPosition, games
from tests.engine.playing import EVERY_SETTING, Setting, some_states
from tests.support.examples import scaled

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["a1", "d4", "red"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@cache
def texts_of_actions(setting: Setting) -> list[str]:
    """Return texts of legal actions from all over two games."""
    return [action.text for state in some_states(setting) for action in state.legal_actions()[:30]]


def part(data: st.DataObject, value: Any) -> list[Any]:
    """Return the path to a value inside a JSON value, a long history no likelier than a short board."""
    path: list[Any] = []
    while not path or (isinstance(value, dict | list) and value and data.draw(st.booleans())):
        path.append(data.draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value)))))
        value = value[path[-1]]
    return path


@EVERY_SETTING
@settings(max_examples=scaled(15))
@given(data=st.data())
def test_a_typed_text_gives_legal_actions_or_an_error_that_says_why(setting: Setting, data: st.DataObject) -> None:
    state = data.draw(st.sampled_from(some_states(setting)))
    words = (
        st.sampled_from(texts_of_actions(setting))
        | st.text(max_size=6)
        | st.sampled_from(["x", "-", ",", "pass", "stop", "stay", "a1"])
    )
    text = data.draw(st.sampled_from([" ", "", "x", "-"])).join(data.draw(st.lists(words, max_size=5)))
    try:
        actions = state.parse(text)
    except (InvalidAction, IllegalAction, AmbiguousAction) as error:
        json.dumps(error.params)
        return
    except GameOver:
        assert state.to_move is None
        return
    assert actions
    at = state
    for action in actions:
        assert (at.to_move, at.turn) == (state.to_move, state.turn)
        assert action in at.legal_actions()
        at = at.play(action)


@EVERY_SETTING
@settings(max_examples=scaled(15))
@given(data=st.data())
def test_a_recorded_text_is_a_legal_action_or_an_error(setting: Setting, data: st.DataObject) -> None:
    state = data.draw(st.sampled_from(some_states(setting)))
    dice = ["roll 1 2", "roll 6 6", "roll 0 7", "roll 2 1", "drop 0", "drop 7", "drop ٣", "deal", "deal red:a1"]
    text = data.draw(st.sampled_from(texts_of_actions(setting)) | st.sampled_from(dice) | st.text(max_size=12))
    try:
        action = state.read(text)
    except (InvalidAction, IllegalAction):
        return
    except GameOver:
        assert state.to_move is None
        return
    assert action.text == text
    assert state.is_legal(action)


@EVERY_SETTING
@settings(max_examples=scaled(15))
@given(data=st.data())
def test_a_changed_position_is_refused_or_can_be_played(setting: Setting, data: st.DataObject) -> None:
    states = st.sampled_from(some_states(setting)).map(lambda state: json.loads(json.dumps(state.to_json())))
    position = data.draw(states)
    for _ in range(data.draw(st.integers(1, 3))):
        path = part(data, position)
        where, giver = position, data.draw(states)
        for step in path[:-1]:
            where = where[step]
            giver = giver[step] if isinstance(giver, dict) and step in giver else {}
        fitting = isinstance(giver, dict) and path[-1] in giver
        # either what stands there in another position, or anything
        where[path[-1]] = giver[path[-1]] if fitting and data.draw(st.booleans()) else data.draw(json_values)
    try:
        state = games[setting.key].load(position)
    except InvalidPosition as error:
        json.dumps(error.params)
        return
    assert games[setting.key].load(json.loads(json.dumps(state.to_json()))) == state
    assert (state.to_move is None) == (state.outcome is not None)
    if state.to_move not in (None, CHANCE):
        for action in state.legal_actions():
            state.play(action)
