"""Many games at once on the fakes of both platforms: actions a second with pictures, next to what the parts can do.

The program runs in a process of its own, without rate limits; the fakes and the people are in this one. An action
takes one commit, one picture and one upload, besides the answers to those who press: the slowest of the three bounds
it, and only the ratio to it means anything. On Discord what can be chosen is drawn and uploaded as well: so the work
is also counted as it was, so many pictures and uploads for each action, and compared with as many of the parts, the
pictures with what can be chosen marked on them. What the parts cost alone is measured by bench/parts.py. A crowd plays
in rounds, and the parts are measured before, between and after them while it rests, since a machine's speed changes
within minutes. Statements, transactions and, on PostgreSQL, round trips to the server are counted at the driver.
Everybody has played some turns before anything is measured: by then tiles are drawn and people known, as in a program
that has run for a while. Nobody presses again before what they pressed was answered, however long that takes where
more people press than there is time for. The longest stall is that of the program's event loop, as its /metrics tell
it.
"""

import argparse
import asyncio
import itertools
import re
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp

from bench.parts import MARKED, Parts, join_parts, measure_parts_apart
from tests.durability.crowd import Played, make_tables, play_tables
from tests.durability.fleet import Fleet
from tests.durability.people import OnTelegram
from tests.durability.process import FORKS
from tests.durability.world import World
from tests.fakes.discord.rest import Call as DiscordCall
from tests.fakes.telegram.server import Call as TelegramCall
from tests.support.counting import PICTURES, ROUND_TRIPS, STATEMENTS, TRANSACTIONS, count_work
from tests.support.ports import free_port
from tests.support.postgres import Postgres, run_server

PORT = free_port()
CPU = "process_cpu_seconds_total"
REQUESTS = "tavoliere_request_seconds_count"
COUNTER_NAMES = (CPU, REQUESTS, STATEMENTS, TRANSACTIONS, ROUND_TRIPS, PICTURES)
PARTS = ("commits", "pictures", "uploads")
UPLOADING = ("sendPhoto", "editMessageMedia")
"""The calls by which Telegram gets pictures."""
WARM_UP_ACTIONS = 3
"""How many actions each table plays before anything is measured."""
REST_SECONDS = 0.5
MAX_RESTING_LOAD = 0.05
"""The program rests if it takes no larger share of a processor for so many seconds."""


@dataclass(frozen=True)
class Figures:
    """What a crowd has done, the program's own figures over that time, and the calls to each platform."""

    played: Played
    program: Mapping[str, float]
    around: float
    calls: Mapping[str, int]
    uploads: int
    parts: Sequence[Parts]

    def each(self, name: str) -> float:
        """Return how much of something there was for each action."""
        return self.program[name] / self.played.actions

    @property
    def cost(self) -> float:
        """Milliseconds of the processor for an action."""
        return self.each(CPU) * 1000


@dataclass(frozen=True)
class Plan:
    """How long a crowd plays, in how many rounds, and how long the parts are measured around each of them."""

    seconds: float
    rounds: int
    part_seconds: float
    folder: Path
    numbers: Iterator[int] = field(default_factory=itertools.count)

    async def measure_parts(self) -> Parts:
        """Measure the parts in a process of their own."""
        ours, theirs = FORKS.Pipe()
        arguments = theirs, self.part_seconds, self.folder / f"parts{next(self.numbers)}"
        process = FORKS.Process(target=measure_parts_apart, args=arguments)
        process.start()
        found: Parts = await asyncio.to_thread(ours.recv)
        await asyncio.to_thread(process.join)
        return found


async def run_crowd(world: World, count: int, plan: Plan, start: Callable[[], Awaitable[object]]) -> Figures:
    """Return what a crowd has done, with the parts as they were around it."""
    world.prepare = count_work
    calls: Counter[str] = Counter()
    uploads: Counter[str] = Counter()
    async with world:

        def on_discord(call: DiscordCall, _: object, done: bool) -> None:
            calls.update([f"Discord {call.operation}"] * done)
            uploads.update(["Discord"] * bool(done and call.files))

        def on_telegram(call: TelegramCall, _: object, done: bool) -> None:
            calls.update([f"Telegram {call.method}"] * done)
            uploads.update(["Telegram"] * (done and call.method in UPLOADING))

        world.discord.listeners.append(on_discord)
        world.telegram.listeners.append(on_telegram)
        made = make_tables(world, count)
        for player in [player for table in made for player in (*table.players.values(), table.stranger)]:
            if isinstance(player, OnTelegram):
                player.waits_for_answers = True
        await start()
        for some in itertools.batched(made, 20) if hasattr(itertools, "batched") else [made]:
            await asyncio.gather(*(table.start() for table in some))
        await play_tables(made, most=WARM_UP_ACTIONS)
        calls.clear()
        uploads.clear()
        played, around = Played(), 0.0
        totals: Counter[str] = Counter()
        async with aiohttp.ClientSession() as session:
            await until_rest(session)
            parts, highest = [await plan.measure_parts()], await read_metrics(session)
            for _ in range(plan.rounds):
                before, used = await read_metrics(session), time.process_time()
                played += await play_tables(made, seconds=plan.seconds / plan.rounds)
                seen = await until_rest(session)
                around += time.process_time() - used
                totals.update({name: seen[-1][name] - before[name] for name in COUNTER_NAMES})
                highest = {name: max(each[name] for each in (highest, *seen)) for name in highest}
                parts.append(await plan.measure_parts())
        return Figures(played, highest | totals, around, dict(calls), uploads.total(), parts)


