"""A name that comes back: a key of its owner's own brings it to another browser, or to this one when it forgot.

The key is a secret. What is kept of it is its hash, among the settings of the person, so it is forgotten with them;
it is told once, when it is made, and a new one ends the one before.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Final

from cachetools import TTLCache

from bot.web.request_guard import Rejected
from bot.web.sessions import MAX_NAMES_PER_BROWSER, PLATFORM, BrowserSession, Names
from storage import Identity, Store

KEY_SETTING: Final = "return_key"
"""The setting of a person that holds the hash of their key."""
MAX_ATTEMPTS: Final = 10
ATTEMPT_WINDOW_SECONDS: Final = 60.0
"""So many wrong keys are tried from one address in so many seconds at most."""

_KEY_PATTERN: Final = re.compile(r"([0-9]{1,9})-([A-Za-z0-9_-]{32})")


class ReturnKeys:
    """Makes keys, and gives names back for them."""

    def __init__(self, store: Store, names: Names) -> None:
        self._store = store
        self._names = names
        self._tries: TTLCache[str, int] = TTLCache(10_000, ATTEMPT_WINDOW_SECONDS)
        self._one_by_one = asyncio.Lock()

    async def new_key(self, speaker: Identity) -> str:
        """Return a new key for a name; the one before opens nothing any more."""
        secret = secrets.token_urlsafe(24)
        await self._store.people.change_settings(speaker.person, {KEY_SETTING: _hashed(secret)})
        return f"{speaker.person}-{secret}"

    async def redeem_key(
        self, session: BrowserSession, key: object, address: str, see: Callable[[int], Awaitable[None]]
    ) -> Identity:
        """Return the name that a key is for, from now on this browser's, too; Rejected where it opens nothing.

        `see` raises Rejected where that person may not come in by this browser.
        """
        if self._tries.get(address, 0) >= MAX_ATTEMPTS:
            raise Rejected(429, "too-many-tries")
        async with self._one_by_one:
            found = await self._find_identity(key)
            if found is None:
                self._tries[address] = self._tries.get(address, 0) + 1
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
        """Return a name of the person that a key is for, None if it is nobody's."""
        match = _KEY_PATTERN.fullmatch(key.strip()) if isinstance(key, str) else None
        person = await self._store.people.get(int(match[1])) if match is not None else None
        stored = person.settings.get(KEY_SETTING) if person is not None else None
        # Compared all the same where there is nothing: how long it takes tells nobody who has a key.
        same = hmac.compare_digest(_hashed(match[2]) if match is not None else "", stored or _hashed(""))
        if match is None or person is None or not same:
            return None
        identities = await self._store.people.identities(person.id)
        return next((each for each in identities if each.platform == PLATFORM), None)


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
