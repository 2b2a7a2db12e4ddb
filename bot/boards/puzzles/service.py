"""Selecting puzzles: the next one at a person's level, and those of dates; and the statistics of solvers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Final

from bot.boards.puzzles.daily import count_streak
from bot.boards.puzzles.own_moments import is_own
from bot.boards.puzzles.puzzle import Puzzle, puzzle_on, puzzles_of
from bot.boards.puzzles.solving import MIN_ATTEMPTS, first_rating, puzzle_points
from bot.kernel.context import Context
from bot.kernel.names import tell_apart
from bot.kernel.request_context import RequestContext, people_sharing_browser
from bot.kernel.texts import Span, Speaker, Text, join
from bot.table.clocks import timezone_of
from bot.table.ratings import OVERALL_KEY, initial_rating, number_places, round_points
from engine import games
from storage import Person, PuzzleStanding
from storage.puzzle_schema import SOLVED

RESERVED_DAYS_AHEAD: Final = timedelta(days=60)
"""Number of coming dates whose puzzles are reserved."""
_RESERVED_DAYS_PAST: Final = 2
"""Number of past dates whose puzzles are reserved."""


async def next_puzzle(context: Context, person: int, game: str | None = None) -> Puzzle | None:
    """Return a puzzle at a person's level, from a game or from their least tried one; None if none is left."""
    tried = await context.store.puzzles.list_attempts(person)
    done = {attempt.puzzle for attempt in tried if attempt.tried_at is not None or attempt.hints}
    counts = Counter(attempt.game_key for attempt in tried if attempt.puzzle in done)
    now, numbers = context.clock().date(), range(-_RESERVED_DAYS_PAST, RESERVED_DAYS_AHEAD.days + 1)
    known = done | {puzzle_on(now + timedelta(days=number)).id for number in numbers}
    for key in [game] if game is not None else sorted(games, key=lambda key: counts[key]):
        left = [each for each in puzzles_of(key).values() if each.id not in known]
        if left:
            return await find_nearest(context, person, left)
    return None


async def find_nearest(context: Context, person: int, found: Sequence[Puzzle]) -> Puzzle | None:
    """Return the puzzle that is nearest to a person's level, None if `found` is empty."""
    ratings = await context.store.puzzles.list_ratings(person)
    figures = await context.store.puzzles.get_figures([each.id for each in found])

    def distance(puzzle: Puzzle) -> tuple[float, str]:
        rating = ratings.get(puzzle.game) or ratings.get(OVERALL_KEY) or first_rating(person, puzzle.game)
        return abs(puzzle_points(puzzle, figures.get(puzzle.id))[0] - rating.mu), puzzle.id

    return min(found, key=distance, default=None)


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
    if requester.browser is None:
        return False
    beside = await people_sharing_browser(context, requester.id) - {requester.id}
    return bool(beside) and await context.store.puzzles.has_ended(puzzle, beside)


LEADERBOARD_WINDOW: Final = timedelta(days=30)
"""Time for which daily puzzles count on the leaderboard of a place."""


MAX_RANKS: Final = 5
MAX_MOTIFS: Final = 5


async def record_words(context: Context, requester: RequestContext, person: Person) -> list[Text]:
    """Return the statistics of a person as text: puzzles solved, streak, ratings, games, motifs; empty for none."""
    store, speaker = context.store, requester.speaker
    attempts = [each for each in await store.puzzles.list_attempts(person.id) if not is_own(each.puzzle)]
    tried = [attempt for attempt in attempts if attempt.tried_at is not None]
    if not tried:
        return []
    solved = [attempt for attempt in tried if attempt.result == SOLVED]
    streak = count_streak(await solved_days(context, person.id), today(context, requester))
    ratings = await store.puzzles.list_ratings(person.id)
    counted = [
        speaker.say("profile.puzzles", n=len(solved), tried=len(tried)),
        speaker.say("profile.puzzles.streak", n=streak.now, best=streak.best) if streak.best else (),
    ]
    lines = [join(counted, " ")]
    lines += [
        speaker.say(
            "profile.puzzles.rating",
            game=Span(speaker.line("profile.overall"), bold=True) if key == OVERALL_KEY else speaker.of(key).game_span,
            points=speaker.number(round_points(rating.mu, rating.sigma)),
            guess=speaker.number(initial_rating(rating.mu)),
        )
        for key in (OVERALL_KEY, *games)
        if (rating := ratings.get(key)) is not None and rating.tries >= MIN_ATTEMPTS
    ]
    if solved:
        by_game = Counter(speaker.game_name(attempt.game_key) for attempt in solved)
        lines.append(speaker.say("profile.puzzles.games", games=_count_words(speaker, by_game)))
        motifs = Counter((attempt.game_key, attempt.motif) for attempt in solved)
        by_motif = Counter[str]()
        for (game, motif), count in sorted(motifs.items(), key=lambda item: (-item[1], item[0])):
            by_motif[speaker.of(game).word("puzzle.motif", motif)] += count
        most = dict(by_motif.most_common(MAX_MOTIFS))
        lines.append(speaker.say("profile.puzzles.motifs", motifs=_count_words(speaker, most)))
    return lines


async def best_here(context: Context, requester: RequestContext, *, server: bool) -> list[tuple[int, PuzzleStanding]]:
    """Return the people with the most solved daily puzzles lately, with their places; equal figures share a place.

    They are those of a channel, or of a whole server or group.
    """
    place, since = requester.place, today(context, requester) - LEADERBOARD_WINDOW
    group = (place.platform, place.group) if server and place.group is not None else None
    found = await context.store.puzzles.list_standings(since.isoformat(), place.id, group)
    places = number_places([(each.days, each.clean) for each in found])
    names = tell_apart(tuple(each.name for each in found))
    ranked = zip(places[:MAX_RANKS], names, found, strict=False)
    return [(number, replace(each, name=name)) for number, name, each in ranked]


def solver_words(speaker: Speaker, solvers: Sequence[tuple[int, PuzzleStanding]]) -> list[Text]:
    """Return the best solvers of a place as text; empty without solvers."""
    lines = [
        speaker.say("leaders.puzzles.rank", place=place, who=Span(each.name, bold=True), n=each.days, clean=each.clean)
        for place, each in solvers
    ]
    return [speaker.say("leaders.puzzles"), *lines] if lines else []


def _count_words(speaker: Speaker, counts: Mapping[str, int]) -> Text:
    return join([speaker.say("profile.puzzles.each", what=what, count=count) for what, count in counts.items()], ", ")
