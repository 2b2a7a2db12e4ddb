"""Selecting puzzles: the next one at a person's level, and those of dates; and the statistics of solvers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Final

from bot.boards.puzzles.daily import Streak, count_streak
from bot.boards.puzzles.own_moments import is_own
from bot.boards.puzzles.puzzle import Puzzle, puzzle_on, puzzles_of
from bot.boards.puzzles.solving import MIN_ATTEMPTS, first_rating, puzzle_points
from bot.kernel.context import Context
from bot.kernel.names import tell_apart
from bot.kernel.request_context import RequestContext, own_browser, people_sharing_browser
from bot.kernel.texts import Span, Speaker, Text, join
from bot.table.clocks import timezone_of
from bot.table.ratings import OVERALL_KEY, initial_rating, number_places, round_points
from engine import games
from storage import Person, PuzzleFigures, PuzzleRating, PuzzleStanding
from storage.puzzle_schema import SOLVED

RESERVED_DAYS_AHEAD: Final = timedelta(days=60)
"""Number of coming dates whose puzzles are reserved."""
_RESERVED_DAYS_PAST: Final = 2
"""Number of past dates whose puzzles are reserved."""
_MAX_CANDIDATES: Final = 40
"""Number of candidates whose ratings are read."""


async def next_puzzle(context: Context, person: int, game: str | None = None) -> Puzzle | None:
    """Return a puzzle at a person's level, from a game or from their least tried one; None if none is left."""
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
    """Return the puzzle that is nearest to a person's level, None if `found` is empty."""
    ratings = await context.store.puzzles.list_ratings(person)

    def distance(puzzle: Puzzle) -> tuple[float, str]:
        rating = ratings.get(puzzle.game) or ratings.get(OVERALL_KEY) or first_rating(person, puzzle.game)
        return abs(puzzle_points(puzzle, figures.get(puzzle.id))[0] - rating.mu), puzzle.id

    figures: Mapping[str, PuzzleFigures] = {}
    nearest = sorted(found, key=distance)[:_MAX_CANDIDATES]
    figures = await context.store.puzzles.get_figures([each.id for each in nearest])
    return min(nearest, key=distance, default=None)


def _reserved_puzzles(now: date) -> set[str]:
    """Return the ids of the puzzles that are reserved for recent and coming dates."""
    dates = (now + timedelta(days=number) for number in range(-_RESERVED_DAYS_PAST, RESERVED_DAYS_AHEAD.days + 1))
    return {puzzle_on(day).id for day in dates}


_EARLIEST_TIMEZONE: Final = timezone(timedelta(hours=14))
_LATEST_TIMEZONE: Final = timezone(timedelta(hours=-12))
"""The last time zone in which a date begins; `_EARLIEST_TIMEZONE` is the first."""


def today(context: Context, requester: RequestContext) -> date:
    """Return the requester's calendar date: by the time zone of the channel if it has one, else by their own."""
    place = requester.place.effective if requester.place.kind != "private" else {}
    settings = place if place.get("timezone") else requester.person.settings
    return context.clock().astimezone(timezone_of(settings)).date()


def current_date(puzzle: Puzzle, now: datetime) -> date | None:
    """Return the date of a puzzle if it is that date now in some time zone; otherwise None."""
    return _find_date(puzzle, now.astimezone(_LATEST_TIMEZONE).date(), now.astimezone(_EARLIEST_TIMEZONE).date())


def opens_at(day: date) -> datetime:
    """Return when a date begins in the earliest time zone."""
    return datetime.combine(day, time(), _EARLIEST_TIMEZONE).astimezone(UTC)


def date_to_come(puzzle: Puzzle, now: datetime) -> date | None:
    """Return the coming date of a puzzle if it is reserved and has not begun in any time zone; otherwise None."""
    tomorrow = now.astimezone(_EARLIEST_TIMEZONE).date() + timedelta(days=1)
    return _find_date(puzzle, tomorrow, now.date() + RESERVED_DAYS_AHEAD)


def _find_date(puzzle: Puzzle, first: date, last: date) -> date | None:
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return next((day for day in days if puzzle_on(day).id == puzzle.id), None)


async def solved_days(context: Context, person: int) -> list[date]:
    """Return the dates whose puzzles a person has solved."""
    return [date.fromisoformat(each.day) for each in await context.store.puzzles.list_solved_days(person)]


async def was_shown_beside(context: Context, requester: RequestContext, puzzle: str) -> bool:
    """Return True if another person in the requester's browser has finished the puzzle or given it up."""
    if own_browser(context, requester) is None:
        return False
    beside = await people_sharing_browser(context, requester.person.id) - {requester.person.id}
    return bool(beside) and await context.store.puzzles.has_ended(puzzle, beside)


