"""That nothing in the logs is a traceback, whatever has logged it."""

import logging
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict, WrappedLogger


@contextmanager
def without_tracebacks(caplog: pytest.LogCaptureFixture) -> Iterator[Sequence[Any]]:
    """Fail if anything is logged with a traceback; the lines of structlog are those yielded."""
    caplog.set_level(logging.INFO)
    with capture_logs(processors=[_format_error]) as logs:
        yield logs
    found = [line for line in logs if line.get("exc_info") or line["log_level"] == "critical"]
    assert not found, found
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


def _format_error(_: WrappedLogger, __: str, line: EventDict) -> EventDict:
    if line.get("exc_info") is True:
        line["exc_info"] = traceback.format_exc()
    return line
