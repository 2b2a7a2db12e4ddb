"""Good moves, found by searches in other processes: the asker waits a little and looks again if it takes longer."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

import structlog
from cachetools import LRUCache

from bot.interface.refusals import Refused
from bot.tables.table import GamePeople, Table
from bot.thinking.analysis import Alternative, Analysis, Analyst
from bot.thinking.own_moments import OwnMomentFinder, OwnMoments
from bot.thinking.thinkers import SearchPool, ThinkingFailed
from engine import CHANCE, Action, State, Turn
from engine.search import Judged, players
from engine.search.policy import values_of

HINT_CACHE_SIZE: Final = 256
HINT_SEARCH_SECONDS: Final = 1.5
"""How long the search for a hint may take."""
HINT_WAIT_SECONDS: Final = 2.5
"""How many seconds a request waits for a search before it is told to look again."""
_SEARCH_LEVEL: Final = 5
"""The level of the computer player whose iterations are the most that a hint is worth, whatever the clock."""
_LATER_ACTION_DIVISOR: Final = 4
"""By how much later actions of a turn are searched less than the first."""

T = TypeVar("T")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A good way to play a turn, or the rest of one, with what the search says about its first action."""

    before: State
    actions: tuple[Action, ...]
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class SearchWatch:
    """What one person waits for: `news` is set when that changes."""

    news: asyncio.Event
    progress: Callable[[], Mapping[str, tuple[int, int]]]
    """Returns how many of how many decisions each search has looked at, by its name; of a hint none of none."""