async def until_rest(session: aiohttp.ClientSession) -> list[dict[str, float]]:
    """Wait until the program has nothing to do; return its figures until then, the last ones last."""
    seen = [await read_metrics(session)]
    while True:
        await asyncio.sleep(REST_SECONDS)
        seen.append(await read_metrics(session))
        if seen[-1][CPU] - seen[-2][CPU] < MAX_RESTING_LOAD * REST_SECONDS:
            return seen


async def on_sqlite(folder: Path, count: int, plan: Plan) -> Figures:
    """Return what a crowd has done with one process on a file."""
    world = World(folder, TAVOLIERE_OPERATIONS_PORT=str(PORT))

    async def start() -> None:
        world.start()

    return await run_crowd(world, count, plan, start)


async def on_postgresql(folder: Path, *, server: Postgres, count: int, plan: Plan) -> Figures:
    """Return what a crowd has done with one process on a server."""
    world = Fleet(folder, server, await server.new_database(empty=True), 1)
    return await run_crowd(world, count, plan, partial(world.put_up, 0, TAVOLIERE_OPERATIONS_PORT=str(PORT)))


async def read_metrics(session: aiohttp.ClientSession) -> dict[str, float]:
    """Return the figures that the program tells of itself."""
    async with session.get(f"http://127.0.0.1:{PORT}/metrics") as answer:
        found = re.findall(r"^([a-z_]+)(?:\{[^}]*\})? ([0-9.e+-]+)$", await answer.text(), re.MULTILINE)
    figures: dict[str, float] = defaultdict(float)
    for name, value in found:
        figures[name] += float(value)
    return figures


def show(where: str, count: int, figures: Figures, calls: bool) -> None:
    """Print what a crowd has done next to what the parts can do."""
    played, program, parts = figures.played, figures.program, join_parts(figures.parts)
    print("The parts alone, around the rounds:")
    for part, (each, cost) in parts.items():
        print(f"  {part:12} {each:7.1f} a second, {cost:6.1f} ms of the processor each")
    done, alone = played.actions / played.seconds, sum(parts[name][1] for name in PARTS)
    slowest = min(PARTS, key=lambda name: parts[name][0])
    waits = statistics.quantiles(played.waits, n=100)
    around = figures.around / played.actions * 1000
    print(f"{count} games at once on {where}:")
    print(f"  {'actions':12} {done:7.1f} a second, {figures.cost:6.1f} ms of the processor each")
    print(f"  {'':12} {figures.cost / alone:.2f} times a commit, a picture and an upload alone ({alone:.1f} ms)")
    pictures, uploads = figures.each(PICTURES), figures.uploads / played.actions
    same = parts["commits"][1] + pictures * parts[MARKED][1] + uploads * parts["uploads"][1]
    counted = f"a commit, {pictures:.2f} marked pictures and {uploads:.2f} uploads"
    print(f"  {'':12} {figures.cost / same:.2f} times the same work alone: {counted} ({same:.1f} ms)")
    statements, transactions, trips = (figures.each(name) for name in (STATEMENTS, TRANSACTIONS, ROUND_TRIPS))
    print(f"  {'statements':12} {statements:7.1f} an action, in {transactions:.1f} transactions")
    if trips:
        print(f"  {'round trips':12} {trips:7.1f} an action to the server and back")
    print(f"  {'':12} the people and the fakes: {around:.1f} ms of the other, or {1000 / around:.0f} a second")
    asked, each = program[REQUESTS] / played.seconds, figures.each(REQUESTS)
    print(
        f"  {'requests':12} {asked:7.1f} a second, {each:.1f} an action: half-made, doubled, late and strange presses"
    )
    print(f"  {done / parts[slowest][0]:.2f} of what {slowest}, the slowest part, can do alone")
    print(f"  from press to delivered board: 50th percentile {waits[49]:.2f} s, 99th {waits[98]:.2f} s")
    print(f"  memory: {program['process_resident_memory_bytes'] / 2**20:.0f} MiB")
    stall, busy = (program[f"tavoliere_event_loop_{kind}_seconds"] * 1000 for kind in ("stall", "busy"))
    print(f"  longest stall of the event loop: {stall:.0f} ms; by its own work: {busy:.0f} ms")
    if calls:
        show_calls(figures.calls, played.actions)


def show_calls(calls: Mapping[str, int], actions: int) -> None:
    """Print the calls to the platforms, the most frequent first."""
    for name, times in sorted(calls.items(), key=lambda each: -each[1]):
        print(f"  {times / actions:7.2f} an action: {name}")


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, nargs="+", default=[60, 200], help="how many games at once (60 200)")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long they are played (20)")
    parser.add_argument("--rounds", type=int, default=4, help="in how many rounds they are played (4)")
    parser.add_argument("--parts", type=float, default=2.0, help="how long each part is measured around each (2)")
    parser.add_argument("--calls", action="store_true", help="print the calls to the platforms as well")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, run_server() as server:
        folder = Path(name)
        plan = Plan(arguments.seconds, arguments.rounds, arguments.parts, folder)
        runs: list[tuple[str, int, Callable[[Path], Coroutine[Any, Any, Figures]]]] = [
            ("SQLite", count, partial(on_sqlite, count=count, plan=plan)) for count in arguments.games
        ]
        count = arguments.games[0]
        runs.append(("PostgreSQL", count, partial(on_postgresql, server=server, count=count, plan=plan)))
        for number, (where, count, run) in enumerate(runs, 1):
            there = folder / f"crowd{number}"
            there.mkdir()
            show(where, count, asyncio.run(run(there)), arguments.calls)
    return 0


if __name__ == "__main__":
    sys.exit(main())
