"""Checks of app launches; the result has the same form for both platforms.

Mini App: Telegram signs the data of the person who opens it (https://core.telegram.org/bots/webapps, Validating data).

The client passes `initData` to the page, and passes the same data again when the page is reloaded: it is valid until it
is too old. Its `start_param` comes from a link that anybody may have written, so we sign links to games. The only
information about the chat is an opaque `chat_instance`.

Activity: a code is exchanged for the data of the person who opens it, and Discord is asked where they are.

See Discord's pages Activities (How Activities Work), OAuth2 (Authorization Code Grant), Application (Get Application
Activity Instance).
"""

import asyncio
import hashlib
import hmac
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Final
from urllib.parse import parse_qsl

import aiohttp
import discord.http
import structlog

from bot.kernel.app_sessions import MAX_SESSION_AGE, AppSession, AppSigner, new_session_times
from bot.kernel.operations.listening import READING_ERRORS, summarize_error
from bot.kernel.operations.process import read_homepage, read_version
from bot.kernel.operations.settings import find_proxy
from bot.platforms.discord.activity import launch_key, read_launch
from bot.platforms.web.request_guard import Rejected
from storage import Json, Store


class LaunchRefused(Rejected):
    """A launch that is refused."""

    def __init__(self, code: str, status: int = 403) -> None:
        super().__init__(status, code)


@dataclass(frozen=True, slots=True)
class Launch:
    """A checked launch with its session; `extra` is additional data for this page only."""

    session: AppSession
    extra: Json


class Launcher(ABC):
    """Checks the launches of one platform."""

    platform: ClassVar[str]
    ancestors: ClassVar[str]
    """The value of `frame-ancestors`: the origins that may embed the page."""

    @abstractmethod
    async def read(self, body: Json) -> Launch:
        """Return the checked launch; LaunchRefused."""

    async def describe(self) -> Mapping[str, Any]:
        """Return the data that a page needs before the launch; LaunchRefused."""
        return {}

    def is_own_origin(self, origin: str) -> bool:
        """Return True if the app's page may be served from an origin, other than the public address."""
        return False


PLATFORM: Final = "telegram"
MAX_INIT_DATA_LENGTH: Final = 8000
CLOCK_SKEW_SECONDS: Final = 300
"""Maximum number of seconds by which Telegram's clock may be ahead of ours."""


