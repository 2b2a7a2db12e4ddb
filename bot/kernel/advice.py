"""Hints and analyses by background searches: a request waits briefly; after that, the person asks again."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Coroutine, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Generic, TypeVar

import structlog
from cachetools import LRUCache

from bot.kernel.cards import Card, Menu
from bot.kernel.operations.tasks import cancel_tasks
from bot.kernel.refusals import Refused
from bot.kernel.requests import Reply, Request
from bot.kernel.table import GamePeople, Table, has_computer
from bot.thinking.analysis import Alternative, Analysis, Figures, SearchedFigures
from bot.thinking.analyst import Analyst, OwnMomentFinder, OwnMoments
from bot.thinking.thinkers import SearchPool, ThinkingFailed, complete_turn, find_expected_values, judge_actions
from engine import State, Turn
from engine.core import Actions
from engine.search import Judged, players
from engine.search.progress import list_aimless_actions

HINT_CACHE_SIZE: Final = 256
HINT_SEARCH_SECONDS: Final = 1.5
"""Maximum seconds of the search for a hint."""
HINT_WAIT_SECONDS: Final = 2.5
"""Seconds that a request waits for a search before its reply asks the person to look again."""
_SEARCH_LEVEL: Final = 5
"""The level of the computer player whose number of iterations limits a hint's search, in addition to the time."""
_LATER_ACTION_SHARE: Final = 1 / 4
"""How much later actions of a turn are searched, as a share of the first."""

T = TypeVar("T")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A good way to play a turn, or the rest of one, with the search's judgement of its first action."""

    before: State
    actions: Actions
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class SearchWatch:
    """The searches that one person waits for; `news` is set when these change."""

    news: asyncio.Event
    progress: Callable[[], Mapping[str, tuple[int, int]]]
    """Returns (searched, total) decisions of each search, by name; (0, 0) for a hint."""


@dataclass(eq=False, slots=True)
class _Running(Generic[T]):
    """Work in progress, and the people who wait for it."""

    name: str
    task: asyncio.Task[T]
    people: set[int] = field(default_factory=set)


class BackgroundWork(Generic[T]):
    """Background work: one task per person at a time, with cached results.

    `on_change` is called with the people who wait for a task when it begins or ends.
    """

    def __init__(
        self, on_change: Callable[[Iterable[int]], None] = lambda _: None, most: int = HINT_CACHE_SIZE
    ) -> None:
        self._on_change = on_change
        self._done: LRUCache[Hashable, T] = LRUCache(most)
        self._running: dict[Hashable, _Running[T]] = {}

    def name_for(self, person: int) -> str | None:
        """Return the name of the work that a person waits for, or None."""
        return next((work.name for work in self._running.values() if person in work.people), None)

    async def wait(self, name: str) -> None:
        """Wait until no work of a name is in progress."""
        tasks = [work.task for work in self._running.values() if work.name == name]
        if tasks:
            await asyncio.wait(tasks)

    def people_waiting(self, name: str) -> list[int]:
        """Return the people who wait for work with a name."""
        return [person for work in self._running.values() if work.name == name for person in work.people]

    async def result(
        self, key: Hashable, name: str, person: int, work: Callable[[], Coroutine[Any, Any, T]], timeout_seconds: float
    ) -> T | None:
        """Return the result of the work for a key, None if it is not finished yet.

        Raises Refused if the person already waits for something else, or if the work failed.
        """
        if key in self._done:
            return self._done[key]
        running = self._running.get(key)
        if running is None:
            if self.name_for(person) is not None:
                raise Refused("refusal.one-search")
            running = self._running[key] = _Running(name, asyncio.create_task(work(), name="advice"))
            running.task.add_done_callback(partial(self._finish_search, key))
        for other in self._running.values():
            other.people.discard(person)
        running.people.add(person)
        self._on_change([person])
        await asyncio.wait({running.task}, timeout=timeout_seconds)
        if not running.task.done():
            return None
        try:
            return running.task.result()
        except ThinkingFailed as error:
            log.warning("advice-failed", code=error.code)
            raise Refused("refusal.no-advice") from error

    def _finish_search(self, key: Hashable, task: asyncio.Task[T]) -> None:
        self._on_change(self._running.pop(key).people)
        if not task.cancelled() and task.exception() is None:
            self._done[key] = task.result()

    async def close(self) -> None:
        """Cancel the tasks in progress."""
        await cancel_tasks(*(work.task for work in self._running.values()))


