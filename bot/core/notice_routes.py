"""Which way a notice goes: what somebody has chosen, and where a game is shown; pure functions of plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

ROUTE_SETTING: Final = "notices"
"""Kept under this name in a person's settings: which way they are told, here if there is nothing."""
CHANNEL_ROUTES_SETTING: Final = "notices_apart"
"""Kept under this name: that they have chosen otherwise for some channels."""
DIGEST_HOUR_SETTING: Final = "digest_hour"
"""Kept under this name: the hour of the day, in their time zone, of somebody's digest."""
DEFAULT_DIGEST_HOUR: Final = 9
LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
_DIGEST_SPREAD_MINUTES: Final = 50
"""Over so many minutes of their hour digests are spread: many private chats opened at once get a bot blocked."""


class NoticeKind(StrEnum):
    """What people are told of."""

    TURN = "turn"
    OFFER = "offer"
    CHALLENGE = "challenge"
    OVER = "over"
    TIME = "time"
    PLAN = "plan"
    LADDER = "ladder"
    LEAGUE = "league"
    TEAM = "team"


_TIMED_KINDS: Final = frozenset({NoticeKind.TIME, NoticeKind.LADDER, NoticeKind.LEAGUE})
"""What would come too late once a day."""


class Route(StrEnum):
    """How somebody is told; `CHANNEL` is a message of its own where the game is shown, since no private one came."""

    HERE = "here"
    PRIVATE = "private"
    DIGEST = "digest"
    NONE = "none"
    CHANNEL = "channel"


ROUTE_CHOICES: Final = (Route.HERE, Route.PRIVATE, Route.DIGEST, Route.NONE)
"""What can be chosen, the usual one first."""


@dataclass(frozen=True, slots=True)
class VisibleSurface:
    """A place where a game is shown, as one person knows it; `own` is their private chat, `seen` when they were there.

    `choice` is which way they want to be told what happens in its channel, None if as everywhere.
    """

    place: int
    platform: str
    private: bool = False
    own: bool = False
    seen: datetime | None = None
    choice: str | None = None


@dataclass(frozen=True, slots=True)
class RouteDecision:
    """Which way a notice goes; here, `place` is where a board or an offer calls, None while none is shown to them."""

    route: Route
    place: int | None = None


def is_default(settings: Mapping[str, Any]) -> bool:
    """Say whether the board itself notifies somebody, whatever the place."""
    return settings.get(ROUTE_SETTING, Route.HERE) == Route.HERE and not settings.get(CHANNEL_ROUTES_SETTING)


def choose_route(
    kind: str, settings: Mapping[str, Any], platforms: Collection[str], shown: Sequence[VisibleSurface]
) -> RouteDecision:
    """Return how a person is told something of a game: once, at most in one of the places where it is shown.

    That is their private chat if they want it private, else where they were seen last, else where it is shown
    for the longest; `platforms` are those that know the person.
    """
    known = [each for each in shown if each.platform in platforms and (each.own or not each.private)]
    # The latest first; where nobody knows, the oldest stays first.
    known.sort(key=lambda each: each.seen or LONG_AGO, reverse=True)
    best = known[0] if known else None
    chosen = best.choice if best is not None and best.choice else settings.get(ROUTE_SETTING, Route.HERE)
    way = Route(chosen) if chosen in ROUTE_CHOICES else Route.HERE
    if kind in _TIMED_KINDS and way == Route.DIGEST:
        way = Route.PRIVATE
    if kind == NoticeKind.PLAN:
        # Nobody else is to know of it, so no board tells it.
        return RouteDecision(Route.PRIVATE if way == Route.HERE else way)
    if way == Route.PRIVATE and (own := next((each for each in known if each.own), None)) is not None:
        return RouteDecision(Route.HERE, own.place)
    if way != Route.HERE:
        return RouteDecision(way)
    return RouteDecision(Route.HERE, best.place if best is not None else None)


def next_digest_at(person: int, settings: Mapping[str, Any], now: datetime) -> datetime:
    """Return when somebody's next digest is due: at their hour, a little later for one than for another."""
    local = now.astimezone(ZoneInfo(str(settings.get("timezone") or "UTC")))
    hour, minute = int(settings.get(DIGEST_HOUR_SETTING, DEFAULT_DIGEST_HOUR)), person * 37 % _DIGEST_SPREAD_MINUTES
    due = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if due <= local:
        due += timedelta(days=1)
    return due.astimezone(now.tzinfo)
