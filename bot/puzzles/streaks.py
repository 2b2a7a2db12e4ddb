"""Streaks: on how many dates in a row somebody has solved the puzzle of the day, with a few days of grace."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

FREE_DAYS_PER_MONTH: Final = 2
"""Number of dates in a calendar month that may be missed without ending a streak."""
_MAX_GAP_DAYS: Final = 3 * FREE_DAYS_PER_MONTH + 2
"""Number of missed dates after which a streak has ended in any case."""


@dataclass(frozen=True, slots=True)
class Streak:
    """How many dates in a row were solved, up to now and at the best; left out ones are forgiven and not counted."""

    now: int = 0
    best: int = 0


def count_streak(days: Iterable[date], today: date) -> Streak:
    """Return the streak of dates that were solved; today does not end it before it is over."""
    best = length = 0
    left_out: Counter[tuple[int, int]] = Counter()
    last: date | None = None
    for day in sorted(set(days)):
        if last is not None:
            left_out.update(_months_between(last, day))
        if last is None or max(left_out.values(), default=0) > FREE_DAYS_PER_MONTH:
            length = 0
            left_out.clear()
        length, last = length + 1, day
        best = max(best, length)
    if last is None:
        return Streak()
    left_out.update(_months_between(last, today))
    return Streak(length if max(left_out.values(), default=0) <= FREE_DAYS_PER_MONTH else 0, best)


def _months_between(last: date, following: date) -> Iterator[tuple[int, int]]:
    """Yield the months of the dates between two, as many as count before a streak has surely ended."""
    for number in range(1, min((following - last).days, _MAX_GAP_DAYS)):
        day = last + timedelta(days=number)
        yield day.year, day.month
