"""Shows what a background search finds where somebody asked for it, without another press."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import replace

import structlog

from bot.interface.cards import Card, Menu
from bot.interface.requests import Front, Request
from bot.operations.outages import log_outage
from storage import StorageError

log = structlog.get_logger(__name__)


class SearchFollower:
    """Waits for searches, and shows what they find in place of the messages that wait for them.

    This is held in memory only: after a restart, those messages have their button.
    """

    def __init__(self, front: Front, wait: Callable[[str], Awaitable[None]]) -> None:
        """Make it; `wait` returns when the search that a card names (`Card.search`) has ended."""
        self._front = front
        self._wait = wait
        self._tasks = set[asyncio.Task[None]]()
        self.waiting: dict[Hashable, object] = {}
        """The messages that wait for a search, each with a key of its own."""

    def follow(self, where: Hashable, request: Request, card: Card, show: Callable[[Card], Awaitable[None]]) -> None:
        """Show what the search of a card finds; do nothing for a card without a search.

        The card answered `request`; `where` is the message that `show` replaces.
        """
        if card.search is None:
            return
        look = next((each.press for row in card.rows if not isinstance(row, Menu) for each in row), None)
        if look is None or where in self.waiting:
            return
        key = self.waiting[where] = object()

        async def work(search: str) -> None:
            try:
                await self._show_found(request, search, look, show, lambda: self.waiting.get(where) is key)
            finally:
                if self.waiting.get(where) is key:
                    del self.waiting[where]

        task = asyncio.create_task(work(card.search), name=f"search {card.search}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self, where: Hashable) -> None:
        """Show nothing in place of a message any more, since it is gone or shows something else."""
        self.waiting.pop(where, None)

    async def _show_found(
        self,
        request: Request,
        search: str,
        look: str,
        show: Callable[[Card], Awaitable[None]],
        is_wanted: Callable[[], bool],
    ) -> None:
        await self._wait(search)
        if not is_wanted():
            return
        try:
            reply = await self._front.press(replace(request, event=f"{request.event}:found", brings=None), look)
        except StorageError as error:
            log_outage(log, "search-result-not-shown", error, search=search)
            return
        # A game that has moved on since then is refused: there is nothing to suggest any more.
        if reply.update and reply.card is not None and reply.card.search is None and is_wanted():
            await show(reply.card)

    async def close(self) -> None:
        """Stop waiting."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
