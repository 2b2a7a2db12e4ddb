"""A year of use in fast motion: what start-up, memory and a press come to in its first days, in it and after it.

Games are played at random and stored as the services store them; then a new process opens the database, as
`tavoliere serve` does, and a game is played in it. What grows with the year would show from line to line. Times are
those of the processor.
"""

import argparse
import asyncio
import resource
import statistics
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from storage import Store
from tests.bot.party import Party
from tests.durability.process import FORKS
from tests.durability.year import live_through

PRESS_COUNT = 60
FIRST_SHARE = 0.1
"""This share of the games is played before the first line: enough for every list to be full."""
COMMANDS = ("/games", "/history", "/leaderboard", "/profile")


def new_process(pipe: Connection, path: Path, part: int) -> None:
    """Be a program that starts on a database: tell the figures."""
    pipe.send(asyncio.run(measure_year(path, part)))


async def measure_year(path: Path, part: int) -> dict[str, float]:
    """Return milliseconds to open the database and for a press, and for each question, and MiB of memory."""
    begun = time.process_time()
    async with await Store.open(path) as store:
        party = Party(store)
        party.numbers = part * 1_000_000  # what an earlier process has been asked would not be done again
        await party.front.alarms.tick()
        await party.front.delivery.run_until_idle()
        found = {"start": (time.process_time() - begun) * 1000}
        code = await party.started("/play annuvin @bruno")
        presses = []
        for _ in range(PRESS_COUNT):
            table = await party.front.context.table(code)
            state = table.playing.state
            if state.to_move is None:
                code = await party.started("/play annuvin @bruno")
                continue
            mover, line = party.mover, f"/move {state.legal_actions()[0]} game:{code}"
            used = time.process_time()
            await party.say(mover, line)
            presses.append((time.process_time() - used) * 1000)
            if (await party.front.context.table(code)).row.revision == table.row.revision:
                raise RuntimeError(line)
        found["press"] = statistics.median(presses)
        for question in COMMANDS:
            asked = []
            for number in range(12):
                used = time.process_time()
                await party.say(f"p{number}", question)
                asked.append((time.process_time() - used) * 1000)
            found[question] = statistics.median(asked)
    return found | {"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


async def add_games(path: Path, games: int, seed: int) -> None:
    """Let so many more games be played."""
    async with await Store.open(path) as store:
        await live_through(store, games, seed)


def main() -> int:
    """Print a line after the year's first days, and after each part of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=4000, help="how many games the year has (4000)")
    parser.add_argument("--parts", type=int, default=4, help="in how many parts it is looked at (4)")
    arguments = parser.parse_args()
    titles = ["start", "press", *COMMANDS, "memory"]
    print(f"{'games':>8} {'MiB':>7} " + " ".join(f"{title:>12}" for title in titles))
    print(f"{'':8} {'':>7} " + " ".join(f"{'MiB' if title == 'memory' else 'ms':>12}" for title in titles))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tavoliere.db"
        over = 0
        first = round(FIRST_SHARE * arguments.games)
        for part in range(arguments.parts + 1):
            more = (arguments.games - first) // arguments.parts if part else first
            asyncio.run(add_games(path, more, part))
            over += more
            ours, theirs = FORKS.Pipe()
            process = FORKS.Process(target=new_process, args=(theirs, path, part))
            process.start()
            theirs.close()
            found = ours.recv()
            process.join()
            size = path.stat().st_size / 2**20
            print(f"{over:8} {size:7.1f} " + " ".join(f"{found[title]:12.1f}" for title in titles), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
