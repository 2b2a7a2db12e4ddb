"""How often we write: to a chat about once a second, to a group twenty times a minute, in all 30 times a second."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from datetime import datetime
from enum import IntEnum
from typing import Final

from bot.interface.requests import TryLater

SECOND: Final = 1.0
MINUTE: Final = 60.0
BURST: Final = 5.0
"""How many seconds a burst is looked at: over them about one call a second."""
REST: Final = 0.05
QUIET: Final = 7.0
"""For how many seconds a group must have been left alone before what nobody waits for is done in it.

Longer than two taps of somebody who plays as fast as a group's minute allows, one in three seconds.
"""


Chat = int | str
"""A chat by its id, or an inline message in a chat that nobody tells us the id of, by the name of its place."""


class Kind(IntEnum):
    """What a call is for, the most important first."""

    BOARD = 0
    KEYBOARD = 1
    NOTE = 2
    SPARE = 3
    """What nobody waits for: the buttons of an old board, which are answered as well as they can be; a reaction."""


A_MINUTE: Final = {Kind.BOARD: 20, Kind.KEYBOARD: 18, Kind.NOTE: 16, Kind.SPARE: 12}
"""How many calls of the last minute a group may have had for one more of a kind: the rest is kept for what matters."""
OVERALL: Final = {Kind.BOARD: 28, Kind.KEYBOARD: 26, Kind.NOTE: 24, Kind.SPARE: 22}
"""How many calls the last second may have had in all chats: Telegram takes 30 a second from one bot."""
A_BURST: Final = {Kind.BOARD: 5, Kind.KEYBOARD: 4, Kind.NOTE: 4, Kind.SPARE: 3}


def in_group(chat: Chat) -> bool:
    """Say whether the limit of groups holds: their ids are negative, and where an inline message is, nobody knows."""
    return isinstance(chat, str) or chat < 0


class CallBudget:
    """Counts the calls to each chat, and all; a chat that has to wait never holds up another.

    `processes` says how many share the bot.
    """

    def __init__(self, clock: Callable[[], datetime], processes: Callable[[], int] = lambda: 1) -> None:
        self._clock = clock
        self._processes = processes
        self._all: deque[float] = deque()
        self._calls: dict[Chat, deque[float]] = defaultdict(deque)
        self._floods: dict[Chat, float] = {}
        self._wanted: dict[Chat, float] = {}

    def wait(self, chat: Chat, kind: Kind) -> float:
        """Return in how many seconds a call may be made, 0 for now."""
        now = self._clock().timestamp()
        calls = self._calls[chat]
        while calls and calls[0] <= now - MINUTE:
            calls.popleft()
        while self._all and self._all[0] <= now - SECOND:
            self._all.popleft()
        until = [now, self._floods.get(chat, now)]
        overall = max(1, OVERALL[kind] // self._processes())
        if len(self._all) >= overall:
            until.append(self._all[-overall] + SECOND + REST)
        if len(calls) >= A_BURST[kind]:
            until.append(calls[-A_BURST[kind]] + BURST + REST)
        if in_group(chat) and len(calls) >= A_MINUTE[kind]:
            until.append(calls[-A_MINUTE[kind]] + MINUTE + REST)
        if in_group(chat) and kind is Kind.SPARE and chat in self._wanted:
            until.append(self._wanted[chat] + QUIET)
        return max(until) - now

    def take(self, chat: Chat, kind: Kind) -> None:
        """Count a call that is made now; TryLater if it has to wait."""
        wait = self.wait(chat, kind)
        if wait > 0:
            raise TryLater(wait)
        now = self._clock().timestamp()
        self._calls[chat].append(now)
        self._all.append(now)
        if kind is not Kind.SPARE:
            self._wanted[chat] = now

    def flood(self, chat: Chat, seconds: float) -> None:
        """Note that Telegram wants no call to a chat for some seconds."""
        self._floods[chat] = self._clock().timestamp() + seconds + REST
