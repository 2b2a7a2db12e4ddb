"""One process and three on the same database server: actions a second, and how soon the dead are replaced.

The fakes of both platforms and the people run in this process, the database server and all processes on this machine:
where it has few processors, more processes can only share what one has had. So next to the actions stands what each
cost the processes in time of the processor, and what they asked of the server; only ratios within one run mean
anything. An action may cost more where a process has less to do, so one is also measured with as few games as each of
three has. Everybody has played some turns before, so that each process knows the people. At last one of three is
killed: printed is after how long every game has gone on, first those on Telegram, then those on Discord, where
somebody else has to listen to the shard of the dead.
"""

import argparse
import asyncio
import os
import re
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bench.crowd import WARM_UP_ACTIONS
from tests.durability.crowd import Played, Table, make_tables, play_tables
from tests.durability.fleet import Fleet
from tests.support.counting import ROUND_TRIPS, STATEMENTS, count_database
from tests.support.ports import free_port
from tests.support.postgres import Postgres, run_server

PROCESSES = 3
VICTIM = 1
CPU = "process_cpu_seconds_total"
COUNTER_NAMES = (CPU, STATEMENTS, ROUND_TRIPS)


@dataclass
class Figures:
    """What so many processes did: the actions of the people, and what the processes' own figures rose by."""

    played: Played
    counts: dict[str, float]
    takeover: tuple[float, float]

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


async def measure_fleet(folder: Path, server: Postgres, processes: int, games: int, seconds: float) -> Figures:
    """Have games played on so many processes."""
    fleet = Fleet(folder, server, await server.new_database(empty=True), processes)
    fleet.prepare = count_database
    async with fleet as world:
        ports = [free_port() for _ in range(processes)]
        for number, port in enumerate(ports):
            await world.put_up(number, TAVOLIERE_OPERATIONS_PORT=str(port))
        made = make_tables(world, games)
        await asyncio.gather(*(table.start() for table in made))
        await play_tables(made, most=WARM_UP_ACTIONS)
        before = await read_counters(ports)
        played = await play_tables(made, seconds=seconds)
        after = await read_counters(ports)
        counts = {name: after[name] - before[name] for name in COUNTER_NAMES}
        takeover = await measure_takeover(world, made[1::2], made[::2]) if processes > 1 else (0.0, 0.0)
        return Figures(played, counts, takeover)


async def read_counters(ports: list[int]) -> dict[str, float]:
    """Return what all processes have taken and asked for: of the processor, pictures apart, and of the database."""
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


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=36, help="how many games at once (36)")
    parser.add_argument("--seconds", type=float, default=15.0, help="how long they are played each time (15)")
    arguments = parser.parse_args()
    found = []
    with run_server() as server:
        share = max(1, arguments.games // PROCESSES)
        for count, games in ((1, arguments.games), (1, share), (PROCESSES, arguments.games)):
            with tempfile.TemporaryDirectory() as name:
                found.append(asyncio.run(measure_fleet(Path(name), server, count, games, arguments.seconds)))
    one, few, three = found
    print(f"{arguments.games} games at once on one PostgreSQL server, {os.cpu_count()} processors for everything:")
    for what, figures in (("one process", one), (f"one, {share} games", few), (f"{PROCESSES} processes", three)):
        waits = statistics.quantiles(figures.played.waits, n=100)
        print(
            f"  {what:13} {figures.speed:6.1f} actions a second, {figures.cost:6.1f} ms of the processor each,"
            f" {figures.each(STATEMENTS):.1f} statements, {figures.each(ROUND_TRIPS):.1f} round trips,"
            f" press to board {waits[49]:.2f} s (50th), {waits[98]:.2f} s (99th)"
        )
    print(f"  actions a second, {PROCESSES} to one: {three.speed / one.speed:.2f}")
    print(f"  time of the processor for an action, {PROCESSES} to one: {three.cost / one.cost:.2f}")
    print(f"  the same, {PROCESSES} to one with {share} games: {three.cost / few.cost:.2f}")
    asked = three.each(STATEMENTS) / one.each(STATEMENTS)
    print(f"  statements for an action, {PROCESSES} to one: {asked:.2f}")
    telegram, discord = three.takeover
    after = f"{telegram:.1f} s (Telegram), {discord:.1f} s (Discord)"
    print(f"  one of {PROCESSES} killed: every game had gone on after {after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
