"""One process and three on the same database server: actions a second, and how soon the dead are replaced.

The fakes of both platforms and the people run in this process, the database server and all processes on this machine:
where it has few processors, more processes can only share what one has had. So next to the actions stands what each
cost the processes in time of the processor, and what they asked of the server; only ratios within one run mean
anything. People press at a pace that leaves the machine time to spare, and as fast as they can: then all wait for the
processors, and several busy processes cost each other time by being there at all. So three that share nothing, each
with a database of its own and a third of the games, are measured as well. All play in turn for several rounds, since
the speed of a machine changes within minutes. Everybody has played some turns before, so that each process knows the
people. At last one of three is killed: printed is after how long every game has gone on, first those on Telegram, then
those on Discord, where somebody else has to listen to the shard of the dead.
"""

import argparse
import asyncio
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from bench.crowd import WARM_UP_ACTIONS
from tests.durability.crowd import Played, Table, make_tables, play_tables
from tests.durability.fleet import Fleet
from tests.durability.people import LOOK_AGAIN_SECONDS
from tests.support.counting import ROUND_TRIPS, STATEMENTS, count_database
from tests.support.ports import free_port
from tests.support.postgres import Postgres, run_server

PROCESSES = 3
VICTIM = 1
PACED_LOOK_AGAIN_SECONDS = 1.0
"""Where the processors have time to spare, a tap of which nothing has come by then was not taken for a move."""
CPU = "process_cpu_seconds_total"
COUNTER_NAMES = (CPU, STATEMENTS, ROUND_TRIPS)


@dataclass
class Measured:
    """What people did at one pace, and what the processes' own figures rose by."""

    played: Played = field(default_factory=Played)
    counts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(COUNTER_NAMES, 0.0))

    @property
    def speed(self) -> float:
        """Actions a second."""
        return self.played.actions / self.played.seconds

    @property
    def cost(self) -> float:
        """Milliseconds of the processor for an action."""
        return self.each(CPU) * 1000

    def each(self, name: str) -> float:
        """Return how much of something there was for each action."""
        return self.counts[name] / self.played.actions


@dataclass
class Group:
    """Processes that have games played on them, and what was measured, by the actions a second that people began."""

    name: str
    fleets: list[Fleet]
    ports: list[int]
    tables: list[Table]
    measured: dict[float | None, Measured] = field(default_factory=dict)

    async def play(self, seconds: float, per_second: float | None) -> None:
        """Have all games played on for so many seconds, as fast as people can where no pace is given."""
        measured = self.measured.setdefault(per_second, Measured())
        for table in self.tables:
            for player in table.players.values():
                player.look_again_seconds = LOOK_AGAIN_SECONDS if per_second is None else PACED_LOOK_AGAIN_SECONDS
        before = await read_counters(self.ports)
        measured.played += await play_tables(self.tables, seconds=seconds, per_second=per_second)
        after = await read_counters(self.ports)
        for name in COUNTER_NAMES:
            measured.counts[name] += after[name] - before[name]


