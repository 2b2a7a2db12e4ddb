"""What there is to tell of how people solve puzzles: of one person, and the best of a place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.puzzles.own_moments import is_own
from bot.puzzles.service import solved_days, today
from bot.puzzles.streaks import Streak, count_streak
from storage import Person, PuzzleRating, PuzzleStanding
from storage.puzzles import SOLVED

LEADERBOARD_WINDOW: Final = timedelta(days=30)
"""For how long days of puzzles count on the leaderboard of a place."""


@dataclass(frozen=True, slots=True)
class PuzzleRecord:
    """How somebody solves puzzles: how many they have tried and solved, by game and by motif (of a game), their streak.

    The ratings stand by game, that for all together under an empty key.
    """

    tried: int
    solved: int
    games: Mapping[str, int]
    motifs: Mapping[tuple[str, str], int]
    ratings: Mapping[str, PuzzleRating]
    streak: Streak


async def read_record(context: Context, asker: RequestContext, person: Person) -> PuzzleRecord:
    """Return how somebody solves puzzles."""
    store = context.store
    attempts = [each for each in await store.puzzles.list_attempts(person.id) if not is_own(each.puzzle)]
    tried = [attempt for attempt in attempts if attempt.tried_at is not None]
    solved = [attempt for attempt in tried if attempt.result == SOLVED]
    return PuzzleRecord(
        len(tried),
        len(solved),
        Counter(attempt.game for attempt in solved),
        Counter((attempt.game, attempt.motif) for attempt in solved),
        await store.puzzles.ratings_of(person.id),
        count_streak(await solved_days(context, person.id), today(context, asker)),
    )


async def best_here(context: Context, asker: RequestContext, *, server: bool) -> list[PuzzleStanding]:
    """Return who has solved the puzzles of the most of the last dates in a channel, or in a whole server or group."""
    place, since = asker.place, today(context, asker) - LEADERBOARD_WINDOW
    group = (place.platform, place.group) if server and place.group is not None else None
    return await context.store.puzzles.standings(since.isoformat(), place.id, group)
