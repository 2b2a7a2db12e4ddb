"""Puzzles as data: a position with a goal that exactly one first turn reaches, proven, and the right play from there.

`<game>.json` is a list of puzzles, one a line: `id`, `position` (as the game writes it), `goal` (its kind, within how
many own turns, and for the most that can be taken how much that is), `tree`, `size`, `difficulty`, `motif`. A game that
comes in a package of its own has its puzzles there, as `puzzles.json`.

The kinds of goals, all said by the rules and none by an evaluation:

- `win`: the game is won within so many own turns whatever the other does; with 0 turns the win is proven by the game's
  tables or by working the rest out, and the one turn that keeps it is asked for.
- `home`: the same in a race, where winning is to be home.
- `hold`: one turn after which the other has no win within so many turns of theirs; with 0 turns none at all.
- `most`: one turn that takes more than every other.
- `safe`: one turn after which the next player can take none of one's own, whatever the dice show.

A tree has the right turns of the solver, each with the opponent's toughest answer and the tree after that; where a win
is due at once there is none, for then the rules say what is right.

Which puzzle belongs to which date: a frozen list that is only appended to, the same everywhere in the world.

`calendar.txt` has one id a line, from `FIRST` on, a Monday; games in turn, within each the easy ones on Mondays and the
hard ones on Sundays. A line once released never changes. What lies beyond the list's end, and before its beginning, is
the list over again, a whole number of weeks long, so that weekdays stay what they are: there is a puzzle on every date.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from engine import State, games
from engine.discovery import file_of

WINNING_GOALS: Final = frozenset({"win", "home"})
"""The kinds of goals that are wins."""
GOAL_KINDS: Final = ("win", "home", "hold", "most", "safe")
BETTER: Final = "better"
"""The goal of a moment of one's own games, which no file holds: a turn clearly better than the one played there."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be reached: a kind, within how many turns, and how much is taken where that is the goal."""

    kind: str
    turns: int = 1
    amount: int = 0

    @property
    def name(self) -> str:
        """The kind, and whether it is reached by what is proven rather than within a number of turns."""
        return self.kind if self.turns else f"{self.kind}-proven"

    @property
    def own_turns(self) -> int:
        """How many turns the solver plays at most."""
        return max(1, self.turns) if self.kind in WINNING_GOALS else 1

    def with_fewer(self) -> Goal:
        """Return what is left of it after a right turn and its answer."""
        return Goal(self.kind, self.turns - 1, self.amount)


@dataclass(frozen=True, slots=True)
class RightTurn:
    """A turn that is right, the opponent's toughest answer (nothing where all is done), and the tree after that."""

    play: tuple[str, ...]
    reply: tuple[str, ...] = ()
    tree: tuple[RightTurn, ...] = ()

    def to_json(self) -> list[Any]:
        """Return it as plain data."""
        later = [each.to_json() for each in self.tree]
        return [*(" ".join(turn) for turn in (self.play, self.reply) if turn), *([later] if later else [])]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One puzzle; `size` is how many positions the proof has looked at, `difficulty` a first guess from 0 to 100."""

    id: str
    game: str
    seats: int
    position: Mapping[str, Any]
    seat: int
    goal: Goal
    tree: tuple[RightTurn, ...]
    size: int
    difficulty: int
    motif: str

    def state(self) -> State:
        """Return the position; InvalidPosition if it is none."""
        return games[self.game].load(self.position)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, as the files have it."""
        goal = self.goal
        return {
            "id": self.id,
            "position": dict(self.position),
            "goal": [goal.kind, goal.turns, goal.amount] if goal.amount else [goal.kind, goal.turns],
            "tree": [each.to_json() for each in self.tree],
            "size": self.size,
            "difficulty": self.difficulty,
            "motif": self.motif,
        }


def read_puzzle(data: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle that `Puzzle.to_json` wrote."""
    position = data["position"]
    state = games[position["game"]].load(position)
    return Puzzle(
        id=data["id"],
        game=position["game"],
        seats=state.seats,
        position=position,
        seat=state.to_move or 0,
        goal=Goal(*data["goal"]),
        tree=_tree(data["tree"]),
        size=data["size"],
        difficulty=data["difficulty"],
        motif=data["motif"],
    )


@cache
def puzzles_of(game: str) -> Mapping[str, Puzzle]:
    """Return the puzzles of a game by their ids, none for a game that has none; read when they are first asked for."""
    file = file_of(games.source(game), "bot", f"boards/puzzles/{game}.json", "puzzles.json") if game in games else None
    if file is None:
        return MappingProxyType({})
    puzzles = (read_puzzle(data) for data in json.loads(file.read_text(encoding="utf-8")))
    return MappingProxyType({puzzle.id: puzzle for puzzle in puzzles})


def puzzle_by_id(name: str) -> Puzzle | None:
    """Return the puzzle with an id, None where there is none (any more)."""
    return puzzles_of(name.rpartition("-")[0]).get(name)


def _tree(data: list[Any]) -> tuple[RightTurn, ...]:
    return tuple(
        RightTurn(tuple(play.split(" ")), *(tuple(reply.split(" ")) for reply in rest[:1]), *map(_tree, rest[1:]))
        for play, *rest in data
    )


FIRST_DATE: Final = dt.date(2026, 11, 23)
"""The date of the first line."""
_DAYS_PER_WEEK: Final = 7


@cache
def list_puzzles() -> tuple[str, ...]:
    """Return the ids in the order of their dates."""
    return tuple((files("bot.boards.puzzles") / "calendar.txt").read_text(encoding="utf-8").split())


def puzzle_on(date: dt.date) -> Puzzle:
    """Return the puzzle of a date: the same everywhere."""
    ids = list_puzzles()
    after = (date - FIRST_DATE).days
    if not 0 <= after < len(ids):
        after %= len(ids) - len(ids) % _DAYS_PER_WEEK
    puzzle = puzzle_by_id(ids[after])
    if puzzle is None:
        raise LookupError(ids[after])
    return puzzle