async def start_group(
    stack: AsyncExitStack, server: Postgres, name: str, processes: Sequence[int], games: int
) -> Group:
    """Start so many processes on a database each time, each database with an equal share of the games; warm them up."""
    group = Group(name, [], [], [])
    for count in processes:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        fleet = Fleet(folder, server, await server.new_database(empty=True), count)
        fleet.prepare = count_database
        world = await stack.enter_async_context(fleet)
        ports = [free_port() for _ in range(count)]
        for number, port in enumerate(ports):
            await world.put_up(number, TAVOLIERE_OPERATIONS_PORT=str(port))
        group.fleets.append(world)
        group.ports += ports
        group.tables += make_tables(world, games // len(processes))
    await asyncio.gather(*(table.start() for table in group.tables))
    await play_tables(group.tables, most=WARM_UP_ACTIONS)
    return group


async def measure(
    server: Postgres, games: int, rounds: int, seconds: float, paces: Sequence[float | None]
) -> tuple[list[Group], tuple[float, float]]:
    """Have games played on one process, three, and three that share nothing, in turn; then kill one of three."""
    async with AsyncExitStack() as stack:
        one = await start_group(stack, server, "one process", [1], games)
        three = await start_group(stack, server, f"{PROCESSES} processes", [PROCESSES], games)
        apart = await start_group(stack, server, f"{PROCESSES} apart", [1] * PROCESSES, games)
        groups = [one, three, apart]
        for _ in range(rounds):
            for pace in paces:
                for group in groups:
                    await group.play(seconds, pace)
        return groups, await measure_takeover(three.fleets[0], three.tables[1::2], three.tables[::2])


async def read_counters(ports: list[int]) -> dict[str, float]:
    """Return what all processes have taken of the processor and asked of the database."""
    total = dict.fromkeys(COUNTER_NAMES, 0.0)
    async with aiohttp.ClientSession() as session:
        for port in ports:
            async with session.get(f"http://127.0.0.1:{port}/metrics") as answer:
                counts = await answer.text()
            for name in COUNTER_NAMES:
                found = re.search(rf"^{name} ([0-9.e+-]+)$", counts, re.MULTILINE)
                total[name] += float(found[1]) if found else 0.0
    return total


async def measure_takeover(world: Fleet, telegram: list[Table], discord: list[Table]) -> tuple[float, float]:
    """Kill a process in the middle of play; return after how many seconds the games of each platform have gone on."""

    async def until(tables: list[Table]) -> float:
        await play_tables(tables, most=1)
        return time.perf_counter() - begun

    begun = time.perf_counter()
    playing = asyncio.gather(until(telegram), until(discord))
    await world.take_down(VICTIM)
    return await playing


def print_pace(groups: list[Group], pace: float | None) -> None:
    """Print what was measured at a pace."""
    print(f"  {'as fast as people can press' if pace is None else f'{pace:g} actions a second'}:")
    for group in groups:
        measured = group.measured[pace]
        waits = statistics.quantiles(measured.played.waits, n=100)
        print(
            f"    {group.name:11} {measured.speed:6.1f} actions a second, {measured.cost:6.1f} ms of the processor,"
            f" {measured.each(STATEMENTS):.1f} statements, {measured.each(ROUND_TRIPS):.1f} round trips,"
            f" press to board {waits[49]:.2f} s (50th), {waits[98]:.2f} s (99th)"
        )
    one, three, apart = (group.measured[pace] for group in groups)
    print(f"    time of the processor for an action, {PROCESSES} to one: {three.cost / one.cost:.2f}")
    print(f"    the same, {PROCESSES} that share nothing to one: {apart.cost / one.cost:.2f}")
    print(f"    the same, {PROCESSES} to {PROCESSES} that share nothing: {three.cost / apart.cost:.2f}")
    asked = three.each(STATEMENTS) / one.each(STATEMENTS)
    print(f"    statements for an action, {PROCESSES} to one: {asked:.2f}")
    if pace is None:
        print(f"    actions a second, {PROCESSES} to one: {three.speed / one.speed:.2f}")


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=36, help="how many games at once (36)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is played in turn (3)")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long they are played each time (10)")
    parser.add_argument("--pace", type=float, default=15.0, help="actions a second at which they are played, too (15)")
    arguments = parser.parse_args()
    paces = (arguments.pace, None)
    with run_server() as server:
        measuring = measure(server, arguments.games, arguments.rounds, arguments.seconds, paces)
        groups, (telegram, discord) = asyncio.run(measuring)
    print(f"{arguments.games} games at once on one PostgreSQL server, {os.cpu_count()} processors for everything:")
    for pace in paces:
        print_pace(groups, pace)
    after = f"{telegram:.1f} s (Telegram), {discord:.1f} s (Discord)"
    print(f"  one of {PROCESSES} killed: every game had gone on after {after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
