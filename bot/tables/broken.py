"""Games whose stored data cannot be read or replayed: set aside and reported, while all others go on.

So are games of a kind that is not installed here now; nothing is wrong with them, and they go on when it is back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import structlog

from bot.operations.outages import describe_outage
from engine import EngineError, games

DECODE_ERRORS: Final = (EngineError, ValueError, TypeError, LookupError, AttributeError)
"""What reading damaged data may raise."""

log = structlog.get_logger(__name__)


class BrokenGame(EngineError):
    """What is stored of a game makes no sense, and is left as it is; `game` in its parameters says which.

    Where it is its record that does not, the code is broken-record, and `number` that of the event in the way.
    """


class NotInstalled(BrokenGame):
    """A game of a kind that is not installed here now; `key` in its parameters says which, `game` is its own code."""


def check_installed(game: str, key: str) -> None:
    """Raise NotInstalled for a stored game of a kind that there is not."""
    if key not in games:
        raise NotInstalled("not-installed", game=game, key=key)


def report_broken_game(log: Any, error: Exception, **where: Any) -> None:
    """Tell the operator of a game that is set aside, and where that was noticed."""
    if isinstance(error, NotInstalled):
        log.info("game-not-installed", key=error.params["key"], **where)
    else:
        log.error("broken-game", reason=describe_outage(error), **where)


@contextmanager
def as_broken_game(game: str) -> Iterator[None]:
    """Turn whatever goes wrong with reading what is stored of a game into BrokenGame, and tell the operator."""
    try:
        yield
    except BrokenGame as error:
        log.error("broken-game", **error.params, reason=describe_outage(error))
        raise
    except DECODE_ERRORS as error:
        log.error("broken-game", game=game, reason=describe_outage(error))
        raise BrokenGame("broken-game", game=game) from error


@contextmanager
def naming_event(game: str, number: int) -> Iterator[None]:
    """Turn whatever goes wrong with replaying an event into a BrokenGame that names it."""
    try:
        yield
    except BrokenGame:
        raise
    except DECODE_ERRORS as error:
        raise broken_event(game, number) from error


def broken_event(game: str, number: int) -> BrokenGame:
    """Return the error that says that an event of a game is missing, or cannot be replayed."""
    return BrokenGame("broken-record", game=game, number=number)
