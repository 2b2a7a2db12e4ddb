"""The job of competitions of one kind: it advances them.

The database says what is due; the process that holds the lock does it. Repeated steps change nothing.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, ClassVar, Final, Generic

import structlog

from bot.competitions.boards import CupGame
from bot.competitions.events import COMPUTER_ENTRANT, Asked
from bot.core.context import Context
from bot.core.due_worker import DueWorker
from bot.core.features import NoticeContent
from bot.interface.refusals import Refused
from bot.matches.cards import CompetitionCards
from bot.matches.games import read_match_result
from bot.matches.keeper import C, CompetitionKeeper
from bot.matches.stored import RECHECK_INTERVAL, list_departures
from engine import EngineError, games
from storage import Conflict, Notice, StorageError

MAX_STEPS: Final = 5000
"""Maximum number of steps in a row for one competition, before others are served."""

log = structlog.get_logger(__name__)


class CompetitionWorker(DueWorker, Generic[C]):
    """Advances the competitions of one kind, those of its `keeper`."""

    keeper: ClassVar[CompetitionKeeper[Any, Any]]
    asks_the_silent: ClassVar[bool] = True
    """Whether those who never moved in a game are asked if they still take part."""

    def __init__(self, context: Context) -> None:
        kind = self.keeper.kind
        super().__init__(context, context.signals.event(f"competition/{kind}"), f"{kind}s")

    @abstractmethod
    async def take_step(self, found: C) -> bool:
        """Do the first step that is due and return whether there was one; Conflict if another writer was faster."""

    @abstractmethod
    def next_look(self, found: C, now: datetime) -> datetime:
        """Return when a competition that is not over is looked at again."""

    async def read_results(
        self, running: Iterable[tuple[CupGame, Callable[[tuple[int, ...], str, tuple[int, ...]], Any]]], found: C
    ) -> list[Any]:
        """Return events for results that are not recorded yet, and to ask those who never moved.

        With each game comes what makes the event of its places, the reason, and the seats that never moved.
        """
        events: list[Any] = []
        asked: dict[int, None] = {}
        for game, make in running:
            result = await read_match_result(self._context, game.id or "", len(game.seats))
            if result is not None:
                events.append(make(*result))
                asked |= dict.fromkeys(game.seats[seat] for seat in result[2] if self.asks_the_silent)
        silent = [each for each in asked if each != COMPUTER_ENTRANT and found.stands.is_available(each)]
        return [*events, *map(Asked, silent)]

    async def _advance_once(self, found: C) -> bool:
        if gone := list_departures(found):
            await self.keeper.store(self._context, found, gone)
            return True
        # Nobody can play a game that is not installed: the competition stands still, as its games' clocks do.
        return found.row.game_key in games and await self.take_step(found)

    async def _next_due_at(self) -> datetime | None:
        return await self._context.store.competitions.next_due_at(self.keeper.kind)

    async def _run_due(self) -> bool:
        done = False
        for code in await self._context.store.competitions.list_due(self._context.clock(), kind=self.keeper.kind):
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
                found = await self.keeper.read(self._context, row)
                if row.status != "over" and await self._advance_once(found):
                    continue
                later = None if row.status == "over" else self.next_look(found, self._context.clock())
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
    cards: type[CompetitionCards[Any, Any]], context: Context, notice: Notice
) -> NoticeContent | None:
    """Return the content of a competition's notice: what its cards make of its subject and its number."""
    code, about, number, *_ = (*notice.subject.split(":"), "", "")
    try:
        found = await cards.keeper.find(context, code)
    except Refused:
        return None
    if not number.isdecimal() or found.stands.over:
        return None
    shown = [each for each in await context.store.posts.list_of_competition(code) if not each.gone]
    return NoticeContent(shown, lambda speaker: cards(found, speaker).notice(about, int(number)))
