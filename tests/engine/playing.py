"""Playing every registered game at random, for tests that hold for all games."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final, TypeVar

import pytest

from engine import Action, State, games
from engine.fair import Draw

AnyState = TypeVar("AnyState", bound=State)
MAX_ACTIONS = 20_000
"""More actions than any game of ours can last."""


@dataclass(frozen=True)
class Setting:
    """A game with a number of seats and options, written as a test's name."""

    key: str
    seats: int
    options: tuple[tuple[str, str | int], ...] = ()

    def start(self) -> State:
        return games[self.key].start(self.seats, dict(self.options))

    def __str__(self) -> str:
        return "-".join([self.key, str(self.seats), *(str(value) for _, value in self.options)])


class CountingChance:
    """A source of chance that has only `randrange` and notes from how many it draws: with `source`, or 0, 1, 2 ..."""

    def __init__(self, source: Draw | None = None) -> None:
        self.source = source
        self.asked: list[int] = []

    def randrange(self, n: int, /) -> int:
        self.asked.append(n)
        return self.source.randrange(n) if self.source else (len(self.asked) - 1) % n


def settings() -> list[Setting]:
    """Return every game with every number of seats and every combination of options."""
    found = [
        Setting(key, seats, tuple(zip(sorted(game.options), values, strict=True)))
        for key, game in games.items()
        for seats in game.seats
        for values in product(*(game.options[name].values for name in sorted(game.options)))
    ]
    assert len(found) >= len(games) > 0
    return found


def playout(setting: Setting, seed: int) -> Iterator[tuple[State, Action | None]]:
    """Yield the states of a random game with the action taken in each, None for the last.

    Seats drop out now and then where the seed is odd.
    """
    rng = random.Random(f"{setting} {seed}")
    state = setting.start()
    for _ in range(MAX_ACTIONS):
        if state.to_move is None:
            yield state, None
            return
        if seed % 2 and rng.randrange(200) == 0:
            action = Action.drop(rng.choice([seat for seat in range(state.seats) if state.is_playing(seat)]))
        else:
            action = state.random_action(rng)
        yield state, action
        state = state.play(action)
    raise AssertionError(f"{setting} does not end")


EVERY_SETTING: Final = pytest.mark.parametrize("setting", settings(), ids=str)
EVERY_GAME: Final = pytest.mark.parametrize("key", games)


def walk(start: AnyState, numbers: list[int]) -> Iterator[tuple[AnyState, Action, AnyState]]:
    """Yield the states before and after each action of a game in which the numbers choose among the legal ones."""
    state = start
    for number in numbers:
        legal = state.legal_actions()
        if not legal:
            return
        action = legal[number % len(legal)]
        after = state.play(action)
        assert isinstance(after, type(state))
        yield state, action, after
        state = after


def last_of(start: AnyState, numbers: list[int]) -> AnyState:
    """Return the state that `walk` ends with."""
    return [start, *(after for _, _, after in walk(start, numbers))][-1]


@cache
def some_states(setting: Setting, count: int = 24) -> tuple[State, ...]:
    """Return states from all over two random games, both ends of each among them."""
    states = [[state for state, _ in playout(setting, seed)] for seed in (0, 1)]
    return tuple(line[round(at * (len(line) - 1) / (count // 2 - 1))] for line in states for at in range(count // 2))