class TelegramLauncher(Launcher):
    """Checks the launch data that Telegram's clients give to the page."""

    platform = PLATFORM
    ancestors = "https://web.telegram.org https://webk.telegram.org https://weba.telegram.org https://webz.telegram.org"

    def __init__(self, token: str, signer: AppSigner, clock: Callable[[], datetime]) -> None:
        self._key = hmac.new(b"WebAppData", token.encode(), hashlib.sha256).digest()
        self._signer = signer
        self._clock = clock

    async def read(self, body: Json) -> Launch:
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
        where: Json = {"kind": "private"}
        if link is not None:
            # A group's id is negative, a private chat's is that of the person.
            group = link.channel if link.channel.startswith("-") else None
            where = {"channel": link.channel, "thread": link.thread, "group": group, "game": link.game}
            where["kind"] = "private" if group is None else "group"
        launched, expires = new_session_times(now, min(now, signed_at))
        session = AppSession(
            PLATFORM,
            str(user),
            f"{first} {_text(account, 'last_name') or ''}".strip(),
            _text(account, "language_code"),
            _text(account, "username"),
            launched,
            expires,
            **where,
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


def _text(account: Json, name: str) -> str | None:
    value = account.get(name)
    return value if isinstance(value, str) and value else None


DISCORD: Final = "discord"
CALL_TIMEOUT_SECONDS: Final = 10.0
MAX_CONCURRENT_LAUNCHES: Final = 16

_CODE_PATTERN: Final = re.compile(r"[A-Za-z0-9._-]{1,200}")
_INSTANCE_PATTERN: Final = re.compile(r"[A-Za-z0-9_:-]{1,120}")
_ORIGIN_PATTERN: Final = re.compile(r"https://[0-9]{15,21}\.discordsays\.com")
_USER_AGENT: Final = f"DiscordBot ({read_homepage()}, {read_version()})"
"""Discord refuses other forms (page Reference, User Agent)."""
_THREADS: Final = frozenset({10, 11, 12})
_DIRECT: Final = 1

log = structlog.get_logger(__name__)


class DiscordLauncher(Launcher):
    """Checks codes and instances with Discord's API."""

    platform = DISCORD
    ancestors = "https://discord.com https://*.discord.com https://discordapp.com https://*.discordapp.com"

    def __init__(self, token: str, secret: str, store: Store, clock: Callable[[], datetime]) -> None:
        self._token = token
        self._secret = secret
        self._store = store
        self._clock = clock
        self._application: str | None = None
        self._places = asyncio.Semaphore(MAX_CONCURRENT_LAUNCHES)

    def is_own_origin(self, origin: str) -> bool:
        """Return True for the origins of Discord's proxy."""
        return _ORIGIN_PATTERN.fullmatch(origin) is not None

    async def describe(self) -> Mapping[str, Any]:
        """Return the application's id, which the page needs for Discord's SDK; LaunchRefused."""
        with _reading_answers():
            async with self._session() as session:
                return {"application": await self._application_id(session)}

    async def read(self, body: Json) -> Launch:
        """Return the checked launch with the person and the place; LaunchRefused."""
        with _reading_answers():
            code, instance = body.get("code"), body.get("instance")
            if not isinstance(code, str) or not _CODE_PATTERN.fullmatch(code):
                raise LaunchRefused("launch-forged")
            if not isinstance(instance, str) or not _INSTANCE_PATTERN.fullmatch(instance):
                raise LaunchRefused("launch-forged")
            async with self._places, self._session() as session:
                application = await self._application_id(session)
                form = {"client_id": application, "client_secret": self._secret, "grant_type": "authorization_code"}
                granted = await self._call(session, "POST", "/oauth2/token", data={**form, "code": code})
                access = str(granted.get("access_token", ""))
                account = await self._get(session, "/users/@me", f"Bearer {access}")
                found = await self._get(
                    session, f"/applications/{application}/activity-instances/{instance}", f"Bot {self._token}"
                )
                user = _read_id(account["id"])
                if account.get("bot") or user not in [str(each) for each in found.get("users") or ()]:
                    raise LaunchRefused("launch-elsewhere")
                where = await self._place_fields(session, found.get("location") or {})
            game, _ = await read_launch(self._store, instance, user, self._clock())
            if game:
                await self._store.key_values.set(DISCORD, launch_key(instance, user), None)
            launched, expires = new_session_times(self._clock())
            session_of_user = AppSession(
                DISCORD,
                user,
                str(account.get("global_name") or account.get("username") or user),
                account.get("locale") if isinstance(account.get("locale"), str) else None,
                str(account["username"]) if account.get("username") else None,
                launched,
                expires,
                game=game,
                instance=instance,
                **where,
            )
            return Launch(session_of_user, {"access": access, "instance": instance})

    async def _place_fields(self, session: aiohttp.ClientSession, location: Json) -> Json:
        """Return the place of an instance as session fields, None if the bot is not in it."""
        channel = str(location.get("channel_id") or "")
        if not channel.isdecimal():
            return {}
        try:
            known = await self._get(session, f"/channels/{channel}", f"Bot {self._token}")
        except LaunchRefused:
            return {}
        guild = known.get("guild_id")
        if guild is None:
            # Of private chats, the bot may write only in those with itself.
            return {"channel": channel, "kind": "private", "present": True} if known.get("type") == _DIRECT else {}
        if known.get("type") in _THREADS:
            return {"channel": str(known["parent_id"]), "thread": channel, "group": str(guild), "present": True}
        return {"channel": channel, "group": str(guild), "present": True}

    async def _application_id(self, session: aiohttp.ClientSession) -> str:
        if self._application is None:
            data = await self._get(session, "/oauth2/applications/@me", f"Bot {self._token}")
            self._application = _read_id(data["id"])
        return self._application

    async def _get(self, session: aiohttp.ClientSession, path: str, authorization: str) -> Mapping[str, Any]:
        return await self._call(session, "GET", path, headers={"Authorization": authorization})

    async def _call(self, session: aiohttp.ClientSession, method: str, path: str, **sent: Any) -> Mapping[str, Any]:
        """Return Discord's answer; LaunchRefused, with different codes for a refusal and for a failed connection."""
        address = f"{discord.http.Route.BASE}{path}"
        try:
            async with session.request(method, address, proxy=find_proxy(discord.http.Route.BASE), **sent) as answer:
                if answer.status == 429 or answer.status >= 500:
                    raise LaunchRefused("launch-unanswered", 503)
                if answer.status != 200:
                    log.info("launch-refused", path=path.rpartition("/")[0], status=answer.status)
                    raise LaunchRefused("launch-forged")
                data = await answer.json()
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise LaunchRefused("launch-unanswered", 503) from error
        if not isinstance(data, dict):
            raise LaunchRefused("launch-unanswered", 503)
        return data

    def _session(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=CALL_TIMEOUT_SECONDS), headers={"User-Agent": _USER_AGENT}
        )


@contextmanager
def _reading_answers() -> Iterator[None]:
    """Raise LaunchRefused, after logging one line, if an answer of Discord cannot be read."""
    try:
        yield
    except READING_ERRORS as error:
        log.warning("answer-not-readable", platform=DISCORD, reason=summarize_error(error))
        raise LaunchRefused("launch-unanswered", 503) from error


def _read_id(value: object) -> str:
    """Return an id, a string of digits as Discord sends it; TypeError for any other value."""
    if not isinstance(value, str) or not value.isdecimal():
        raise TypeError
    return value
