"""The job of competitions of one kind: it advances them.

The database says what is due; the process that holds the lock does it. Repeated steps change nothing.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Any, Final, Generic, TypeVar

import structlog

from bot.core.context import Context
from bot.core.due_worker import DueWorker
from bot.core.features import NoticeContent
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.language.texts import Speaker
from bot.matches.keeper import CompetitionKeeper, CompetitionWithState
from bot.matches.stored import RECHECK_INTERVAL
from engine import EngineError
from storage import CompetitionKind, Conflict, Notice, StorageError

MAX_STEPS: Final = 5000
"""Maximum number of steps in a row for one competition, before others are served."""

C = TypeVar("C", bound=CompetitionWithState[Any])

log = structlog.get_logger(__name__)


class CompetitionWorker(DueWorker, Generic[C]):
    """Advances the competitions of one kind."""

    def __init__(
        self,
        context: Context,
        keeper: CompetitionKeeper[Any, Any, Any, C],
        do_next_step: Callable[[Context, C], Awaitable[bool]],
        next_look: Callable[[C, datetime], datetime],
    ) -> None:
        """Create the worker.

        `do_next_step` does the first step that is due and returns whether there was one; Conflict if another writer
        was faster. `next_look` says when a competition that is not over is looked at again.
        """
        super().__init__(context, context.signals.event(f"competition/{keeper.kind}"), f"{keeper.kind}s")
        self._keeper = keeper
        self._kind: CompetitionKind = keeper.kind
        self._do_next_step = do_next_step
        self._next_look = next_look

    async def _next_due_at(self) -> datetime | None:
        return await self._context.store.competitions.next_due_at(self._kind)

    async def _run_due(self) -> bool:
        done = False
        for code in await self._context.store.competitions.list_due(self._context.clock(), kind=self._kind):
            done = await self._advance_claimed(code) or done
        return done

    async def _advance_claimed(self, code: str) -> bool:
        async with self._context.store.lock(f"competition {code}") as ours:
            if ours:
                await self._advance(code)
        return ours

    async def _advance(self, code: str) -> None:
        """Do everything that is due for a competition, and schedule the next look."""
        competitions = self._context.store.competitions
        for _ in range(MAX_STEPS):
            row = await competitions.get(code)
            if row is None:
                return
            try:
                found = await self._keeper.read(self._context, row)
                if row.status != "over" and await self._do_next_step(self._context, found):
                    continue
                later = None if row.status == "over" else self._next_look(found, self._context.clock())
                await competitions.postpone(code, row.due_at, later)
                return
            except Conflict:
                continue
            except StorageError:
                raise
            # Nothing is lost: the operator sees the error in the log, the others are served, and this one is retried.
            except (Refused, EngineError) as error:
                log.error("broken-competition", competition=code, reason=repr(error))
            except Exception:
                log.exception("competition-failed", competition=code)
            await competitions.postpone(code, row.due_at, self._context.clock() + RECHECK_INTERVAL)
            return


async def read_competition_notice(
    keeper: CompetitionKeeper[Any, Any, Any, C],
    write: Callable[[C, str, int, Speaker], Card | None],
    context: Context,
    notice: Notice,
) -> NoticeContent | None:
    """Return the content of a competition's notice: what `write` makes of its subject and its number."""
    code, about, number, *_ = (*notice.subject.split(":"), "", "")
    try:
        found = await keeper.find(context, code)
    except Refused:
        return None
    if not number.isdecimal() or found.stands.over:
        return None
    shown = await context.store.posts.list_of_competition(code)
    return NoticeContent([each for each in shown if not each.gone], partial(write, found, about, int(number)))
