"""After a game's analysis its guesses are looked at: which of them it calls as good as the best."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.due_worker import DueWorker
from bot.guesses.settling import judge_guesses
from bot.interface.refusals import Refused
from bot.tables.table import BrokenGame
from bot.thinking.thinkers import ThinkingFailed

SIGNAL: Final = "analysis"
FIRST_RETRY: Final = timedelta(minutes=10)
"""When a game is tried again whose guesses could not be looked at; each further time it takes twice as long."""
MAX_RETRY_DELAY: Final = timedelta(days=1)

log = structlog.get_logger(__name__)


class GuessJudging(DueWorker):
    """A worker that looks at the guesses of games that are over and analysed, one game after the other."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event(SIGNAL), "guesses")
        self._retries: dict[str, tuple[datetime, timedelta]] = {}
        """When games whose guesses could not be looked at are tried again, and how long that was put off."""

    async def _run_due(self) -> bool:
        now = self._context.clock()
        waiting = {code for code, (at, _) in self._retries.items() if at > now}
        found = await self._context.store.guesses.list_to_judge(1, waiting)
        for code in found:
            try:
                if await judge_guesses(self._context, await self._context.table(code)):
                    self._retries.pop(code, None)
                    continue
            except (ThinkingFailed, BrokenGame, Refused) as error:
                log.warning("guesses-not-judged", game=code, reason=str(error))
            before = self._retries.get(code)
            delay = FIRST_RETRY if before is None else min(2 * before[1], MAX_RETRY_DELAY)
            self._retries[code] = (now + delay, delay)
        return bool(found)

    async def _next_due_at(self) -> datetime | None:
        return min((at for at, _ in self._retries.values()), default=None)
