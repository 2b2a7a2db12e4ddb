"""Return keys: a key that its owner keeps brings a name to another browser, or back to one that lost its cookie.

Only the key's hash is stored, in the person's settings, so it is forgotten with them. The key is shown once, when it
is made, and a new one invalidates the previous one.
"""

import asyncio
import hashlib
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

from bot.operations.limits import HourlyRateLimiter
from bot.web.request_guard import Rejected
from bot.web.sessions import MAX_NAMES_PER_BROWSER, PLATFORM, BrowserSession, Names
from storage import Identity, Store
from storage.plain_text import make_plain

KEY_SETTING: Final = "return_key"
"""Setting of a person that holds the hash of their key."""
MAX_ATTEMPTS: Final = 10
ATTEMPT_WINDOW: Final = timedelta(minutes=1)
"""Maximum number of wrong keys from one address in this time."""

_KEY_PATTERN: Final = re.compile(r"([0-9]{1,9})-([A-Za-z0-9_-]{32})")


class ReturnKeys:
    """Issue and redemption of return keys."""

    def __init__(self, store: Store, names: Names, clock: Callable[[], float]) -> None:
        """Create the keys; `clock` returns seconds that cannot be set."""
        self._store = store
        self._names = names
        self._attempts = HourlyRateLimiter(MAX_ATTEMPTS, clock, ATTEMPT_WINDOW)
        self._lock = asyncio.Lock()

    async def new_key(self, speaker: Identity) -> str:
        """Return a new key for a name; the previous one becomes invalid."""
        secret = secrets.token_urlsafe(24)
        await self._store.people.change_settings(speaker.person, {KEY_SETTING: _hash_secret(secret)})
        return f"{speaker.person}-{secret}"

    async def redeem_key(
        self, session: BrowserSession, key: object, address: str, see: Callable[[int], Awaitable[None]]
    ) -> Identity:
        """Return a key's name, from now on also this browser's; Rejected if the key is invalid.

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
            mine = await self._names.names_in(session)
            known = next((name for name in mine if name.person == found.person), None)
            if known is not None:
                return known
            if len(mine) >= MAX_NAMES_PER_BROWSER:
                raise Rejected(409, "too-many-names", most=MAX_NAMES_PER_BROWSER)
            user = f"{session.fingerprint}.{len(mine) + 1}"
            await self._store.people.add_identity(found.person, PLATFORM, user, found.name, found.language)
        return Identity(PLATFORM, user, found.person, found.name, found.language)

    async def _find_identity(self, key: object) -> Identity | None:
        """Return a web identity of the person that a key belongs to; None if it is invalid."""
        match = _KEY_PATTERN.fullmatch(_make_key_plain(key)) if isinstance(key, str) else None
        person = await self._store.people.get(int(match[1])) if match is not None else None
        stored = person.settings.get(KEY_SETTING) if person is not None else None
        # Compare even without a stored hash: the time taken must not reveal who has a key.
        same = hmac.compare_digest(_hash_secret(match[2]) if match is not None else "", stored or _hash_secret(""))
        if match is None or person is None or not same:
            return None
        identities = await self._store.people.identities(person.id)
        return next((each for each in identities if each.platform == PLATFORM), None)


def _make_key_plain(key: str) -> str:
    """Return a key as it was shown: phones write two hyphens as one long dash."""
    return make_plain(key.replace("\u2014", "--")).strip()


def _hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
