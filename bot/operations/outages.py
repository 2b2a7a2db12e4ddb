"""Logging of database and game errors: one line with the reason where that is enough."""

import traceback
from pathlib import Path
from typing import Any, Final

from structlog.typing import FilteringBoundLogger

from storage import StorageError, Unavailable

MAX_REASON_LENGTH: Final = 200


def log_outage(log: FilteringBoundLogger, event: str, error: StorageError, **details: Any) -> None:
    """Log that something waits for the database, with a traceback only if it is a bug of ours and no outage."""
    if isinstance(error, Unavailable):
        log.error(
            event, code=error.code, reason=str(error.params.get("reason", error.code))[:MAX_REASON_LENGTH], **details
        )
    else:
        log.error(event, exc_info=error, **details)


def describe_outage(error: BaseException) -> str:
    """Return the cause of an error in one line: its type, its message, and where it was raised."""
    error = error.__cause__ or error
    said = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_REASON_LENGTH]
    frames = traceback.extract_tb(error.__traceback__)
    return f"{said} ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else said
