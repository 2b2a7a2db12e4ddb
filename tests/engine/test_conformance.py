"""What holds for every game, whatever its rules: each registered game is played at random and looked at closely."""

import json
import random
from typing import Any

import pytest

from engine import CHANCE, Action, AmbiguousAction, GameOver, IllegalAction, State, games
from engine.core import InvalidAction, InvalidOption, InvalidPosition
from tests.engine.playing import EVERY_GAME, EVERY_SETTING, Setting, playout, settings, some_states
from tests.support.present import present

BEGINNING = 10
"""So many states are the beginning of a game."""
STEPS = (5, 7, 11, 13, 17, 23, 31)
"""How many states lie between two that are compared, in a longer game more."""


def through_json(state: State) -> State:
    return state.game.load(json.loads(json.dumps(state.to_json())))


def fitting(state: State, text: str) -> list[str]:
    """Return the line that the text stands for, or all that it may stand for."""
    try:
        return [" ".join(map(str, state.parse(text)))]
    except AmbiguousAction as error:
        return list(error.params["options"])


def without_extra(state: State) -> dict[str, Any]:
    return {name: value for name, value in state.to_json().items() if name != "extra"}


@EVERY_SETTING
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.full)])
def test_a_game_ends_and_its_states_go_through_json_and_play_on_alike(setting: Setting, seed: int, whole: bool) -> None:
    """In the quick run some sixty states are compared, so far apart that each seat and each of two dice has its turn.

    At the beginning all are: what is picked, dealt or rolled for before the first move is over after a few actions.
    """
    line = list(playout(setting, seed))
    every = 1 if whole else next((each for each in STEPS if len(line) < 60 * each), STEPS[-1])
    turn = 0
    for number, (state, action) in enumerate(line):
        assert turn <= state.turn <= turn + 1
        turn = state.turn
        if number >= BEGINNING and number % every and action is not None:
            continue
        written = json.loads(json.dumps(state.to_json()))
        twin = state.game.load(written)
        assert twin.to_json() == written
        assert (twin, twin.turn, twin.outcome) == (state, state.turn, state.outcome)
        assert [str(legal) for legal in twin.legal_actions()] == [str(legal) for legal in state.legal_actions()]
        if action is not None:
            # The state that came from the JSON tells the same after the same action.
            following, _ = line[number + 1]
            assert through_json(twin.play(twin.read(action.text))).to_json() == through_json(following).to_json()
    assert line[-1][1] is None
    assert line[-1][0].outcome is not None


@EVERY_SETTING
def test_a_position_loads_without_extra_outcome_and_dropped(setting: Setting) -> None:
    for state in some_states(setting):
        bare = without_extra(state)
        if state.outcome is None:
            del bare["outcome"]
            if not state.dropped:
                del bare["dropped"]
        assert state.game.load(bare) == state


@EVERY_SETTING
def test_legal_actions_are_unique_in_text_and_legal(setting: Setting) -> None:
    for state in some_states(setting):
        actions = list(state.legal_actions())
        assert len({action.text for action in actions}) == len(actions)
        assert all(state.is_legal(action) for action in actions)
        assert all(type(action) is Action and str(action) == action.text for action in actions)
        if state.to_move not in (None, CHANCE):
            assert actions
        assert ("pass" in map(str, actions)) <= (len(actions) == 1)


@EVERY_SETTING
def test_every_text_reads_back_to_the_same_action(setting: Setting) -> None:
    rng = random.Random(str(setting))
    for state in some_states(setting):
        actions = state.legal_actions()
        for action in rng.sample(list(actions), min(12, len(actions))):
            assert state.read(action.text) == action
            if state.to_move == CHANCE:
                continue
            assert state.parse(action.text) == (action,)
            assert state.parse(f"  {action.text.upper()} ") == (action,)
            for reading in {*state.readings(action)} - {action.text}:
                # a shorthand may fit several actions: then they are listed, and none is guessed
                assert action.text in fitting(state, reading)


@EVERY_SETTING
def test_records_hold_single_actions_in_canonical_text_never_a_shorthand(setting: Setting) -> None:
    rng = random.Random(str(setting))
    for state in some_states(setting):
        actions = list(state.legal_actions()) or [state.sample_chance(rng)] if state.to_move is not None else []
        legal = {action.text for action in actions}
        for action in rng.sample(actions, min(10, len(actions))):
            text = action.text
            typed = {*state.readings(action), text.upper(), text.title(), f" {text}", f"{text} ", f"{text} {text}"}
            for shorthand in typed - legal:
                with pytest.raises((InvalidAction, IllegalAction)):
                    state.read(shorthand)
        if state.to_move is not None:
            for seat in map(str, range(state.seats)):
                for shorthand in (f"drop 0{seat}", f"drop  {seat}", f"Drop {seat}", f"drop {seat} ", f"drop{seat}"):
                    with pytest.raises((InvalidAction, IllegalAction)):
                        state.read(shorthand)


