"""What is due where, as memory knows it: what commits tell, and what the database held when it was last looked at.

The database is the truth. Memory receives everything that becomes due. Knowing of too much costs one read of a
surface; what it misses is found by the next scan of the database.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Container
from dataclasses import replace
from datetime import datetime
from typing import Final

from storage import DueBoard

MAX_KEPT: Final = 10_000
"""How many surfaces are remembered; of more, the database is asked again when these are done."""

MAX_STALE: Final = 100
"""How many times that count no more are kept beside those that do."""

Chat = tuple[str, str]
"""A platform, and the id of a channel there."""


class DueBoards:
    """The surfaces that something is to be done for, by time; those in busy chats are held back."""

    def __init__(self) -> None:
        self._known: dict[int, DueBoard] = {}
        self._times: list[tuple[datetime, int]] = []
        self._held: defaultdict[Chat, set[int]] = defaultdict(set)

    def __len__(self) -> int:
        return len(self._known)

    def put(self, board: DueBoard) -> bool:
        """Remember when something is to be done; False where there is no room for it."""
        known = self._known.get(board.surface)
        if known is None and len(self._known) >= MAX_KEPT:
            return False
        if known is not None and (known.revision is None or board.revision is None):
            # Due for more than that the game has moved on: that it was shown is no answer.
            board = replace(board, revision=None)
        self._known[board.surface] = board
        heapq.heappush(self._times, (board.due_at, board.surface))
        if len(self._times) > 2 * len(self._known) + MAX_STALE:
            self._times = [(each.due_at, each.surface) for each in self._known.values()]
            heapq.heapify(self._times)
        return True

    def forget_shown(self, surface: int, revision: int) -> None:
        """Forget that a game's moving on to a revision, or to an earlier one, has made a surface due."""
        known = self._known.get(surface)
        if known is not None and known.revision is not None and known.revision <= revision:
            del self._known[surface]

    def take(self, now: datetime, busy: Container[Chat]) -> dict[Chat, list[DueBoard]]:
        """Return and forget what is due by now, the longest due first; what is in busy chats is held back."""
        found: defaultdict[Chat, list[DueBoard]] = defaultdict(list)
        while (board := self._first()) is not None and board.due_at <= now:
            heapq.heappop(self._times)
            chat = (board.platform, board.channel)
            if chat in busy:
                self._held[chat].add(board.surface)
            else:
                del self._known[board.surface]
                found[chat].append(board)
        return found

    def release(self, chat: Chat) -> None:
        """Hold nothing back any more that is in a chat."""
        for surface in self._held.pop(chat, ()):
            if surface in self._known:
                heapq.heappush(self._times, (self._known[surface].due_at, surface))

    @property
    def next_due(self) -> datetime | None:
        """When something is due that is not held back, None if nothing is known."""
        board = self._first()
        return board.due_at if board is not None else None

    def _first(self) -> DueBoard | None:
        while self._times:
            due_at, surface = self._times[0]
            known = self._known.get(surface)
            if known is not None and known.due_at == due_at:
                return known
            heapq.heappop(self._times)
        return None
