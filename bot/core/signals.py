"""What those who change games tell the jobs, and what those who wait for a computer hear of it."""

from __future__ import annotations

import asyncio
from collections import defaultdict


class Signals:
    """Says what may be due, by the kinds of the store's news, and when a computer has ended its turn.

    The kinds: "notices" somebody may have to be told something, "thinking" a computer may be due, "competition"
    something of a competition, "daily" what comes once a day.
    """

    def __init__(self) -> None:
        self._events: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.resting: set[str] = set()
        """The games in which nothing is to be expected of a computer for now: it failed, or another process has it."""
        self._ended = asyncio.Event()

    def event(self, kind: str) -> asyncio.Event:
        """Return the event that is set while something of a kind may be due; the worker clears it."""
        return self._events[kind]

    def wake(self, kind: str) -> None:
        """Have a job look whether something of a kind is due."""
        self._events[kind].set()

    def wake_all(self) -> None:
        """Have all jobs look."""
        for event in self._events.values():
            event.set()

    def notify_changed(self, *, thinking: bool = True) -> None:
        """Have computers think if one may be due; of boards that are due the store tells."""
        if thinking:
            self.wake("thinking")

    def notify_computer_done(self) -> None:
        """Tell all who wait that a computer has ended what it was at, whatever came of it."""
        self._ended.set()
        self._ended = asyncio.Event()

    @property
    def next_computer_done(self) -> asyncio.Event:
        """What is set when next a computer ends what it is at; to be taken before looking whether it has."""
        return self._ended
