"""Error reports for the operator: every error is counted, and each kind reported in a chat once an hour."""

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from cachetools import LRUCache

from bot.interface.cards import Card
from bot.interface.requests import Adapter, Place, TryLater, Undeliverable
from bot.language.texts import Speaker
from bot.operations.logs import Censor
from bot.operations.metrics import LOGGED_ERRORS

REPORT_INTERVAL_SECONDS: Final = 3600.0
"""Seconds for which a reported kind is only counted."""
MAX_QUEUED_REPORTS: Final = 50
MAX_KINDS: Final = 500
MAX_DETAIL_LENGTH: Final = 300
MAX_KIND_LENGTH: Final = 120
MAX_ATTEMPTS: Final = 5
REPORTED_FIELDS: Final = ("game", "post", "event_id", "platform", "kind", "code", "reason", "command")
"""The fields of an event that a report includes."""


@dataclass
class _Kind:
    delivered_at: float
    more: int = 0


@dataclass(frozen=True)
class Report:
    """An error to report: its kind, its details, and how often it came since the last report of its kind."""

    kind: str
    detail: str
    more: int = 0


class Counter(logging.Handler):
    """A log handler that counts every error by its kind, with or without reports."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        """Count an error; called from any thread."""
        try:
            LOGGED_ERRORS.labels(_kind_of(record)).inc()
        except Exception:  # noqa: BLE001 - whatever cannot be counted must not become an error itself
            self.handleError(record)


class Reporter(logging.Handler):
    """A log handler that queues errors to be reported; `take` waits for the next one."""

    def __init__(self, censor: Censor, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.ERROR)
        self._censor = censor
        self._clock = clock
        self._kinds: LRUCache[str, _Kind] = LRUCache(MAX_KINDS)
        self._waiting: deque[Report] = deque(maxlen=MAX_QUEUED_REPORTS)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_report_queued = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue an error, unless its kind was reported within the hour; called from any thread."""
        try:
            report = self._report(record)
        except Exception:  # noqa: BLE001 - whatever cannot be told must not become an error itself
            self.handleError(record)
            return
        if report is not None:
            self._waiting.append(report)
            self._wake()

    async def take(self) -> Report:
        """Return the next report as soon as there is one."""
        self._loop = asyncio.get_running_loop()
        while not self._waiting:
            self._is_report_queued.clear()
            await self._is_report_queued.wait()
        return self._waiting.popleft()

    def _wake(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._is_report_queued.set)

    def _report(self, record: logging.LogRecord) -> Report | None:
        event = _event_of(record)
        kind = _kind_of(record)
        now = self._clock()
        known = self._kinds.get(kind)
        if known is not None and now - known.delivered_at < REPORT_INTERVAL_SECONDS:
            known.more += 1
            return None
        self._kinds[kind] = _Kind(now)
        parts = [f"{name}={event[name]}" for name in REPORTED_FIELDS if name in event]
        if not event:
            parts.append(record.getMessage())
        trouble = str(event.get("exception") or "").strip().splitlines()
        if trouble:
            parts.append(trouble[-1])
        detail = str(self._censor.clean(" ".join(parts)))[:MAX_DETAIL_LENGTH]
        return Report(str(self._censor.clean(kind)), detail, known.more if known else 0)


def _event_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields of one of our events; empty for a line of a library."""
    return record.msg if isinstance(record.msg, dict) else {}


def _kind_of(record: logging.LogRecord) -> str:
    event = _event_of(record)
    said = event.get("event") or record.getMessage() if event else record.levelname.lower()
    return f"{record.name}: {said}"[:MAX_KIND_LENGTH]


def read_place(setting: str) -> Place:
    """Return the place that a setting such as `telegram:-100123` or `discord:123` names; ValueError."""
    platform, _, rest = setting.partition(":")
    channel, _, thread = rest.partition(":")
    if platform not in ("discord", "telegram") or not channel.lstrip("-").isdecimal():
        raise ValueError(setting)
    if thread and not thread.isdecimal():
        raise ValueError(setting)
    return Place(platform, channel, thread or None)


async def send_report(reporter: Reporter, adapter: Callable[[], Adapter | None], place: Place, voice: Speaker) -> None:
    """Send every report to a place, forever; one that cannot be sent stays in the log only."""
    # Drawn anew in every run, so that no report is taken for a repeated message.
    run, number = secrets.token_hex(4), 0
    while True:
        report = await reporter.take()
        number += 1
        key = "report.again" if report.more else "report.first"
        card = Card(voice.say(key, kind=report.kind, detail=report.detail, n=report.more))
        for attempt in range(MAX_ATTEMPTS):
            there = adapter()
            try:
                if there is None:
                    raise TryLater(5.0)
                await there.answer(place, card, f"report-{run}-{number}")
                break
            except TryLater as error:
                await asyncio.sleep(min(error.seconds or 2.0**attempt, 60.0))
            except Undeliverable as error:
                # Not logged as an error: that would be reported, and so on.
                logging.getLogger(__name__).warning("reports cannot be delivered: %s", error.reason)
                break
            except Exception as error:  # noqa: BLE001 - whatever it is, the next report is told
                logging.getLogger(__name__).warning("a report was not delivered: %r", error)
                break
