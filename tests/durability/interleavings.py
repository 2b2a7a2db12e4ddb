"""Processes on one database, and people who play through any of them while connections are lost and programs restart.

What is checked is what people rely on: a person who acts on a stale position is warned and changes
nothing; acting on the newest is served, however stale the memory of the process is; each turn notifies the player who
is to move once; each press that is confirmed is one event; and in the end every memory holds what the database holds.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from bot.kernel.choices import path_to
from bot.kernel.line import event_id
from bot.kernel.presses import PATH_SEPARATOR
from bot.kernel.requests import Reply, Request
from bot.outbox.boards import announcement_number
from engine import games
from storage import GameRow, News, Person, Store, Unavailable
from tests.bot.party import Clock, Party, Recorder, button, words
from tests.support.present import present
from tests.support.stores import delay_notifications, find_cache_differences

Found = TypeVar("Found")

TIMEOUT_SECONDS: Final = 60.0
PEOPLE: Final = ("anna", "bruno")
WATCHER: Final = "zoe"
"""Who does nothing: a change of theirs shows that all changes before it were heard."""
LINES: Final = ("/play annuvin @bruno", "/play fagocitare @bruno size:7")
STEPS: Final = (
    "press", "press", "press", "race", "type", "choose", "stale", "settings", "late", "heard", "deliver", "deliver",
    "cut", "restart", "restart while delivering",
)  # fmt: skip


async def retry_read(ask: Callable[[], Awaitable[Found]]) -> Found:
    """Return what is asked, also where the connections were cut just now."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while True:
            with suppress(Unavailable):
                return await ask()
            await asyncio.sleep(0.01)


@dataclass
class Process:
    """One process: its store, its program, and whether it hears late of what others do."""

    store: Store
    party: Party
    late: AsyncExitStack = field(default_factory=AsyncExitStack)
    is_late: bool = False
    notified: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, news: News) -> None:
        """Note that another process has told something."""
        if news.is_remote:
            self.notified.set()


