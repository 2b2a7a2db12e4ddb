"""Searches of computer players in a few worker processes of low priority.

Workers use the engine compiled by `make compiled`, if it is current; otherwise the plain modules. A game from another
package always uses the plain modules, because compiled modules cannot take its classes.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import structlog
from cachetools import LRUCache

import engine
from engine import CHANCE, Action, State, games
from engine.core import Actions, Json, Position, Values
from engine.search import Judged
from engine.search.policy import values_of

MAX_REMEMBERED: Final = 4096
"""Maximum number of people and games whose last search is remembered."""

T = TypeVar("T")
Judge = Callable[[State], Awaitable[Sequence[Judged]]]
"""Searches a position and returns its actions with their expected values, best first."""


class FairQueue(Generic[T]):
    """Waiting searches in a fair order: people take turns, then the subjects of one person."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Hashable, Hashable, T]] = []
        self._served: LRUCache[Hashable, int] = LRUCache(MAX_REMEMBERED)
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[T]:
        return (piece for _, _, piece in self._waiting)

    @property
    def people_count(self) -> int:
        """Number of people with waiting searches."""
        return len({person for person, _, _ in self._waiting})

    def add(self, person: Hashable, about: Hashable, piece: T) -> None:
        """Append a search behind the others about the same subject."""
        self._waiting.append((person, about, piece))

    def pop(self) -> T:
        """Remove and return the next search; ValueError if none waits."""
        at = min(range(len(self._waiting)), key=self._last_served)
        person, about, piece = self._waiting.pop(at)
        self._served[None, person] = self._served[person, about] = next(self._numbers)
        return piece

    def clear(self) -> None:
        """Remove all waiting searches."""
        self._waiting.clear()

    def _last_served(self, at: int) -> tuple[int, int]:
        """Return when a search's person was last served, and its subject; zeros for never."""
        person, about, _ = self._waiting[at]
        return self._served.get((None, person), 0), self._served.get((person, about), 0)


_SOURCES: Final = Path(engine.__file__).resolve().parent
COMPILED_FOLDER: Final = _SOURCES.parent / "out" / "compiled"
FINGERPRINT_FILE: Final = "fingerprint.txt"
"""The file with the digest of the sources of the compiled modules."""


_CHECKSUM_BYTES: Final = 32
"""Number of bytes at the end of a data file that identify it."""


def search_path(place: Path = COMPILED_FOLDER) -> list[str]:
    """Return the entries to prepend to a search process's path; empty if the compiled engine is missing or outdated."""
    try:
        made_from = (place / FINGERPRINT_FILE).read_text(encoding="utf-8")
    except OSError:
        return []
    return [str(place)] if made_from == fingerprint() else []


