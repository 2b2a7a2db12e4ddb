"""What those who change games tell the jobs, and what those who wait for a computer hear of it."""

from __future__ import annotations

import asyncio


class Signals:
    """Says that a computer may be due, and when one has ended its turn."""

    def __init__(self) -> None:
        self.notices = asyncio.Event()
        """Set when somebody may have to be told something by a message of its own; whoever tells it clears it."""
        self.dailies = asyncio.Event()
        """Set when what comes once a day may be due somewhere else or at another time; whoever sends it clears it."""
        self.computers = asyncio.Event()
        """Set when a computer may be due; whoever lets them think clears it."""
        self.competitions = asyncio.Event()
        """Set when something may be due for a competition, or where one is shown; whoever does it clears it."""
        self.resting: set[str] = set()
        """The games in which nothing is to be expected of a computer for now: it failed, or another process has it."""
        self._ended = asyncio.Event()

    def changed(self, *, thinking: bool = True) -> None:
        """Have computers think if one may be due; of boards that are due the store tells."""
        if thinking:
            self.computers.set()

    def ended(self) -> None:
        """Tell all who wait that a computer has ended what it was at, whatever came of it."""
        self._ended.set()
        self._ended = asyncio.Event()

    @property
    def next_end(self) -> asyncio.Event:
        """What is set when next a computer ends what it is at; to be taken before looking whether it has."""
        return self._ended
