"""Which way a notice goes: what somebody has chosen, and where a game is shown; pure functions of plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

WAY: Final = "notices"
"""Kept under this name in a person's settings: which way they are told, here if there is nothing."""
APART: Final = "notices_apart"
"""Kept under this name: that they have chosen otherwise for some channels."""
HOUR: Final = "digest_hour"
"""Kept under this name: the hour of the day, in their time zone, of somebody's digest."""
USUAL_HOUR: Final = 9
LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
_WITHIN: Final = 50
"""Over so many minutes of their hour digests are spread: many private chats opened at once get a bot blocked."""


class NoticeKind(StrEnum):
    """What people are told of."""

    TURN = "turn"
    OFFER = "offer"
    CHALLENGE = "challenge"
    OVER = "over"
    TIME = "time"
    PLAN = "plan"


class Way(StrEnum):
    """How somebody is told; `CHANNEL` is a message of its own where the game is shown, since no private one came."""

    HERE = "here"
    PRIVATE = "private"
    DIGEST = "digest"
    NONE = "none"
    CHANNEL = "channel"


CHOSEN: Final = (Way.HERE, Way.PRIVATE, Way.DIGEST, Way.NONE)
"""What can be chosen, the usual one first."""


@dataclass(frozen=True, slots=True)
class Showing:
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
class Decision:
    """Which way a notice goes; here, `place` is where a board or an offer calls, None while none is shown to them."""

    way: Way
    place: int | None = None


def is_usual(settings: Mapping[str, Any]) -> bool:
    """Say whether somebody is told by what is shown anyway, whatever the place."""
    return settings.get(WAY, Way.HERE) == Way.HERE and not settings.get(APART)


def decide(kind: str, settings: Mapping[str, Any], platforms: Collection[str], shown: Sequence[Showing]) -> Decision:
    """Return how a person is told something of a game: once, at most in one of the places where it is shown.

    That is their own private chat for whoever wants it private, else where they were seen last, else where it is shown
    for the longest; `platforms` are those that know the person.
    """
    known = [each for each in shown if each.platform in platforms and (each.own or not each.private)]
    # The latest first; where nobody knows, the oldest stays first.
    known.sort(key=lambda each: each.seen or LONG_AGO, reverse=True)
    best = known[0] if known else None
    chosen = best.choice if best is not None and best.choice else settings.get(WAY, Way.HERE)
    way = Way(chosen) if chosen in CHOSEN else Way.HERE
    if kind == NoticeKind.TIME and way == Way.DIGEST:
        way = Way.PRIVATE
    if kind == NoticeKind.PLAN:
        # Nobody else is to know of it, so no board tells it.
        return Decision(Way.PRIVATE if way == Way.HERE else way)
    if way == Way.PRIVATE and (own := next((each for each in known if each.own), None)) is not None:
        return Decision(Way.HERE, own.place)
    if way != Way.HERE:
        return Decision(way)
    return Decision(Way.HERE, best.place if best is not None else None)


def next_digest(person: int, settings: Mapping[str, Any], now: datetime) -> datetime:
    """Return when somebody's next digest is due: at their hour, a little later for one than for another."""
    local = now.astimezone(ZoneInfo(str(settings.get("timezone") or "UTC")))
    hour, minute = int(settings.get(HOUR, USUAL_HOUR)), person * 37 % _WITHIN
    due = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if due <= local:
        due += timedelta(days=1)
    return due.astimezone(now.tzinfo)
