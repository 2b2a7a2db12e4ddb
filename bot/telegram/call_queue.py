"""What may wait until a chat's budget allows it: keyboards of half-made choices, answers that go away again."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog

from bot.interface.requests import TryLater, Undeliverable
from bot.operations.outages import log_outage
from bot.telegram.rate_limits import CallBudget, CallKind, Chat
from storage import StorageError

MAX_ATTEMPTS: Final = 5
MIN_BACKOFF_SECONDS: Final = 0.5
MAX_BACKOFF_SECONDS: Final = 10.0
"""How many seconds a job waits for a database that is away: twice as long each time, so that the tries outlast it."""

log = structlog.get_logger(__name__)

Work = Callable[[], Awaitable[None]]


@dataclass
class QueuedCall:
    """One thing to do; it takes its place in the budget itself."""

    kind: CallKind
    work: Work
    most: int
    tries: int = 0


class CallQueue:
    """Jobs by chat and name; a newer job of the same name takes the place of one that waits."""

    def __init__(self, budget: CallBudget) -> None:
        self._budget = budget
        self._jobs: dict[Chat, dict[str, QueuedCall]] = defaultdict(dict)
        self._locks: dict[Chat, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._timers: dict[Chat, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def put(self, chat: Chat, name: str, kind: CallKind, work: Work, *, most: int = MAX_ATTEMPTS) -> None:
        """Have something done, tried `most` times at most; return when it is, or when it has to wait."""
        self._jobs[chat].pop(name, None)
        self._jobs[chat][name] = QueuedCall(kind, work, most)
        await self._run(chat)

    def drop(self, chat: Chat, name: str) -> None:
        """Have something not done that still waits."""
        self._jobs[chat].pop(name, None)

    def waiting_count(self, chat: Chat) -> int:
        """Return how many jobs of a chat wait."""
        return len(self._jobs[chat])

    async def run_until_idle(self) -> None:
        """Do everything that may be done now."""
        for chat in list(self._jobs):
            await self._run(chat)

    async def close(self) -> None:
        """End; what still waits is not done."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

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
                    except TryLater as error:
                        job.tries += 1
                        if job.tries < job.most:
                            failed[name] = job
                        self._schedule(chat, error.seconds or 1.0)
                    except Undeliverable as error:
                        log.info("message-not-sent", chat=chat, reason=error.reason)
                    except StorageError as error:
                        log_outage(log, "outbox-waits-for-the-database", error, chat=chat)
                        job.tries += 1
                        if job.tries < job.most:
                            failed[name] = job
                        self._schedule(chat, min(MIN_BACKOFF_SECONDS * 2**job.tries, MAX_BACKOFF_SECONDS))
                    except Exception:
                        # It would only do so again; what else waits in this chat is none the worse for it.
                        log.exception("outbox-failed", chat=chat, job=name)
            finally:
                # Once each: what cannot be done now holds nothing else up.
                for name, job in failed.items():
                    jobs.setdefault(name, job)

    def _schedule(self, chat: Chat, seconds: float) -> None:
        """Have a chat's jobs looked at in so many seconds, or before that if another one wants it."""
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
