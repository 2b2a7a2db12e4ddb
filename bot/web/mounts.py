"""Other pages on the same server, under their own path prefix, with their own access rules and headers."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from aiohttp import web

Responses = Callable[[web.Request, web.StreamResponse], Awaitable[None]]


async def _close_nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Mount:
    """Pages under a path prefix, which normally ends with `/`.

    `check` raises Rejected for a request that is not allowed. `add_headers` adds the headers of a response that say who
    may show it. `client` identifies the client where an address is too coarse; concurrent requests are limited by it,
    unless the mount `has_own_limits`. `close` ends what the server's shutdown would wait for.
    """

    prefix: str
    routes: Sequence[web.RouteDef]
    check: Callable[[web.Request], None]
    add_headers: Responses
    client: Callable[[web.Request], str | None]
    close: Callable[[], Awaitable[None]] = _close_nothing
    has_own_limits: bool = False


class Mounts:
    """Mounts of a server, by path."""

    def __init__(self, mounts: Sequence[Mount] = ()) -> None:
        self.all: Final = tuple(mounts)

    def find(self, path: str) -> Mount | None:
        """Return the mount of a path; None if it is one of the page's own."""
        return next((mount for mount in self.all if path.startswith(mount.prefix)), None)


NO_MOUNTS: Final = Mounts()