LEADERBOARD_WINDOW: Final = timedelta(days=30)
"""Time for which daily puzzles count on the leaderboard of a place."""


@dataclass(frozen=True, slots=True)
class PuzzleRecord:
    """A person's statistics: numbers of tried and solved puzzles, by game and by motif (of a game), and the streak.

    The ratings are by game; the overall rating has the empty key.
    """

    tried: int
    solved: int
    games: Mapping[str, int]
    motifs: Mapping[tuple[str, str], int]
    ratings: Mapping[str, PuzzleRating]
    streak: Streak


async def read_record(context: Context, requester: RequestContext, person: Person) -> PuzzleRecord:
    """Return the statistics of a person."""
    store = context.store
    attempts = [each for each in await store.puzzles.list_attempts(person.id) if not is_own(each.puzzle)]
    tried = [attempt for attempt in attempts if attempt.tried_at is not None]
    solved = [attempt for attempt in tried if attempt.result == SOLVED]
    return PuzzleRecord(
        len(tried),
        len(solved),
        Counter(attempt.game_key for attempt in solved),
        Counter((attempt.game_key, attempt.motif) for attempt in solved),
        await store.puzzles.list_ratings(person.id),
        count_streak(await solved_days(context, person.id), today(context, requester)),
    )


async def best_here(context: Context, requester: RequestContext, *, server: bool) -> list[PuzzleStanding]:
    """Return the people with the most solved daily puzzles lately, in a channel or in a whole server or group."""
    place, since = requester.place, today(context, requester) - LEADERBOARD_WINDOW
    group = (place.platform, place.group) if server and place.group is not None else None
    return await context.store.puzzles.list_standings(since.isoformat(), place.id, group)


MAX_RANKS: Final = 5
MAX_MOTIFS: Final = 5


def record_words(speaker: Speaker, found: PuzzleRecord) -> list[Text]:
    """Return the text about a person's statistics; empty without attempts."""
    if not found.tried:
        return []
    parts = [speaker.say("profile.puzzles", n=found.solved, tried=found.tried)]
    if found.streak.best:
        parts.append(speaker.say("profile.puzzles.streak", n=found.streak.now, best=found.streak.best))
    lines = [join(parts, " ")]
    lines += [
        speaker.say(
            "profile.puzzles.rating",
            game=Span(
                speaker.line("profile.overall") if key == OVERALL_KEY else speaker.of(key).line("name"), bold=True
            ),
            points=speaker.number(round_points(rating.mu, rating.sigma)),
            guess=speaker.number(initial_rating(rating.mu)),
        )
        for key in (OVERALL_KEY, *games)
        if (rating := found.ratings.get(key)) is not None and rating.tries >= MIN_ATTEMPTS
    ]
    if found.solved:
        named = {speaker.of(key).line("name"): count for key, count in found.games.items()}
        lines.append(speaker.say("profile.puzzles.games", games=_count_words(speaker, named)))
        motifs: dict[str, int] = {}
        for (game, motif), count in sorted(found.motifs.items(), key=lambda item: (-item[1], item[0])):
            word = speaker.of(game).word("puzzle.motif", motif)
            motifs[word] = motifs.get(word, 0) + count
        most = dict(sorted(motifs.items(), key=lambda item: -item[1])[:MAX_MOTIFS])
        lines.append(speaker.say("profile.puzzles.motifs", motifs=_count_words(speaker, most)))
    return lines


@dataclass(frozen=True, slots=True)
class RankedSolver:
    """One of the best solvers of a place: the days on which they solved the puzzle; `clean` days without errors."""

    place: int
    person: int
    name: str
    days: int
    clean: int


def rank_solvers(standings: Sequence[PuzzleStanding]) -> list[RankedSolver]:
    """Return the best solvers of a place; those with equal figures share a place."""
    places = number_places([(each.days, each.clean) for each in standings])
    names = tell_apart(tuple(each.name for each in standings))
    best = zip(places, names, standings[:MAX_RANKS], strict=False)
    return [RankedSolver(place, each.person, name, each.days, each.clean) for place, name, each in best]


def solver_words(speaker: Speaker, solvers: Sequence[RankedSolver]) -> list[Text]:
    """Return the best solvers of a place as text; empty without solvers."""
    lines = [
        speaker.say(
            "leaders.puzzles.rank", place=each.place, who=Span(each.name, bold=True), n=each.days, clean=each.clean
        )
        for each in solvers
    ]
    return [speaker.say("leaders.puzzles"), *lines] if lines else []


def _count_words(speaker: Speaker, counts: dict[str, int]) -> Text:
    return join([speaker.say("profile.puzzles.each", what=what, count=count) for what, count in counts.items()], ", ")
