"""Hints lead somewhere: who follows them turn by turn finishes, and none takes back what the last one did."""

from random import Random
from statistics import median

import pytest

from engine import CHANCE, Action, State, Turn, games
from engine.search import players
from engine.search.progress import list_aimless_actions
from engine.turn import group_turns
from tests.support import kits
from tests.support.following_hints import MAX_TURNS_PER_SEAT, SEATS, follow_hints, play_level, takes_back

SHORT, WHOLE = (1, 12), (20, 500)
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
    limit = min(3 * usual_length(key, seats), MAX_TURNS_PER_SEAT * seats)
    for seed in range(seeds):
        played = follow_hints(key, seats, seed, iterations, MAX_TURNS_PER_SEAT * seats)
        assert played.is_over, (seed, played)
        assert played.turns <= limit, (seed, played)
        assert not played.taken_back, (seed, played)


@pytest.mark.parametrize("key", games)
def test_what_takes_the_last_turn_back_is_left_out_unless_something_was_captured(key: str) -> None:
    policy = players[key].policy
    for seed in range(2):
        turns = random_turns(key, games[key].seats[0], seed, 39)
        for at in range(1, len(turns)):
            state = next((each for each in states_of(turns[at]) if each.to_move not in (CHANCE, None)), None)
            if state is None:
                continue
            legal, before = state.legal_actions(), turns[:at]
            back = {action for action in legal if takes_back(action, state.to_move or 0, before)}
            wins = {action.text for action in legal if state.play(action).outcome is not None}
            avoid = list_aimless_actions(state, policy, before)
            waits = {action.text for action in legal if policy.is_waiting(state, action)}
            wanted = {action.text for action in back} - wins
            assert avoid - waits <= wanted
            assert wanted <= avoid or len(wanted | waits) == len(legal)


def states_of(turn: Turn) -> list[State]:
    states = [turn.before]
    for action in turn.actions:
        states.append(states[-1].play(action))
    return states[:-1]
