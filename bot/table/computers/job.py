"""Computer players: they search when it is their turn and move as people do; after a restart they search again.

Their tasks are in the database (`thinking`), so they survive a restart. The result of a search is discarded if the game
has moved on meanwhile: like every move, it is stored only at the revision that it was made for.
"""

import asyncio
import itertools
from collections import Counter
from functools import partial
from typing import Final

import structlog
from cachetools import LRUCache

from bot.kernel.context import Context
from bot.kernel.line import read_actions
from bot.kernel.operations.listening import log_outage
from bot.kernel.operations.tasks import cancel_tasks
from bot.kernel.post_kinds import DueWorker, back_off_seconds
from bot.kernel.refusals import Refused
from bot.kernel.table import Table, computer_seats, is_draw_unanswered, report_broken_game
from bot.table import offers, service as play
from bot.thinking.thinkers import MAX_REMEMBERED, ThinkingFailed
from engine import EngineError, Outcome
from engine.core import places_with_draw
from engine.search.policy import values_of
from storage import OfferKind, StorageError

MIN_BACKOFF_SECONDS: Final = 2.0
MAX_BACKOFF_SECONDS: Final = 300.0
"""Minimum and maximum back-off after a failure."""
CLAIM_RETRY_SECONDS: Final = 5.0
"""Seconds before retrying a game whose lock another process holds."""
_EXTRA_GAMES_CONSIDERED: Final = 64
"""Number of games read beyond those that can be started, so that people with fewer running searches get a turn."""
_DRAW_SEARCH_ITERATIONS: Final = 2000
_DRAW_SEARCH_SECONDS: Final = 1.0
"""Limits, in iterations and seconds, of the search that decides whether to accept a draw."""

log = structlog.get_logger(__name__)


class ComputerPlayers(DueWorker):
    """A worker with a task for each game in which a computer is to act, a few at a time.

    The limit keeps people's own searches fast and the number of database reads low.
    """

    failure_pause_seconds = MIN_BACKOFF_SECONDS

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("thinking"), "computers")
        self._signals = context.signals
        self._games: dict[str, asyncio.Task[None]] = {}
        self._running: Counter[int] = Counter()
        self._served: LRUCache[int, int] = LRUCache(MAX_REMEMBERED)
        self._numbers = itertools.count(1)
        self._failures: dict[str, int] = {}
        self._broken: set[str] = set()
        self._resting: dict[str, asyncio.TimerHandle] = {}

    async def close(self) -> None:
        """Stop; interrupted searches start again at the next start."""
        await super().close()
        await cancel_tasks(*self._games.values())
        for timer in self._resting.values():
            timer.cancel()

    async def run_until_idle(self) -> None:
        """Run until no search is left, except those that back off."""
        while await self._dispatch() or self._games:
            await asyncio.gather(*self._games.values())

    async def _run_due(self) -> bool:
        await self._dispatch()
        return False  # the rest is started when a search has ended

    async def _dispatch(self) -> bool:
        """Start every due game that is neither running nor backing off; return True if any was started."""
        most = self._context.thinkers.most + 1
        left = {*self._games, *self._resting, *self._broken}
        due = await self._store.games.list_thinking(most + _EXTRA_GAMES_CONSIDERED + len(left))
        waiting = [(game, person) for game, person in due if game not in left]
        begun = False
        while waiting and len(self._games) < most:
            game, person = min(waiting, key=lambda each: (self._running[each[1]], self._served.get(each[1], 0)))
            # A person with many games leaves room for others.
            if self._running[person] >= self._context.thinkers.most:
                break
            waiting.remove((game, person))
            self._running[person] += 1
            self._served[person] = next(self._numbers)
            task = asyncio.create_task(self._serve(game), name=f"computer {game}")
            self._games[game] = task
            task.add_done_callback(partial(self._task_done, game, person))
            begun = True
        return begun

    def _task_done(self, game: str, person: int, _: asyncio.Task[None]) -> None:
        self._games.pop(game, None)
        self._running[person] -= 1
        if not self._running[person]:
            del self._running[person]
        self._wanted.set()
        self._signals.notify_computer_done()

    async def _serve(self, game: str) -> None:
        try:
            async with self._store.lock(f"computer {game}") as is_locked:
                if not is_locked:
                    self._postpone(game, CLAIM_RETRY_SECONDS)
                    return
                table = await self._context.table(game)
                if table.row.thinking:
                    await self._act(table)
                self._failures.pop(game, None)
        except Refused:
            return  # the game has changed: the next dispatch reads it again
        except ThinkingFailed as error:
            if error.code != "closed":
                log.error("computer-search-failed", game=game, code=error.code)
                self._back_off(game)
        except EngineError as error:
            # The stored game is broken, or its rules are not installed: a retry would not help.
            report_broken_game(log, error, game=game)
            self._broken.add(game)
            self._signals.resting.add(game)
        except StorageError as error:
            log_outage(log, "computer-waits-for-the-database", error, game=game)
            self._back_off(game)
        except Exception:
            log.exception("computer-failed", game=game)
            self._back_off(game)

    def _back_off(self, game: str) -> None:
        """Back off a game, longer after each failure."""
        failures = self._failures[game] = self._failures.get(game, 0) + 1
        self._postpone(game, back_off_seconds(failures - 1, MIN_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS))

    def _postpone(self, game: str, seconds: float) -> None:
        self._signals.resting.add(game)
        self._resting[game] = asyncio.get_running_loop().call_later(seconds, self._end_back_off, game)

    def _end_back_off(self, game: str) -> None:
        self._resting.pop(game, None)
        self._signals.resting.discard(game)
        self._wanted.set()

    async def _act(self, table: Table) -> None:
        """Answer the pending offer, or play a whole turn."""
        draw, level = table.row.offers.offer_of_kind(OfferKind.DRAW), table.level_at(table.mover)
        if draw is not None and is_draw_unanswered(table.row):
            await offers.answer_for_computers(self._context, table, draw, await self._computer_declining_draw(table))
        elif level is not None:
            texts = await play.search_turn(self._context, table.row, level)
            actions = read_actions(table.playing.state, texts)
            table, step = await play.play_on(self._context, table, actions)
            await play.commit_line(self._context, table, step, None)

    async def _computer_declining_draw(self, table: Table) -> int | None:
        """Return a computer seat that expects more than a draw, or None."""
        row, state = table.row, table.playing.state
        judged = await self._context.thinkers.analyse(
            state.to_json(), _DRAW_SEARCH_ITERATIONS, _DRAW_SEARCH_SECONDS, whose=row.starter, about=row.id
        )
        drawn = values_of(Outcome("agreement", places_with_draw(row.seat_count, state.dropped)))
        return next((seat for seat in computer_seats(row) if judged[0].values[seat] > drawn[seat]), None)
