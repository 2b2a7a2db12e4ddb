"""Browser sessions: a browser holds a secret token, and the ids of its names begin with that token's fingerprint.

So only the names need to be stored, they survive a restart, and no other browser can speak with them.

Managers of the room: the browsers in which the page was opened through the manager's link.

Each has a mark derived from the secret and from its token, so a new secret invalidates all marks.

Return keys: with the key, its owner can use a name in another browser, or in a browser that lost its cookie.

Only the key's hash is stored, in the person's settings, so it is deleted together with the person. The key is shown
only once, when it is created, and a new key invalidates the previous one.
"""

import asyncio
import hashlib
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from aiohttp import web

from bot.kernel.commandline import is_command_line
from bot.kernel.names import clean_name, compute_skeleton, looks_like_computer
from bot.kernel.operations.limits import HourlyRateLimiter
from bot.platforms.web.request_guard import Rejected
from engine.record import MAX_NAME_LENGTH
from storage import Identity, Store
from storage.addresses import make_plain

PLATFORM: Final = "web"
COOKIE_NAME: Final = "tavoliere"
BOT_NAME: Final = "Tavoliere"
MAX_NAMES_PER_BROWSER: Final = 24
"""Maximum number of names per browser: enough for the seats of any game, too few to fill the room."""

MAX_NAMES_PER_HOUR: Final = 8
MAX_BROWSERS_PER_HOUR: Final = 30
"""Default maximum number of new browsers per address: a class or a club may share one."""

COOKIE_LIFETIME_SECONDS: Final = 400 * 24 * 3600
_TOKEN_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser; its `fingerprint` reveals nothing about the `token`."""

    token: str

    @property
    def fingerprint(self) -> str:
        """Identifier of this browser, with which no one can impersonate it."""
        return hashlib.sha256(self.token.encode()).hexdigest()[:24]

    @property
    def id_prefix(self) -> str:
        """Prefix of the ids of all names made in this browser."""
        return f"{self.fingerprint}."


def browser_prefix(user: str) -> str:
    """Return the prefix of the ids of all names of a browser, given one of them."""
    return f"{user.partition('.')[0]}."


def session_of(request: web.Request) -> BrowserSession | None:
    """Return the browser's session; None if it has none yet."""
    token = request.cookies.get(COOKIE_NAME, "")
    return BrowserSession(token) if _TOKEN_PATTERN.fullmatch(token) else None


def new_session() -> BrowserSession:
    """Return a new session with a random token."""
    return BrowserSession(secrets.token_urlsafe(32))


KEY_SETTING: Final = "return_key"
"""Setting of a person that holds the hash of their key."""
MAX_ATTEMPTS: Final = 10
ATTEMPT_WINDOW: Final = timedelta(minutes=1)
"""Time window of the limit on wrong keys from one address."""

_KEY_PATTERN: Final = re.compile(r"([0-9]{1,9})-([A-Za-z0-9_-]{32})")