def fingerprint() -> str:
    """Return a digest of the engine's sources."""
    digest = hashlib.sha256()
    for path in sorted(_SOURCES.rglob("*.py")):
        digest.update(path.relative_to(_SOURCES).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    for path in sorted(_SOURCES.rglob("*.bin")):
        # Only read the checksums at the end of these files, because they are large.
        with path.open("rb") as file:
            file.seek(-min(path.stat().st_size, _CHECKSUM_BYTES), 2)
            digest.update(path.name.encode() + b"\0" + file.read() + b"\0")
    return digest.hexdigest()


TURN_SECONDS: Final = 3.0
"""Maximum seconds for a computer's whole turn."""
_WORKER_GRACE_SECONDS: Final = 60.0
"""Seconds beyond its limit before a silent worker counts as dead: machines can be busy."""
_UNLIMITED_SEARCH_SECONDS: Final = 600.0
"""Maximum seconds of a search without a given limit."""
_MAX_ATTEMPTS: Final = 3
_MAX_LINE_BYTES: Final = 1 << 24

_WORKER_PROGRAM: Final = "import sys; sys.path[:] = {!r}; from bot.thinking.worker import main; main()"
"""The program of a worker: with this process's path, and the compiled engine if there is one."""

log = structlog.get_logger(__name__)


class ThinkingFailed(Exception):
    """A search has failed: `code` is `closed`, `no-worker`, `worker-died`, or the error of the search itself."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class SearchPool:
    """A pool of worker processes that search; people (`whose`) take turns, then games (`about`) of one person.

    Workers are started when needed. One that dies is replaced and its search repeated; a caller that stops waiting ends
    its search. A worker ends when its input closes, so it always ends with the program. If the engine is compiled,
    games of other packages have separate workers that use the plain modules.
    """

    def __init__(
        self,
        most: int | None = None,
        command: Sequence[str] = (),
        *,
        on_start: Callable[[int], object] = lambda _process_id: None,
    ) -> None:
        """Create a pool of at most `most` workers; `command` starts a worker (for tests).

        `on_start` is called with the process id of each worker.
        """
        self.most = most or default_worker_count()
        self._on_start = on_start
        compiled = search_path()
        self._plain = tuple(command) or _worker_command(sys.path)
        self._compiled = self._plain if command or not compiled else _worker_command([*compiled, *sys.path])
        self.waiting: FairQueue[_Search] = FairQueue()
        """The searches that wait for a worker."""
        self._runners: set[asyncio.Task[None]] = set()
        self._workers: set[_Worker] = set()
        self._idle = 0
        self._work = asyncio.Event()
        self._closed = False

    async def turn(
        self,
        position: Position,
        level: int,
        seed: int,
        seconds: float | None = TURN_SECONDS,
        *,
        whose: Hashable = None,
        about: Hashable = None,
    ) -> tuple[str, ...]:
        """Return the canonical texts of a level's turn in a position's JSON; ThinkingFailed."""
        order = {"do": "turn", "position": position, "level": level, "seed": seed, "seconds": seconds}
        texts = await self._run_search(order, seconds, whose, about)
        return tuple(texts)

    async def analyse(
        self,
        position: Position,
        iterations: int,
        seconds: float | None = None,
        *,
        whose: Hashable = None,
        about: Hashable = None,
        avoid: Collection[str] = (),
    ) -> tuple[Judged, ...]:
        """Return the actions of the seat to move with their expected values, best first; ThinkingFailed.

        Actions to `avoid`, by text, are left out unless all others lose for certain.
        """
        order: Json = {"do": "analyse", "position": position, "iterations": iterations, "seconds": seconds}
        order["avoid"] = sorted(avoid)
        judged = await self._run_search(order, seconds, whose, about)
        actions = {action.text: action for action in games[position["game"]].load(position).legal_actions()}
        return tuple(Judged(actions[text], tuple(values), *more) for text, values, *more in judged)

    @property
    def process_ids(self) -> frozenset[int]:
        """Process ids of the current workers."""
        return frozenset(worker.process for worker in self._workers if worker.process is not None)

    @property
    def longest_wait_seconds(self) -> float:
        """Seconds that the oldest search has waited."""
        return max((time.monotonic() - search.since for search in self.waiting), default=0.0)

    async def close(self) -> None:
        """End all workers; waiting searches fail as closed."""
        self._closed = True
        runners = list(self._runners)
        for runner in runners:
            runner.cancel()
        await asyncio.gather(*runners, return_exceptions=True)
        for search in self.waiting:
            search.fail("closed")
        self.waiting.clear()

    async def _run_search(self, order: Json, seconds: float | None, whose: Hashable, about: Hashable) -> Any:
        if self._closed:
            raise ThinkingFailed("closed")
        command = self._compiled if order["position"].get("game") in games.ours else self._plain
        search = _Search(
            order, (_UNLIMITED_SEARCH_SECONDS if seconds is None else seconds) + _WORKER_GRACE_SECONDS, command
        )
        self.waiting.add(search if whose is None else whose, about, search)
        self._work.set()
        if self._idle < len(self.waiting) and len(self._runners) < self.most:
            runner = asyncio.create_task(self._run_worker(), name="thinker")
            self._runners.add(runner)
            runner.add_done_callback(self._runners.discard)
        return await search.answer

    async def _next_search(self) -> _Search:
        """Return the next search with a caller who still waits for it."""
        while True:
            while self.waiting:
                search = self.waiting.pop()
                if not search.answer.done():
                    return search
            self._work.clear()
            await self._work.wait()

    async def _run_worker(self) -> None:
        """Run searches one after another, in one process per start command."""
        workers: dict[tuple[str, ...], _Worker] = {}
        search: _Search | None = None
        try:
            while True:
                self._idle += 1
                try:
                    search = await self._next_search()
                finally:
                    self._idle -= 1
                worker = workers.get(search.command)
                if worker is None:
                    worker = workers[search.command] = _Worker(search.command, self._on_start)
                    self._workers.add(worker)
                await worker.carry_out(search)
        finally:
            if search is not None:
                search.fail("closed")
            for worker in workers.values():
                await worker.end()
                self._workers.discard(worker)


class _Search:
    """A requested search, the command that starts its worker, and its answer."""

    def __init__(self, order: Json, timeout_seconds: float, command: tuple[str, ...]) -> None:
        self.line = json.dumps(order, separators=(",", ":")).encode() + b"\n"
        self.timeout_seconds = timeout_seconds
        self.command = command
        self.since = time.monotonic()
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def fail(self, code: str) -> None:
        if not self.answer.done():
            self.answer.set_exception(ThinkingFailed(code))

    def settle(self, reply: Json) -> None:
        if "failed" in reply:
            self.fail(str(reply["failed"]))
        elif not self.answer.done():
            self.answer.set_result(reply["answer"])


class _Worker:
    """A single worker process, started when there is work."""

    def __init__(self, command: Sequence[str], on_start: Callable[[int], object]) -> None:
        self._worker_command = command
        self._on_start = on_start
        self._process: Process | None = None
        self._ending: asyncio.Task[tuple[bytes, bytes]] | None = None

    @property
    def process(self) -> int | None:
        """The process id, None if there is no process."""
        return None if self._process is None else self._process.pid

    async def carry_out(self, search: _Search) -> None:
        """Run a search to its end, in a new process if one dies."""
        for _ in range(_MAX_ATTEMPTS):
            reply = asyncio.create_task(self._reply(search.line))
            try:
                await asyncio.wait(
                    {reply, search.answer}, timeout=search.timeout_seconds, return_when=asyncio.FIRST_COMPLETED
                )
            finally:
                reply.cancel()
                given = (await asyncio.gather(reply, return_exceptions=True))[0]
            if isinstance(given, dict):
                search.settle(given)
                return
            # The worker is silent, dead, or busy with an unwanted search: end it.
            await self.end()
            if search.answer.done():
                return
            if isinstance(given, OSError) and not isinstance(given, ConnectionError):
                log.error("search-worker-not-started", error=str(given))
                search.fail("no-worker")
                return
            log.warning("search-worker-died", error=repr(given))
        search.fail("worker-died")

    async def end(self) -> None:
        """End the process, if there is one; after a cancelled call, call this again to wait for the end."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            if process.stdin is not None:
                process.stdin.close()
            # This also waits for the pipes to close.
            self._ending = asyncio.create_task(process.communicate())
        if self._ending is not None:
            # A cancelled wait must not leave the process unreaped and its transport open.
            await asyncio.shield(self._ending)

    async def _reply(self, line: bytes) -> Json:
        """Return the process's reply; OSError if it cannot be started, ConnectionError or EOFError if it dies."""
        if self._process is None:
            # In a new session: Ctrl-C at a terminal must only reach the program, which ends its workers.
            self._process = await asyncio.create_subprocess_exec(
                *self._worker_command, stdin=PIPE, stdout=PIPE, limit=_MAX_LINE_BYTES, start_new_session=True
            )
            self._on_start(self._process.pid)
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise EOFError
        stdin.write(line)
        await stdin.drain()
        answer = await stdout.readline()
        if not answer.endswith(b"\n"):
            raise EOFError
        reply: Json = json.loads(answer)
        return reply


def _worker_command(path: Sequence[str]) -> tuple[str, ...]:
    """Return the command that starts a worker with a module path."""
    return sys.executable, "-c", _WORKER_PROGRAM.format(list(path))


async def judge_actions(
    pool: SearchPool,
    state: State,
    iterations: float,
    seconds: float,
    *,
    whose: Hashable,
    about: Hashable = None,
    avoid: Collection[str] = (),
) -> tuple[Judged, ...]:
    """Return a search's judgement of the actions of the seat to move, best first; a single one needs no search."""
    legal = state.legal_actions()
    if len(legal) == 1:
        return (Judged(legal[0], (0.5,) * state.seats, 0),)
    most = max(1, round(iterations))
    return await pool.analyse(state.to_json(), most, seconds, whose=whose, about=about, avoid=avoid)


async def complete_turn(state: State, first: Action, judge: Judge) -> tuple[Actions, State]:
    """Return a turn of a first action and the best ones after it, and the state after the turn."""
    actions, after = [first], state.play(first)
    while after.to_move == state.to_move and after.turn == state.turn:
        actions.append((await judge(after))[0].action)
        after = after.play(actions[-1])
    return tuple(actions), after


async def find_expected_values(state: State, judge: Judge) -> Values | None:
    """Return the values of a position by its outcome or its best action, None if dice come first.

    Forced actions before that are played.
    """
    while state.outcome is None and state.to_move != CHANCE and len(forced := state.legal_actions()) == 1:
        state = state.play(forced[0])
    if state.outcome is not None:
        return values_of(state.outcome)
    return None if state.to_move == CHANCE else (await judge(state))[0].values


def default_worker_count() -> int:
    """Return the default number of workers, at most four: all processors but one, and at least one."""
    return max(1, min(4, (os.cpu_count() or 1) - 1))
