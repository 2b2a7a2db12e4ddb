"""The logs of the process, which a test may change."""

import logging
from collections.abc import Iterator

import pytest
import structlog

_PLAIN = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)


def configure_plain_tracebacks() -> None:
    """Have errors in the log as Python writes them: frames with all their variables take seconds each."""
    structlog.reset_defaults()
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], _PLAIN])


def pytest_configure() -> None:
    configure_plain_tracebacks()


@pytest.fixture
def logs() -> Iterator[None]:
    """Put the logs of the process back to what they were."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers = handlers
    root.setLevel(level)
    configure_plain_tracebacks()
