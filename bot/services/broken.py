"""Games whose stored data cannot be read or replayed: set aside and reported, while all others go on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from engine import EngineError

log = structlog.get_logger(__name__)


class BrokenGame(EngineError):
    """What is stored of a game makes no sense, and is left as it is; `game` in its parameters says which."""


@contextmanager
def set_aside(game: str) -> Iterator[None]:
    """Turn whatever goes wrong with reading what is stored of a game into BrokenGame, and tell the operator."""
    try:
        yield
    except BrokenGame:
        raise
    except (EngineError, ValueError, TypeError, LookupError, AttributeError) as error:
        log.exception("broken-game", game=game)
        raise BrokenGame("broken-game", game=game) from error
