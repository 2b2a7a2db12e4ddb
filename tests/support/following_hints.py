"""Games in which everybody plays what a hint suggests, and games of the computers to compare them with."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Final

from engine import CHANCE, Action, State, Turn, games
from engine.search import players
from engine.search.progress import list_aimless_actions
from engine.turn import extend_turn

SEATS: Final = [(key, seats) for key in games for seats in games[key].seats]
MAX_TURNS_PER_SEAT: Final = 200
_RECENT_TURNS: Final = 12


@dataclass(frozen=True, slots=True)
class Followed:
    """A game that was played by hints: its turns, and the suggestions that took a turn of the same seat back.

    `forced` counts those after which nothing else was left, because everything else loses for certain.
    """

    turns: int
    is_over: bool
    reason: str
    taken_back: tuple[str, ...]
    forced: int


def begin(key: str, seats: int, seed: int) -> State:
    """Return the start of a game; without chance, after a first turn of each that is drawn."""
    rng, state = Random(f"opening {seed}"), games[key].start(seats, {})
    if not games[key].has_chance(seats, {}):
        while state.to_move is not None and state.turn < seats:
            state = state.play(state.random_action(rng))
    return state


def follow_hints(key: str, seats: int, seed: int, iterations: int, most_turns: int) -> Followed:
    """Play a game by hints of so many iterations each; the same arguments always give the same game."""
    player, chance = players[key], Random(f"chance {seed}")
    state, turn, turns, taken_back, forced = begin(key, seats, seed), None, list[Turn](), list[str](), 0
    while (seat := state.to_move) is not None and state.turn < most_turns:
        if seat == CHANCE:
            action = state.sample_chance(chance)
        elif len(legal := state.legal_actions()) == 1:
            action = legal[0]
        else:
            avoid = list_aimless_actions(state, player.policy, turns)
            action = player.analyse(state, iterations, avoid=avoid)[0].action
            if action.text in avoid:
                forced += 1
            elif takes_back(action, seat, turns) and state.play(action).outcome is None:
                taken_back.append(f"{state.turn} {action}")
        after = state.play(action)
        turn = extend_turn(turn, state, action, after)
        if after.to_move is None or after.turn != state.turn:
            turns, turn = [*turns, turn][-_RECENT_TURNS:], None
        state = after
    return Followed(
        state.turn, state.outcome is not None, state.outcome.reason if state.outcome else "", tuple(taken_back), forced
    )


def takes_back(action: Action, seat: int, turns: list[Turn]) -> bool:
    """Return whether an action returns a piece to where the seat's last turn took it from, nothing captured since."""
    own = [at for at, turn in enumerate(turns) if turn.seat == seat]
    if not own or action.source is None:
        return False
    positions = [turns[own[-1]].json_after, *(turn.json_after for turn in turns[own[-1] + 1 :])]
    pieces = [Counter(turns[0].before.game.symbols(position).values()) for position in positions]
    captured = any(before - after for before, after in pairwise(pieces))
    moved = {(each.verb, each.source, each.target) for each in turns[own[-1]].own}
    return (action.verb, action.target, action.source) in moved and not captured


def play_level(key: str, seats: int, seed: int, level: int, most_turns: int) -> int:
    """Return the turns of a game between computers of one level, or `most_turns`."""
    player, chance = players[key], Random(f"chance {seed}")
    state, memories = begin(key, seats, seed), [player.memory() for _ in range(seats)]
    while (seat := state.to_move) is not None and state.turn < most_turns:
        if seat == CHANCE:
            state = state.play(state.sample_chance(chance))
        else:
            state = state.play(player.choose(state, level, seed, memory=memories[seat]))
    return state.turn
