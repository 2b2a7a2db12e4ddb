"""A queue of calls that may wait for a chat's rate limit: keyboards of partial choices, ephemeral replies."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog

from bot.interface.requests import TryLater, Undeliverable
from bot.operations.outages import log_outage
from bot.operations.tasks import cancel_tasks
from bot.telegram.rate_limits import CallBudget, CallKind, Chat
from storage import StorageError

MAX_ATTEMPTS: Final = 5
MIN_BACKOFF_SECONDS: Final = 0.5
MAX_BACKOFF_SECONDS: Final = 10.0
"""Back-off in seconds while the database is unavailable; it doubles each time, so that the attempts outlast an outage.
"""

log = structlog.get_logger(__name__)

Work = Callable[[], Awaitable[None]]


@dataclass
class QueuedCall:
    """A queued call; it counts against the rate limit itself."""

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
        self._jobs[chat].pop(name, None)
        self._jobs[chat][name] = QueuedCall(kind, work, most)
        await self._run(chat)

    def add(self, chat: Chat, name: str, kind: CallKind, work: Work) -> None:
        """Queue a call that nobody waits for, also from within another call of the chat."""
        self._jobs[chat].pop(name, None)
        self._jobs[chat][name] = QueuedCall(kind, work, MAX_ATTEMPTS)
        self._schedule(chat, 0.0)

    def drop(self, chat: Chat, name: str) -> None:
        """Drop a call that still waits."""
        self._jobs[chat].pop(name, None)

    def is_waiting(self, chat: Chat, name: str) -> bool:
        """Return whether a call still waits."""
        return name in self._jobs.get(chat, ())

    def waiting_count(self, chat: Chat) -> int:
        """Return the number of waiting calls of a chat."""
        return len(self._jobs[chat])

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
                        # A retry would fail again; the chat's other calls go on.
                        log.exception("outbox-failed", chat=chat, job=name)
            finally:
                # Each failed call is queued again once, so that it delays nothing else.
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
