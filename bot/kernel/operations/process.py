"""Control of the process: CPU affinity, memory allocation, the lock of the database file, and package metadata."""

import asyncio
import ctypes
import os
import random
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

import structlog
from filelock import FileLock, Timeout

from bot.kernel.operations.tasks import cancel_tasks

BALANCE_INTERVAL_SECONDS: Final = 10.0
"""Seconds between two measurements of the CPUs' load."""
MIN_GAIN: Final = 0.25
"""Minimum difference between this CPU's load by other programs and another CPU's load to move there, as a share."""
_SIMILAR: Final = 0.1
"""CPUs whose load differs by less count as equal."""
_TASKS: Final = Path("/proc/self/task")
_STAT: Final = Path("/proc/stat")
_NICE, _IDLE, _IO_WAIT, _STOLEN = 1, 3, 4, 7
"""Columns of a CPU's line in /proc/stat (proc(5)), after its name; columns after the stolen time repeat earlier ones.
"""

log = structlog.get_logger(__name__)


class CpuTimes(NamedTuple):
    """How long a CPU was busy with work of ordinary priority, and the total time counted, in ticks."""

    busy: int
    total: int


class CpuAffinity:
    """Keeps the threads of this process on one of the allowed CPUs.

    Only one thread runs Python code at a time, since they share the interpreter lock; passing the lock to a thread on
    another CPU costs a fifth of all work (docs/measurements.md). Other programs and the workers of computer players may
    use all CPUs, so the system moves them to others. Of two programs that are pinned to the same CPU, one moves away.
    Nothing is done where a process cannot choose its CPUs, or Python has no such lock.
    """

    def __init__(
        self, *, read_times: Callable[[], Mapping[int, CpuTimes]] | None = None, chance: random.Random | None = None
    ) -> None:
        self._read_times = read_times or read_cpu_times
        self._random = chance or random.Random()
        self._allowed: frozenset[int] = frozenset()
        self._cpu: int | None = None
        self._seen: Mapping[int, CpuTimes] = {}
        self._seen_at, self._used = 0.0, 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def cpu(self) -> int | None:
        """The CPU that the threads stay on, None if they may run on all."""
        return self._cpu

    @contextmanager
    def pinned(self) -> Iterator[None]:
        """Pin this thread, and all that it starts, to one CPU until the end of the block; then allow all CPUs again."""
        # Builds of Python since 3.13 may have no interpreter lock.
        if hasattr(os, "sched_setaffinity") and getattr(sys, "_is_gil_enabled", lambda: True)():
            self._allowed = frozenset(os.sched_getaffinity(0))
        if len(self._allowed) > 1:
            cpu = self._random.choice(sorted(self._allowed))
            # The system may refuse this to a confined service: then nothing is done.
            with suppress(OSError):
                os.sched_setaffinity(0, {cpu})
                self._cpu = cpu
        try:
            yield
        finally:
            if self._cpu is not None:
                _move_threads(self._cpu, self._allowed)
                self._cpu = None

    def release(self, process_id: int) -> None:
        """Let a process that this one has started use all CPUs."""
        if self._cpu is not None:
            _set_affinity(process_id, self._allowed)

    def start(self) -> None:
        """Start to check at intervals whether another CPU is less busy."""
        if self._cpu is not None:
            self._task = asyncio.create_task(self._keep_balanced(), name="cpu-affinity")

    async def stop(self) -> None:
        """Stop the checks."""
        await cancel_tasks(self._task)
        self._task = None

    def balance(self) -> None:
        """Move to a CPU that has been less busy since the last call than this one was with other programs.

        Only half of the time, at random: of two programs that share a CPU one should stay.
        """
        times, now, used = self._read_times(), time.monotonic(), time.process_time()
        seen, self._seen = self._seen, times
        elapsed, own = now - self._seen_at, used - self._used
        self._seen_at, self._used = now, used
        if self._cpu is None or self._cpu not in seen or elapsed <= 0:
            return
        loads = {cpu: load for cpu in self._allowed if (load := _load(seen.get(cpu), times.get(cpu))) is not None}
        here = loads.pop(self._cpu, None)
        if here is None or not loads:
            return
        least = min(loads.values())
        if here - own / elapsed - least < MIN_GAIN or self._random.random() < 0.5:
            return
        cpu = self._random.choice(sorted(cpu for cpu, load in loads.items() if load < least + _SIMILAR))
        _move_threads(self._cpu, {cpu})
        log.debug("moved-to-cpu", cpu=cpu, before=self._cpu)
        self._cpu = cpu

    async def _keep_balanced(self) -> None:
        while True:
            self.balance()
            await asyncio.sleep(BALANCE_INTERVAL_SECONDS)


