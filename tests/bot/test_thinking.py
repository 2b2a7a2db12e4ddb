"""Thinking in worker processes: answers, fairness, and processes that die."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bot.thinking.thinkers import FairQueue, SearchPool, ThinkingFailed, default_worker_count
from engine import games
from engine.search import players, think
from tests.support.present import present

ROOT = Path(__file__).parents[2]

START: dict[str, Any] = games["annuvin"].start().to_json()
ECHO = (
    "import json, os, sys\n"
    "for line in sys.stdin:\n"
    "    order = json.loads(line)\n"
    "    print(json.dumps({'answer': [str(order['seed']), str(os.getpid())]}), flush=True)\n"
)
"""A worker that answers at once who was asked for and who answers."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def thinkers() -> AsyncIterator[SearchPool]:
    # One for all tests of the real worker: to start it takes a quarter of a second.
    pool = SearchPool(1)
    yield pool
    await pool.close()


def program(text: str) -> tuple[str, ...]:
    return sys.executable, "-S", "-c", text


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("key", games)
async def test_search_worker_plays_the_turn_of_its_level(thinkers: SearchPool, key: str) -> None:
    rng, state = random.Random(1), games[key].start()
    while state.to_move not in range(state.seats):
        state = state.advance(state.sample_chance(rng))
    assert await thinkers.turn(state.to_json(), 1, 7, None) == think(state.to_json(), 1, 7)


@pytest.mark.asyncio(loop_scope="module")
async def test_an_analysis_is_that_of_the_player_also_where_results_are_proven(thinkers: SearchPool) -> None:
    state = games["fagocitare"].start()
    assert await thinkers.analyse(state.to_json(), 50) == players["fagocitare"].analyse(state, 50)
    state = games["annuvin"].start(2, {"board": "square"})
    for text in ("a1-a2", "a4-a3", "d1-c2"):
        state = state.play(state.parse(text)[0])
    judged = await thinkers.analyse(state.to_json(), 1)
    assert judged == players["annuvin"].analyse(state, 1)
    assert (judged[0].action.text, judged[0].known, judged[0].turns) == ("a3xa2", True, 1)


@pytest.mark.asyncio(loop_scope="module")
async def test_search_error_is_reported_and_the_worker_continues(thinkers: SearchPool) -> None:
    with pytest.raises(ThinkingFailed) as failed:
        await thinkers.turn(START | {"to_move": 7}, 1, 1)
    assert failed.value.code.startswith("InvalidPosition")
    assert await thinkers.turn(START, 1, 1)


async def test_workers_are_started_when_needed_and_never_more_than_allowed() -> None:
    started: list[int] = []
    pool = SearchPool(2, program(ECHO), on_start=started.append)
    assert not pool.process_ids
    answers = await asyncio.gather(*(pool.turn(START, 1, seed) for seed in range(30)))
    assert [int(seed) for seed, _ in answers] == list(range(30))
    processes = {int(process) for _, process in answers}
    assert pool.process_ids == processes == set(started)
    assert len(started) <= 2
    await pool.close()
    assert not pool.process_ids
    assert not any(map(is_running, processes))


async def test_requests_of_one_owner_share_a_queue_place() -> None:
    pool, order = SearchPool(1, program(ECHO)), list[int]()

    async def ask(seed: int, whose: str) -> None:
        order.append(int((await pool.turn(START, 1, seed, whose=whose))[0]))

    requests = [(seed, "crowd") for seed in range(10)]
    await asyncio.gather(*(ask(seed, whose) for seed, whose in [*requests, (10, "one"), (11, "other")]))
    await pool.close()
    assert order[:4] == [0, 10, 11, 1]


async def test_of_a_persons_games_each_has_its_turn_and_newcomers_come_first() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(3):
        queue.add("anna", "game 1", f"anna 1.{number}")
    queue.add("anna", "game 2", "anna 2.0")
    queue.add("bruno", "game 3", "bruno 3.0")
    assert (len(queue), queue.people_count) == (5, 2)
    assert [queue.pop() for _ in range(3)] == ["anna 1.0", "bruno 3.0", "anna 2.0"]
    # A person who was not served yet goes before one who was.
    queue.add("bruno", "game 3", "bruno 3.1")
    queue.add("carla", "game 4", "carla 4.0")
    assert [queue.pop() for _ in range(4)] == ["carla 4.0", "bruno 3.1", "anna 1.1", "anna 1.2"]
    with pytest.raises(ValueError, match="empty"):
        queue.pop()


