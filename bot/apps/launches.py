"""What a launch of an app tells of the person who opens it, once it is checked: the same for both platforms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bot.core.app_sessions import AppSession


class LaunchRefused(Exception):
    """A launch that shows nobody anything; `code` says why (`error.<code>` has the words)."""

    def __init__(self, code: str, status: int = 403) -> None:
        super().__init__(code)
        self.code = code
        self.status = status


@dataclass(frozen=True, slots=True)
class Launch:
    """A checked launch: who, and for how long; `extra` is what their page alone is told besides."""

    session: AppSession
    extra: Mapping[str, Any]


class Launcher(Protocol):
    """Checks the launches of one platform."""

    platform: str
    ancestors: str
    """Who may show the page in a frame, for its header `frame-ancestors`."""

    async def describe(self) -> Mapping[str, Any]:
        """Return what a page needs to know before anybody is known; LaunchRefused."""
        ...

    async def read(self, body: Mapping[str, Any]) -> Launch:
        """Return whom a launch shows to be there; LaunchRefused."""
        ...

    def wanted_game_key(self, session: AppSession) -> str:
        """Return the name of the value that is announced when somebody wants another game in their open page."""
        ...

    async def read_wanted_game(self, session: AppSession) -> str:
        """Return which game somebody wants to see in their open page, empty if none."""
        ...

    def is_own_origin(self, origin: str) -> bool:
        """Say whether a page of this app may stand at an origin besides the public address."""
        ...
