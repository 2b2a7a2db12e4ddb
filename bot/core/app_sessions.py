"""What the apps inside Telegram and Discord are given to know people by: signed links to games, and short sessions.

Nothing of a session is stored: it is a text that every process on the same database can check.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from bot.interface.requests import Place
from storage import Store

SESSION_LIFETIME: Final = timedelta(minutes=30)
"""How long a session is good for before its app has to have it renewed."""
MAX_SESSION_AGE: Final = timedelta(hours=12)
"""How long it can be renewed after the launch."""
KEY_BYTES: Final = 32
LINK_SIGNATURE_CHARACTERS: Final = 24

_KEY_PLATFORM: Final = "apps"
_KEY_NAME: Final = "signing-key"
_LINK_PATTERN: Final = re.compile(r"([0-9A-Z]{6}|)_(-?[0-9]{1,20})_(c?[0-9]{0,20})_([0-9a-f]{24})")
_MAX_TOKEN_LENGTH: Final = 2000


@dataclass(frozen=True, slots=True)
class AppLink:
    """A link to a game, empty for none, in a channel and perhaps a thread of it."""

    game: str
    channel: str
    thread: str | None = None


@dataclass(frozen=True, slots=True)
class AppSession:
    """One person in an app until `expires`, both moments in seconds of UNIX time.

    `channel`, `thread`, `group` and `kind` are where the app was opened, if that is known. `present`: the platform has
    said that they are there; else it is only where the link stood that they have followed. `game` is the one that the
    link leads to.
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

    @property
    def place(self) -> Place | None:
        """Where the app was opened, None where that is not known."""
        if self.channel is None:
            return None
        kind = self.kind if self.kind in ("group", "private") else "group"
        return Place(self.platform, self.channel, self.thread, self.group, "private" if kind == "private" else "group")


class AppSigner:
    """Signs and checks, with a key that all processes on one database have in common."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def sign_link(self, platform: str, place: Place, game: str = "") -> str:
        """Return a link's parameter: letters, digits, `-` and `_`, as Telegram takes them."""
        thread = place.thread or ""
        plain = f"{game}_{place.channel}_{thread}"
        return f"{plain}_{self._sign(f'link:{platform}:{plain}')[:LINK_SIGNATURE_CHARACTERS]}"

    def read_link(self, platform: str, text: object) -> AppLink | None:
        """Return what a link's parameter says, None unless we have signed it for this platform."""
        match = _LINK_PATTERN.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            return None
        game, channel, thread, given = match.groups()
        signature = self._sign(f"link:{platform}:{game}_{channel}_{thread}")[:LINK_SIGNATURE_CHARACTERS]
        return AppLink(game, channel, thread or None) if hmac.compare_digest(signature, given) else None

    def sign_session(self, session: AppSession) -> str:
        """Return a session as a text."""
        said = {name: value for name, value in asdict(session).items() if value not in (None, "", False)}
        packed = base64.urlsafe_b64encode(json.dumps(said, separators=(",", ":")).encode()).decode().rstrip("=")
        return f"{packed}.{self._sign(f'session:{packed}')}"

    def read_session(self, token: object, now: datetime) -> AppSession | None:
        """Return the session that a text is, None if it is none of ours, or has ended."""
        if not isinstance(token, str) or len(token) > _MAX_TOKEN_LENGTH:
            return None
        packed, _, given = token.partition(".")
        if not hmac.compare_digest(self._sign(f"session:{packed}").encode(), given.encode(errors="replace")):
            return None
        try:
            said: dict[str, Any] = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
            session = AppSession(**{"language": None, "handle": None, **said})
        except (ValueError, TypeError, binascii.Error):
            return None  # signed by another version
        return session if now.timestamp() < session.expires else None

    def _sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode(errors="replace"), hashlib.sha256).hexdigest()


async def load_app_signer(store: Store) -> AppSigner:
    """Return what signs, with the key in the database; the first process that asks makes it."""
    made = {"key": secrets.token_hex(KEY_BYTES)}
    stored = await store.key_values.get_or_add(_KEY_PLATFORM, _KEY_NAME, made)
    return AppSigner(bytes.fromhex(stored["key"]))


def new_session_times(now: datetime, launched: datetime | None = None) -> tuple[int, int]:
    """Return when a session was launched and when it ends."""
    begun = now if launched is None else launched
    return int(begun.timestamp()), int(min(now + SESSION_LIFETIME, begun + MAX_SESSION_AGE).timestamp())


def launch_moment(session: AppSession) -> datetime:
    """Return when a session's app was opened."""
    return datetime.fromtimestamp(session.launched, UTC)
