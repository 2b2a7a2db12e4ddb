"""Puzzles as data: a position with a goal that exactly one first turn reaches, proven, and the right play from there.

`<game>.json` is a list of puzzles, one per line: `id`, `position` (as the game writes it), `goal` (the kind, the
maximum number of the solver's turns, and for `most` the amount), `tree`, `size`, `difficulty`, `motif`. A game in
a separate package has its puzzles there, as `puzzles.json`.

The kinds of goals; the rules decide them, not an evaluation:

- `win`: win the game within a number of turns against every reply; with 0 turns the win is proven by the game's
  tables or by exact play, and the question is for the one turn that keeps it.
- `home`: the same in a race, where the first player at home wins.
- `hold`: one turn after which the opponent has no win within a number of their turns; with 0 turns no win at all.
- `most`: one turn that takes more than every other turn.
- `safe`: one turn after which the next player can take none of the solver's pieces, whatever the dice show.

A tree has the right turns of the solver, each with the opponent's toughest answer and the tree after it. There is no
tree if a win is possible at once, because then the rules tell which turns are right.

The calendar assigns puzzles to dates. It is a frozen list, the same in all time zones; lines are only appended.
`calendar.txt` has one id per line, from `FIRST_DATE` on, a Monday. The games take turns; within a game the easy puzzles
are on Mondays and the hard ones on Sundays. A released line never changes. Before and after the list, whole weeks of it
repeat, so that weekdays stay the same and every date has a puzzle.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from engine import State, games
from engine.core import Position
from engine.discovery import file_of
from storage import Json

WINNING_GOALS: Final = frozenset({"win", "home"})
"""The kinds of goals that are wins."""
TurnTexts = tuple[str, ...]
"""The canonical texts of the actions of a turn."""
BETTER: Final = "better"
"""The goal of a moment of a person's game, which is in no file: a turn clearly better than the played one."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal: its kind, the maximum number of turns, and for `most` the amount that is taken."""

    kind: str
    turns: int = 1
    amount: int = 0

    @property
    def name(self) -> str:
        """The kind, with a suffix if the goal has a proof instead of a number of turns."""
        return self.kind if self.turns else f"{self.kind}-proven"

    def after(self, turns: int) -> Goal:
        """Return the remaining goal after some right turns and their answers."""
        return replace(self, turns=self.turns - turns) if self.kind in WINNING_GOALS else self


@dataclass(frozen=True, slots=True)
class RightTurn:
    """A right turn, the opponent's toughest answer (empty if the goal is reached), and the tree after it."""

    play: TurnTexts
    reply: TurnTexts = ()
    tree: tuple[RightTurn, ...] = ()

    def to_json(self) -> list[Any]:
        """Return the turn with its tree as plain data."""
        later = [each.to_json() for each in self.tree]
        return [*(" ".join(turn) for turn in (self.play, self.reply) if turn), *([later] if later else [])]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle; `size` is the number of positions in its proof, `difficulty` a first guess from 0 to 100."""

    id: str
    game: str
    seats: int
    position: Position
    seat: int
    goal: Goal
    tree: tuple[RightTurn, ...]
    size: int
    difficulty: int
    motif: str

    def state(self) -> State:
        """Return the position; InvalidPosition if it is not valid."""
        return games[self.game].load(self.position)

    def to_json(self) -> Json:
        """Return the puzzle as plain data, in the form of the files."""
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


def read_puzzle(data: Json) -> Puzzle:
    """Return the puzzle in the data from `Puzzle.to_json`."""
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
    """Return the puzzles of a game by their ids, empty for a game without puzzles; the file is read once."""
    file = file_of(games.source(game), "bot", f"boards/puzzles/{game}.json", "puzzles.json") if game in games else None
    if file is None:
        return MappingProxyType({})
    puzzles = (read_puzzle(data) for data in json.loads(file.read_text(encoding="utf-8")))
    return MappingProxyType({puzzle.id: puzzle for puzzle in puzzles})


def puzzle_by_id(name: str) -> Puzzle | None:
    """Return the puzzle with an id, None if there is none (any more)."""
    return puzzles_of(name.rpartition("-")[0]).get(name)


def _tree(data: list[Any]) -> tuple[RightTurn, ...]:
    return tuple(
        RightTurn(tuple(play.split(" ")), *(tuple(reply.split(" ")) for reply in rest[:1]), *map(_tree, rest[1:]))
        for play, *rest in data
    )


FIRST_DATE: Final = dt.date(2026, 11, 23)
"""The date of the first line of the calendar."""
_DAYS_PER_WEEK: Final = 7


@cache
def list_puzzles() -> tuple[str, ...]:
    """Return the ids of the calendar in the order of their dates."""
    return tuple((files("bot.boards.puzzles") / "calendar.txt").read_text(encoding="utf-8").split())


def puzzle_on(date: dt.date) -> Puzzle:
    """Return the puzzle of a date, the same in all time zones; LookupError if it is not installed."""
    ids = list_puzzles()
    after = (date - FIRST_DATE).days
    if not 0 <= after < len(ids):
        after %= len(ids) - len(ids) % _DAYS_PER_WEEK
    puzzle = puzzle_by_id(ids[after])
    if puzzle is None:
        raise LookupError(ids[after])
    return puzzle
