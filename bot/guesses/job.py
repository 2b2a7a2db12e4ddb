"""After a game's analysis its guesses are looked at: which of them it calls as good as the best."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.due_worker import DueWorker
from bot.guesses.settling import judge_guesses
from bot.interface.refusals import Refused
from bot.tables.table import BrokenGame
from bot.thinking.thinkers import ThinkingFailed

SIGNAL: Final = "analysis"

log = structlog.get_logger(__name__)


class GuessJudging(DueWorker):
    """A worker that looks at the guesses of games that are over and analysed, one game after the other."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event(SIGNAL), "guesses")
        self._failed: set[str] = set()
        """Games whose guesses could not be looked at; they are tried again at the next start."""

    async def _run_due(self) -> bool:
        found = await self._context.store.guesses.list_to_judge(1, self._failed)
        for code in found:
            try:
                if await judge_guesses(self._context, await self._context.table(code)):
                    continue
            except (ThinkingFailed, BrokenGame, Refused) as error:
                log.warning("guesses-not-judged", game=code, reason=str(error))
            self._failed.add(code)
        return bool(found)

    async def _next_due_at(self) -> datetime | None:
        return None