class Names:
    """Names of the room, each of which belongs to one browser, and the keys with which their owners move them."""

    def __init__(self, store: Store, clock: Callable[[], float], newcomers_per_hour: int) -> None:
        """Create the names; `clock` returns monotonic seconds."""
        self._store = store
        self._lock = asyncio.Lock()
        self._names_per_hour = HourlyRateLimiter(MAX_NAMES_PER_HOUR, clock)
        self._newcomers_per_hour = HourlyRateLimiter(newcomers_per_hour, clock)
        self._attempts = HourlyRateLimiter(MAX_ATTEMPTS, clock, ATTEMPT_WINDOW)

    async def names_in(self, session: BrowserSession | None) -> list[Identity]:
        """Return the names made in a browser, in order of creation."""
        if session is None:
            return []
        found = await self._store.people.identities_with_prefix(PLATFORM, session.id_prefix)
        return sorted(found, key=lambda name: int(name.user_id.rpartition(".")[2]))

    async def speaker(self, session: BrowserSession | None, user: object) -> Identity:
        """Return the name with an id; Rejected if it was not made in this browser."""
        for name in await self.names_in(session):
            if name.user_id == user:
                return name
        raise Rejected(403, "not-yours")

    async def add(
        self, session: BrowserSession, wanted: object, language: str | None, *, newcomer_from: str | None = None
    ) -> Identity:
        """Return a new name, or the same one if this browser already has it; Rejected if it is unavailable.

        `newcomer_from` is the address of a browser that is new here.
        """
        if not isinstance(wanted, str) or len(wanted.strip()) > MAX_NAME_LENGTH:
            raise Rejected(400, "name-too-long", most=MAX_NAME_LENGTH)
        name = clean_name(wanted.strip().removeprefix("@"), "")
        if not name or '"' in name:
            raise Rejected(400, "name-empty")
        if is_command_line(name):
            raise Rejected(400, "name-command")
        async with self._lock:
            mine = await self.names_in(session)
            taken = {person.id for person in await self._store.people.find(name, platform=PLATFORM)}
            if (ours := next((other for other in mine if other.person in taken), None)) is not None:
                return ours
            if taken or name.casefold() == BOT_NAME.casefold() or looks_like_computer(name):
                raise Rejected(409, "name-taken", name=name)
            if (alike := await self._lookalike_of(name)) is not None:
                raise Rejected(409, "name-alike", name=alike)
            user = _next_user(session, mine)
            if minutes := self._names_per_hour.minutes_to_wait(session.fingerprint):
                raise Rejected(429, "too-many-names-an-hour", minutes=minutes)
            if newcomer_from is not None and (minutes := self._newcomers_per_hour.minutes_to_wait(newcomer_from)):
                raise Rejected(429, "too-many-browsers", minutes=minutes)
            person = await self._store.people.identify(PLATFORM, user, name, language)
            self._names_per_hour.record(session.fingerprint)
            if newcomer_from is not None:
                self._newcomers_per_hour.record(newcomer_from)
        return Identity(PLATFORM, user, person.id, name, language)

    async def _lookalike_of(self, name: str) -> str | None:
        """Return the name of the bot or of a person here that looks the same as a name; None if there is none."""
        known = [
            BOT_NAME,
            *(identity.name for identity in await self._store.people.identities_with_prefix(PLATFORM, "")),
        ]
        return await asyncio.to_thread(_find_lookalike, name, known)

    async def new_key(self, speaker: Identity) -> str:
        """Return a new key for a name; the previous one becomes invalid."""
        secret = secrets.token_urlsafe(24)
        await self._store.people.change_settings(speaker.person, {KEY_SETTING: _hash_secret(secret)})
        return f"{speaker.person}-{secret}"

    async def redeem_key(
        self, session: BrowserSession, key: object, address: str, see: Callable[[int], Awaitable[None]]
    ) -> Identity:
        """Return the name of a key, which this browser may use from now on; Rejected if the key is invalid.

        `see` raises Rejected if that person may not enter from this browser.
        """
        if self._attempts.wait_seconds(address):
            raise Rejected(429, "too-many-tries")
        async with self._lock:
            found = await self._find_identity(key)
            if found is None:
                self._attempts.record(address)
                raise Rejected(403, "wrong-key")
            await see(found.person)
            mine = await self.names_in(session)
            known = next((name for name in mine if name.person == found.person), None)
            if known is not None:
                return known
            user = _next_user(session, mine)
            await self._store.people.add_identity(found.person, PLATFORM, user, found.name, found.language)
        return Identity(PLATFORM, user, found.person, found.name, found.language)

    async def _find_identity(self, key: object) -> Identity | None:
        """Return a web identity of the person that a key belongs to; None if it is invalid."""
        # Phones replace two hyphens by a long dash.
        plain = make_plain(key.replace("\u2014", "--")).strip() if isinstance(key, str) else ""
        match = _KEY_PATTERN.fullmatch(plain)
        person = await self._store.people.get(int(match[1])) if match is not None else None
        stored = person.settings.get(KEY_SETTING) if person is not None else None
        # Compare even without a stored hash: the duration must not reveal who has a key.
        same = hmac.compare_digest(_hash_secret(match[2]) if match is not None else "", stored or _hash_secret(""))
        if match is None or person is None or not same:
            return None
        identities = await self._store.people.identities(person.id)
        return next((each for each in identities if each.platform == PLATFORM), None)


def _next_user(session: BrowserSession, mine: Sequence[Identity]) -> str:
    """Return the id of a further name of a browser; Rejected if it has too many."""
    if len(mine) >= MAX_NAMES_PER_BROWSER:
        raise Rejected(409, "too-many-names", most=MAX_NAMES_PER_BROWSER)
    return f"{session.id_prefix}{len(mine) + 1}"


def _find_lookalike(name: str, known: Iterable[str]) -> str | None:
    wanted = compute_skeleton(name)
    return next((other for other in known if compute_skeleton(other) == wanted), None)


def _hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


MANAGER_COOKIE: Final = "tavoliere-manager"
"""Name of the cookie with a browser's mark."""

Secret = Callable[[], str | None]
"""Callback that returns the current secret of the manager's link; None if there can be no manager."""


def without_secret() -> None:
    """Return None, as the secret of a page without a manager."""


class Managers:
    """Checks and admits managers' browsers."""

    def __init__(self, secret: Secret) -> None:
        self._secret = secret

    def is_manager(self, request: web.Request) -> bool:
        """Return True if a request comes from a manager's browser."""
        mark, session = request.cookies.get(MANAGER_COOKIE), session_of(request)
        if mark is None or session is None:
            return False
        secret = self._secret()
        return secret is not None and _is_same_text(mark, _mark(secret, session))

    def admit(self, session: BrowserSession, given: object) -> str:
        """Return the mark of a browser that gives the right secret; Rejected with a wrong one.

        Attempts are not limited: 256 bits cannot be guessed, and a limit per address would let one visitor behind a
        shared proxy lock the manager out.
        """
        secret = self._secret()
        if secret is None or not isinstance(given, str) or not _is_same_text(given, secret):
            raise Rejected(403, "old-link")
        return _mark(secret, session)


def _mark(secret: str, session: BrowserSession) -> str:
    return hmac.new(secret.encode(), f"manager:{session.token}".encode(), hashlib.sha256).hexdigest()


def _is_same_text(one: str, other: str) -> bool:
    """Return True if two texts are equal, compared in constant time."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))
