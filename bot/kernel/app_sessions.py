"""Signed links to games, and the short sessions that identify people in the apps inside Telegram and Discord.

Sessions are not stored: a session is a signed token that every process on the same database can check.
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from bot.kernel.requests import Place
from storage import Json, Store

SESSION_LIFETIME: Final = timedelta(minutes=30)
"""Lifetime of a session; its app must renew it before it expires."""
MAX_SESSION_AGE: Final = timedelta(hours=12)
"""Time after the launch within which a session can be renewed."""
CLOCK_SKEW: Final = timedelta(minutes=1)
"""Maximum difference between the clocks of processes."""
KEY_BYTES: Final = 32
LINK_SIGNATURE_CHARACTERS: Final = 24

_KEY_PLATFORM: Final = "apps"
_KEY_NAME: Final = "signing-key"
_LINK_PATTERN: Final = re.compile(r"([0-9A-Z]{6}|)_(-?[0-9]{1,20})_(c?[0-9]{0,20})_([0-9a-f]{24})")
_MAX_TOKEN_LENGTH: Final = 2000


@dataclass(frozen=True, slots=True)
class AppLink:
    """A link to a game (empty: none) in a channel, perhaps in a thread of the channel."""

    game: str
    channel: str
    thread: str | None = None


@dataclass(frozen=True, slots=True)
class AppSession:
    """The session of a person in an app. `launched` and `expires` are UNIX times in seconds.

    `channel`, `thread`, `group` and `kind` say where the app was opened, if that is known. `present`: True if the
    platform has confirmed that the person is there; otherwise it is only the place of the link that they followed.
    `game` is the game that the link leads to. `instance` is the Activity that the app belongs to, on Discord only.
    """

    platform: str
    user: str
    name: str
    language: str | None
    handle: str | None
    launched: int
    expires: int
    channel: str | None = None
    thread: str | None = None
    group: str | None = None
    kind: str = "group"
    present: bool = False
    game: str = ""
    instance: str = ""

    @property
    def place(self) -> Place | None:
        """The place where the app was opened, None if unknown."""
        if self.channel is None:
            return None
        kind: Literal["group", "private"] = "private" if self.kind == "private" else "group"
        return Place(self.platform, self.channel, self.thread, self.group, kind)


class AppSigner:
    """Signs and verifies links and sessions with a key that all processes on one database share."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def sign_link(self, platform: str, place: Place, game: str = "") -> str:
        """Return a signed link parameter of letters, digits, `-` and `_`, the characters that Telegram accepts."""
        thread = place.thread or ""
        plain = f"{game}_{place.channel}_{thread}"
        return f"{plain}_{self._sign(f'link:{platform}:{plain}')[:LINK_SIGNATURE_CHARACTERS]}"

    def read_link(self, platform: str, text: object) -> AppLink | None:
        """Return the link in a parameter, None unless we signed it for this platform."""
        match = _LINK_PATTERN.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            return None
        game, channel, thread, given = match.groups()
        signature = self._sign(f"link:{platform}:{game}_{channel}_{thread}")[:LINK_SIGNATURE_CHARACTERS]
        return AppLink(game, channel, thread or None) if hmac.compare_digest(signature, given) else None

    def sign_session(self, session: AppSession) -> str:
        """Return a session as a signed token."""
        said = {name: value for name, value in asdict(session).items() if value not in (None, "", False)}
        packed = base64.urlsafe_b64encode(json.dumps(said, separators=(",", ":")).encode()).decode().rstrip("=")
        return f"{packed}.{self._sign(f'session:{packed}')}"

    def read_session(self, token: object, now: datetime) -> AppSession | None:
        """Return the session of a token, None if we did not sign it or it has expired."""
        if not isinstance(token, str) or len(token) > _MAX_TOKEN_LENGTH:
            return None
        packed, _, given = token.partition(".")
        if not hmac.compare_digest(self._sign(f"session:{packed}").encode(), given.encode(errors="replace")):
            return None
        try:
            said: Json = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
            session = AppSession(**{"language": None, "handle": None, **said})
        except (ValueError, TypeError, binascii.Error):
            return None  # signed by another version
        # A session that expires later than any new one was signed before the clock was set back.
        latest = (now + SESSION_LIFETIME + CLOCK_SKEW).timestamp()
        return session if now.timestamp() < session.expires <= latest else None

    def _sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode(errors="replace"), hashlib.sha256).hexdigest()


async def load_app_signer(store: Store) -> AppSigner:
    """Return the signer, with the key in the database; the first process to ask creates the key."""
    made = {"key": secrets.token_hex(KEY_BYTES)}
    stored = await store.key_values.get_or_add(_KEY_PLATFORM, _KEY_NAME, made)
    return AppSigner(bytes.fromhex(stored["key"]))


def new_session_times(now: datetime, launched: datetime | None = None) -> tuple[int, int]:
    """Return a session's launch and expiry as UNIX times in seconds."""
    begun = now if launched is None else launched
    return int(begun.timestamp()), int(min(now + SESSION_LIFETIME, begun + MAX_SESSION_AGE).timestamp())
