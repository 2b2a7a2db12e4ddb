"""Queue of calls that may wait for a chat's rate limit: keyboards of partial choices, ephemeral replies."""

import asyncio
import math
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import structlog
from cachetools import LRUCache

from bot.kernel.operations.listening import log_outage
from bot.kernel.operations.tasks import cancel_tasks
from bot.kernel.requests import RateLimited, TryLater, Undeliverable
from storage import StorageError

SECOND_WINDOW: Final = 1.0
MINUTE_WINDOW: Final = 60.0
BURST_WINDOW_SECONDS: Final = 5.0
"""Window of a burst in seconds; it allows about one call per second."""
MIN_WAIT_SECONDS: Final = 0.05
IDLE_GROUP_SECONDS: Final = 7.0
"""Seconds that a group must be idle before low-priority calls are made in it.

This is longer than two taps at the maximum rate of a group, one in three seconds.
"""
WARN_BELOW_CALLS: Final = 5
"""Number of remaining calls in a minute below which a group is warned that boards may be late."""
WARNED_SECONDS: Final = 600.0
"""Minimum seconds between two such warnings."""
CHAT_ALIAS_CACHE_SIZE: Final = 10_000
"""Number of remembered aliases of chats."""
MAX_CHATS_TRACKED: Final = 5_000
"""Number of tracked chats, those used last: more than can be called in the windows of all limits."""

Chat = int | str
"""A chat's id or, if the bot is not in it, the key of an inline message or of a press there."""


class CallKind(IntEnum):
    """The purpose of a call, the most important first."""

    BOARD = 0
    KEYBOARD = 1
    NOTE = 2
    SPARE = 3
    """Low-priority calls: removing the buttons of an old board, which still work meanwhile; a reaction."""


MAX_PER_MINUTE: Final = {CallKind.BOARD: 20, CallKind.KEYBOARD: 18, CallKind.NOTE: 16, CallKind.SPARE: 12}
"""Maximum calls to a group per minute for calls of each kind; the rest is reserved for more important ones."""
MAX_PER_SECOND_OVERALL: Final = {CallKind.BOARD: 28, CallKind.KEYBOARD: 26, CallKind.NOTE: 24, CallKind.SPARE: 22}
"""Maximum calls to all chats per second for calls of each kind: Telegram accepts 30 per second from one bot."""
MAX_PER_BURST: Final = {CallKind.BOARD: 5, CallKind.KEYBOARD: 4, CallKind.NOTE: 4, CallKind.SPARE: 3}


def is_group(chat: Chat) -> bool:
    """Return True if the limit of groups applies: to negative ids, and to inline messages, whose chat is unknown."""
    return isinstance(chat, str) or chat < 0


@dataclass
class ChatUsage:
    """The calls to a chat in the last minute, and moments in monotonic seconds: the past for none."""

    calls: deque[float] = field(default_factory=deque)
    paused_until: float = -math.inf
    used_at: float = -math.inf
    """The last call that was not low-priority."""
    warned_at: float = -math.inf


