"""Logs for operators: one line per event, as text or JSON, with ids and without tokens."""

import asyncio
import logging
import re
import secrets
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import structlog
from cachetools import LRUCache
from structlog.typing import EventDict, Processor

from bot.kernel.cards import Card
from bot.kernel.operations.metrics import LOGGED_ERRORS
from bot.kernel.requests import Adapter, Place, TryLater, Undeliverable
from bot.kernel.texts import Speaker
from engine.core import Json

REDACTED: Final = "***"
# Patterns of tokens: in addresses of the Bot API and Discord, in a database URL, in the manager's link, and alone.
_SECRET_PATTERNS: Final = (
    re.compile(r"(?<=/bot)\d+:[\w-]{20,}"),
    re.compile(r"(?<=://)[^\s/@]+(?=@)"),
    re.compile(r"(?<=#manager=)[\w-]+"),
    re.compile(r"(?<=/webhooks/)\d+/[\w.=-]{20,}"),
    re.compile(r"(?<=/interactions/)\d+/[\w.=-]{20,}"),
    re.compile(r"\baW50ZXJhY3Rpb2[\w.=-]{20,}"),  # the beginning of an interaction token
    re.compile(r"\b\d{6,}:[\w-]{30,}"),
    re.compile(r"\b[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"),
)


class Censor:
    """Removes secrets from all log lines: the given ones, and everything that looks like a token."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = sorted({secret for secret in secrets if secret}, key=len, reverse=True)

    def __call__(self, _logger: Any, _method: str, event: EventDict) -> EventDict:
        """Return the event without secrets (a structlog processor)."""
        return {name: self.clean(value) for name, value in event.items()}

    def clean(self, value: Any) -> Any:
        """Return the value without secrets; a value that is neither text nor a number becomes text first."""
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, dict):
            return {name: self.clean(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.clean(part) for part in value]
        text = str(value)
        for secret in self._secrets:
            text = text.replace(secret, REDACTED)
        for pattern in _SECRET_PATTERNS:
            text = pattern.sub(REDACTED, text)
        return text


def is_own_logger(record: logging.LogRecord) -> bool:
    """Return True if a server's log line is about the program; log a line about a client's fault briefly instead.

    aiohttp logs both as errors with a traceback, and errors are reported.
    """
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return True
    from aiohttp import ClientError
    from aiohttp.http_exceptions import HttpProcessingError
    from aiohttp.web import RequestPayloadError

    # A truncated body, a body that contradicts its header, or a connection that closes during the answer.
    if not isinstance(error, (HttpProcessingError, RequestPayloadError, ClientError, ConnectionError)):
        return True
    logging.getLogger(record.name).info(
        "a request was not understood, or its sender has left: %s", type(error).__name__
    )
    return False


def configure(level: str, style: str, secrets: Iterable[str] = (), handlers: Iterable[logging.Handler] = ()) -> None:
    """Send all logs of the process, including those of libraries, to stderr and to further handlers."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        Censor(secrets),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if style == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer]
        )
    )
    root = logging.getLogger()
    root.handlers = [handler, *handlers]
    root.setLevel(level.upper())
    server = logging.getLogger("aiohttp.server")
    server.removeFilter(is_own_logger)
    server.addFilter(is_own_logger)
    # Libraries that log every step: warnings are enough, and the logged addresses contain tokens.
    for name in ("httpx", "httpcore", "alembic", "sqlalchemy", "aiosqlite", "asyncio", "PIL", "hpack", "discord"):
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


REPORT_INTERVAL_SECONDS: Final = 3600.0
"""Seconds after a report during which errors of its kind are only counted."""
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
    """An error to report: its kind, its details, and its number of occurrences since the last report of its kind."""

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
        except Exception:  # noqa: BLE001 - whatever cannot be reported must not become an error itself
            self.handleError(record)
            return
        if report is not None:
            self._waiting.append(report)
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._is_report_queued.set)

    async def take(self) -> Report:
        """Wait for the next report and return it."""
        self._loop = asyncio.get_running_loop()
        while not self._waiting:
            self._is_report_queued.clear()
            await self._is_report_queued.wait()
        return self._waiting.popleft()

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


def _event_of(record: logging.LogRecord) -> Json:
    """Return the fields of one of our events; empty for a line of a library."""
    return record.msg if isinstance(record.msg, dict) else {}


def _kind_of(record: logging.LogRecord) -> str:
    event = _event_of(record)
    said = event.get("event") or record.getMessage() if event else record.levelname.lower()
    return f"{record.name}: {said}"[:MAX_KIND_LENGTH]


def read_place(setting: str) -> Place:
    """Return the place that a setting such as `telegram:-100123` or `discord:123` names; may raise ValueError."""
    platform, _, rest = setting.partition(":")
    channel, _, thread = rest.partition(":")
    if platform not in ("discord", "telegram") or not channel.lstrip("-").isdecimal():
        raise ValueError(setting)
    if thread and not thread.isdecimal():
        raise ValueError(setting)
    return Place(platform, channel, thread or None)


async def send_report(reporter: Reporter, adapter: Callable[[], Adapter | None], place: Place, voice: Speaker) -> None:
    """Send every report to a place, forever; a report that cannot be sent is only in the log."""
    # Random in every run, so that no report is mistaken for a repeated message.
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
            except Exception as error:  # noqa: BLE001 - whatever it is, the next report is sent
                logging.getLogger(__name__).warning("a report was not delivered: %r", error)
                break
