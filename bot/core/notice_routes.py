"""Routing of a notice to a person, from their settings and the places where the game is shown; pure functions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from bot.language.time_zones import load_time_zone

ROUTE_SETTING: Final = "notices"
"""The setting for how a person is notified; if unset, `Route.HERE`."""
CHANNEL_ROUTES_SETTING: Final = "notices_apart"
"""The setting that says that a person has chosen other routes for some channels."""
DIGEST_HOUR_SETTING: Final = "digest_hour"
"""The setting for the hour of a person's digest, in their time zone."""
DEFAULT_DIGEST_HOUR: Final = 9
LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
_DIGEST_SPREAD_MINUTES: Final = 50
"""Digests are spread over this part of their hour: opening many private chats at once gets a bot blocked."""


class NoticeKind(StrEnum):
    """Subjects of a notice."""

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
"""Kinds that would come too late in a daily digest."""


class Route(StrEnum):
    """Ways to notify a person; `CHANNEL` is an extra message where the game is shown, after a private one failed."""

    HERE = "here"
    PRIVATE = "private"
    DIGEST = "digest"
    NONE = "none"
    CHANNEL = "channel"


ROUTE_CHOICES: Final = (Route.HERE, Route.PRIVATE, Route.DIGEST, Route.NONE)
"""The routes that can be chosen, the default first."""


@dataclass(frozen=True, slots=True)
class VisiblePost:
    """A place where a game is shown, for one person; `own`: it is their private chat; `seen`: when they were there.

    `choice` is the route they have chosen for its channel, None for the same as everywhere.
    """

    place: int
    platform: str
    private: bool = False
    own: bool = False
    seen: datetime | None = None
    choice: str | None = None


@dataclass(frozen=True, slots=True)
class RouteDecision:
    """The route of a notice. For `HERE`, `place` is where a board or an offer mentions them; None if none is shown."""

    route: Route
    place: int | None = None


def choose_route(
    kind: str, settings: Mapping[str, Any], platforms: Collection[str], shown: Sequence[VisiblePost]
) -> RouteDecision:
    """Return how a person is notified about a game: once, and in at most one of the places where it is shown.

    That is their private chat if they want it private, otherwise where they were seen last, otherwise where it has been
    shown for the longest. `platforms` are those on which the person has an account.
    """
    known = [each for each in shown if each.platform in platforms and (each.own or not each.private)]
    # The latest first; if none was seen, the oldest stays first.
    known.sort(key=lambda each: each.seen or LONG_AGO, reverse=True)
    best = known[0] if known else None
    chosen = best.choice if best is not None and best.choice else settings.get(ROUTE_SETTING, Route.HERE)
    way = Route(chosen) if chosen in ROUTE_CHOICES else Route.HERE
    if kind in _TIMED_KINDS and way == Route.DIGEST:
        way = Route.PRIVATE
    if kind == NoticeKind.PLAN:
        # Plans are private, so no board may mention them.
        return RouteDecision(Route.PRIVATE if way == Route.HERE else way)
    if way == Route.PRIVATE and (own := next((each for each in known if each.own), None)) is not None:
        return RouteDecision(Route.HERE, own.place)
    if way != Route.HERE:
        return RouteDecision(way)
    return RouteDecision(Route.HERE, best.place if best is not None else None)


def next_digest_at(person: int, settings: Mapping[str, Any], now: datetime) -> datetime:
    """Return when a person's next digest is due: at their hour, spread by some minutes from person to person."""
    local = now.astimezone(load_time_zone(settings.get("timezone")))
    hour, minute = int(settings.get(DIGEST_HOUR_SETTING, DEFAULT_DIGEST_HOUR)), person * 37 % _DIGEST_SPREAD_MINUTES
    due = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if due <= local:
        due += timedelta(days=1)
    return due.astimezone(now.tzinfo)
