"""Having a competition go on by itself: step by step, each stored against the revision that it was decided for.

Done again, after a kill or in another process, a step changes nothing.
"""

from __future__ import annotations

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
"""So many steps are done at once; then the others have their turn."""

C = TypeVar("C", bound=StoredCompetition)

log = structlog.get_logger(__name__)


async def advance_competition(
    context: Context,
    code: str,
    read: Callable[[Context, CompetitionRow], Awaitable[C]],
    do_next_step: Callable[[Context, C], Awaitable[bool]],
    next_look: Callable[[C, datetime], datetime | None],
) -> None:
    """Do all that is due for a competition, and note when to look again.

    `do_next_step` does the first thing that is due and says whether there was any; Conflict where somebody was faster.
    """
    for _ in range(MAX_STEPS):
        row = await context.store.competitions.get(code)
        if row is None:
            return
        try:
            with context.store.recalling(anew=True):
                # Who would rather not meet whom may have been told to another process.
                found = await read(context, row)
            if row.status == "over" or not await do_next_step(context, found):
                later = None if row.status == "over" else next_look(found, context.clock())
                await context.store.competitions.postpone(code, row.due_at, later)
                return
        except Conflict:
            continue
        except (Refused, EngineError) as error:
            # Nothing of it is lost; an operator sees it, and it is tried again.
            log.error("broken-competition", competition=code, reason=repr(error))
            await context.store.competitions.postpone(code, row.due_at, context.clock() + RECHECK_INTERVAL)
            return


def list_departures(found: StoredCompetition, inside: Iterable[int]) -> list[tuple[int, Leaving]]:
    """Return who of those inside is gone: their person was forgotten, or became one with somebody else's in it."""
    return [
        (number, Leaving.FORGOTTEN if found.entries[number].person is not None else Leaving.LINKED)
        for number in inside
        if not found.entries[number].inside
    ]
