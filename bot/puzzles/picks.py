"""Which puzzle somebody is given next: one that they have not tried, about as hard as they are good."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import Final

from bot.core.context import Context
from bot.play.ratings import OVERALL_KEY
from bot.puzzles.calendar import puzzle_on
from bot.puzzles.puzzle import Puzzle, puzzles_of
from bot.puzzles.solver_ratings import first_rating, puzzle_points
from engine import games

RESERVED_DAYS_AHEAD: Final = timedelta(days=60)
"""Puzzles of the dates to come so soon are not given out before."""
_RESERVED_DAYS_PAST: Final = 2
"""Nor are those of so many dates just past."""
_MAX_CANDIDATES: Final = 40
"""Of how many that look about right it is asked what attempts have shown."""


async def next_puzzle(context: Context, person: int, game: str | None = None) -> Puzzle | None:
    """Return a puzzle at somebody's level, of a game or of the one that they have tried least; None if none is left."""
    tried = await context.store.puzzles.list_attempts(person)
    done = {attempt.puzzle for attempt in tried if attempt.tried_at is not None or attempt.hints}
    counts = Counter(attempt.game for attempt in tried if attempt.puzzle in done)
    known = done | _reserved_puzzles(context.clock().date())
    keys = [game] if game is not None else sorted(games, key=lambda key: counts[key])
    ratings = await context.store.puzzles.ratings_of(person)
    for key in keys:
        left = [each for each in puzzles_of(key).values() if each.id not in known]
        if not left:
            continue
        mine = ratings.get(key) or ratings.get(OVERALL_KEY) or first_rating(person, key)
        left.sort(key=lambda each: (abs(puzzle_points(each, None)[0] - mine.mu), each.id))
        nearest = left[:_MAX_CANDIDATES]
        figures = await context.store.puzzles.figures([each.id for each in nearest])
        return min(nearest, key=lambda each: (abs(puzzle_points(each, figures.get(each.id))[0] - mine.mu), each.id))
    return None


def _reserved_puzzles(now: date) -> set[str]:
    """Return the puzzles of the dates about now, and soon."""
    dates = (now + timedelta(days=number) for number in range(-_RESERVED_DAYS_PAST, RESERVED_DAYS_AHEAD.days + 1))
    return {puzzle_on(day).id for day in dates}