async def test_a_worker_that_dies_is_replaced_and_its_search_repeated(tmp_path: Path) -> None:
    mark = tmp_path / "died"
    dying = f"import os, sys, pathlib\nmark = pathlib.Path({str(mark)!r})\n"
    dying += "if not mark.exists():\n    sys.stdin.readline()\n    mark.touch()\n    os._exit(1)\n"
    pool = SearchPool(1, program(dying + ECHO))
    assert (await pool.turn(START, 1, 5))[0] == "5"
    assert mark.exists()
    await pool.close()


@pytest.mark.parametrize(
    ("command", "code"),
    [(program("import sys; sys.stdin.readline()"), "worker-died"), (("/nowhere/python",), "no-worker")],
)
async def test_a_worker_that_always_dies_or_cannot_be_started_is_given_up(command: tuple[str, ...], code: str) -> None:
    pool = SearchPool(1, command)
    with pytest.raises(ThinkingFailed, match=code):
        await pool.turn(START, 1, 1)
    await pool.close()


async def test_cancelled_search_frees_its_worker() -> None:
    stuck = "import json, sys, time\norder = json.loads(sys.stdin.readline())\n"
    stuck += "if order['seed'] == 0: time.sleep(600)\nprint(json.dumps({'answer': [str(order['seed'])]}), flush=True)\n"
    started = asyncio.Queue[int]()
    pool = SearchPool(1, program(stuck), on_start=started.put_nowait)
    one = asyncio.create_task(pool.turn(START, 1, 0))
    await started.get()
    one.cancel()
    assert await pool.turn(START, 1, 1) == ("1",)
    await pool.close()


async def test_closing_ends_the_searches_and_the_workers() -> None:
    started = asyncio.Queue[int]()
    pool = SearchPool(1, program("import time; time.sleep(600)"), on_start=started.put_nowait)
    asked = [asyncio.create_task(pool.turn(START, 1, seed)) for seed in range(3)]
    worker = await started.get()
    await pool.close()
    for task in asked:
        with pytest.raises(ThinkingFailed, match="closed"):
            await task
    assert not is_running(worker)
    with pytest.raises(ThinkingFailed, match="closed"):
        await pool.turn(START, 1, 1)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_worker_leaves_signals_to_the_program_and_is_replaced_if_killed(
    thinkers: SearchPool,
) -> None:
    first = await thinkers.turn(START, 1, 3, None)
    (worker,) = thinkers.process_ids
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(worker, number)
    await thinkers.turn(START, 1, 2, None)
    assert thinkers.process_ids == {worker}
    assert os.getpriority(os.PRIO_PROCESS, worker) >= os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getsid(worker) != os.getsid(0)
    os.kill(worker, signal.SIGKILL)
    assert await thinkers.turn(START, 1, 3, None) == first


async def test_closing_waits_for_a_worker_that_is_being_ended() -> None:
    """Otherwise its process stays unreaped, with an open transport."""
    pool = SearchPool(1)
    await pool.turn(START, 1, 1, None)
    (worker,) = pool.process_ids
    unwanted = asyncio.create_task(pool.analyse(START, 10**9))
    await asyncio.sleep(0)
    assert len(pool.waiting) == 1
    while pool.waiting:  # noqa: ASYNC110 - nothing else says that the worker has begun
        await asyncio.sleep(0)
    unwanted.cancel()
    # Some turns of the loop only: the process must be about to end.
    for _ in range(20):
        await asyncio.sleep(0)
    assert not pool.process_ids
    await pool.close()
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_no_worker_outlives_a_killed_program(tmp_path: Path) -> None:
    """The worker is in the middle of a search without end when its program is killed."""
    script = tmp_path / "program.py"
    script.write_text(
        "import asyncio\n"
        "from bot.thinking.thinkers import SearchPool\nfrom engine import games\n"
        "async def main():\n"
        "    pool = SearchPool(1)\n"
        "    position = games['fagocitare'].start().to_json()\n"
        "    await pool.analyse(position, 1)\n"
        "    task = asyncio.create_task(pool.analyse(position, 10**9))\n"
        "    await asyncio.sleep(0)\n"
        "    print(*pool.process_ids, flush=True)\n"
        "    await task\n"
        "asyncio.run(main())\n",
        encoding="utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, str(script)], env=environment, stdout=subprocess.PIPE, text=True) as running:
        worker = int(present(running.stdout).readline())
        running.kill()
        running.wait()
    deadline = time.monotonic() + 60
    while is_running(worker):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(process: int) -> bool:
    """Say whether a process is there and no zombie."""
    status = Path(f"/proc/{process}/stat")
    try:
        os.kill(process, 0)
        return not status.exists() or status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_the_usual_number_leaves_the_program_room() -> None:
    assert 1 <= default_worker_count() <= 4
