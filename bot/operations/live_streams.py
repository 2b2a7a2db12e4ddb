"""What all live streams share: a sign of life while there is no news."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

HEARTBEAT_SECONDS: Final = 15.0
"""Maximum seconds between two messages of a stream: `bot/public/static/live.js` takes longer silence for a dead one."""


async def wait_for_news(news: asyncio.Event, send_heartbeat: Callable[[], Awaitable[None]]) -> None:
    """Wait for an event, and meanwhile send a heartbeat every `HEARTBEAT_SECONDS`.

    A browser's script sees neither the pings of a WebSocket nor the comments of server-sent events, so a heartbeat is a
    message.
    """
    while True:
        try:
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                await news.wait()
                return
        except TimeoutError:
            await send_heartbeat()
