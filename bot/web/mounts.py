"""Other pages on the page's server, under a path of their own, with their own rules of who may ask and show them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from aiohttp import web

Responses = Callable[[web.Request, web.StreamResponse], Awaitable[None]]


async def _close_nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Mount:
    """Everything whose path begins with a prefix, which as a rule ends with `/`.

    `check` raises Rejected for a request that is not to be heard. `add_headers` puts on an answer who may show it.
    `client` says who asks, where that is known better than by an address: what one has carried out at a time is
    bounded by it, unless the mount `has_own_limits`. `close` ends what the server would wait for.
    """

    prefix: str
    routes: Sequence[web.RouteDef]
    check: Callable[[web.Request], None]
    add_headers: Responses
    client: Callable[[web.Request], str | None]
    close: Callable[[], Awaitable[None]] = _close_nothing
    has_own_limits: bool = False


class Mounts:
    """The mounts of a server, by path."""

    def __init__(self, mounts: Sequence[Mount] = ()) -> None:
        self.all: Final = tuple(mounts)

    def find(self, path: str) -> Mount | None:
        """Return the mount that a path belongs to, None for the page's own."""
        return next((mount for mount in self.all if path.startswith(mount.prefix)), None)


NO_MOUNTS: Final = Mounts()