class Advice:
    """Hints for people to move, and analyses of finished games."""

    def __init__(self, thinkers: SearchPool, effort: float = 1.0) -> None:
        """Create the service; `effort` scales how much is searched."""
        self.thinkers = thinkers
        self.effort = effort
        self.timeout_seconds = HINT_WAIT_SECONDS
        self.hints: BackgroundWork[Suggestion] = BackgroundWork(self._notify)
        self.analyses: BackgroundWork[Analysis] = BackgroundWork(self._notify)
        self.moments: BackgroundWork[OwnMoments] = BackgroundWork(self._notify)
        self._figures = SearchedFigures()
        self._analysts: dict[str, Analyst] = {}
        self._watches: dict[int, set[asyncio.Event]] = defaultdict(set)

    async def hint(self, table: Table, person: int) -> Suggestion | None:
        """Return a good continuation for the seat to move, None if it is not found yet; may raise Refused."""
        state, turns = table.playing.state, table.playing.newest_turns
        key = (table.id, state.turn, state, list_aimless_actions(state, players[state.game.key].policy, turns))
        name, work = hint_search(table.id), partial(self.suggestion, state, turns, whose=person)
        return await self.hints.result(key, name, person, work, self.timeout_seconds)

    async def analysis(
        self,
        game: str,
        turns: Sequence[Turn],
        person: int,
        keep: Callable[[Analysis], Awaitable[None]],
        alternatives: Sequence[Alternative] = (),
    ) -> Analysis | None:
        """Return the analysis of a finished game, None if it is not finished yet; may raise Refused.

        The result is passed to `keep`, even if no person waits for it any more. It includes the best of the
        `alternatives`.
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
        store: Callable[[OwnMoments, Figures], Awaitable[OwnMoments]],
    ) -> OwnMoments | None:
        """Return the moments of a seat in an analysed game, None if they are not found yet; may raise Refused.

        The result is passed to `store` with the figures of its positions, even if no person waits for it any more;
        `store` returns the moments to show.
        """
        name = moments_search(game, seat)

        async def work() -> OwnMoments:
            finder = OwnMomentFinder(self.thinkers, turns, seat, found, self.effort, person)
            with self._report_progress(name, finder, self.moments):
                return await store(await finder.own_moments(), finder.figures)

        return await self.moments.result((game, seat), name, person, work, self.timeout_seconds)

    async def worth(self, state: State, seat: int, *, whose: Hashable = None) -> float | None:
        """Return a seat's expected value of a position, None if dice come first; may raise ThinkingFailed."""
        values = await find_expected_values(state, partial(self._search, whose=whose))
        return None if values is None else values[seat]

    async def judge(
        self, state: State, turns: Sequence[Turn] = (), *, whose: Hashable = None, share: float = 1.0
    ) -> tuple[Judged, ...]:
        """Return a search's judgement of the actions of the seat to move, best first; may raise ThinkingFailed.

        Actions that only undo what the seat did in the `turns` before are left out (`engine/search/progress.py`).
        `share` is the effort as a share of a hint's whole search.
        """
        avoid = list_aimless_actions(state, players[state.game.key].policy, turns)
        return await self._search(state, avoid, whose=whose, share=share)

    async def _search(
        self, state: State, avoid: Collection[str] = (), *, whose: Hashable, share: float = 1.0
    ) -> tuple[Judged, ...]:
        iterations = players[state.game.key].level(_SEARCH_LEVEL).iterations * self.effort * share
        seconds = HINT_SEARCH_SECONDS * share
        return await judge_actions(self.thinkers, state, iterations, seconds, whose=whose, avoid=avoid)

    def progress(self, name: str) -> tuple[int, int]:
        """Return (searched, total) decisions of a search; (0, 0) while it does not run."""
        analyst = self._analysts.get(name)
        return (analyst.done, analyst.total) if analyst else (0, 0)

    async def wait(self, name: str) -> None:
        """Wait until no search of a name is running."""
        for work in (self.hints, self.analyses, self.moments):
            await work.wait(name)

    @contextmanager
    def watch(self, person: int) -> Iterator[SearchWatch]:
        """Return a context manager that reports the searches that one person waits for."""
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

    def _notify(self, people: Iterable[int]) -> None:
        for person in people:
            for news in self._watches.get(person, ()):
                news.set()

    @contextmanager
    def _report_progress(self, name: str, analyst: Analyst, work: BackgroundWork[Any]) -> Iterator[None]:
        """Report a search's progress inside the block."""
        self._analysts[name] = analyst
        analyst.on_progress = lambda: self._notify(work.people_waiting(name))
        try:
            yield
        finally:
            del self._analysts[name]

    async def suggestion(self, state: State, turns: Sequence[Turn] = (), *, whose: Hashable = None) -> Suggestion:
        """Return a good way for the seat to move to play its turn, or the rest of it; may raise ThinkingFailed.

        `turns` are the turns before, the newest last: the suggestion does not undo the seat's own last turn
        (`engine/search/progress.py`).
        """
        judged = await self.judge(state, turns, whose=whose)
        judge = partial(self.judge, turns=turns, whose=whose, share=_LATER_ACTION_SHARE)
        actions, _ = await complete_turn(state, judged[0].action, judge)
        return Suggestion(state, actions, self._figures.settle(state, judged))

    async def close(self) -> None:
        """Cancel the tasks in progress."""
        for work in (self.hints, self.analyses, self.moments):
            await work.close()


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
    """Return True if hints are allowed in a game: as chosen, by default in all games but rated ones between people."""
    terms = game_people.brief.terms
    if terms.hints is not None:
        return terms.hints
    return not terms.rated or has_computer(game_people.brief)