class Interleaving:
    """What happens in a script of steps; `opened` opens a store, `cut` ends all connections to the database."""

    def __init__(self, opened: Callable[[], Awaitable[Store]], cut: Callable[[], Awaitable[None]] | None) -> None:
        self._opened, self._cut = opened, cut
        self.platform, self.clock = Recorder(), Clock()
        self.processes: list[Process] = []
        self.codes: list[str] = []
        self.names: dict[int, str] = {}
        self.pressed: list[tuple[str, str, str]] = []
        """Who has pressed what in which game; it may be pressed again."""
        self._numbers = 0
        self._asked: list[str] = []
        """The ids of the events of platforms by which people have acted."""

    async def begin(self, count: int) -> None:
        """Put so many processes up, and have people begin games through the first."""
        for _ in range(count):
            self.processes.append(await self._put_up())
        party = self.processes[0].party
        await party.meet(*PEOPLE, WATCHER)
        self.names = {(await self._person(who)).id: who for who in (*PEOPLE, WATCHER)}
        self.codes = [await party.started(line) for line in LINES]

    async def end(self) -> None:
        """Take all processes down."""
        for process in self.processes:
            await self._take_down(process)

    async def step(self, kind: str, number: int, seed: int) -> None:
        """Do one step of a script at one of the processes."""
        process, rng = self.processes[number % len(self.processes)], random.Random(seed)
        match kind:
            case "press" | "type" | "choose" | "race":
                await self._act(kind, process, rng)
            case "stale" if self.pressed:
                await self._press_again(process, *rng.choice(self.pressed))
            case "settings":
                await self._typed(
                    process, rng.choice(PEOPLE), f"/settings theme:{rng.choice(['dark', 'light', 'auto'])}"
                )
            case "late" if process.store.is_shared and not process.is_late:
                process.late.enter_context(delay_notifications(process.store))
                process.is_late = True
            case "heard":
                await self._let_hear(process)
            case "deliver":
                self.clock.turn(seconds=1)  # what was put off a moment ago is due again
                await self._deliver()
            case "cut" if self._cut is not None:
                await self._cut()
            case "restart" | "restart while delivering":
                await self._restart(process, delivering=kind != "restart")
        self._check_calls()

    async def check_in_the_end(self) -> None:
        """Check what must be so once all is delivered, and everything heard."""
        for process in self.processes:
            await self._let_hear(process)
        await self._all_is_heard()
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while (due_at := await retry_read(self.processes[0].store.posts.next_due_at)) is not None:
                # What could not be shown before a process had heard the news is due a moment later, not never.
                self.clock.now = max(self.clock.now, due_at)
                await self._deliver()
        self._check_calls()
        for code in self.codes:
            await self._check_that_the_mover_was_called(await self._row(code))
            events = await retry_read(partial(self.processes[0].store.games.events, code))
            causes = Counter(event.cause for event in events if event.kind == "action" and event.cause)
            assert causes.keys() <= {*self._asked}, "nothing is done that nobody has asked for"
            assert {*causes.values()} <= {1}, "and nothing twice"
        await self._all_is_heard()
        for process in self.processes:
            assert await retry_read(partial(find_cache_differences, process.store)) == []

    # --- Processes ---------------------------------------------------------------------------------------------------

    async def _put_up(self) -> Process:
        store = await self._opened()
        party = Party(store)
        self._numbers += 100_000
        party.adapter, party.clock, party.numbers, party.thinking = self.platform, self.clock, self._numbers, False
        party.restarted()
        process = Process(store, party)
        store.add_listener(process.hear)
        store.start_sharing()
        await self._is_connected(process)
        return process

    async def _take_down(self, process: Process) -> None:
        await process.party.front.close(0)
        await process.late.aclose()
        await process.store.close()

    async def _restart(self, process: Process, *, delivering: bool) -> None:
        task = asyncio.create_task(process.party.front.delivery.run_until_idle()) if delivering else None
        for _ in range(20 if delivering else 0):
            await asyncio.sleep(0)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await self._take_down(process)
        self.processes[self.processes.index(process)] = await self._put_up()

    async def _is_connected(self, process: Process) -> None:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while not process.store.receives_changes:
                process.notified.clear()
                await process.notified.wait()

    async def _let_hear(self, process: Process) -> None:
        if process.is_late:
            await process.late.aclose()
            process.late, process.is_late = AsyncExitStack(), False

    async def _all_is_heard(self) -> None:
        """Wait until every process has heard whatever was done before."""
        watcher = await self._person(WATCHER)
        for process in self.processes if len(self.processes) > 1 else ():
            others = [each for each in self.processes if each is not process]
            async with asyncio.timeout(TIMEOUT_SECONDS):
                for other in others:
                    await self._is_connected(other)
                    other.notified.clear()
                    # Told once more where the connection was lost just now.
                    while not other.notified.is_set():
                        self._numbers += 1
                        change = {"puzzles": self._numbers % 2 == 0}
                        await retry_read(partial(process.store.people.change_settings, watcher.id, change))
                        with suppress(TimeoutError):
                            await asyncio.wait_for(other.notified.wait(), 1)
                    await self._is_connected(other)

    async def _deliver(self) -> None:
        """Have all processes bring what is due; what cannot be done now is done later."""
        settling = (each.party.front.delivery.run_until_idle() for each in self.processes)
        for failed in await asyncio.gather(*settling, return_exceptions=True):
            assert failed is None or isinstance(failed, Unavailable), failed

    # --- What people do ----------------------------------------------------------------------------------------------

    async def _row(self, code: str) -> GameRow:
        return present(await retry_read(lambda: self.processes[0].store.games.get(code)))

    async def _person(self, who: str) -> Person:
        (person,) = await retry_read(lambda: self.processes[0].store.people.find(who))
        return person

    async def _act(self, kind: str, process: Process, rng: random.Random) -> None:
        code = rng.choice(self.codes)
        row = await self._row(code)
        if row.status != "playing" or row.to_move is None:
            return
        who, state = self.names[row.to_move], games[row.game].load(row.position or {})
        actions = state.legal_actions()
        action = rng.choice(actions)
        path = path_to(state, actions, action)
        carried = f"p:{code}:{row.revision}={PATH_SEPARATOR.join(path)}"
        self.pressed.append((who, code, carried))
        if kind == "type":
            reply = await self._typed(process, who, f"/move {action.text} game:{code}")
            await self._check_served(row, [reply])
        elif kind == "choose":
            reply = await self._press(process, who, f"c:{code}:{row.revision}={path[0]}")
            if len(path) > 1:
                assert (await self._row(code)).revision == row.revision
                assert reply.failed or button(reply.card or self.platform.messages["none"].card, "p")
        elif kind == "race":
            other = rng.choice(actions)
            second = f"p:{code}:{row.revision}={PATH_SEPARATOR.join(path_to(state, actions, other))}"
            await self._check_served(
                row,
                await asyncio.gather(self._press(process, who, carried), self._press(self.processes[-1], who, second)),
            )
        else:
            await self._check_served(row, [await self._press(process, who, carried)])

    async def _press(self, process: Process, who: str, carried: str) -> Reply:
        return await process.party.front.press(self._request(process, who), carried)

    async def _typed(self, process: Process, who: str, line: str) -> Reply:
        return await process.party.front.typed_text(self._request(process, who), line)

    def _request(self, process: Process, who: str) -> Request:
        request = process.party.request(who)
        self._asked.append(event_id(request))
        return request

    async def _check_served(self, before: GameRow, replies: Sequence[Reply]) -> None:
        """Check that of those who acted on the newest position one was served, by one event, and the others told."""
        after = await self._row(before.id)
        done = after.revision > before.revision
        events = await retry_read(lambda: self.processes[0].store.games.events(before.id))
        causes = Counter(event.cause for event in events if event.cause in self._asked[-len(replies) :])
        assert list(causes.values()) == [1] * done, causes
        # Where the database could not be reached that was said, and nothing is stored.
        assert done or all(reply.failed for reply in replies), [words(reply) for reply in replies]
        refused = [reply for reply in replies if reply.private and not reply.update and reply.card is not None]
        goes_on = (after.to_move, after.turn) == (before.to_move, before.turn)
        if len(replies) > 1 and not goes_on:
            assert len(refused) >= len(replies) - 1, [words(reply) for reply in replies]

    async def _press_again(self, process: Process, who: str, code: str, carried: str) -> None:
        """Press what was pressed before: it is of an old position, or else done now."""
        before = await self._row(code)
        reply = await self._press(process, who, carried)
        after = await self._row(code)
        if int(carried.split(":")[2].partition("=")[0]) < before.revision:
            assert after == before
            assert reply.private
            assert words(reply)

    # --- What is checked ---------------------------------------------------------------------------------------------

    def _boards(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return for each board sent what it was due for, and whom it has called."""
        boards = []
        for shown in self.platform.messages.values():
            post, number, _ = shown.key.split("-", 2)
            assert post.isdecimal(), shown.key
            boards.append((f"{post}-{number}", shown.calls))
        return boards

    def _check_calls(self) -> None:
        calls = Counter((due_for, person) for due_for, called in self._boards() for person in called)
        assert [each for each, times in calls.items() if times > 1] == []

    async def _check_that_the_mover_was_called(self, row: GameRow) -> None:
        table = await retry_read(lambda: self.processes[0].party.table(row.id))
        (post,) = await retry_read(lambda: self.processes[0].store.posts.list_for_game(row.id))
        called = [called for due_for, called in self._boards() if due_for == f"{post.id}-{announcement_number(table)}"]
        if row.status == "playing":
            assert [person for each in called for person in each] == [row.to_move], (
                f"{row.id} at {row.revision}, in memory at {table.row.revision}: {post}; boards {self._boards()}"
            )
        assert post.shown_revision == row.revision
