"""Access control of the room: bans, kicks, mutes and talk limits, none of which applies to managers' browsers."""

import math
from collections.abc import Callable, Hashable, Iterable
from datetime import timedelta
from typing import Final

from aiohttp import web

from bot.operations.limits import HourlyRateLimiter
from bot.web.managers import Managers
from bot.web.request_guard import Rejected
from bot.web.room import ChatRoom
from bot.web.sessions import BrowserSession
from storage import Ban, News, Store
from storage.places import BAN, KICK, MUTE


class AccessControl:
    """Bans, kicks and mutes of the room, cached until the store reports a change."""

    def __init__(self, store: Store, room: ChatRoom, managers: Managers) -> None:
        self._store = store
        self._room = room
        self._managers = managers
        self._bans: list[Ban] | None = None
        self._changes = 0
        store.add_listener(self._on_store_change, {"bans", "people", "elsewhere"})

    def _on_store_change(self, news: News) -> None:
        kind, what = news
        if kind in ("bans", "people") or (kind == "elsewhere" and (what is None or what[0] in ("bans", "people"))):
            self._bans = None
            self._changes += 1

    async def refusal_for(
        self, request: web.Request, session: BrowserSession | None, people: Iterable[int] = ()
    ) -> Rejected | None:
        """Return the refusal for a browser or one of the people in it; None if they may enter."""
        return None if self._managers.is_manager(request) else await self._refusal((BAN, KICK), session, people)

    async def check_admitted(self, request: web.Request, session: BrowserSession | None, *people: int) -> None:
        """Raise Rejected if a browser, or one of some people in it, is banned or kicked."""
        if (refused := await self.refusal_for(request, session, people)) is not None:
            raise refused

    async def mute_reason(self, request: web.Request, session: BrowserSession | None, person: int) -> Rejected | None:
        """Return the refusal if a person is muted; None if they may speak."""
        return None if self._managers.is_manager(request) else await self._refusal((MUTE,), session, [person])

    async def _refusal(
        self, kinds: tuple[str, ...], session: BrowserSession | None, people: Iterable[int]
    ) -> Rejected | None:
        now, known = self._room.clock(), await self._active_bans()
        browsers = () if session is None else (session.id_prefix,)
        for kind in kinds:
            for bar in known:
                if bar.kind != kind or not any(bar.holds_for(person, browsers) for person in (None, *people)):
                    continue
                if bar.until is None:
                    return Rejected(403, kind)
                if bar.until > now:
                    return Rejected(403, kind, minutes=math.ceil((bar.until - now) / timedelta(minutes=1)))
        return None

    async def _active_bans(self) -> list[Ban]:
        if self._bans is not None:
            return self._bans
        before = self._changes
        found = await self._store.bans.list_in_place((await self._room.place()).id, self._room.clock())
        if before == self._changes:
            self._bans = found
        return found


LINES_PER_MINUTE: Final = 20
LINES_PER_HOUR: Final = 300


class TalkPace:
    """Rate limiter of chat lines, per browser and per person."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Create the limiter; `clock` returns seconds that cannot be set."""
        self._limits = (
            HourlyRateLimiter(LINES_PER_MINUTE, clock, timedelta(minutes=1)),
            HourlyRateLimiter(LINES_PER_HOUR, clock),
        )

    def take(self, *speakers: Hashable) -> None:
        """Count a line for each speaker; Rejected, and not counted, if one of them has reached a limit."""
        seconds = max(limit.wait_seconds(speaker) for limit in self._limits for speaker in speakers)
        if seconds:
            raise Rejected(429, "too-much-talk", seconds=seconds)
        for limit in self._limits:
            for speaker in speakers:
                limit.record(speaker)
