"""Which puzzle is whose: the next one at a person's level, and those of dates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Final

from bot.core.browsers import browser_of_user, people_sharing_browser
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.play.clocks import timezone_of
from bot.play.ratings import OVERALL_KEY
from bot.puzzles.calendar import puzzle_on
from bot.puzzles.puzzle import Puzzle, puzzles_of
from bot.puzzles.solver_ratings import first_rating, puzzle_points
from engine import games
from storage import PuzzleFigures

RESERVED_DAYS_AHEAD: Final = timedelta(days=60)
"""Number of coming dates whose puzzles are not given out."""
_RESERVED_DAYS_PAST: Final = 2
"""Number of past dates whose puzzles are not given out."""
_MAX_CANDIDATES: Final = 40
"""Number of candidates whose ratings are read."""


async def next_puzzle(context: Context, person: int, game: str | None = None) -> Puzzle | None:
    """Return a puzzle at somebody's level, of a game or of the one that they have tried least; None if none is left."""
    tried = await context.store.puzzles.list_attempts(person)
    done = {attempt.puzzle for attempt in tried if attempt.tried_at is not None or attempt.hints}
    counts = Counter(attempt.game_key for attempt in tried if attempt.puzzle in done)
    known = done | _reserved_puzzles(context.clock().date())
    for key in [game] if game is not None else sorted(games, key=lambda key: counts[key]):
        left = [each for each in puzzles_of(key).values() if each.id not in known]
        if left:
            return await find_nearest(context, person, left)
    return None


async def find_nearest(context: Context, person: int, found: Sequence[Puzzle]) -> Puzzle | None:
    """Return the puzzle that is nearest to somebody's level, None if there is none."""
    ratings = await context.store.puzzles.list_ratings(person)

    def distance(puzzle: Puzzle) -> tuple[float, str]:
        mine = ratings.get(puzzle.game) or ratings.get(OVERALL_KEY) or first_rating(person, puzzle.game)
        return abs(puzzle_points(puzzle, figures.get(puzzle.id))[0] - mine.mu), puzzle.id

    figures: Mapping[str, PuzzleFigures] = {}
    nearest = sorted(found, key=distance)[:_MAX_CANDIDATES]
    figures = await context.store.puzzles.get_figures([each.id for each in nearest])
    return min(nearest, key=distance, default=None)


def _reserved_puzzles(now: date) -> set[str]:
    """Return the puzzles of the dates about now, and soon."""
    dates = (now + timedelta(days=number) for number in range(-_RESERVED_DAYS_PAST, RESERVED_DAYS_AHEAD.days + 1))
    return {puzzle_on(day).id for day in dates}


_EARLIEST_TIMEZONE: Final = timezone(timedelta(hours=14))
_LATEST_TIMEZONE: Final = timezone(timedelta(hours=-12))
"""The first and the last time zone of a date."""


def today(context: Context, asker: RequestContext) -> date:
    """Return the calendar date where somebody asks: of the channel if it has said its zone, else their own."""
    place = asker.place.effective if asker.place.kind != "private" else {}
    settings = place if place.get("timezone") else asker.person.settings
    return context.clock().astimezone(timezone_of(settings)).date()


def current_date(puzzle: Puzzle, now: datetime) -> date | None:
    """Return the date that it is now, somewhere on Earth, whose puzzle this is; None if there is none."""
    return _find_date(puzzle, now.astimezone(_LATEST_TIMEZONE).date(), now.astimezone(_EARLIEST_TIMEZONE).date())


def opens_at(day: date) -> datetime:
    """Return when a date begins where on Earth it begins first."""
    return datetime.combine(day, time(), _EARLIEST_TIMEZONE).astimezone(UTC)


def date_to_come(puzzle: Puzzle, now: datetime) -> date | None:
    """Return the date whose puzzle this will be, if that is soon and has not begun anywhere on Earth; else None."""
    tomorrow = now.astimezone(_EARLIEST_TIMEZONE).date() + timedelta(days=1)
    return _find_date(puzzle, tomorrow, now.date() + RESERVED_DAYS_AHEAD)


def _find_date(puzzle: Puzzle, first: date, last: date) -> date | None:
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return next((day for day in days if puzzle_on(day).id == puzzle.id), None)


async def solved_days(context: Context, person: int) -> list[date]:
    """Return the dates whose puzzle somebody has solved."""
    return [date.fromisoformat(each.day) for each in await context.store.puzzles.list_solved_days(person)]


async def was_shown_beside(context: Context, asker: RequestContext, puzzle: str) -> bool:
    """Return True if another name of the asker's browser has been shown the solution of a puzzle."""
    if browser_of_user(context, asker.request.user) is None:
        return False
    beside = await people_sharing_browser(context, asker.person.id) - {asker.person.id}
    return bool(beside) and await context.store.puzzles.has_ended(puzzle, beside)