class SearchFollower:
    """Waits for searches, and replaces the messages that wait for them by the results.

    The waiting messages are held in memory only: after a restart, people use the button on them.
    """

    def __init__(
        self, press: Callable[[Request, str], Awaitable[Reply]], wait: Callable[[str], Awaitable[None]]
    ) -> None:
        """Create the follower; `wait` returns when the search that a card names (`Card.search`) has ended.

        `press` handles the press that looks for the result (`Tavoliere.press`).
        """
        self._press = press
        self._wait = wait
        self._tasks = set[asyncio.Task[None]]()
        self.waiting: dict[Hashable, object] = {}
        """The messages that wait for a search, each with a unique token."""

    def follow(self, where: Hashable, request: Request, card: Card, show: Callable[[Card], Awaitable[None]]) -> None:
        """Show the result of a card's search once it is found; do nothing for a card without a search.

        The card is the reply to `request`; `where` is the message that `show` replaces.
        """
        if card.search is None:
            return
        look = next((each.press for row in card.rows if not isinstance(row, Menu) for each in row), None)
        if look is None or where in self.waiting:
            return
        wanted = self.waiting[where] = object()
        later = replace(request, event=f"{request.event}:found", brings=None)

        async def work(search: str) -> None:
            try:
                await self._wait(search)
                if self.waiting.get(where) is not wanted:
                    return
                reply = await self._press(later, look)
                # The press is refused if the game has moved on since: there is nothing to suggest any more.
                found = reply.card if reply.update else None
                if found is not None and found.search is None and self.waiting.get(where) is wanted:
                    await show(found)
            finally:
                if self.waiting.get(where) is wanted:
                    del self.waiting[where]

        task = asyncio.create_task(work(card.search), name=f"search {card.search}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self, where: Hashable) -> None:
        """Stop following for a message that is gone or shows something else."""
        self.waiting.pop(where, None)

    async def close(self) -> None:
        """Stop waiting."""
        await cancel_tasks(*self._tasks)
