"""Periods of leaderboards: a month in a place's time zone, the current season there, or all time."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from babel.dates import format_skeleton

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.language.texts import Speaker, Text
from bot.leagues.service import LEAGUES
from bot.puzzles.daily import zone_of
from storage import PlaceRow

ALL_TIME: Final = "all"
SEASON: Final = "season"
MONTH: Final = "month"
PERIODS: Final = (ALL_TIME, MONTH, SEASON)
MESSAGE_HOUR: Final = 9
"""Hour, on the first day of the next month, at which a place gets the message of a month."""
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
    """The period of a leaderboard's results, without bounds for all; `words` name it."""

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


async def read_period(context: Context, asker: RequestContext, name: str, game: str | None) -> Period:
    """Return the period for `month`, `season`, `all`, or a month's label; Refused for anything else.

    The season is that of the place's newest league with a running season, in the game if one is named; without a league
    it is the quarter of the year.
    """
    place, speaker, now = asker.place, asker.ours, context.clock()
    if name == ALL_TIME:
        return Period()
    if name == SEASON:
        return await _read_season(context, asker, game)
    month = month_at(place, now) if name == MONTH else read_month(name, place, now)
    if month is None:
        raise Refused("refusal.stale")
    return Period(month.since, month.until, speaker.say("leaders.month", month=month_words(speaker, month.label)))


async def _read_season(context: Context, asker: RequestContext, game: str | None) -> Period:
    place, speaker, now = asker.place, asker.ours, context.clock()
    for row in await context.store.competitions.list_in_place(place.id, _MAX_LEAGUES, kind="league"):
        if row.status == "over" or game not in (None, row.game_key):
            continue
        try:
            season = (await LEAGUES.read(context, row)).stands.season
        except Refused:
            continue  # an unreadable league must not prevent the leaderboard
        if season is not None and not season.is_over:
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
