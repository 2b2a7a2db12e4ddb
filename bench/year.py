"""A year of use in fast motion: what start-up, memory and a press come to before it, in it and after it.

Games are played at random and stored as the services store them; then a new process opens the database, as
`tavoliere serve` does, and a game is played in it. What grows with the year would show from line to line.
"""

from __future__ import annotations

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

PRESSES = 60
QUESTIONS = ("/games", "/history", "/leaderboard", "/profile")


def new_process(pipe: Connection, path: Path) -> None:
    """Be a program that starts on a database: tell the figures."""
    pipe.send(asyncio.run(figures(path)))


async def figures(path: Path) -> dict[str, float]:
    """Return milliseconds to open the database and for a press, and for each question, and MiB of memory."""
    begun = time.perf_counter()
    async with await Store.open(path) as store:
        party = Party(store)
        await party.front.alarms.beat()
        await party.front.delivery.settle()
        found = {"start": (time.perf_counter() - begun) * 1000}
        await party.started("/play annuvin @bruno")
        presses = []
        for _ in range(PRESSES):
            state = (await party.front.house.table(party.code)).playing.state
            if state.to_move is None:
                await party.started("/play annuvin @bruno")
                continue
            mover, action = party.mover, state.legal_actions()[0]
            used = time.process_time()
            await party.say(mover, f"/move {action}")
            presses.append((time.process_time() - used) * 1000)
        found["press"] = statistics.median(presses)
        for question in QUESTIONS:
            asked = []
            for number in range(12):
                used = time.process_time()
                await party.say(f"p{number}", question)
                asked.append((time.process_time() - used) * 1000)
            found[question] = statistics.median(asked)
    return found | {"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


async def grown(path: Path, games: int, seed: int) -> int:
    """Let so many more games be played; return how many events there are."""
    async with await Store.open(path) as store:
        await live_through(store, games, seed)
        counted = await store.game_counts()
    return counted.get("over", 0)


def main() -> int:
    """Print a line before the year, and after each part of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=4000, help="how many games the year has (4000)")
    parser.add_argument("--parts", type=int, default=4, help="in how many parts it is looked at (4)")
    arguments = parser.parse_args()
    titles = ["start", "press", *QUESTIONS, "memory"]
    print(f"{'games':>8} {'MiB':>7} " + " ".join(f"{title:>12}" for title in titles))
    print(f"{'':8} {'':>7} " + " ".join(f"{'MiB' if title == 'memory' else 'ms':>12}" for title in titles))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tavoliere.db"
        over = 0
        for part in range(arguments.parts + 1):
            if part:
                over = asyncio.run(grown(path, arguments.games // arguments.parts, part))
            ours, theirs = FORKS.Pipe()
            process = FORKS.Process(target=new_process, args=(theirs, path))
            process.start()
            found = ours.recv()
            process.join()
            size = path.stat().st_size / 2**20
            print(f"{over:8} {size:7.1f} " + " ".join(f"{found[title]:12.1f}" for title in titles), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
