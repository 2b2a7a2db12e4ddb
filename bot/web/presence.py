"""Presence in the room, and notification of its listeners."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Presence:
    """The people present, and the listeners to changes."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Event] = set()
        self._here: Counter[int] = Counter()

    def notify(self) -> None:
        """Set the event of each listener."""
        for listener in self._listeners:
            listener.set()

    def people_here(self) -> set[int]:
        """Return the people who are viewing the room."""
        return {person for person, tabs in self._here.items() if tabs > 0}

    @contextmanager
    def viewing(self, person: int) -> Iterator[None]:
        """Count a person as present meanwhile."""
        self._here[person] += 1
        self.notify()
        try:
            yield
        finally:
            self._here[person] -= 1
            if not self._here[person]:
                del self._here[person]
            self.notify()

    @contextmanager
    def subscribe(self, news: asyncio.Event) -> Iterator[None]:
        """Register an event that is set on every change meanwhile."""
        self._listeners.add(news)
        try:
            yield
        finally:
            self._listeners.discard(news)
