"""The puzzles of dates, as the world may see them: without the solution until the date is over everywhere on Earth."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from bot.puzzles.calendar import FIRST_DATE, puzzle_on
from bot.puzzles.puzzle import Puzzle

LAST_ZONE: Final = timedelta(hours=12)
"""So much later than in UTC a date ends where it ends last."""
FIRST_ZONE: Final = timedelta(hours=14)
"""So much earlier than in UTC a date begins where it begins first."""


def newest_day(now: datetime) -> date:
    """Return the newest date that has begun anywhere."""
    return (now.astimezone(UTC) + FIRST_ZONE).date()


def newest_past_day(now: datetime) -> date:
    """Return the newest date that is over everywhere."""
    return (now.astimezone(UTC) - LAST_ZONE).date() - timedelta(days=1)


def is_over(day: date, now: datetime) -> bool:
    """Say whether a date is over everywhere on Earth."""
    return now >= datetime.combine(day + timedelta(days=1), time(), UTC) + LAST_ZONE


def read_day(text: str) -> date | None:
    """Return the date that is written so, None for anything else and for dates before there were puzzles."""
    try:
        day = date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None
    return day if day is not None and day >= FIRST_DATE else None


def puzzle_of(day: date, now: datetime) -> Puzzle | None:
    """Return the puzzle of a date, None before it has begun anywhere."""
    return puzzle_on(day) if FIRST_DATE <= day <= newest_day(now) else None
