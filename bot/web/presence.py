"""Who looks at the room now, and who is to be told when there is something new in it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Presence:
    """The people who are here, and those who listen."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Event] = set()
        self._here: Counter[int] = Counter()

    def notify(self) -> None:
        """Tell all who listen that there is something new."""
        for listener in self._listeners:
            listener.set()

    def people_here(self) -> set[int]:
        """Return the people who look at the room now."""
        return {person for person, tabs in self._here.items() if tabs > 0}

    @contextmanager
    def viewing(self, person: int) -> Iterator[None]:
        """Have a person count as here while inside."""
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
        """Have an event set whenever there is something new, while inside."""
        self._listeners.add(news)
        try:
            yield
        finally:
            self._listeners.discard(news)
