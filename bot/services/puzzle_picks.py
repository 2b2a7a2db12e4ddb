"""Which puzzle somebody is given next: one that they have not tried, about as hard as they are good."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import Final

from bot.context.context import Context
from bot.puzzles.calendar import puzzle_on
from bot.puzzles.puzzle import Puzzle, puzzles_of
from bot.services.ratings import OVERALL
from bot.services.solvers import first_rating, hardness
from engine import games

KEPT_BACK: Final = timedelta(days=60)
"""Puzzles of the dates to come so soon are not given out before."""
_JUST_BEEN: Final = 2
"""Nor are those of so many dates just past."""
_LOOKED_AT: Final = 40
"""Of how many that look about right it is asked what attempts have shown."""


async def next_puzzle(context: Context, person: int, game: str | None = None) -> Puzzle | None:
    """Return a puzzle at somebody's level, of a game or of the one that they have tried least; None if none is left."""
    tried = await context.store.attempts_of(person)
    done = {attempt.puzzle for attempt in tried if attempt.tried_at is not None or attempt.hints}
    counts = Counter(attempt.game for attempt in tried if attempt.puzzle in done)
    known = done | _due(context.clock().date())
    keys = [game] if game is not None else sorted(games, key=lambda key: counts[key])
    ratings = await context.store.puzzle_ratings_of(person)
    for key in keys:
        left = [each for each in puzzles_of(key).values() if each.id not in known]
        if not left:
            continue
        mine = ratings.get(key) or ratings.get(OVERALL) or first_rating(person, key)
        left.sort(key=lambda each: (abs(hardness(each, None)[0] - mine.mu), each.id))
        nearest = left[:_LOOKED_AT]
        figures = await context.store.puzzle_figures([each.id for each in nearest])
        return min(nearest, key=lambda each: (abs(hardness(each, figures.get(each.id))[0] - mine.mu), each.id))
    return None


def _due(now: date) -> set[str]:
    """Return the puzzles of the dates about now, and soon."""
    dates = (now + timedelta(days=number) for number in range(-_JUST_BEEN, KEPT_BACK.days + 1))
    return {puzzle_on(day).id for day in dates}
