"""Who speaks: a browser holds a secret, and the names made in it carry that secret's fingerprint in their ids.

So nothing is kept but the names themselves, they outlive the server, and no other browser can speak as one of them.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from aiohttp import web

from bot.language.names import MAX_NAME_LENGTH, clean_name, skeleton
from bot.operations.hourly_limits import HourlyRateLimiter
from bot.web.request_guard import Rejected
from storage import Identity, Store, utc_now

PLATFORM: Final = "web"
COOKIE: Final = "tavoliere"
BOT_NAME: Final = "Tavoliere"
MAX_NAMES_PER_BROWSER: Final = 24
"""How many names one browser may have: enough for any table, too few to fill the room."""

MAX_NAMES_PER_HOUR: Final = 8
MAX_BROWSERS_PER_HOUR: Final = 100
"""How many new browsers may come from one address: many people share one, at a school or a club."""

_COOKIE_LIFETIME_SECONDS: Final = 400 * 24 * 3600
_TOKEN_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser; `fingerprint` tells nothing about the `token`."""

    token: str

    @property
    def fingerprint(self) -> str:
        """What tells this browser from all others, and nobody how to be it."""
        return hashlib.sha256(self.token.encode()).hexdigest()[:24]

    @property
    def id_prefix(self) -> str:
        """What the ids of all names made in this browser begin with."""
        return f"{self.fingerprint}."

    def keep(self, response: web.Response, *, encrypted: bool) -> None:
        """Have the browser keep the secret where no script and no other site gets at it."""
        keep_cookie(response, COOKIE, self.token, encrypted=encrypted)


def browser_prefix(user: str) -> str:
    """Return what the ids of all names made in one browser begin with, by one of them."""
    return f"{user.partition('.')[0]}."


def keep_cookie(response: web.Response, name: str, value: str, *, encrypted: bool) -> None:
    """Have the browser keep something that only it and this page's server are to know.

    Where it opened the page by https it never sends that in the clear.
    """
    response.set_cookie(
        name, value, max_age=_COOKIE_LIFETIME_SECONDS, httponly=True, secure=encrypted, samesite="Strict", path="/"
    )


def session_of(request: web.Request) -> BrowserSession | None:
    """Return the browser's session, None if it has none yet."""
    token = request.cookies.get(COOKIE, "")
    return BrowserSession(token) if _TOKEN_PATTERN.fullmatch(token) else None


def new_session() -> BrowserSession:
    """Return a session that nobody has."""
    return BrowserSession(secrets.token_urlsafe(32))


class Names:
    """The names of the room, each of which belongs to one browser."""

    def __init__(self, store: Store, clock: Callable[[], datetime] = utc_now) -> None:
        self._store = store
        self._one_by_one = asyncio.Lock()
        self._taken = HourlyRateLimiter(MAX_NAMES_PER_HOUR, clock)
        self._begun = HourlyRateLimiter(MAX_BROWSERS_PER_HOUR, clock)

    async def names_in(self, session: BrowserSession | None) -> list[Identity]:
        """Return the names made in a browser, in the order of their making."""
        if session is None:
            return []
        found = await self._store.people.identities_with_prefix(PLATFORM, f"{session.fingerprint}.")
        return sorted(found, key=lambda name: int(name.user.rpartition(".")[2]))

    async def speaker(self, session: BrowserSession | None, user: object) -> Identity:
        """Return the name with an id; Rejected if it was not made in this browser."""
        if session is not None and isinstance(user, str) and user.startswith(f"{session.fingerprint}."):
            for name in await self.names_in(session):
                if name.user == user:
                    return name
        raise Rejected(403, "not-yours")

    async def add(
        self, session: BrowserSession, wanted: object, language: str | None, *, newcomer_from: str | None = None
    ) -> Identity:
        """Return a new name, or the one that this browser has already; Rejected if it cannot be had.

        `newcomer_from` is the address that a browser comes from that is new here.
        """
        if not isinstance(wanted, str) or len(wanted.strip()) > MAX_NAME_LENGTH:
            raise Rejected(400, "name-too-long", most=MAX_NAME_LENGTH)
        name = clean_name(wanted.strip().removeprefix("@"), "")
        if not name or '"' in name:
            raise Rejected(400, "name-empty")
        if name.startswith("/"):
            raise Rejected(400, "name-command")
        async with self._one_by_one:
            mine = await self.names_in(session)
            taken = {person.id for person in await self._store.people.find(name, platform=PLATFORM)}
            if (ours := next((other for other in mine if other.person in taken), None)) is not None:
                return ours
            if taken or name.casefold() == BOT_NAME.casefold():
                raise Rejected(409, "name-taken", name=name)
            if (alike := await self._who_looks_like(name)) is not None:
                raise Rejected(409, "name-alike", name=alike)
            if len(mine) >= MAX_NAMES_PER_BROWSER:
                raise Rejected(409, "too-many-names", most=MAX_NAMES_PER_BROWSER)
            self._check_pace(session, newcomer_from)
            user = f"{session.fingerprint}.{len(mine) + 1}"
            person = await self._store.people.identify(PLATFORM, user, name, language)
            self._taken.record(session.fingerprint)
            if newcomer_from is not None:
                self._begun.record(newcomer_from)
        return Identity(PLATFORM, user, person.id, name, language)

    def _check_pace(self, session: BrowserSession, newcomer_from: str | None) -> None:
        if minutes := self._taken.seconds_to_wait(session.fingerprint):
            raise Rejected(429, "too-many-names-an-hour", minutes=minutes)
        if newcomer_from is not None and (minutes := self._begun.seconds_to_wait(newcomer_from)):
            raise Rejected(429, "too-many-browsers", minutes=minutes)

    async def _who_looks_like(self, name: str) -> str | None:
        """Return the name of the bot, or of somebody here, that one cannot be told from, None if there is no such."""
        known = [
            BOT_NAME,
            *(identity.name for identity in await self._store.people.identities_with_prefix(PLATFORM, "")),
        ]
        return await asyncio.to_thread(_find_lookalike, name, known)


def _find_lookalike(name: str, known: Iterable[str]) -> str | None:
    wanted = skeleton(name)
    return next((other for other in known if skeleton(other) == wanted), None)
