"""Who may come in, who may speak and how much, as the room's manager decided; managers' browsers always may."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from datetime import datetime, timedelta
from typing import Final

from aiohttp import web

from bot.operations.hourly_limits import HourlyRateLimiter
from bot.web.managers import Managers
from bot.web.request_guard import Rejected
from bot.web.room import ChatRoom
from bot.web.sessions import BrowserSession
from storage import Ban, News, Store
from storage.bans import BAN, KICK, MUTE


class AccessControl:
    """Knows what holds in the room; it is read again when anything of it may have changed."""

    def __init__(self, store: Store, room: ChatRoom, managers: Managers) -> None:
        self._store = store
        self._room = room
        self._managers = managers
        self._known: list[Ban] | None = None
        self._changes = 0
        store.add_listener(self._on_store_change)

    def _on_store_change(self, news: News) -> None:
        kind, what = news
        if kind in ("bans", "people") or (kind == "elsewhere" and (what is None or what[0] in ("bans", "people"))):
            self._known = None
            self._changes += 1

    async def refusal_for(
        self, request: web.Request, session: BrowserSession | None, people: Iterable[int] = ()
    ) -> Rejected | None:
        """Return why a browser, or somebody of some people in it, is kept out; None where they may come in."""
        return None if self._managers.is_manager(request) else await self._refusal((BAN, KICK), session, people)

    async def check_admitted(self, request: web.Request, session: BrowserSession | None, *people: int) -> None:
        """Raise Rejected where a browser, or one of some people in it, is kept out."""
        if (refused := await self.refusal_for(request, session, people)) is not None:
            raise refused

    async def mute_reason(self, request: web.Request, session: BrowserSession | None, person: int) -> Rejected | None:
        """Return why somebody may not speak here, None where they may."""
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
        if self._known is not None:
            return self._known
        before = self._changes
        found = await self._store.bans.list_in_place((await self._room.place()).id, self._room.clock())
        if before == self._changes:
            self._known = found
        return found


LINES_PER_MINUTE: Final = 20
LINES_PER_HOUR: Final = 300


class TalkPace:
    """Counts what is said, by browser and by person."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._limits = (
            HourlyRateLimiter(LINES_PER_MINUTE, clock, timedelta(minutes=1)),
            HourlyRateLimiter(LINES_PER_HOUR, clock),
        )

    def take(self, *speakers: Hashable) -> None:
        """Count a line; Rejected, and not counted, where one of those who say it has said as much as may be."""
        seconds = max(limit.wait_seconds(speaker) for limit in self._limits for speaker in speakers)
        if seconds:
            raise Rejected(429, "too-much-talk", seconds=seconds)
        for limit in self._limits:
            for speaker in speakers:
                limit.record(speaker)
