"""A server that webhooks are sent to."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class Receiver:
    """A server that is sent things, and answers as it is told."""

    address: str = ""
    status: int = 200
    taken: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    on_taken: Callable[[str], None] = field(default=lambda _: None)
    """Called with the id of a message that has come and is not answered yet."""

    async def take(self, request: web.Request) -> web.Response:
        """Take a message."""
        self.taken.append(({name.lower(): value for name, value in request.headers.items()}, await request.read()))
        self.on_taken(request.headers["webhook-id"])
        headers = {"Location": self.address} if 300 <= self.status < 400 else {}
        return web.Response(status=self.status, headers=headers)

    @property
    def ids(self) -> list[str]:
        """The ids of what came, in its order."""
        return [headers["webhook-id"] for headers, _ in self.taken]

    @property
    def messages(self) -> list[Any]:
        """What was said, in its order."""
        return [json.loads(body) for _, body in self.taken]
