"""Launches of an app, checked: the same data about the person for both platforms."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bot.core.app_sessions import AppSession


class LaunchRefused(Exception):
    """A launch that is refused; `code` is the reason (`error.<code>` is its text)."""

    def __init__(self, code: str, status: int = 403) -> None:
        super().__init__(code)
        self.code = code
        self.status = status


@dataclass(frozen=True, slots=True)
class Launch:
    """A checked launch with its session; `extra` is additional data for this page only."""

    session: AppSession
    extra: Mapping[str, Any]


class Launcher(Protocol):
    """Checks the launches of one platform."""

    platform: str
    ancestors: str
    """The value of `frame-ancestors`: the origins that may embed the page."""

    async def describe(self) -> Mapping[str, Any]:
        """Return what a page needs before the launch; LaunchRefused."""
        ...

    async def read(self, body: Mapping[str, Any]) -> Launch:
        """Return the checked launch; LaunchRefused."""
        ...

    def wanted_game_key(self, session: AppSession) -> str:
        """Return the key of the value that is announced when a person requests another game in their open page."""
        ...

    async def read_wanted_game(self, session: AppSession) -> tuple[str, float]:
        """Return the game that a person has requested in their open page, empty if none, and when (Unix seconds)."""
        ...

    def is_own_origin(self, origin: str) -> bool:
        """Return True if the app's page may be served from an origin other than the public address."""
        ...
