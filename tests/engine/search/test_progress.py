"""Hints lead somewhere: who follows them turn by turn finishes, and none takes back what the last one did."""

from random import Random
from statistics import median

import pytest

from engine import CHANCE, Action, State, Turn, games
from engine.search import players
from engine.search.progress import list_aimless_actions
from engine.turn import group_turns
from tests.support import kits
from tests.support.following_hints import MOST_TURNS_EACH, SEATS, follow_hints, play_level

SHORT, WHOLE = (1, 12), (20, 300)
"""Seeds, and iterations of a hint."""


def usual_length(key: str, seats: int) -> float:
    """Return the median turns of level 3 against itself, as the game's kit has it from bench/hints.py."""
    known: dict[str, float] = (kits.data(key, "lengths.json") or {}).get("level-3", {})
    return known.get(str(seats)) or median(play_level(key, seats, seed, 3, 600) for seed in range(3))


def random_turns(key: str, seats: int, seed: int, most: int) -> list[Turn]:
    rng, state, actions = Random(seed), games[key].start(seats, {}), list[Action]()
    while state.to_move is not None and state.turn < most:
        actions.append(state.random_action(rng))
        state = state.play(actions[-1])
    return list(group_turns(games[key].start(seats, {}), actions))


@pytest.mark.parametrize(("seeds", "iterations"), [SHORT, pytest.param(*WHOLE, marks=pytest.mark.full)])
@pytest.mark.parametrize(("key", "seats"), [pytest.param(*each, id=f"{each[0]}-{each[1]}") for each in SEATS])
def test_who_follows_hints_finishes(key: str, seats: int, seeds: int, iterations: int) -> None:
    limit = min(3 * usual_length(key, seats), MOST_TURNS_EACH * seats)
    for seed in range(seeds):
        played = follow_hints(key, seats, seed, iterations, MOST_TURNS_EACH * seats)
        assert played.is_over, (seed, played)
        assert played.turns <= limit, (seed, played)
        assert not played.taken_back, (seed, played)


@pytest.mark.parametrize("key", games)
def test_nothing_is_taken_back_unless_something_was_captured(key: str) -> None:
    """Compared with what the last own turn moved and with the pieces on the board, over random games."""
    seats = games[key].seats[0]
    found = 0
    for seed in range(12):
        turns = random_turns(key, seats, seed, 60)
        for at in range(1, len(turns)):
            state, before = turns[at].before, turns[:at]
            if state.to_move in (CHANCE, None):
                state = next((each for each in states_of(turns[at]) if each.to_move not in (CHANCE, None)), state)
            avoid = list_aimless_actions(state, players[key].policy, before)
            legal = {action.text: action for action in state.legal_actions()}
            assert set(avoid) < set(legal) or not avoid
            own = [turn for turn in before if turn.seat == state.to_move]
            for text in avoid:
                action = legal[text]
                moved = {(each.verb, each.source, each.target) for each in own[-1].own} if own else set()
                back = (action.verb, action.target, action.source) in moved
                assert back or players[key].policy.is_waiting(state, action)
                found += back
    assert found or not any_goes_back(key)


def states_of(turn: Turn) -> list[State]:
    states = [turn.before]
    for action in turn.actions:
        states.append(states[-1].play(action))
    return states[:-1]


def any_goes_back(key: str) -> bool:
    """Return whether pieces move in a game at all."""
    return any(
        action.source and action.target for turn in random_turns(key, games[key].seats[0], 1, 60) for action in turn.own
    )
