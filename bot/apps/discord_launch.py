"""Launches of the Activity: a code is exchanged for who opens it, and Discord is asked where they are.

The pages of Discord's documents: Activities (How Activities Work), OAuth2 (Authorization Code Grant), Application (Get
Application Activity Instance).
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

import aiohttp
import discord.http
import structlog

from bot.apps.launches import Launch, LaunchRefused
from bot.core.app_sessions import AppSession, new_session_times
from bot.discord.activity import launch_key
from bot.discord.errors import READING_ERRORS
from bot.operations.listening import summarize_error
from bot.operations.proxies import find_proxy
from bot.operations.version import read_homepage, read_version
from storage import Store

PLATFORM: Final = "discord"
CALL_TIMEOUT_SECONDS: Final = 10.0
MAX_CONCURRENT_LAUNCHES: Final = 16
LAUNCH_MEMORY: Final = timedelta(minutes=10)
"""How long the game of a launch button's press is remembered."""

_CODE_PATTERN: Final = re.compile(r"[A-Za-z0-9._-]{1,200}")
_INSTANCE_PATTERN: Final = re.compile(r"[A-Za-z0-9_:-]{1,120}")
_ORIGIN_PATTERN: Final = re.compile(r"https://[0-9]{15,21}\.discordsays\.com")
_USER_AGENT: Final = f"DiscordBot ({read_homepage()}, {read_version()})"
"""Others are refused (page Reference, User Agent)."""
_THREADS: Final = frozenset({10, 11, 12})
_DIRECT: Final = 1

log = structlog.get_logger(__name__)


class DiscordLauncher:
    """Checks codes and instances by Discord's API."""

    platform = PLATFORM
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

    async def read(self, body: Mapping[str, Any]) -> Launch:
        """Return the checked launch with the person and the place; LaunchRefused."""
        with _reading_answers():
            return await self._read(body)

    async def _read(self, body: Mapping[str, Any]) -> Launch:
        code, instance = body.get("code"), body.get("instance")
        if not isinstance(code, str) or not _CODE_PATTERN.fullmatch(code):
            raise LaunchRefused("launch-forged")
        if not isinstance(instance, str) or not _INSTANCE_PATTERN.fullmatch(instance):
            raise LaunchRefused("launch-forged")
        async with self._places, self._session() as session:
            application = await self._application_id(session)
            granted = await self._exchange(session, application, code)
            access = str(granted.get("access_token", ""))
            account = await self._get(session, "/users/@me", f"Bearer {access}")
            found = await self._get(
                session, f"/applications/{application}/activity-instances/{instance}", f"Bot {self._token}"
            )
            user = _read_id(account["id"])
            if account.get("bot") or user not in [str(each) for each in found.get("users") or ()]:
                raise LaunchRefused("launch-elsewhere")
            where = await self._place_fields(session, found.get("location") or {})
        game, _ = await self._read_game(instance, user)
        if game:
            await self._store.key_values.set(PLATFORM, launch_key(instance, user), None)
        launched, expires = new_session_times(self._clock())
        session_of_user = AppSession(
            PLATFORM,
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

    async def _place_fields(self, session: aiohttp.ClientSession, location: Mapping[str, Any]) -> dict[str, Any]:
        """Return the place of an instance, None if the bot is not in it."""
        channel = str(location.get("channel_id") or "")
        if not channel.isdecimal():
            return {}
        try:
            known = await self._get(session, f"/channels/{channel}", f"Bot {self._token}")
        except LaunchRefused:
            return {}
        guild = known.get("guild_id")
        if guild is None:
            # Of private chats those with us alone are ours to write to.
            return {"channel": channel, "kind": "private", "present": True} if known.get("type") == _DIRECT else {}
        if known.get("type") in _THREADS:
            return {"channel": str(known["parent_id"]), "thread": channel, "group": str(guild), "present": True}
        return {"channel": channel, "group": str(guild), "present": True}

    async def _read_game(self, instance: str, user: str) -> tuple[str, float]:
        """Return the game that a person recently pressed to open in an instance, empty if none, and when."""
        remembered = await self._store.key_values.get(PLATFORM, launch_key(instance, user))
        if remembered is None:
            return "", 0.0
        at = float(remembered.get("at") or 0)
        fresh = self._clock().timestamp() - at < LAUNCH_MEMORY.total_seconds()
        return str(remembered.get("game") or "") if fresh else "", at

    def wanted_game_key(self, session: AppSession) -> str:
        """Return the key of the value that names the game requested for a person's open page."""
        return launch_key(session.instance, session.user)

    async def read_wanted_game(self, session: AppSession) -> tuple[str, float]:
        """Return the game recently requested for a person's open page, empty if none, and when (Unix seconds)."""
        return await self._read_game(session.instance, session.user)

    async def _application_id(self, session: aiohttp.ClientSession) -> str:
        if self._application is None:
            data = await self._get(session, "/oauth2/applications/@me", f"Bot {self._token}")
            self._application = _read_id(data["id"])
        return self._application

    async def _exchange(self, session: aiohttp.ClientSession, application: str, code: str) -> Mapping[str, Any]:
        form = {"client_id": application, "client_secret": self._secret, "grant_type": "authorization_code"}
        return await self._call(session, "POST", "/oauth2/token", data={**form, "code": code})

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
    """Raise LaunchRefused, after one line in the log, where an answer of Discord cannot be read."""
    try:
        yield
    except READING_ERRORS as error:
        log.warning("answer-not-readable", platform=PLATFORM, reason=summarize_error(error))
        raise LaunchRefused("launch-unanswered", 503) from error


def _read_id(value: object) -> str:
    """Return an id as Discord writes it, digits in a string; TypeError."""
    if not isinstance(value, str) or not value.isdecimal():
        raise TypeError
    return value
