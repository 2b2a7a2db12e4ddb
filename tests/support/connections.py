"""Every connection to SQLite that a test opens is closed when it ends; the garbage collector does not count."""

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest


class Connections:
    """Hands out connections and knows which are open."""

    def __init__(self) -> None:
        self.made = 0
        self.open: set[sqlite3.Connection] = set()
        self._connect = sqlite3.connect

    def connect(self, *arguments: Any, **options: Any) -> sqlite3.Connection:
        """Return a connection as sqlite3 does."""
        # Statements of most tests run in the event loop (tests/support/in_loop.py), whichever thread connected.
        options |= {"check_same_thread": False}
        connection = self._connect(*arguments, **options, factory=self._watched())
        self.made += 1
        self.open.add(connection)
        return connection

    def _watched(self) -> type[sqlite3.Connection]:
        still = self.open

        class Watched(sqlite3.Connection):
            def close(self) -> None:
                super().close()
                still.discard(self)

        return Watched


@pytest.fixture(autouse=True)
def connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[Connections]:
    """The connections of this test, all of which must be closed after it."""
    watched = Connections()
    monkeypatch.setattr(sqlite3, "connect", watched.connect)
    yield watched
    assert not watched.open, f"{len(watched.open)} of {watched.made} connections to SQLite were left open"
