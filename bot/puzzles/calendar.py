"""Which puzzle belongs to which date: a frozen list that is only appended to, the same everywhere in the world.

`calendar.txt` has one id a line, from `FIRST` on, a Monday; games in turn, within each the easy ones on Mondays and the
hard ones on Sundays. A line once released never changes. What lies beyond the list's end, and before its beginning, is
the list over again, a whole number of weeks long, so that weekdays stay what they are: there is a puzzle on every date.
"""

import datetime as dt
from functools import cache
from importlib.resources import files
from typing import Final

from bot.puzzles.puzzle import Puzzle, puzzle_by_id

FIRST_DATE: Final = dt.date(2026, 11, 23)
"""The date of the first line."""
_DAYS_PER_WEEK: Final = 7


@cache
def list_puzzles() -> tuple[str, ...]:
    """Return the ids in the order of their dates."""
    return tuple((files("bot.puzzles") / "calendar.txt").read_text(encoding="utf-8").split())


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