class BackgroundWork(Generic[T]):
    """Work that goes on while those who asked for it do other things: one piece at a time a person, the newest kept.

    `on_change` is called with the people who wait for a piece that begins or ends.
    """

    def __init__(self, on_change: Callable[[Sequence[int]], None] | None = None, most: int = HINT_CACHE_SIZE) -> None:
        self._on_change = on_change or (lambda _: None)
        self._done: LRUCache[Hashable, T] = LRUCache(most)
        self._tasks: dict[Hashable, asyncio.Task[T]] = {}
        self._by_person: dict[int, Hashable] = {}
        self._names: dict[Hashable, str] = {}

    def name_for(self, person: int) -> str | None:
        """Return the name of the work that somebody waits for, None if they wait for none."""
        return self._names.get(self._by_person.get(person))

    def people_waiting(self, name: str) -> list[int]:
        """Return who waits for work with a name."""
        return [person for person, key in self._by_person.items() if self._names.get(key) == name]

    async def result(
        self, key: Hashable, name: str, person: int, work: Callable[[], Coroutine[Any, Any, T]], timeout_seconds: float
    ) -> T | None:
        """Return what the work for a key comes to, None if it is not done yet.

        Refused if the person waits for something else already, or if the work failed.
        """
        if key in self._done:
            return self._done[key]
        task = self._tasks.get(key)
        if task is None:
            if self._by_person.get(person) in self._tasks:
                raise Refused("refusal.one-search")
            task = asyncio.create_task(work(), name="advice")
            self._tasks[key] = task
            self._names[key] = name
            task.add_done_callback(partial(self._finish_search, key))
        self._by_person[person] = key
        self._on_change([person])
        await asyncio.wait({task}, timeout=timeout_seconds)
        if not task.done():
            return None
        try:
            return task.result()
        except ThinkingFailed as error:
            log.warning("advice-failed", code=error.code)
            raise Refused("refusal.no-advice") from error

    def _finish_search(self, key: Hashable, task: asyncio.Task[T]) -> None:
        self._tasks.pop(key, None)
        people = [person for person, wanted in self._by_person.items() if wanted == key]
        self._names.pop(key, None)
        for person in people:
            del self._by_person[person]
        self._on_change(people)
        if task.cancelled() or task.exception() is not None:
            return
        self._done[key] = task.result()

    async def close(self) -> None:
        """Give up what is under way."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Advice:
    """Hints for people on the move, and analyses of finished games."""

    def __init__(self, thinkers: SearchPool, effort: float = 1.0) -> None:
        """Make it; `effort` scales how much is searched."""
        self.thinkers = thinkers
        self.effort = effort
        self.timeout_seconds = HINT_WAIT_SECONDS
        self.hints: BackgroundWork[Suggestion] = BackgroundWork(self._notify)
        self.analyses: BackgroundWork[Analysis] = BackgroundWork(self._notify)
        self.moments: BackgroundWork[OwnMoments] = BackgroundWork(self._notify)
        self._analysts: dict[str, Analyst] = {}
        self._watches: dict[int, set[asyncio.Event]] = defaultdict(set)

    async def hint(self, table: Table, person: int) -> Suggestion | None:
        """Return a good way to go on for the seat on the move, None if that is not known yet; Refused."""
        state = table.playing.state
        key = (table.row.id, state.turn, state)
        name, work = hint_search(table.row.id), partial(self.suggestion, state, whose=person)
        return await self.hints.result(key, name, person, work, self.timeout_seconds)

    async def analysis(
        self,
        game: str,
        turns: Sequence[Turn],
        person: int,
        keep: Callable[[Analysis], Awaitable[None]],
        alternatives: Sequence[Alternative] = (),
    ) -> Analysis | None:
        """Return how the chances went in a finished game, None if that is not known yet; Refused.

        What is found is given to `keep`, whether or not anybody still waits for it. Of `alternatives` the best is told.
        """

        name = analysis_search(game)

        async def work() -> Analysis:
            analyst = Analyst(self.thinkers, turns, self.effort, person, alternatives)
            with self._report_progress(name, analyst, self.analyses):
                found = await analyst.analysis()
                await keep(found)
            return found

        return await self.analyses.result(game, name, person, work, self.timeout_seconds)

    async def own_moments(
        self,
        game: str,
        turns: Sequence[Turn],
        seat: int,
        found: Analysis,
        person: int,
        store: Callable[[OwnMoments], Awaitable[None]],
    ) -> OwnMoments | None:
        """Return the moments of a seat in an analysed game, None if they are not known yet; Refused.

        The result is given to `store`, whether or not anybody still waits for it.
        """
        name = moments_search(game, seat)

        async def work() -> OwnMoments:
            finder = OwnMomentFinder(self.thinkers, turns, seat, found, self.effort, person)
            with self._report_progress(name, finder, self.moments):
                moments = await finder.own_moments()
                await store(moments)
            return moments

        return await self.moments.result((game, seat), name, person, work, self.timeout_seconds)

    async def worth(self, state: State, seat: int, *, whose: Hashable = None) -> float | None:
        """Return what a seat may expect in a position, None where dice come first; ThinkingFailed."""
        if state.outcome is not None:
            return values_of(state.outcome)[seat]
        if state.to_move == CHANCE:
            return None
        iterations = max(1, round(players[state.game.key].level(_SEARCH_LEVEL).iterations * self.effort))
        legal = state.legal_actions()
        if len(legal) == 1:
            return await self.worth(state.play(legal[0]), seat, whose=whose)
        judged = await self.thinkers.analyse(state.to_json(), iterations, HINT_SEARCH_SECONDS, whose=whose)
        return judged[0].values[seat]

    async def judge(self, state: State, *, whose: Hashable = None) -> tuple[Judged, ...]:
        """Return what a search says of the actions of the seat on the move, best first; ThinkingFailed."""
        iterations = max(1, round(players[state.game.key].level(_SEARCH_LEVEL).iterations * self.effort))
        return await self._judge_choices(state, iterations, HINT_SEARCH_SECONDS, whose)

    def progress(self, name: str) -> tuple[int, int]:
        """Return how many of how many decisions a search has looked at; none of none while it does not run."""
        analyst = self._analysts.get(name)
        return (analyst.done, analyst.total) if analyst else (0, 0)

    @contextmanager
    def watch(self, person: int) -> Iterator[SearchWatch]:
        """Tell of what one person waits for, while inside."""
        news = asyncio.Event()
        self._watches[person].add(news)
        try:
            yield SearchWatch(news, partial(self._searches_of, person))
        finally:
            self._watches[person].discard(news)
            if not self._watches[person]:
                del self._watches[person]

    def _searches_of(self, person: int) -> dict[str, tuple[int, int]]:
        names = (work.name_for(person) for work in (self.hints, self.analyses, self.moments))
        return {name: self.progress(name) for name in names if name is not None}

    def _notify(self, people: Sequence[int]) -> None:
        for person in people:
            for news in self._watches.get(person, ()):
                news.set()

    @contextmanager
    def _report_progress(self, name: str, analyst: Analyst, work: BackgroundWork[Any]) -> Iterator[None]:
        """Have a search tell how far it is, while inside."""
        self._analysts[name] = analyst
        analyst.on_progress = lambda: self._notify(work.people_waiting(name))
        try:
            yield
        finally:
            del self._analysts[name]

    async def suggestion(self, state: State, *, whose: Hashable = None) -> Suggestion:
        """Return a good way to play the turn, or the rest of one, of the seat on the move; ThinkingFailed."""
        iterations = max(1, round(players[state.game.key].level(_SEARCH_LEVEL).iterations * self.effort))
        judged = await self._judge_choices(state, iterations, HINT_SEARCH_SECONDS, whose)
        actions = [judged[0].action]
        after = state.play(actions[0])
        while after.to_move == state.to_move and after.turn == state.turn:
            later = await self._judge_choices(
                after, max(1, iterations // _LATER_ACTION_DIVISOR), HINT_SEARCH_SECONDS / _LATER_ACTION_DIVISOR, whose
            )
            actions.append(later[0].action)
            after = after.play(actions[-1])
        return Suggestion(state, tuple(actions), judged)

    async def _judge_choices(
        self, state: State, iterations: int, seconds: float, whose: Hashable
    ) -> tuple[Judged, ...]:
        legal = state.legal_actions()
        if len(legal) == 1:
            return (Judged(legal[0], (0.5,) * state.seats, 0),)
        return await self.thinkers.analyse(state.to_json(), iterations, seconds, whose=whose)

    async def close(self) -> None:
        """Give up what is under way."""
        await self.hints.close()
        await self.analyses.close()
        await self.moments.close()


def hint_search(game: str) -> str:
    """Return the name of the search for a hint in a game."""
    return f"hint {game}"


def analysis_search(game: str) -> str:
    """Return the name of the search that analyses a game."""
    return f"analysis {game}"


def moments_search(game: str, seat: int) -> str:
    """Return the name of the search for a seat's own moments in a game."""
    return f"moments {game} {seat}"


def are_hints_allowed(game_people: GamePeople) -> bool:
    """Say whether hints may be asked for in a game: as was chosen, else unless people play for ratings."""
    terms = game_people.brief.terms
    if terms.hints is not None:
        return terms.hints
    return not terms.rated or any(entry.computer for entry in game_people.brief.seats)
