"""The contract's small parts: actions, outcomes, errors, places."""

import copy
import pickle

import pytest

from engine import Action, EngineError, GameOver, IllegalAction, Outcome, games
from engine.core import places_with_draw, places_with_winner, shorten_value
from tests.engine.playing import EVERY_GAME, EVERY_SETTING, Setting, some_states
from tests.engine.tiny import TINY


def test_actions_are_equal_by_their_text() -> None:
    one, other = Action("a1-b2", "move", "a1", "b2"), Action("a1-b2", "anything")
    assert (one, hash(one)) == (other, hash(other))
    assert one != Action("a1-b3", "move", "a1", "b3")
    assert one != "a1-b2"
    assert (str(one), repr(one)) == ("a1-b2", "<Action a1-b2>")


def test_actions_never_change() -> None:
    action = Action("a1-b2", "move", "a1", "b2", 3, (1, 2))
    for name in ("text", "verb", "source", "target", "amount", "value", "brand_new"):
        with pytest.raises(AttributeError):
            setattr(action, name, "other")
        with pytest.raises(AttributeError):
            delattr(action, name)


def test_actions_are_copied_and_pickled_whole() -> None:
    action = Action("b1-c5/4", "move", "b1", "c5", 4, {"die": 4})
    for again in (pickle.loads(pickle.dumps(action)), copy.deepcopy(action)):  # noqa: S301 our own bytes
        assert again == action
        found = (again.verb, again.source, again.target, again.amount, again.value)
        assert found == ("move", "b1", "c5", 4, {"die": 4})


def test_a_drop_names_its_seat() -> None:
    assert (Action.drop(3).text, Action.drop(3).verb, Action.drop(3).value) == ("drop 3", "drop", 3)
    assert Action.drop(3).is_drop
    assert not Action("d3", "place", target="d3").is_drop


def test_errors_carry_code_and_params() -> None:
    error = IllegalAction("too-far", cell="c4", distance=3)
    assert (error.code, error.params) == ("too-far", {"cell": "c4", "distance": 3})
    assert (str(error), str(GameOver())) == ("too-far(cell='c4', distance=3)", "game-over")
    assert isinstance(error, EngineError)


def test_the_winner_is_who_alone_has_first_place() -> None:
    assert Outcome("x", (2, 1)).winner == 1
    assert Outcome("x", (1, 1)).winner is None
    assert Outcome("x", (1, 1, 3)).winner is None


def test_outcome_details_are_serialised_but_not_compared() -> None:
    assert Outcome("score", (1, 2), {"best_man": [0]}) == Outcome("score", (1, 2))
    found = Outcome("score", (1, 2), {"best_man": [0]}).to_json()
    assert found == {"reason": "score", "places": [1, 2], "details": {"best_man": [0]}}
    assert Outcome("score", (1, 2)).to_json() == {"reason": "score", "places": [1, 2]}


def test_places_count_leavers_from_the_last_place_upwards() -> None:
    assert places_with_winner(2, 1) == (2, 1)
    assert places_with_winner(4, 2) == (2, 2, 1, 2)
    # seat 3 left first and is 5th, seat 0 left next and is 4th
    assert places_with_winner(5, 2, (3, 0)) == (4, 2, 1, 5, 2)
    assert places_with_winner(3, 1, (2, 0)) == (2, 1, 3)
    assert places_with_draw(2) == (1, 1)
    assert places_with_draw(4, (1,)) == (1, 4, 1, 1)


def test_values_in_errors_are_short() -> None:
    assert (shorten_value("abc"), shorten_value(12), len(shorten_value("x" * 1000))) == ("abc", "12", 40)
    assert (len(shorten_value([1] * 1000)), shorten_value(10**5000)) == (40, "…")
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert shorten_value(nested) == "…"


@EVERY_SETTING
def test_states_are_pickled_by_their_json(setting: Setting) -> None:
    for state in some_states(setting, 6):
        again = pickle.loads(pickle.dumps(state))  # noqa: S301 our own bytes
        assert (again, again.to_json()) == (state, state.to_json())
        assert "to_move" in repr(state)


def test_the_games_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        games["chess"] = TINY  # type: ignore[index]
    assert repr(TINY) == "<Game tiny>"


@EVERY_GAME
def test_a_game_is_found_by_its_key(key: str) -> None:
    assert (games[key].key, repr(games[key])) == (key, f"<Game {key}>")
