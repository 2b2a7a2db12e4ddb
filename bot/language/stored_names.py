"""Stored names that this machine does not know: a time zone, a language, a theme, a game."""

from functools import lru_cache
from typing import Final

import structlog

_MAX_LOGGED_NAMES: Final = 1000
"""Maximum number of names of which the process remembers that it has logged them."""
_MAX_NAME_LENGTH: Final = 80

log = structlog.get_logger(__name__)


@lru_cache(maxsize=_MAX_LOGGED_NAMES)
def log_unknown_name(kind: str, name: str) -> None:
    """Log, once for each name, that the default is used instead of a stored name that is not known here."""
    log.warning("stored-name-unknown", kind=kind, name=name[:_MAX_NAME_LENGTH])