@EVERY_SETTING
def test_actions_have_valid_verb_cells_and_amount(setting: Setting) -> None:
    for state in some_states(setting):
        cells = state.topology.index if state.topology else None
        for action in state.legal_actions():
            assert action.verb
            assert action.amount is None or type(action.amount) is int
            for cell in (action.source, action.target):
                assert cell is None or cells is None or cell in cells


@EVERY_SETTING
def test_states_never_change(setting: Setting) -> None:
    rng = random.Random(str(setting))
    for state in some_states(setting):
        before, number = json.dumps(state.to_json()), hash(state)
        actions = state.legal_actions()
        for action in rng.sample(list(actions), min(10, len(actions))):
            state.play(action)
        if state.to_move is not None:
            state.random_action(rng)
            state.play(Action.drop(next(seat for seat in range(state.seats) if state.is_playing(seat))))
        assert (json.dumps(state.to_json()), hash(state)) == (before, number)
        for name in ("to_move", "turn", "outcome", "brand_new"):
            with pytest.raises(AttributeError):
                setattr(state, name, None)
            with pytest.raises(AttributeError):
                delattr(state, name)


@EVERY_SETTING
def test_equal_positions_are_equal_states_and_others_are_not(setting: Setting) -> None:
    seen: dict[State, str] = {}
    for state in some_states(setting):
        twin = state.game.load(without_extra(state))
        assert (twin, hash(twin)) == (state, hash(state))
        position = json.dumps(without_extra(state), sort_keys=True)
        assert seen.setdefault(state, position) == position
        assert state != position
    assert len(seen) == len(set(seen.values()))


@EVERY_SETTING
def test_a_random_action_is_legal(setting: Setting) -> None:
    rng = random.Random(str(setting))
    for state in some_states(setting):
        if state.to_move is None:
            with pytest.raises(GameOver):
                state.random_action(rng)
            continue
        for _ in range(5):
            assert state.is_legal(state.random_action(rng))


@EVERY_SETTING
def test_random_actions_are_drawn_evenly(setting: Setting) -> None:
    def few(state: State) -> bool:
        return state.to_move not in (None, CHANCE) and 2 <= len(state.legal_actions()) <= 40

    rng = random.Random(str(setting))
    for state in list(filter(few, some_states(setting)))[:3]:
        actions = [action.text for action in state.legal_actions()]
        drawn = [state.random_action(rng).text for _ in range(100 * len(actions))]
        # 100 of each are to be expected, give or take 10: 50 is five times that
        assert all(50 <= drawn.count(text) <= 150 for text in actions)
        assert set(drawn) <= set(actions)


@EVERY_SETTING
def test_chance_is_drawn_from_its_outcomes(setting: Setting) -> None:
    rng = random.Random(str(setting))
    for state in some_states(setting):
        if state.to_move != CHANCE:
            assert not state.chance_outcomes()
            with pytest.raises(IllegalAction):
                state.sample_chance(rng)
            continue
        action = state.sample_chance(rng)
        assert state.is_legal(action)
        assert state.read(action.text) == action
        outcomes = state.chance_outcomes()
        if outcomes:
            assert sum(probability for _, probability in outcomes) == pytest.approx(1)
            assert [action for action, _ in outcomes] == list(state.legal_actions())
            assert action in dict(outcomes)
        with pytest.raises(InvalidAction):
            state.parse(action.text)


@EVERY_SETTING
def test_dropping_out(setting: Setting) -> None:
    for state in some_states(setting):
        assert not any(action.is_drop for action in state.legal_actions())
        if state.to_move is None:
            continue
        for seat in range(state.seats):
            action = Action.drop(seat)
            if not state.is_playing(seat):
                with pytest.raises(IllegalAction):
                    state.play(action)
                with pytest.raises(IllegalAction):
                    state.read(action.text)
                continue
            after = state.play(state.read(action.text))
            assert after.dropped == (*state.dropped, seat)
            assert after.turn in (state.turn, state.turn + 1)
            with pytest.raises((InvalidAction, IllegalAction)):
                state.parse(action.text)
            if state.seats - len(state.dropped) == 2:
                assert present(after.outcome).reason == "last-seat"
            if after.outcome is not None:
                assert after.outcome.places[seat] == state.seats - len(state.dropped)


