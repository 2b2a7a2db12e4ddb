"""Games whose stored data cannot be read or replayed: set aside and reported, while all others go on.

So are games of a kind that is not installed here now; nothing is wrong with them, and they go on when it is back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import structlog

from bot.operations.outages import reason_of
from engine import EngineError, games

FAULTS: Final = (EngineError, ValueError, TypeError, LookupError, AttributeError)
"""What reading damaged data may raise."""

log = structlog.get_logger(__name__)


class BrokenGame(EngineError):
    """What is stored of a game makes no sense, and is left as it is; `game` in its parameters says which.

    Where it is its record that does not, the code is broken-record, and `number` that of the event in the way.
    """


class NotInstalled(BrokenGame):
    """A game of a kind that is not installed here now; `key` in its parameters says which, `game` is its own code."""


def see_that_it_is_installed(game: str, key: str) -> None:
    """Raise NotInstalled for a stored game of a kind that there is not."""
    if key not in games:
        raise NotInstalled("not-installed", game=game, key=key)


def report(log: Any, error: Exception, **where: Any) -> None:
    """Tell the operator of a game that is set aside, and where that was noticed."""
    if isinstance(error, NotInstalled):
        log.info("game-not-installed", key=error.params["key"], **where)
    else:
        log.error("broken-game", reason=reason_of(error), **where)


@contextmanager
def set_aside(game: str) -> Iterator[None]:
    """Turn whatever goes wrong with reading what is stored of a game into BrokenGame, and tell the operator."""
    try:
        yield
    except BrokenGame as error:
        log.error("broken-game", **error.params, reason=reason_of(error))
        raise
    except FAULTS as error:
        log.error("broken-game", game=game, reason=reason_of(error))
        raise BrokenGame("broken-game", game=game) from error


@contextmanager
def naming(game: str, number: int) -> Iterator[None]:
    """Turn whatever goes wrong with replaying an event into a BrokenGame that names it."""
    try:
        yield
    except BrokenGame:
        raise
    except FAULTS as error:
        raise broken_record(game, number) from error


def broken_record(game: str, number: int) -> BrokenGame:
    """Return the error that says that an event of a game is missing, or cannot be replayed."""
    return BrokenGame("broken-record", game=game, number=number)
