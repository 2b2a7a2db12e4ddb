"""The automatic steps of a competition, each stored only at the revision for which it was decided.

A step that is repeated, after a kill or in another process, changes nothing.
"""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Final, TypeVar

import structlog

from bot.competitions.events import Leaving
from bot.core.context import Context
from bot.interface.refusals import Refused
from bot.matches.stored import RECHECK_INTERVAL, StoredCompetition
from engine import EngineError
from storage import CompetitionRow, Conflict

MAX_STEPS: Final = 5000
"""Maximum number of steps in a row for one competition, before others are served."""

C = TypeVar("C", bound=StoredCompetition)

log = structlog.get_logger(__name__)


async def advance_competition(
    context: Context,
    code: str,
    read: Callable[[Context, CompetitionRow], Awaitable[C]],
    do_next_step: Callable[[Context, C], Awaitable[bool]],
    next_look: Callable[[C, datetime], datetime | None],
) -> None:
    """Do everything that is due for a competition, and schedule the next look.

    `do_next_step` does the first step that is due and returns whether there was one; Conflict if another writer was
    faster.
    """
    for _ in range(MAX_STEPS):
        row = await context.store.competitions.get(code)
        if row is None:
            return
        try:
            with context.store.recalling(anew=True):
                # Another process may have stored a block that this one has not heard of.
                found = await read(context, row)
            if row.status == "over" or not await do_next_step(context, found):
                later = None if row.status == "over" else next_look(found, context.clock())
                await context.store.competitions.postpone(code, row.due_at, later)
                return
        except Conflict:
            continue
        except (Refused, EngineError) as error:
            # Nothing is lost: the operator sees the error in the log, and the step is retried.
            log.error("broken-competition", competition=code, reason=repr(error))
            await context.store.competitions.postpone(code, row.due_at, context.clock() + RECHECK_INTERVAL)
            return


def list_departures(found: StoredCompetition, inside: Iterable[int]) -> list[tuple[int, Leaving]]:
    """Return who of `inside` is gone, and why: the person was forgotten, or linked with another member."""
    return [
        (number, Leaving.FORGOTTEN if found.entries[number].person is not None else Leaving.LINKED)
        for number in inside
        if not found.entries[number].inside
    ]
