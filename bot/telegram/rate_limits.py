"""How often we write: to a chat about once a second, to a group twenty times a minute, in all 30 times a second."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from datetime import datetime
from enum import IntEnum
from typing import Final

from cachetools import LRUCache

from bot.interface.requests import TryLater

SECOND_WINDOW: Final = 1.0
MINUTE_WINDOW: Final = 60.0
BURST_WINDOW_SECONDS: Final = 5.0
"""How many seconds a burst is looked at: over them about one call a second."""
MIN_WAIT_SECONDS: Final = 0.05
IDLE_GROUP_SECONDS: Final = 7.0
"""For how many seconds a group must have been left alone before what nobody waits for is done in it.

Longer than two taps of somebody who plays as fast as a group's minute allows, one in three seconds.
"""
WARN_BELOW_CALLS: Final = 5
"""With how many calls of its minute left a group is warned that boards may soon come late."""
WARNED_SECONDS: Final = 600.0
"""For how many seconds a group that was told so is not told again."""
CHAT_ALIAS_CACHE_SIZE: Final = 10_000
"""Of how many names it is remembered which chat they mean."""
MAX_CHATS_TRACKED: Final = 1_000
"""For how many chats calls are kept before those are forgotten that have had none for long."""

Chat = int | str
"""A chat by its id, or by whatever else is known of one that we are not in: an inline message there, a press."""


class CallKind(IntEnum):
    """What a call is for, the most important first."""

    BOARD = 0
    KEYBOARD = 1
    NOTE = 2
    SPARE = 3
    """What nobody waits for: the buttons of an old board, which are answered as well as they can be; a reaction."""


MAX_PER_MINUTE: Final = {CallKind.BOARD: 20, CallKind.KEYBOARD: 18, CallKind.NOTE: 16, CallKind.SPARE: 12}
"""How many calls of the last minute a group may have had for one more of a kind: the rest is kept for what matters."""
MAX_PER_SECOND_OVERALL: Final = {CallKind.BOARD: 28, CallKind.KEYBOARD: 26, CallKind.NOTE: 24, CallKind.SPARE: 22}
"""How many calls the last second may have had in all chats: Telegram takes 30 a second from one bot."""
MAX_PER_BURST: Final = {CallKind.BOARD: 5, CallKind.KEYBOARD: 4, CallKind.NOTE: 4, CallKind.SPARE: 3}


def is_group(chat: Chat) -> bool:
    """Say whether the limit of groups holds: their ids are negative, and where an inline message is, nobody knows."""
    return isinstance(chat, str) or chat < 0


class CallBudget:
    """Counts the calls to each chat, and all; a chat that has to wait never holds up another.

    Inline messages have their chat's limit, not one each (https://github.com/tdlib/telegram-bot-api/issues/648).
    `processes` says how many share the bot.
    """

    def __init__(self, clock: Callable[[], datetime], processes: Callable[[], int] = lambda: 1) -> None:
        self._clock = clock
        self._processes = processes
        self._all: deque[float] = deque()
        self._calls: dict[Chat, deque[float]] = defaultdict(deque)
        self._floods: dict[Chat, float] = {}
        self._wanted: dict[Chat, float] = {}
        self._warned: dict[Chat, float] = {}
        self._meant: LRUCache[Chat, Chat] = LRUCache(CHAT_ALIAS_CACHE_SIZE)
        self._tidied = 0

    def __len__(self) -> int:
        """Return for how many chats calls are kept."""
        return len(self._calls)

    def alias(self, one: Chat, other: Chat) -> None:
        """Note that two names mean the same chat: what was called by either counts for both."""
        one, other = self._chat(one), self._chat(other)
        if one == other:
            return
        self._meant[one] = other
        both = sorted([*self._calls.pop(one, ()), *self._calls.get(other, ())])
        self._calls[other] = deque(both)
        for moments in (self._floods, self._wanted, self._warned):
            if one in moments:
                moments[other] = max(moments.pop(one), moments.get(other, 0.0))

    def seconds_to_wait(self, chat: Chat, kind: CallKind) -> float:
        """Return in how many seconds a call may be made, 0 for now."""
        now = self._clock().timestamp()
        group, chat = is_group(chat), self._chat(chat)
        calls = self._calls[chat]
        while calls and calls[0] <= now - MINUTE_WINDOW:
            calls.popleft()
        while self._all and self._all[0] <= now - SECOND_WINDOW:
            self._all.popleft()
        until = [now, self._floods.get(chat, now)]
        overall = max(1, MAX_PER_SECOND_OVERALL[kind] // self._processes())
        if len(self._all) >= overall:
            until.append(self._all[-overall] + SECOND_WINDOW + MIN_WAIT_SECONDS)
        if len(calls) >= MAX_PER_BURST[kind]:
            until.append(calls[-MAX_PER_BURST[kind]] + BURST_WINDOW_SECONDS + MIN_WAIT_SECONDS)
        if group and len(calls) >= MAX_PER_MINUTE[kind]:
            until.append(calls[-MAX_PER_MINUTE[kind]] + MINUTE_WINDOW + MIN_WAIT_SECONDS)
        if group and kind is CallKind.SPARE and chat in self._wanted:
            until.append(self._wanted[chat] + IDLE_GROUP_SECONDS)
        return max(until) - now

    def is_low(self, chat: Chat) -> bool:
        """Say whether a group has little left of its minute, and has not been told so lately."""
        now = self._clock().timestamp()
        group, chat = is_group(chat), self._chat(chat)
        if not group or self._warned.get(chat, now - WARNED_SECONDS) > now - WARNED_SECONDS:
            return False
        return (
            sum(at > now - MINUTE_WINDOW for at in self._calls.get(chat, ()))
            >= MAX_PER_MINUTE[CallKind.BOARD] - WARN_BELOW_CALLS
        )

    def note_warned(self, chat: Chat) -> None:
        """Note that a group has been told that boards may soon come late."""
        self._warned[self._chat(chat)] = self._clock().timestamp()

    def acquire(self, chat: Chat, kind: CallKind) -> None:
        """Count a call that is made now; TryLater if it has to wait."""
        wait = self.seconds_to_wait(chat, kind)
        if wait > 0:
            raise TryLater(wait)
        self.count(chat)
        if kind is not CallKind.SPARE:
            self._wanted[self._chat(chat)] = self._clock().timestamp()

    def count(self, chat: Chat) -> None:
        """Count a call that is made now, and could not have waited."""
        now = self._clock().timestamp()
        self._calls[self._chat(chat)].append(now)
        self._all.append(now)
        self._delete_idle_chats(now)

    def pause(self, chat: Chat, seconds: float) -> None:
        """Note that Telegram wants no call to a chat for some seconds."""
        self._floods[self._chat(chat)] = self._clock().timestamp() + seconds + MIN_WAIT_SECONDS

    def _chat(self, name: Chat) -> Chat:
        """Return by what the chat is counted that a name means."""
        while name in self._meant:
            name = self._meant[name]
        return name

    def _delete_idle_chats(self, now: float) -> None:
        """Forget, now and then, the chats of which nothing counts any more: each inline message may have been one."""
        if len(self._calls) < self._tidied + MAX_CHATS_TRACKED:
            return
        for chat in [each for each, calls in self._calls.items() if not calls or calls[-1] <= now - MINUTE_WINDOW]:
            del self._calls[chat]
        for moments, seconds in (
            (self._floods, MINUTE_WINDOW),
            (self._wanted, MINUTE_WINDOW),
            (self._warned, WARNED_SECONDS),
        ):
            for chat in [each for each, sent_at in moments.items() if sent_at <= now - seconds]:
                del moments[chat]
        self._tidied = len(self._calls)
