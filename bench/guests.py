"""Guests without measure: what the page and those who play there have of somebody who asks for too much.

Each part starts the program in a fresh folder and attacks it over HTTP: loops of `/replay`, idle tabs beside somebody
who plays, games against computers by the dozen, requests that never end. (`/proc` is read: this runs on Linux.)
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import resource
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from storage import Store
from tests.durability.ledger import Ledger
from tests.durability.year import live_through
from tests.web.browser import Browser, Tab
from tests.web.program import Program

Json = dict[str, Any]

REPLAY_LOOPS: Final = 6
REPLAYED_GAMES: Final = 40
"""Of so many games the loops ask for films, one after the other."""
LONG_GAME_ACTIONS: Final = 150
"""So many actions these games have at most: long games make large films."""
IDLE_TABS: Final = 300
MAX_BROWSERS: Final = 10
PAUSE_SECONDS: Final = 0.3
"""How many seconds people take between two moves."""
HALF_REQUESTS: Final = 1024
MIB: Final = 2**20


def read_memory(program: Program) -> tuple[float, float]:
    """Return the MiB of memory that the program takes now, and took at most."""
    lines = Path(f"/proc/{program.pid}/status").read_text(encoding="utf-8").splitlines()
    found = dict(line.split(":", 1) for line in lines)
    now, most = (int(found[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return now, most


def count_open_files(program: Program) -> int:
    """Return how many files it has open."""
    return len(list(Path(f"/proc/{program.pid}/fd").iterdir()))


def measure_disk(program: Program) -> float:
    """Return the MiB that its database takes, with what belongs to it."""
    return sum(path.stat().st_size for path in (program.folder / "data").glob("tavoliere.db*")) / MIB


async def open_browser_session(stack: AsyncExitStack, program: Program, name: str) -> Tab:
    """Return somebody with a browser of their own."""
    return await (await stack.enter_async_context(Browser(program.address))).name(name)


async def measure_replays(folder: Path, seconds: float, every: float) -> None:
    """Have six people ask for films without a pause, and print what that takes."""
    (folder / "data").mkdir()
    async with await Store.open(folder / "data" / "tavoliere.db") as store:
        await live_through(store, REPLAYED_GAMES, longest=LONG_GAME_ACTIONS)
        codes = await store.games.list_ids()
    async with Program(folder, fresh=True) as program, AsyncExitStack() as stack:
        people = [await open_browser_session(stack, program, f"Guest {number}") for number in range(REPLAY_LOOPS)]
        other, answered = await open_browser_session(stack, program, "Somebody else"), 0
        begun, until = time.monotonic(), time.monotonic() + seconds

        async def loop(tab: Tab, offset: int) -> None:
            nonlocal answered
            # Half of them want the same one again and again, which is drawn already, the others always another.
            wanted = codes[:1] if offset % 2 else codes
            for code in itertools.islice(itertools.cycle(wanted), offset, None):
                if time.monotonic() >= until:
                    return
                answer = await tab.say(f"/replay {code}")
                answered += answer.status == 200

        async def report() -> None:
            while time.monotonic() < until:
                await asyncio.sleep(min(every, max(0.1, until - time.monotonic())))
                asked = time.perf_counter()
                await other.say("/games")
                waited = (time.perf_counter() - asked) * 1000
                now, most = read_memory(program)
                print(
                    f"  {time.monotonic() - begun:6.0f} s: {answered} films, database {measure_disk(program):.1f} MiB, "
                    f"memory {now:.0f} MiB (at most {most:.0f}), another's /games {waited:.0f} ms",
                    flush=True,
                )

        print(f"{REPLAY_LOOPS} loops of /replay (at rest {read_memory(program)[0]:.0f} MiB of memory):", flush=True)
        await asyncio.gather(report(), *(loop(tab, 7 * number) for number, tab in enumerate(people)))


class Play:
    """Two people at the page who play Annuvin by typed moves, and how long each of them waits for the answer."""

    def __init__(self, stack: AsyncExitStack, program: Program) -> None:
        self._stack = stack
        self._program = program
        self._ledger = Ledger(program.folder / "data" / "tavoliere.db")
        self._people: list[Tab] = []
        self._code = ""
        stack.callback(self._ledger.close)

    async def begin(self) -> None:
        """Sit down."""
        for name in ("Anna", "Bruno"):
            self._people.append(await open_browser_session(self._stack, self._program, name))
        await self._start()

    async def _start(self) -> None:
        first, second = self._people
        await first.say("/play annuvin seats:2")
        ((self._code, revision),) = self._ledger.rows("SELECT id, revision FROM games WHERE status = 'lobby'")
        await second.send("/api/press", press=f"join:{self._code}:{revision}")
        await first.begin(self._code)

    async def waits(self, seconds: float) -> list[float]:
        """Play for so long, with a pause after each move; return how many milliseconds each took."""
        found, until = [], time.monotonic() + seconds
        while time.monotonic() < until:
            self._ledger.refresh()
            _, state = self._ledger.state(self._code)
            if state is None or not isinstance(state.to_move, int):
                await self._start()
                continue
            name = self._ledger.seats(self._code)[state.to_move]
            mover = next(each for each in self._people if each.me["name"] == name)
            begun = time.perf_counter()
            await mover.say(f"/move {state.legal_actions()[0]} game:{self._code}")
            found.append((time.perf_counter() - begun) * 1000)
            await asyncio.sleep(PAUSE_SECONDS)
        return found


async def measure_idle_tabs(folder: Path, seconds: float, _: float) -> None:
    """Have two people play alone, then beside many idle tabs, and print how long a press takes."""
    async with Program(folder, fresh=True) as program, AsyncExitStack() as stack:
        play = Play(stack, program)
        await play.begin()
        await play.waits(3)
        print(f"{IDLE_TABS} idle tabs:", flush=True)
        alone = await play.waits(seconds)
        idle = [
            Reader(await open_browser_session(stack, program, f"Idle {number}"), IDLE_TABS // MAX_BROWSERS)
            for number in range(MAX_BROWSERS)
        ]
        begun = time.monotonic()
        opening = asyncio.create_task(_opened(stack, idle))
        during = await play.waits(seconds / 2)
        readers = await opening
        opened = time.monotonic() - begun
        beside = await play.waits(seconds)
        received = sum(reader.received for reader in readers)
        again = await stack.enter_async_context(Browser(program.address))
        hello = time.perf_counter()
        await again.get("/api/hello")
        hello = (time.perf_counter() - hello) * 1000
        await asyncio.gather(*(reader.close() for reader in readers))
        await asyncio.sleep(2)
        after = await play.waits(seconds)
    for name, waits in (("alone", alone), ("as they open", during), ("beside them", beside), ("alone again", after)):
        p90 = statistics.quantiles(waits, n=10)[8]
        print(f"  a press {name:12} {statistics.median(waits):6.1f} ms, 90th percentile {p90:6.1f} ({len(waits)})")
    ratio = statistics.median(beside) * 2 / (statistics.median(alone) + statistics.median(after))
    print(
        f"  {ratio:.2f} times; opened in {opened:.1f} s, {received} parcels received; a newcomer's page {hello:.0f} ms"
    )


async def _opened(stack: AsyncExitStack, idle: list[Reader]) -> list[Reader]:
    return list(await asyncio.gather(*(stack.enter_async_context(each) for each in idle)))


class Reader:
    """A browser with many tabs, which hear all that there is."""

    def __init__(self, tab: Tab, number: int) -> None:
        self._tab = tab
        self._number = number
        self._tasks: list[asyncio.Task[None]] = []
        self.received = 0

    async def __aenter__(self) -> Reader:
        for _ in range(self._number):
            tab = Tab(self._tab.browser, self._tab.me)
            await tab.listen()
            self._tasks.append(asyncio.create_task(self._hear(tab)))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the tabs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _hear(self, tab: Tab) -> None:
        try:
            while True:
                await tab.hear()
                self.received += 1
        finally:
            if tab.socket is not None:
                await tab.socket.close()


async def measure_computers(folder: Path, seconds: float, _: float) -> None:
    """Have one person begin as many games against four computers as they may, and another play against one."""
    async with Program(folder, fresh=True) as program, AsyncExitStack() as stack:
        greedy = await open_browser_session(stack, program, "Greedy")
        ledger = Ledger(folder / "data" / "tavoliere.db")
        stack.callback(ledger.close)
        for _ in range(99):
            await greedy.say("/play vedova-nera seats:5 computers:4 computer:5")
        ledger.refresh()
        codes = set(ledger.games)
        print(f"Games against four computers: {len(codes)} of 99 could be begun", flush=True)
        other, waits = await open_browser_session(stack, program, "Other"), []
        until = time.monotonic() + seconds
        await other.say("/play annuvin board:square computer:3")
        ledger.refresh()
        (code,) = set(ledger.games) - codes
        while time.monotonic() < until:
            ledger.refresh()
            _, state = ledger.state(code)
            if state is None or not isinstance(state.to_move, int):
                break
            if ledger.seats(code).get(state.to_move) == "Other":
                await other.say(f"/move {state.legal_actions()[0]} game:{code}")
                continue
            begun = time.monotonic()
            while ledger.state(code)[1] == state:
                await asyncio.sleep(0.05)
                ledger.refresh()
            waits.append(time.monotonic() - begun)
    print(f"  another waits for a computer {statistics.median(waits):.1f} s, at most {max(waits):.1f} s ({len(waits)})")


async def measure_half_requests(folder: Path, seconds: float, _: float) -> None:
    """Have somebody open requests without end, and print how a newcomer and health are answered."""

    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (HALF_REQUESTS, HALF_REQUESTS))

    program = Program(folder, fresh=True)
    program.prepare = few_files
    async with program:
        held: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        refused = 0
        for _ in range(HALF_REQUESTS):
            try:
                held.append(await asyncio.open_connection("127.0.0.1", program.port))
                held[-1][1].write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            except OSError:
                refused += 1
        print(f"{HALF_REQUESTS} half-open requests ({refused} did not get in):", flush=True)
        for delay_label in ("at once", f"after {seconds:.0f} s"):
            begun = time.perf_counter()
            async with Browser(program.address) as newcomer:
                tab = await newcomer.name(f"Newcomer {delay_label.split()[0]}")
                said = await tab.say("hello")
                well = await newcomer.get("/healthz")
            took = (time.perf_counter() - begun) * 1000
            print(
                f"  a newcomer {delay_label}: {said.status}, health {well.status}, {took:.0f} ms; "
                f"{count_open_files(program)} files"
            )
            if delay_label == "at once":
                await asyncio.sleep(seconds)
        for connection in held:
            connection[1].transport.abort()
        lines = [line for line in program.output if b"connections-refused" in line]
        print(f"  lines in the log about it: {len(lines)}")


PARTS: Final = {
    "replays": measure_replays,
    "tabs": measure_idle_tabs,
    "computers": measure_computers,
    "halves": measure_half_requests,
}


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", default=[*PARTS], help="which parts; all by default")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each part takes (20)")
    parser.add_argument("--every", type=float, default=10.0, help="after how many seconds a line is printed (10)")
    arguments = parser.parse_args()
    for name in arguments.parts:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(PARTS[name](Path(folder), arguments.seconds, arguments.every))
    return 0


if __name__ == "__main__":
    sys.exit(main())
