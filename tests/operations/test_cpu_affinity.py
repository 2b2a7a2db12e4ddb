"""Which CPUs the program's threads may use, and when they move to another one."""

import asyncio
import os
import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bot.kernel.operations import process as cpu_affinity
from bot.kernel.operations.process import CpuAffinity, CpuTimes, read_cpu_times
from tests.web.browser import Browser
from tests.web.program import Program

CPUS = frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset({0})
several_cpus = pytest.mark.skipif(len(CPUS) < 2, reason="this process may use one CPU only, or cannot choose")


def cpus_of_new_thread() -> set[int]:
    """Return the CPUs that a thread of this one may use."""
    found: list[set[int]] = []
    thread = threading.Thread(target=lambda: found.append(os.sched_getaffinity(0)))
    thread.start()
    thread.join()
    return found[0]


class Clock:
    """Time, and for how long this process had the CPU in it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.used = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(time, "process_time", lambda: self.used)


class Machine:
    """CPUs that are as busy as a test says: shares of the time since they were last looked at."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.times = dict.fromkeys(CPUS, CpuTimes(0, 0))

    def pass_time(self, loads: dict[int, float], own: float) -> None:
        self.clock.now += 10
        self.clock.used += 10 * own
        self.times = {
            cpu: CpuTimes(times.busy + round(1000 * loads.get(cpu, 0.0)), times.total + 1000)
            for cpu, times in self.times.items()
        }


class Chance(random.Random):
    """Chance that always gives the same: much lets the program move, little never does."""

    def __init__(self, given: float) -> None:
        super().__init__()
        self.given = given

    def random(self) -> float:
        return self.given


@pytest.fixture(autouse=True)
def own_cpus() -> Iterator[None]:
    yield
    assert not hasattr(os, "sched_getaffinity") or os.sched_getaffinity(0) == CPUS


@several_cpus
def test_threads_stay_on_one_cpu_until_the_end() -> None:
    affinity = CpuAffinity()
    with affinity.pinned():
        assert {affinity.cpu} == os.sched_getaffinity(0) == cpus_of_new_thread()
        assert {affinity.cpu} < CPUS
    assert os.sched_getaffinity(0) == CPUS
    assert [affinity.cpu] == [None]


@several_cpus
def test_a_thread_that_goes_on_may_use_all_cpus_again() -> None:
    wait, found = threading.Event(), []

    def work() -> None:
        wait.wait()
        found.append(os.sched_getaffinity(0))

    with CpuAffinity().pinned():
        thread = threading.Thread(target=work)
        thread.start()
    wait.set()
    thread.join()
    assert found == [CPUS]


@several_cpus
def test_a_process_that_it_started_gets_all_cpus(tmp_path: Path) -> None:
    affinity, go = CpuAffinity(), tmp_path / "go"
    os.mkfifo(go)
    with affinity.pinned():
        process = os.posix_spawn("/bin/sh", ["sh", "-c", f"read line < {go}"], dict(os.environ))
        try:
            assert os.sched_getaffinity(process) == {affinity.cpu}
            affinity.release(process)
            assert os.sched_getaffinity(process) == CPUS
        finally:
            go.write_text("\n")
            os.waitpid(process, 0)
        affinity.release(process)  # it has ended: nothing happens


@several_cpus
@pytest.mark.parametrize(
    ("others", "there", "chance", "moves"),
    [(0.6, 0.1, 0.9, True), (0.3, 0.1, 0.9, False), (0.9, 0.8, 0.9, False), (0, 0, 0.9, False), (1, 0, 0.1, False)],
    ids=["shared", "hardly-shared", "all-are-busy", "idle", "one-of-two-stays"],
)
@pytest.mark.parametrize("own", [0.0, 0.4], ids=["idle-itself", "busy-itself"])
def test_it_moves_where_other_programs_leave_more(
    monkeypatch: pytest.MonkeyPatch, others: float, there: float, chance: float, own: float, moves: bool
) -> None:
    machine = Machine(Clock(monkeypatch))
    affinity = CpuAffinity(read_times=lambda: machine.times, chance=Chance(chance))
    with affinity.pinned():
        before = affinity.cpu
        affinity.balance()
        machine.pass_time({cpu: others + own if cpu == before else there for cpu in CPUS}, own)
        affinity.balance()
        assert (affinity.cpu != before) is moves
        assert {affinity.cpu} == os.sched_getaffinity(0) == cpus_of_new_thread()


