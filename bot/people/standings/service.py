"""Leaderboards of a place, a server or everywhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
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
from bot.kernel.table import TEAM_POOL
from bot.kernel.texts import Speaker, Text
from bot.table.ratings import MIN_RANKED_GAMES, MIN_TEAM_GAMES, OVERALL_KEY, is_ranked, number_places, rating_points
from render.charts import LeaderboardRow
from storage import PlaceRow, Rating, Standing
from storage.ratings import Scope
from storage.schema import PACES, Pace

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
    local = now.astimezone(zone_of(place)).date()
    month = read_month(f"{local:%Y-%m}" if name == MONTH else name, place, now)
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
class Leaderboard:
    """The choice of a leaderboard: the places of its games, a game (None for all), the name of a period, and a pace.

    Without a pace it is for slow games, or for live games if there are only live ones. People are listed from `least`
    games on.
    """

    where: Where
    game: str | None = None
    period: str = ALL_TIME
    pace: Pace | None = None
    least: int | None = None


@dataclass(frozen=True, slots=True)
class Rank:
    """A person's line of a leaderboard; equal figures share a place. It has no points while these are too uncertain."""

    person: int
    row: LeaderboardRow


async def compute_leaderboard(
    context: Context, requester: RequestContext, chosen: Leaderboard, period: Period, pace: Pace
) -> list[Rank]:
    """Return the lines of a leaderboard at a pace, of people with the least number of games in a period.

    In a place or server, it is sorted by wins, then by draws, by default from the first game on; everywhere by rating,
    by default from five games on, or by wins within a period. Forgotten people are left out. For channels, it lists
    those that want to be in it, for all time.
    """
    store, key, place, limit = context.store, chosen.game or OVERALL_KEY, requester.place, 2 * MAX_RANKS
    if chosen.where == "channels":
        least = chosen.least or MIN_TEAM_GAMES
        teams = await store.teams.best(key, TEAM_POOL, setting=TEAM_TABLE, least=least, limit=limit, pace=pace)
        names = [f"{each.name} ({requester.place_speaker.line(f'platform.{each.platform}')})" for each in teams]
        return _rank_by_points(list(zip(names, (each.rating for each in teams), strict=True)))
    if chosen.where == "everywhere" and period.since is None:
        best = await store.ratings.best(key, least=chosen.least or MIN_RANKED_GAMES, limit=limit, pace=pace)
        people = await store.people.get_many([rating.person for rating in best])
        return _rank_by_points([(people[each.person].name, each) for each in best if people[each.person].name])
    scope: Scope = {"place": place.id}
    if chosen.where == "everywhere":
        scope = {}
    elif chosen.where == "server" and place.group:
        scope = {"group": (place.platform, place.group)}
    standings = await store.ratings.standings(chosen.game, period.since, period.until, pace=pace, **scope)
    return await _rank_standings(context, key, standings, chosen.least or 1, pace)


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
    points = {
        rating.person: rating_points(rating)
        for rating in known
        if (rating.game_key, rating.pace) == (key, pace) and is_ranked(rating)
    }
    places = number_places([(standing.wins, standing.draws, standing.losses) for standing in shown])
    return _list_ranks(places, [(each.name, each, points.get(each.person)) for each in shown])


def _rank_by_points(best: Sequence[tuple[str, Rating]]) -> list[Rank]:
    """Return the ranks of names with their ratings, the best first; people with equal points share a place."""
    shown = [(name, rating, rating_points(rating)) for name, rating in best]
    return _list_ranks(number_places([points for _, _, points in shown]), shown)


def _list_ranks(places: Sequence[int], shown: Sequence[tuple[str, Standing | Rating, int | None]]) -> list[Rank]:
    """Return the ranks of people with their names, results and points."""
    names = tell_apart(tuple(name for name, _, _ in shown))
    return [
        Rank(each.person, LeaderboardRow(place, name, each.wins, each.draws, each.losses, points))
        for place, name, (_, each, points) in zip(places, names, shown, strict=True)
    ]