class CallBudget:
    """Counts the calls to each chat and to all chats; a chat that has to wait never delays another.

    Inline messages share their chat's limit (https://github.com/tdlib/telegram-bot-api/issues/648). `processes` returns
    the number of processes that share the bot, `clock` monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float], processes: Callable[[], int] = lambda: 1) -> None:
        self._clock = clock
        self._processes = processes
        self._recent_calls: deque[float] = deque()
        self._chats: LRUCache[Chat, ChatUsage] = LRUCache(MAX_CHATS_TRACKED)
        self._aliases: LRUCache[Chat, Chat] = LRUCache(CHAT_ALIAS_CACHE_SIZE)

    def alias(self, one: Chat, other: Chat) -> None:
        """Record that two keys mean the same chat: calls to either count for both."""
        one, other = self._key(one), self._key(other)
        if one == other:
            return
        self._aliases[one] = other
        before, both = self._chats.pop(one, ChatUsage()), self._usage(other)
        both.calls = deque(sorted([*before.calls, *both.calls]))
        both.paused_until = max(before.paused_until, both.paused_until)
        both.used_at = max(before.used_at, both.used_at)
        both.warned_at = max(before.warned_at, both.warned_at)

    def seconds_to_wait(self, chat: Chat, kind: CallKind) -> float:
        """Return the seconds until a call is allowed, 0 for now."""
        now, group, usage = self._clock(), is_group(chat), self._usage(chat)
        calls, recent = usage.calls, self._recent_calls
        while calls and calls[0] <= now - MINUTE_WINDOW:
            calls.popleft()
        while recent and recent[0] <= now - SECOND_WINDOW:
            recent.popleft()
        until = [now, usage.paused_until]
        overall = max(1, MAX_PER_SECOND_OVERALL[kind] // self._processes())
        limits = [(recent, overall, SECOND_WINDOW), (calls, MAX_PER_BURST[kind], BURST_WINDOW_SECONDS)]
        if group:
            limits.append((calls, MAX_PER_MINUTE[kind], MINUTE_WINDOW))
        for made, most, window in limits:
            if len(made) >= most:
                until.append(made[-most] + window + MIN_WAIT_SECONDS)
        if group and kind is CallKind.SPARE:
            until.append(usage.used_at + IDLE_GROUP_SECONDS)
        return max(until) - now

    def is_low(self, chat: Chat) -> bool:
        """Return True if a group has few calls left in this minute, and has not been warned recently."""
        now, usage = self._clock(), self._usage(chat)
        if not is_group(chat) or usage.warned_at > now - WARNED_SECONDS:
            return False
        made = sum(at > now - MINUTE_WINDOW for at in usage.calls)
        return made >= MAX_PER_MINUTE[CallKind.BOARD] - WARN_BELOW_CALLS

    def note_warned(self, chat: Chat) -> None:
        """Record that a group has been warned that boards may come late."""
        self._usage(chat).warned_at = self._clock()

    def acquire(self, chat: Chat, kind: CallKind) -> None:
        """Count a call that is made now; TryLater if it has to wait."""
        wait = self.seconds_to_wait(chat, kind)
        if wait > 0:
            raise RateLimited(wait)
        self.count(chat)
        if kind is not CallKind.SPARE:
            self._usage(chat).used_at = self._clock()

    def count(self, chat: Chat) -> None:
        """Count a call that is made now, even above the limit."""
        now = self._clock()
        self._usage(chat).calls.append(now)
        self._recent_calls.append(now)

    def pause(self, chat: Chat, seconds: float) -> None:
        """Record that Telegram accepts no calls to a chat for some seconds."""
        self._usage(chat).paused_until = self._clock() + seconds + MIN_WAIT_SECONDS

    def _usage(self, chat: Chat) -> ChatUsage:
        return self._chats.setdefault(self._key(chat), ChatUsage())

    def _key(self, name: Chat) -> Chat:
        """Return the key by which a chat is counted."""
        while name in self._aliases:
            name = self._aliases[name]
        return name


MAX_ATTEMPTS: Final = 5
MIN_BACKOFF_SECONDS: Final = 0.5
MAX_BACKOFF_SECONDS: Final = 10.0
"""Maximum back-off in seconds during a database outage; the back-off doubles each time, so that few attempts suffice.
"""

log = structlog.get_logger(__name__)

Work = Callable[[], Awaitable[object]]


@dataclass
class QueuedCall:
    """A queued call, which itself counts against the rate limit."""

    kind: CallKind
    work: Work
    most: int
    tries: int = 0


class CallQueue:
    """Calls by chat and name; a newer call replaces a waiting one of the same name."""

    def __init__(self, budget: CallBudget) -> None:
        self._budget = budget
        self._jobs: dict[Chat, dict[str, QueuedCall]] = defaultdict(dict)
        self._locks: dict[Chat, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._timers: dict[Chat, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def put(self, chat: Chat, name: str, kind: CallKind, work: Work, *, most: int = MAX_ATTEMPTS) -> None:
        """Queue a call, with at most `most` attempts; return when it is done, or has to wait."""
        self._queue(chat, name, QueuedCall(kind, work, most))
        await self._run(chat)

    def add(self, chat: Chat, name: str, kind: CallKind, work: Work) -> None:
        """Queue a call without waiting for it; allowed from within another call of the chat."""
        self._queue(chat, name, QueuedCall(kind, work, MAX_ATTEMPTS))
        self._schedule(chat, 0.0)

    def _queue(self, chat: Chat, name: str, call: QueuedCall) -> None:
        self.drop(chat, name)
        self._jobs[chat][name] = call

    def drop(self, chat: Chat, name: str) -> None:
        """Drop a waiting call."""
        self._jobs[chat].pop(name, None)

    def is_waiting(self, chat: Chat, name: str) -> bool:
        """Return True if a call is waiting."""
        return name in self._jobs.get(chat, ())

    async def run_until_idle(self) -> None:
        """Make all calls that are allowed now."""
        for chat in list(self._jobs):
            await self._run(chat)

    async def close(self) -> None:
        """Stop; waiting calls are dropped."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        await cancel_tasks(*self._tasks)

    async def _run(self, chat: Chat) -> None:
        async with self._locks[chat]:
            jobs, failed = self._jobs[chat], dict[str, QueuedCall]()
            try:
                while jobs:
                    name, job = min(jobs.items(), key=lambda item: item[1].kind)
                    wait = self._budget.seconds_to_wait(chat, job.kind)
                    if wait > 0:
                        self._schedule(chat, wait)
                        break
                    del jobs[name]
                    try:
                        await job.work()
                    except (TryLater, StorageError) as error:
                        job.tries += 1
                        if job.tries < job.most:
                            failed[name] = job
                        if isinstance(error, StorageError):
                            log_outage(log, "outbox-waits-for-the-database", error, chat=chat)
                            pause = min(MIN_BACKOFF_SECONDS * 2**job.tries, MAX_BACKOFF_SECONDS)
                        else:
                            pause = error.seconds or 1.0
                        self._schedule(chat, pause)
                    except Undeliverable as error:
                        log.info("message-not-sent", chat=chat, reason=error.reason)
                    except Exception:
                        # A retry would fail again; continue with the chat's other calls.
                        log.exception("outbox-failed", chat=chat, job=name)
            finally:
                # Queue each failed call again only now, so that it delays no other call.
                for name, job in failed.items():
                    jobs.setdefault(name, job)

    def _schedule(self, chat: Chat, seconds: float) -> None:
        """Run a chat's calls after some seconds, or earlier if another call asks for that."""
        loop, timer = asyncio.get_running_loop(), self._timers.get(chat)
        if timer is not None:
            if timer.when() <= loop.time() + seconds:
                return
            timer.cancel()
        self._timers[chat] = loop.call_later(seconds, self._wake, chat)

    def _wake(self, chat: Chat) -> None:
        self._timers.pop(chat, None)
        task = asyncio.create_task(self._run(chat), name=f"outbox {chat}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
