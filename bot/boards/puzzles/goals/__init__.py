"""The goals of new puzzles by game; a game without a module here gets no new puzzles."""

from collections.abc import Mapping
from typing import Final

from bot.boards.puzzles.goals.common import PuzzleGoals
from engine.discovery import Part, Parts
from engine.games import games

GOALS: Final = Part("bot.boards.puzzles.goals", "puzzle_goals", "GOALS")

puzzle_goals: Final[Mapping[str, PuzzleGoals]] = Parts(games, GOALS)
