"""Leaderboards of a place, a server or everywhere, and the data of a person's profile."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Final, Literal

from babel.dates import format_skeleton

from bot.boards.puzzles.daily import zone_of
from bot.competitions.leagues.service import LEAGUES
from bot.kernel.context import Context
from bot.kernel.names import tell_apart
from bot.kernel.preferences import TEAM_TABLE
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.table import COMPUTER_POOL, TEAM_POOL
from bot.kernel.texts import Speaker, Text
from bot.table.ratings import MIN_RANKED_GAMES, MIN_TEAM_GAMES, OVERALL_KEY, is_ranked, number_places, rating_points
from engine import games
from storage import Person, PlaceRow, Rating, Result, Standing
from storage.ratings import Scope
from storage.schema import LIVE, PACES, SLOW, Mark, Pace

ALL_TIME: Final = "all"
SEASON: Final = "season"
MONTH: Final = "month"
PERIODS: Final = (ALL_TIME, MONTH, SEASON)
MESSAGE_HOUR: Final = 9
"""Hour of the message of a month, on the first day of the next month in the place's time zone."""
_MAX_LEAGUES: Final = 25
_MONTH_LABEL: Final = re.compile(r"(20\d\d)-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True)
class Month:
    """A month in a place's time zone, as `2026-05`: its start, its end, and when its message is due."""

    label: str
    since: datetime
    until: datetime
    message_at: datetime


@dataclass(frozen=True, slots=True)
class Period:
    """The period of a leaderboard's results, without bounds for all time; `words` name it."""

    since: datetime | None = None
    until: datetime | None = None
    words: Text = ()


def read_month(label: str, place: PlaceRow, now: datetime) -> Month | None:
    """Return a month in a place's time zone, None for an invalid label."""
    found = _MONTH_LABEL.fullmatch(label)
    return None if found is None else _month(date(int(found[1]), int(found[2]), 1), place, now)


def month_at(place: PlaceRow, now: datetime) -> Month:
    """Return the current month of a place."""
    return _month(now.astimezone(zone_of(place)).date().replace(day=1), place, now)


def month_words(speaker: Speaker, label: str) -> str:
    """Return the name of a month with its year."""
    year, _, month = label.partition("-")
    return str(format_skeleton("yMMMM", date(int(year), int(month), 1), locale=speaker.language))


async def read_period(context: Context, requester: RequestContext, name: str, game: str | None) -> Period:
    """Return the period for `month`, `season`, `all`, or a month's label; Refused for anything else.

    The season is that of the place's newest league with a running season, in the game if one is named; without a league
    it is the quarter of the year.
    """
    place, speaker, now = requester.place, requester.place_speaker, context.clock()
    if name == ALL_TIME:
        return Period()
    if name == SEASON:
        return await _read_season(context, requester, game)
    month = month_at(place, now) if name == MONTH else read_month(name, place, now)
    if month is None:
        raise Refused("refusal.stale")
    return Period(month.since, month.until, speaker.say("leaders.month", month=month_words(speaker, month.label)))


async def _read_season(context: Context, requester: RequestContext, game: str | None) -> Period:
    place, speaker, now = requester.place, requester.place_speaker, context.clock()
    for row in await context.store.competitions.list_in_place(place.id, _MAX_LEAGUES, kind="league"):
        if row.status == "over" or game not in (None, row.game_key):
            continue
        try:
            season = (await LEAGUES.read(context, row)).state.season
        except Refused:
            continue  # an unreadable league must not prevent the leaderboard
        if not season.is_over:
            return Period(season.starts_at, None, speaker.say("leaders.season", when=speaker.day(season.starts_at)))
    month = now.astimezone(zone_of(place)).date()
    first = _month(date(month.year, month.month - (month.month - 1) % 3, 1), place, now)
    return Period(first.since, None, speaker.say("leaders.season", when=speaker.day(first.since)))


def _month(first: date, place: PlaceRow, now: datetime) -> Month:
    zone = zone_of(place)
    following = (first + timedelta(days=32)).replace(day=1)

    def at(day: date, hour: int = 0) -> datetime:
        return datetime.combine(day, time(hour), zone).astimezone(now.tzinfo)

    return Month(f"{first:%Y-%m}", at(first), at(following), at(following, MESSAGE_HOUR))


Where = Literal["here", "server", "everywhere", "channels"]

MAX_RANKS: Final = 15


@dataclass(frozen=True, slots=True)
class Rank:
    """A line of a leaderboard; equal figures share a place. `rating` is None while it is too uncertain."""

    place: int
    person: int
    name: str
    wins: int
    draws: int
    losses: int
    rating: Rating | None


@dataclass(frozen=True, slots=True)
class Profile:
    """The data of a profile: ratings by game and pace, the newest results, and those against the requester.

    `computer` counts wins, draws and losses against computers by game.
    """

    person: Person
    ratings: tuple[Rating, ...]
    results: tuple[Result, ...]
    met: tuple[tuple[Result, Result], ...]
    computer: Mapping[str, Mapping[Mark, int]] = field(default_factory=dict)


async def compute_leaderboard(
    context: Context,
    requester: RequestContext,
    where: Where,
    game: str | None,
    least: int | None = None,
    period: Period | None = None,
    pace: Pace = SLOW,
) -> list[Rank]:
    """Return the leaderboard of one game, or of all, at a pace, of people with at least `least` games in a period.

    In a place or server, it is sorted by wins, then by draws, by default from the first game on; everywhere by rating,
    by default from five games on, or by wins within a period. Forgotten people are left out. For channels, it lists
    those that want to be in it, for all time.
    """
    key, place = game or OVERALL_KEY, requester.place
    since, until = (period.since, period.until) if period is not None else (None, None)
    if where == "channels":
        return await _rank_channels(context, requester, key, least or MIN_TEAM_GAMES, pace)
    if where == "everywhere" and since is None:
        return await _rank_everywhere(context, key, least or MIN_RANKED_GAMES, pace)
    standings = await context.store.ratings.standings(game, since, until, pace=pace, **_scope(where, place))
    return await _rank_standings(context, key, standings, least or 1, pace)


async def has_live_results(
    context: Context, requester: RequestContext, where: Where, game: str | None, period: Period
) -> bool:
    """Return True if there are live games for the same leaderboard."""
    if where == "channels":
        limits = {"least": MIN_TEAM_GAMES, "limit": 1}
        return bool(
            await context.store.teams.best(game or OVERALL_KEY, TEAM_POOL, setting=TEAM_TABLE, pace=LIVE, **limits)
        )
    scope = _scope(where, requester.place)
    return await context.store.ratings.has_results(game, period.since, period.until, pace=LIVE, **scope)


def _scope(where: Where, place: PlaceRow) -> Scope:
    """Return the filter for the places of a leaderboard's games."""
    if where == "everywhere":
        return {}
    return {"group": (place.platform, place.group)} if where == "server" and place.group else {"place": place.id}


async def rank_in_place(context: Context, place: PlaceRow) -> list[Rank]:
    """Return the leaderboard of a place for all time: of slow games, or of live ones if there are only live ones."""
    for pace in PACES:
        standings = await context.store.ratings.standings(place=place.id, pace=pace)
        if ranks := await _rank_standings(context, OVERALL_KEY, standings, 1, pace):
            return ranks
    return []


async def _rank_standings(
    context: Context, key: str, standings: Sequence[Standing], least: int, pace: Pace
) -> list[Rank]:
    shown = [standing for standing in standings if standing.name and standing.played >= least]
    known = await context.store.ratings.list_for_people([standing.person for standing in shown])
    ratings = {
        rating.person: rating for rating in known if (rating.game_key, rating.pace) == (key, pace) and is_ranked(rating)
    }
    names = tell_apart(tuple(standing.name for standing in shown))
    places = number_places([(standing.wins, standing.draws, standing.losses) for standing in shown])
    return [
        Rank(
            place_number,
            standing.person,
            name,
            standing.wins,
            standing.draws,
            standing.losses,
            ratings.get(standing.person),
        )
        for place_number, standing, name in zip(places, shown, names, strict=True)
    ]


async def load_profile(context: Context, requester: RequestContext, person: Person) -> Profile:
    """Return the data of a person's profile."""
    ratings = await context.store.ratings.list_for_people([person.id])
    results = await context.store.ratings.results_of_person(person.id, limit=200)
    met = [] if person.id == requester.id else await context.store.ratings.head_to_head(person.id, requester.id)
    counted = await context.store.ratings.count_marks(person.id, COMPUTER_POOL)
    computer = {key: counted[key] for key in dict.fromkeys((*games, *sorted(counted))) if key in counted}
    return Profile(person, tuple(ratings), tuple(results), tuple(met), computer)


async def _rank_channels(context: Context, requester: RequestContext, key: str, least: int, pace: Pace) -> list[Rank]:
    limits = {"least": least, "limit": 2 * MAX_RANKS}
    best = await context.store.teams.best(key, TEAM_POOL, setting=TEAM_TABLE, pace=pace, **limits)
    names = [f"{each.name} ({requester.place_speaker.line(f'platform.{each.platform}')})" for each in best]
    return _rank_by_points(list(zip(names, (each.rating for each in best), strict=True)))


async def _rank_everywhere(context: Context, key: str, least: int, pace: Pace) -> list[Rank]:
    best = await context.store.ratings.best(key, least=least, limit=2 * MAX_RANKS, pace=pace)
    people = await context.store.people.get_many([rating.person for rating in best])
    names = ((people[rating.person].name, rating) for rating in best)
    return _rank_by_points([(name, rating) for name, rating in names if name])


def _rank_by_points(best: Sequence[tuple[str, Rating]]) -> list[Rank]:
    """Return the ranks of names with their ratings, the best first; people with equal points share a place."""
    places = number_places([rating_points(rating) for _, rating in best])
    names = tell_apart(tuple(name for name, _ in best))
    return [
        Rank(place_number, rating.person, name, rating.wins, rating.draws, rating.losses, rating)
        for place_number, name, (_, rating) in zip(places, names, best, strict=True)
    ]