@several_cpus
@pytest.mark.parametrize("known", [(), (99,)], ids=["nothing", "other-cpus"])
def test_without_figures_it_stays(monkeypatch: pytest.MonkeyPatch, known: Sequence[int]) -> None:
    clock = Clock(monkeypatch)
    affinity = CpuAffinity(read_times=lambda: dict.fromkeys(known, CpuTimes(0, 0)), chance=Chance(0.9))
    with affinity.pinned():
        before = affinity.cpu
        for clock.now in (10.0, 20.0):
            affinity.balance()
        assert affinity.cpu == before


@several_cpus
async def test_it_looks_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(Clock(monkeypatch))
    monkeypatch.setattr(cpu_affinity, "BALANCE_INTERVAL_SECONDS", 0.0)
    looked, moved = [], asyncio.Event()

    def read_times() -> dict[int, CpuTimes]:
        looked.append(affinity.cpu)
        if affinity.cpu != looked[0]:
            moved.set()
        machine.pass_time({cpu: float(cpu == affinity.cpu) for cpu in CPUS}, 0.0)
        return machine.times

    affinity = CpuAffinity(read_times=read_times, chance=Chance(0.9))
    with affinity.pinned():
        affinity.start()
        async with asyncio.timeout(60):
            await moved.wait()
        await affinity.stop()
        seen = len(looked)
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(looked) == seen


@several_cpus
def test_where_threads_cannot_be_listed_the_first_is_set_free(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cpu_affinity, "_TASKS", tmp_path / "hidden")
    with CpuAffinity().pinned():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == CPUS


@several_cpus
async def test_workers_of_the_running_program_may_use_all_cpus(tmp_path: Path) -> None:
    async with Program(tmp_path) as program, Browser(program.address) as browser:
        anna = await browser.name("Anna")
        await anna.say("/play annuvin computer")
        # A worker has to think, for the computer or for her.
        await anna.say("/hint")
        async with asyncio.timeout(60):
            while True:
                workers = children_of(program.pid)
                if workers and all(os.sched_getaffinity(worker) == CPUS for worker in workers):
                    break
                await asyncio.sleep(0.01)
        assert len(os.sched_getaffinity(program.pid)) == 1


def children_of(process: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == process:
                found.append(int(stat.parent.name))
    return found


def refuse(*_: object) -> None:
    raise PermissionError


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (os, "sched_getaffinity", lambda _: {3}),
        (os, "sched_setaffinity", refuse),
        (os, "sched_setaffinity", None),
        (sys, "_is_gil_enabled", lambda: False),
    ],
    ids=["one-is-allowed", "the-service-may-not-choose", "the-system-has-no-choice", "python-has-no-lock"],
)
def test_where_no_cpu_can_be_chosen_nothing_changes(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, value: Any
) -> None:
    with monkeypatch.context() as patched:
        if value is None:
            patched.delattr(module, name, raising=False)
        else:
            patched.setattr(module, name, value, raising=False)
        affinity = CpuAffinity()
        with affinity.pinned():
            assert affinity.cpu is None
            affinity.start()
            affinity.balance()
            affinity.release(1)


def test_times_are_read_from_proc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text(
        "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 100 20 30 400 50 6 7 8 0 0\ncpu11 1 2 3 4 5 6 7 8 9 9\nintr 5 1\ncpu2 1 2\n"
    )
    monkeypatch.setattr(cpu_affinity, "_STAT", stat)
    # Busy: user, system, both kinds of interrupts and what was stolen; not nice, idle, and waiting for a disk.
    assert read_cpu_times() == {0: CpuTimes(151, 621), 11: CpuTimes(25, 36)}
    stat.unlink()
    assert read_cpu_times() == {}


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="the system tells no times")
def test_this_machine_tells_its_times() -> None:
    found = read_cpu_times()
    assert found.keys() >= CPUS
    assert all(0 <= times.busy <= times.total for times in found.values())