def read_cpu_times() -> dict[int, CpuTimes]:
    """Return the times of all CPUs since the system started; empty where they are not available."""
    try:
        lines = _STAT.read_text().splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        name, *columns = line.split()
        if name.startswith("cpu") and name != "cpu" and len(columns) > _STOLEN:
            ticks = [int(each) for each in columns[: _STOLEN + 1]]
            total = sum(ticks)
            found[int(name[3:])] = CpuTimes(total - ticks[_IDLE] - ticks[_IO_WAIT] - ticks[_NICE], total)
    return found


def _load(before: CpuTimes | None, after: CpuTimes | None) -> float | None:
    """Return the share of the time between two measurements that a CPU was busy, None if unknown."""
    if before is None or after is None or after.total <= before.total:
        return None
    return (after.busy - before.busy) / (after.total - before.total)


def _move_threads(cpu: int, cpus: Collection[int]) -> None:
    """Move all threads that are pinned to a CPU to others; only this thread if the system lists none."""
    try:
        threads = [int(task.name) for task in _TASKS.iterdir()]
    except OSError:
        threads = [0]
    for thread in threads:
        with suppress(ProcessLookupError):
            if os.sched_getaffinity(thread) == {cpu}:
                _set_affinity(thread, cpus)


def _set_affinity(task_id: int, cpus: Collection[int]) -> None:
    """Let a thread or a process run on these CPUs, if it still exists and the system allows it."""
    with suppress(OSError):
        os.sched_setaffinity(task_id, cpus)


_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
"""Options of `mallopt`, from malloc.h."""
LARGE_BLOCK_BYTES: Final = 2 * 1024 * 1024
"""The size from which blocks are allocated from the system, and returned to it, individually.

No block for drawing one board is as large: with fresh pages for each block, drawing costs a tenth more.
"""
MAX_UNUSED_BYTES: Final = 8 * 1024 * 1024
"""Maximum unused memory at the end of an arena."""


def trim_memory() -> None:
    """Have large blocks returned to the system as soon as they are free; call this before threads are started.

    By default, glibc keeps an arena for each thread and raises its threshold for large blocks with every freed block:
    after some films, the process holds three times the memory that it uses. Other C libraries have no such setting:
    then nothing is done.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for option, value in (
            (_ARENA_MAX, 2),
            (_MMAP_THRESHOLD, LARGE_BLOCK_BYTES),
            (_TRIM_THRESHOLD, MAX_UNUSED_BYTES),
        ):
            library.mallopt(option, value)


_DEFAULT_FILE: Final = "tavoliere.db"


class AlreadyRunning(Exception):
    """Another process uses the database."""


def lock_file(database: Path) -> Path:
    """Return the lock file next to a database; every path to the database gives the same one."""
    path = database.resolve()
    return path.with_name("tavoliere.lock" if path.name == _DEFAULT_FILE else f"{path.name}.lock")


class DatabaseLock:
    """Locks a database file for this process; the system releases the lock when the process ends in any way.

    On Linux the file itself is locked, too, so that the lock also holds under another name (a hard link). SQLite's own
    locks are of another kind there, and independent of this one.
    """

    def __init__(self, database: Path) -> None:
        """Create the lock of a database file, which need not exist yet; its folder must exist."""
        # The soft lock that replaces a missing lock facility would outlive a killed process.
        self._lock = FileLock(lock_file(database), mode=0o600, blocking=False, fallback_to_soft=False)
        self._database = database
        self._held: int | None = None

    def __enter__(self) -> Self:
        """Take the lock; raises AlreadyRunning, or OSError if the lock file cannot be written."""
        try:
            self._lock.acquire()
        except Timeout as error:
            raise AlreadyRunning(self._lock.lock_file) from error
        try:
            self.hold_file()
        except AlreadyRunning:
            self._lock.release()
            raise
        return self

    def hold_file(self) -> None:
        """Lock the file itself, if it exists; raises AlreadyRunning if another process has locked it under any name."""
        if sys.platform != "linux" or self._held is not None:
            return
        import fcntl

        with suppress(FileNotFoundError):
            # Opened read-only, so that network file systems refuse the lock: there it would conflict with SQLite's.
            held = os.open(self._database, os.O_RDONLY)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(held)
                raise AlreadyRunning(str(self._database)) from None
            except OSError:
                pass  # this file system has no such locks
            # Closed only at the end: closing it would release SQLite's own locks of this process.
            self._held = held

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None
        self._lock.release()


@cache
def read_version() -> str:
    """Return the version of the installed package, such as 0.2.0."""
    return metadata.version("tavoliere")


@cache
def read_homepage() -> str:
    """Return the public address of the project, from the installed package."""
    labelled: list[str] = metadata.metadata("tavoliere").get_all("Project-URL") or []
    return next(address for label, _, address in (line.partition(", ") for line in labelled) if label == "Homepage")
