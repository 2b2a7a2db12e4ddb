"""Judges guesses after a game's analysis: which of them are as good as the best turn."""

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
FIRST_RETRY_SECONDS: Final = 600.0
"""Seconds before the first retry of a game whose guesses could not be judged; it doubles with each retry."""
MAX_RETRY_SECONDS: Final = 86_400.0

log = structlog.get_logger(__name__)


class GuessJudging(DueWorker):
    """Judges the guesses of finished and analysed games, one game at a time."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event(SIGNAL), "guesses")
        self._retries: dict[str, tuple[float, float]] = {}
        """By game: the time of its next retry by the monotonic clock, and the seconds before it."""

    async def _run_due(self) -> bool:
        now = self._context.clock.monotonic()
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
            delay = FIRST_RETRY_SECONDS if before is None else min(2 * before[1], MAX_RETRY_SECONDS)
            self._retries[code] = (now + delay, delay)
        return bool(found)

    async def _next_due_at(self) -> datetime | None:
        if not self._retries:
            return None
        clock = self._context.clock
        return clock() + timedelta(seconds=min(at for at, _ in self._retries.values()) - clock.monotonic())
