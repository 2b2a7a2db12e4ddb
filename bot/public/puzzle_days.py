"""Puzzles by date for public pages; the solution is public once the date has ended everywhere on Earth."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from bot.puzzles.calendar import FIRST_DATE, puzzle_on
from bot.puzzles.puzzle import Puzzle

LAST_ZONE: Final = timedelta(hours=12)
"""How much later than in UTC a date ends in the last time zone."""
FIRST_ZONE: Final = timedelta(hours=14)
"""How much earlier than in UTC a date begins in the first time zone."""


def newest_day(now: datetime) -> date:
    """Return the newest date that has begun anywhere."""
    return (now.astimezone(UTC) + FIRST_ZONE).date()


def newest_past_day(now: datetime) -> date:
    """Return the newest date that has ended everywhere."""
    return (now.astimezone(UTC) - LAST_ZONE).date() - timedelta(days=1)


def is_over(day: date, now: datetime) -> bool:
    """Return whether a date has ended everywhere on Earth."""
    return now >= datetime.combine(day + timedelta(days=1), time(), UTC) + LAST_ZONE


def read_day(text: str) -> date | None:
    """Return the date in a text, None if it is none or before the first puzzle."""
    try:
        day = date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None
    return day if day is not None and day >= FIRST_DATE else None


def puzzle_of(day: date, now: datetime) -> Puzzle | None:
    """Return the puzzle of a date, None before it has begun anywhere."""
    return puzzle_on(day) if FIRST_DATE <= day <= newest_day(now) else None
