"""Launches of the Mini App: Telegram signs who opens it (https://core.telegram.org/bots/webapps, Validating data).

The client hands `initData` to the page, and a page that is loaded again has the same once more: it is good for as long
as it is young. Its `start_param` comes from a link that anybody may have written; a link that leads to a game is signed
by us. It says nothing of a chat but an opaque `chat_instance`.
"""

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qsl

from bot.apps.launches import Launch, LaunchRefused
from bot.core.app_sessions import MAX_SESSION_AGE, AppSession, AppSigner, new_session_times

PLATFORM: Final = "telegram"
MAX_INIT_DATA_LENGTH: Final = 8000
CLOCK_SKEW_SECONDS: Final = 300
"""Maximum number of seconds by which Telegram's clock may be ahead of ours."""


class TelegramLauncher:
    """Checks the launch data that Telegram's clients give to the page."""

    platform = PLATFORM
    ancestors = "https://web.telegram.org https://webk.telegram.org https://weba.telegram.org https://webz.telegram.org"

    def __init__(self, token: str, signer: AppSigner, clock: Callable[[], datetime]) -> None:
        self._key = hmac.new(b"WebAppData", token.encode(), hashlib.sha256).digest()
        self._signer = signer
        self._clock = clock

    async def describe(self) -> Mapping[str, Any]:
        """Return nothing: the client gives the page all that it needs."""
        return {}

    def is_own_origin(self, origin: str) -> bool:
        """Return False: the page is served from the public address only."""
        return False

    def wanted_game_key(self, session: AppSession) -> str:
        """Return no key: every launch opens a new page with its own link."""
        return ""

    async def read_wanted_game(self, session: AppSession) -> tuple[str, float]:
        """Return none: see `wanted_game_key`."""
        return "", 0.0

    async def read(self, body: Mapping[str, Any]) -> Launch:
        """Return the checked launch; LaunchRefused."""
        fields = self._check(body.get("initData"))
        now = self._clock()
        try:
            signed_at = datetime.fromtimestamp(int(fields["auth_date"]), UTC)
            account = json.loads(fields["user"])
            user, first = int(account["id"]), str(account["first_name"])
        except (KeyError, ValueError, TypeError, OverflowError, OSError, RecursionError) as error:
            raise LaunchRefused("launch-forged") from error
        age = (now - signed_at).total_seconds()
        if age > MAX_SESSION_AGE.total_seconds():
            raise LaunchRefused("launch-old")
        if age < -CLOCK_SKEW_SECONDS or account.get("is_bot"):
            raise LaunchRefused("launch-forged")
        link = self._signer.read_link(PLATFORM, fields.get("start_param") or body.get("link"))
        launched, expires = new_session_times(now, min(now, signed_at))
        session = AppSession(
            PLATFORM,
            str(user),
            f"{first} {_text(account, 'last_name') or ''}".strip(),
            _text(account, "language_code"),
            _text(account, "username"),
            launched,
            expires,
            channel=None if link is None else link.channel,
            thread=None if link is None else link.thread,
            # A group's number is below zero, a private chat's is that of the person.
            group=link.channel if link is not None and link.channel.startswith("-") else None,
            kind="group" if link is not None and link.channel.startswith("-") else "private",
            present=False,
            game="" if link is None else link.game,
        )
        return Launch(session, {})

    def _check(self, given: object) -> dict[str, str]:
        """Return the fields of `initData` if the signature is valid; LaunchRefused."""
        if not isinstance(given, str) or not 0 < len(given) <= MAX_INIT_DATA_LENGTH:
            raise LaunchRefused("launch-forged")
        try:
            pairs = parse_qsl(given, keep_blank_values=True, strict_parsing=True, max_num_fields=40)
        except ValueError as error:
            raise LaunchRefused("launch-forged") from error
        fields = dict(pairs)
        if len(fields) != len(pairs):
            raise LaunchRefused("launch-forged")
        signature = fields.pop("hash", "")
        said = "\n".join(f"{name}={value}" for name, value in sorted(fields.items()))
        expected = hmac.new(self._key, said.encode(errors="replace"), hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected.encode(), signature.encode(errors="replace")):
            raise LaunchRefused("launch-forged")
        return fields


def _text(account: Mapping[str, Any], name: str) -> str | None:
    value = account.get(name)
    return value if isinstance(value, str) and value else None