@EVERY_SETTING
def test_the_places_of_an_outcome(setting: Setting) -> None:
    for seed in (0, 1):
        *_, (state, _) = playout(setting, seed)
        outcome = present(state.outcome)
        assert len(outcome.places) == state.seats
        for place in outcome.places:
            # shared places count 1, 1, 3
            assert place == 1 + sum(other < place for other in outcome.places)
        for distance, seat in enumerate(state.dropped):
            assert outcome.places[seat] == state.seats - distance


@EVERY_SETTING
def test_no_action_is_legal_after_the_end(setting: Setting) -> None:
    *_, (state, _) = playout(setting, 0)
    some_action = setting.start().random_action(random.Random(1))
    assert state.to_move is None
    assert list(state.legal_actions()) == []
    assert not state.is_legal(some_action)
    assert not state.is_legal(Action.drop(0))
    for attempt in (
        lambda: state.play(some_action),
        lambda: state.play(Action.drop(0)),
        lambda: state.parse(some_action.text),
        lambda: state.parse("nonsense"),
        lambda: state.read(some_action.text),
        lambda: state.read("drop 0"),
    ):
        with pytest.raises(GameOver):
            attempt()


@EVERY_SETTING
def test_whole_turns_can_be_typed_at_once(setting: Setting) -> None:
    for state in some_states(setting, 8):
        line: list[Action] = []
        at = state
        rng = random.Random(str(setting))
        while at.to_move not in (None, CHANCE) and at.to_move == state.to_move and at.turn == state.turn:
            line.append(at.random_action(rng))
            at = at.play(line[-1])
        if line:
            assert state.parse(" ".join(map(str, line))) == tuple(line)
            with pytest.raises((InvalidAction, IllegalAction)):
                state.parse(" ".join([*map(str, line), line[0].text]))


@EVERY_GAME
def test_options_and_seats_that_do_not_exist(key: str) -> None:
    game = games[key]
    no_values: list[Any] = ["no such value", None, [], True, 10**5000]
    wrong: list[Any] = [
        (game.seats[0] - 1, {}),
        (game.seats[-1] + 1, {}),
        (True, {}),
        ("2", {}),
        (game.seats[0], {"no such option": 1}),
        (game.seats[0], {3: 1}),
        (game.seats[0], []),
        (game.seats[0], "options"),
        *((game.seats[0], {name: value}) for name in game.options for value in no_values),
    ]
    for seats, options in wrong:
        with pytest.raises(InvalidOption):
            game.start(seats, options)


@EVERY_GAME
def test_dictionaries_that_are_no_position(key: str) -> None:
    game = games[key]
    start = game.start(game.seats[0]).to_json()
    no_values: list[Any] = [object(), -7, 3.5, [[[]]], {"x": 1}]
    wrong: list[Any] = [None, [], "x", 3, {}, {"game": key}, start | {"game": "chess"}, start | {"unknown": 1}]
    wrong += [start | {"options": {"no such option": 1}}, start | {"dropped": list(range(game.seats[0]))}]
    wrong += [start | {name: value} for name in start for value in no_values if name != "extra"]
    needed = start.keys() - {"extra", "outcome", "dropped"}
    wrong += [{other: value for other, value in start.items() if other != name} for name in needed]
    no_extras: list[Any] = [None, 3, [], {"turn": -1}, {"turn": "x"}]
    wrong += [start | {"extra": extra} for extra in no_extras]
    for position in wrong:
        with pytest.raises(InvalidPosition):
            game.load(position)


@EVERY_GAME
def test_a_foreign_action_is_refused(key: str) -> None:
    foreign = [Action("Zz99", "move"), Action("", "move"), Action("a1>b1", "move", "a1", "b1"), Action("\x00", "place")]
    drops = [Action.drop(99), Action.drop(-1), Action("drop", "drop"), Action("drop x", "drop", value="x")]
    for seats in games[key].seats:
        state = games[key].start(seats)
        for action in [*foreign, *drops]:
            assert not state.is_legal(action)
            with pytest.raises(IllegalAction) as caught:
                state.play(action)
            if state.to_move != CHANCE:
                assert caught.value.code == ("no-such-seat" if action.is_drop else "foreign-action")


@EVERY_GAME
def test_texts_that_cannot_be_understood(key: str) -> None:
    for setting in [setting for setting in settings() if setting.key == key]:
        for state in some_states(setting, 8):
            if state.to_move is None:
                continue
            meant = {text for action in state.legal_actions() for text in state.readings(action)}
            for text in {"", "   ", "?", "x" * 401, "hello there", "a", "1", "\x00", "-", "q1", "❤"} - meant:
                with pytest.raises((InvalidAction, IllegalAction, AmbiguousAction)):
                    state.parse(text)
                with pytest.raises((InvalidAction, IllegalAction)):
                    state.read(text)
