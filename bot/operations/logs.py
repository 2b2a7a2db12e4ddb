"""Logs for operators: one line per event, as text or JSON, with ids and never a token."""

import logging
import re
import sys
from collections.abc import Iterable
from typing import Any, Final

import structlog
from structlog.typing import EventDict, Processor

REDACTED: Final = "***"
# Patterns of tokens in addresses of the Bot API or of Discord, in a database URL, in the manager's link, and alone.
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
    """Removes secrets from all log lines: the given ones, and whatever looks like a token."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = sorted({secret for secret in secrets if secret}, key=len, reverse=True)

    def __call__(self, _logger: Any, _method: str, event: EventDict) -> EventDict:
        """Return the event without secrets (a structlog processor)."""
        return {name: self.clean(value) for name, value in event.items()}

    def clean(self, value: Any) -> Any:
        """Return the value without secrets; what is neither text nor a number becomes text first."""
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
    """Return True if a server's log line is about the program; log one about a misbehaving or vanished client briefly.

    aiohttp logs both as errors with a traceback, and an error is an alarm.
    """
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return True
    from aiohttp import ClientError
    from aiohttp.http_exceptions import HttpProcessingError
    from aiohttp.web import RequestPayloadError

    # A body that ends too soon, or contradicts its header, or a connection that closes while we answer.
    if not isinstance(error, (HttpProcessingError, RequestPayloadError, ClientError, ConnectionError)):
        return True
    logging.getLogger(record.name).info(
        "a request was not understood, or its sender has left: %s", type(error).__name__
    )
    return False


def configure(level: str, style: str, secrets: Iterable[str] = (), handlers: Iterable[logging.Handler] = ()) -> None:
    """Send all logs of the process, including those of libraries, to stderr, and to further handlers."""
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
    # Libraries that log every step: their warnings are enough, and their addresses contain tokens.
    for name in ("httpx", "httpcore", "alembic", "sqlalchemy", "aiosqlite", "asyncio", "PIL", "hpack", "discord"):
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
