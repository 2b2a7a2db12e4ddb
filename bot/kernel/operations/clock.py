"""The program's clock: it follows the monotonic clock, so that setting the system's clock changes no player's time.

Between two heartbeats it continues from the last one, whatever happens to the system's clock. Each heartbeat computes
by how much more (or less) the system's clock has advanced than the program has run: because the clock was set, the
machine was suspended, or no process was running. In the transaction of the heartbeat, all stored deadlines are moved by
that difference, so that their remaining time stays the same; calendar dates are not moved (`storage/clock.py`). Several
processes share the heartbeat, the time of the database server, and the sum of all differences. The first process to
notice a difference moves the deadlines and adds it to the sum; from the sum the others know, to the millisecond, what
was noticed since their own last heartbeat.

In a single process, the clock stops while the event loop is stalled; clocks of live games are corrected soon after. Of
several processes, each stores when its loop was stalled; the time in which all were stalled is given back to live
games.
"""

import asyncio
import math
import time
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Protocol

import structlog

from bot.kernel.operations.tasks import cancel_tasks
from storage import ClockMove, Store, Unreachable, utc_now

HEARTBEAT_SECONDS: Final = 30.0
"""Seconds between two heartbeats."""
HEARTBEAT_NAME: Final = "alarms"
TOTAL_NAME: Final = "total"
"""The name of the stored sum of all differences that the processes have noticed."""
STALL_NAME: Final = "stall"
"""The name of the stored interval of a common stall, with the number of processes that stored theirs."""
DOWNTIME_THRESHOLD: Final = timedelta(seconds=4 * HEARTBEAT_SECONDS)
"""After a longer gap between heartbeats the program counts as stopped; without a heartbeat, the clock stops."""
PEER_HEARTBEAT_AGE: Final = timedelta(seconds=HEARTBEAT_SECONDS + 5)
"""Maximum age of the last heartbeat of a running peer process."""
MAX_STALL_SECONDS: Final = 1.0
"""Seconds after which a loop that does not run counts as stalled."""
TOLERANCE: Final = timedelta(seconds=2)
"""Differences up to this size are NTP corrections or inaccuracies, and move only live clocks."""
SHARED_INACCURACY: Final = timedelta(milliseconds=20)
"""Differences up to this size come from the latency of the database server's time."""

log = structlog.get_logger(__name__)


class Times(Protocol):
    """A source of the time of day, and of seconds for durations that are not stored."""

    def __call__(self) -> datetime:
        """Return the time of day, which jumps when the clock is set."""

    def monotonic(self) -> float:
        """Return seconds that cannot be set; they may stop while the machine is suspended."""


class SystemTime(Times):
    """The time sources of the clock: this machine, and the database server if several processes share one."""

    def __call__(self) -> datetime:
        """Return the time of day."""
        return utc_now()

    def monotonic(self) -> float:
        """Return the seconds of the monotonic clock."""
        return time.monotonic()

    def loop_seconds(self) -> float:
        """Return the seconds used to detect stalls of the loop: those of `monotonic`, except in tests."""
        return time.monotonic()

    def boottime(self) -> float:
        """Return the seconds since the machine started, including suspension, where available; else `monotonic`."""
        clock = getattr(time, "CLOCK_BOOTTIME", None)
        return time.monotonic() if clock is None else time.clock_gettime(clock)

    async def read_shared(self, store: Store) -> datetime:
        """Return the time of the database server, or of this machine."""
        return await store.clock.server_time() if store.is_shared else utc_now()


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """A heartbeat of this process: its time of day, and the other clocks' seconds.

    The loop was stalled for `stalled_seconds` of `seconds`. `total` is the sum of all differences until then.
    """

    at: datetime
    seconds: float
    boot_seconds: float
    stalled_seconds: float = 0.0
    total: timedelta = timedelta()


class Clock:
    """The clock of this process: call it for the time of day, and `monotonic` for durations that are not stored."""

    def __init__(self, source: SystemTime | None = None) -> None:
        self._source = source or SystemTime()
        self.is_alone = False
        """True if this is read in the running loop of the only process: then stalls do not count as time."""
        self.stalled_seconds = 0.0
        """Total seconds of all stalls."""
        self.stalls = 0
        """Number of stalls noticed."""
        self._stall = (-math.inf, -math.inf)
        """Start and end of the loop's last stall, whether or not other processes ran meanwhile."""
        self._read_at_seconds = self._source.loop_seconds()
        self._set = self._look(self._source())
        self.last_heartbeat: Heartbeat | None = None
        """The last heartbeat of this process."""
        self.stops = False
        """True if the clock stops when heartbeats are overdue, since differences are noticed only by a heartbeat."""
        self._followed = 0
        """The number of the last difference in the total that this clock knows."""
        self._knows_total = False
        """True if the total at the last heartbeat was read, not guessed, and can be compared."""
        self._received = (0, 0)
        """The number and total of the last difference that another process has announced."""
        self._moves: list[ClockMove] = []
        self._totals = [timedelta()]
        """The sums of the first n moves, for n from 0."""

    def __call__(self) -> datetime:
        """Return the time of day."""
        passed = timedelta(seconds=self.run_seconds() - self._set.seconds + self._set.stalled_seconds)
        return self._set.at + (min(passed, DOWNTIME_THRESHOLD) if self.stops else passed)

    def monotonic(self) -> float:
        """Return seconds that cannot be set, for durations within this process."""
        return self._source.monotonic()

    def run_seconds(self) -> float:
        """Return the seconds of `monotonic` without the stalls of the only process's loop."""
        now = self._source.loop_seconds()
        stall, self._read_at_seconds = now - self._read_at_seconds, now
        if stall > MAX_STALL_SECONDS:
            self.stalls += 1
            self.stalled_seconds += stall if self.is_alone else 0.0
        seconds = self._source.monotonic() - self.stalled_seconds
        if stall > MAX_STALL_SECONDS and not self.is_alone:
            self._stall = (seconds - stall, seconds)
        return seconds

    def arrival_seconds(self) -> float:
        """Return the `run_seconds` at which a new event arrived; just after a stall, that may be during the stall."""
        seconds, (begun, ended) = self.run_seconds(), self._stall
        return begun if seconds - ended <= MAX_STALL_SECONDS else seconds

    def _look(self, at: datetime) -> Heartbeat:
        """Return a heartbeat with a given time of day."""
        self.run_seconds()
        return Heartbeat(at, self._source.monotonic(), self._source.boottime(), self.stalled_seconds)

    @property
    def moves(self) -> int:
        """The number of the last move that this clock knows; it is stored with times for `rebase`."""
        return self._moves[-1].number if self._moves else 0

    async def load_moves(self, store: Store) -> None:
        """Load the moves of stored times, to read times in a program that is not running."""
        self._learn(await store.clock.list_moves(self.moves))

    def _learn(self, moves: Sequence[ClockMove]) -> None:
        self._moves += moves
        for move in moves:
            self._totals.append(self._totals[-1] + move.by)

    def rebase(self, at: datetime, moves: int) -> datetime:
        """Return a stored time adjusted by all moves after the one numbered `moves`."""
        return at + self._totals[-1] - self._totals[bisect_right(self._moves, moves, key=lambda move: move.number)]

    def elapsed_since(self, at: datetime) -> timedelta:
        """Return how long the program has run since a stored time; if unknown, the shorter possible duration."""
        passed = self() - at
        longer = [move.by for move in self._moves if move.by > timedelta() and move.at >= at]
        # Set back: the stored time was before that move if the clock has not shown it since.
        shorter = [move.by for move in self._moves if move.by < timedelta() and move.at + move.by >= at]
        return max(timedelta(), passed - sum(longer, timedelta()) - sum(shorter, timedelta()))

    def put_off(self, at: datetime) -> datetime | None:
        """Return the new time of something due while the program was not running; None if it was not due then."""
        found = [move.by for move in self._moves if move.at < at <= move.at + move.by]
        return at + found[-1] if found else None

    def follow(self, number: int, microseconds: int) -> None:
        """Apply a difference noticed by another process, until the next heartbeat; stored times are moved already.

        `microseconds` is the sum of all differences up to this one, whose index is `number`.
        """
        self._received = max(self._received, (number, microseconds))
        if number > self._followed and self._knows_total:
            self._followed, total = number, timedelta(microseconds=microseconds)
            self._set = replace(self._set, at=self._set.at + total - self._set.total, total=total)

    async def beat(self, store: Store, installed: Collection[str]) -> None:
        """Record a heartbeat, and move stored deadlines if the clock was set or the program was not running.

        The clocks of games that are not in `installed` are stopped.
        """
        async with store.transaction():
            last = await store.alarms.lock_heartbeat(HEARTBEAT_NAME)
            has_peers = store.is_shared and (self.last_heartbeat is not None or await _finds_peers(store))
            # If the heartbeat cannot be read, use the last known one.
            number, total = max(await _read_total(store), (self._followed, self._set.total))
            now = replace(self._look(await self._source.read_shared(store)), total=total)
            seconds, games, stalled, difference = 0, 0, self._find_stall(last, now), timedelta()
            if last is not None:
                difference = self._find_difference(last, now, has_peers=has_peers)
                if abs(difference) <= (SHARED_INACCURACY if store.is_shared else timedelta()):
                    difference = timedelta()
                seconds = math.ceil(difference.total_seconds()) if abs(difference) > TOLERANCE else 0
                if store.is_shared:
                    stalled += await self._share_stall(store, now)
                if seconds:
                    games = await store.clock.move(seconds, last, now.at)
                if shift := stalled if seconds else stalled + difference:
                    await store.clock.shift_live(shift, now.at)
                if difference and store.is_shared:
                    number, now = number + 1, replace(now, total=total + difference)
                    await _record_total(store, number, now.total)
                await store.clock.hold(now.at - last - timedelta(seconds=seconds), installed)
            await store.alarms.record_heartbeat(HEARTBEAT_NAME, now.at)
            moves = await store.clock.list_moves(self.moves)
        if seconds and last is not None:
            log.warning("clock-moved", seconds=seconds, games=games, cause=self._describe(last, now, seconds))
        if stalled:
            log.info("live-clocks-moved", seconds=round(stalled.total_seconds(), 3), cause="stood-still")
        self._learn(moves)
        # A process that has just started only guesses; processes that were running correct it.
        own, self._set, self._followed = self.last_heartbeat, now, number
        if own is None:
            self._knows_total = not has_peers
        elif own.at != last:
            self._knows_total = True
        self.last_heartbeat = now
        self.follow(*self._received)

    def _find_stall(self, last: datetime | None, now: Heartbeat) -> timedelta:
        """Return how long the loop was stalled since the last heartbeat, if no other process ran meanwhile."""
        own = self.last_heartbeat
        if own is None or own.at != last or timedelta(seconds=now.seconds - own.seconds) > DOWNTIME_THRESHOLD:
            return timedelta()
        return timedelta(seconds=now.stalled_seconds - own.stalled_seconds)

    async def _share_stall(self, store: Store, now: Heartbeat) -> timedelta:
        """Store this process's stall; return how long all were stalled, once the last of them has stored its own."""
        own, (begun, ended) = self.last_heartbeat, self._stall
        if own is None or ended <= own.seconds - own.stalled_seconds:
            return timedelta()
        if timedelta(seconds=now.seconds - own.seconds) > DOWNTIME_THRESHOLD:
            return timedelta()  # the whole stall was given back already
        try:
            peers = await store.register_peer(HEARTBEAT_NAME)
        except Unreachable:
            return timedelta()
        since, until = (now.at - timedelta(seconds=now.seconds - now.stalled_seconds - at) for at in (begun, ended))
        others, count = await store.key_values.get(HEARTBEAT_NAME, STALL_NAME), 1
        if others is not None:
            both = (
                max(since, datetime.fromisoformat(others["since"])),
                min(until, datetime.fromisoformat(others["until"])),
            )
            if both[0] < both[1]:
                (since, until), count = both, others["count"] + 1
        is_last = count >= peers
        value = None if is_last else {"since": since.isoformat(), "until": until.isoformat(), "count": count}
        await store.key_values.set(HEARTBEAT_NAME, STALL_NAME, value)
        return until - since if is_last else timedelta()

    def _find_difference(self, last: datetime, now: Heartbeat, *, has_peers: bool) -> timedelta:
        """Return the advance of the time of day since the last heartbeat minus the program's run time.

        Differences that other processes have noticed since this one's last heartbeat are left out.
        """
        gap, own = now.at - last, self.last_heartbeat
        if own is not None and own.at == last:
            ran = timedelta(seconds=now.seconds - own.seconds)
            return gap - ran if ran <= DOWNTIME_THRESHOLD else gap
        if not has_peers:
            return gap
        if own is not None and (self._knows_total or now.total == own.total):
            # If only this machine was suspended, the others ran.
            ran = timedelta(seconds=now.boot_seconds - own.boot_seconds)
            if ran <= DOWNTIME_THRESHOLD:
                return now.at - own.at - ran - (now.total - own.total)
        # A peer has been running, and has noticed any difference.
        return timedelta() if -TOLERANCE <= gap <= self._max_peer_age(now) else gap

    def _max_peer_age(self, now: Heartbeat) -> timedelta:
        """Return the maximum age of a running peer's heartbeat."""
        if self.last_heartbeat is None:
            return PEER_HEARTBEAT_AGE
        since_own = timedelta(seconds=now.boot_seconds - self.last_heartbeat.boot_seconds)
        return min(since_own + TOLERANCE, DOWNTIME_THRESHOLD)

    def _describe(self, last: datetime, now: Heartbeat, seconds: int) -> str:
        """Return the cause of a difference, for the log."""
        own = self.last_heartbeat
        if own is None:
            return "not-running" if seconds > 0 else "clock-set"
        suspended = (now.boot_seconds - own.boot_seconds) - (now.seconds - own.seconds)
        if abs(seconds - suspended) <= TOLERANCE.total_seconds() + 1:
            return "suspended"
        stood_still = own.at != last or now.seconds - own.seconds > DOWNTIME_THRESHOLD.total_seconds()
        return "stood-still" if seconds > 0 and stood_still else "clock-set"


async def _finds_peers(store: Store) -> bool:
    """Register this process as running, and return True if there are others, or if that is unknown.

    Called in the transaction of its first heartbeat: of several processes that start at once, only later ones find
    peers.
    """
    try:
        return await store.register_peer(HEARTBEAT_NAME, waits=True) > 1
    except Unreachable:
        return True


async def _read_total(store: Store) -> tuple[int, timedelta]:
    """Return the number of differences noticed by all processes, and their sum."""
    stored = await store.key_values.get(HEARTBEAT_NAME, TOTAL_NAME) if store.is_shared else None
    return (stored["number"], timedelta(microseconds=stored["microseconds"])) if stored else (0, timedelta())


async def _record_total(store: Store, number: int, total: timedelta) -> None:
    """Store the sum of all differences, and announce it to other processes."""
    microseconds = total // timedelta(microseconds=1)
    await store.key_values.set(HEARTBEAT_NAME, TOTAL_NAME, {"number": number, "microseconds": microseconds})
    await store.tell_peers("clock", (number, microseconds))


@dataclass(eq=False, slots=True)
class Arrival:
    """A received event: when it arrived, by `Clock.run_seconds`, and whether its sender sees boards at once."""

    seconds: float
    on_screen: bool = False


_ARRIVAL: Final[ContextVar[Arrival | None]] = ContextVar("arrival", default=None)


class Arrivals:
    """The events that this process has received and not handled yet.

    A person's action counts from its arrival, however long it waits here.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: dict[Arrival, None] = {}

    @contextmanager
    def arriving(self, *, on_screen: bool = False) -> Iterator[None]:
        """Record an event's arrival when first entered for it; `on_screen`: True if its sender sees boards at once."""
        if (known := self.current) is not None:
            known.on_screen = known.on_screen or on_screen
            yield
            return
        arrival = Arrival(self._clock.arrival_seconds(), on_screen)
        before = _ARRIVAL.set(arrival)
        self._waiting[arrival] = None
        try:
            yield
        finally:
            self._waiting.pop(arrival, None)
            _ARRIVAL.reset(before)

    @property
    def current(self) -> Arrival | None:
        """The event that is being handled, None in a job, or once it is done."""
        arrival = _ARRIVAL.get()
        return arrival if arrival in self._waiting else None

    @property
    def is_busy(self) -> bool:
        """True if an event is waiting."""
        return bool(self._waiting)

    def settle(self) -> None:
        """Record that the current event is done; the remaining work is not part of it."""
        if (arrival := self.current) is not None:
            del self._waiting[arrival]

    def time_of(self, arrival: Arrival) -> datetime:
        """Return the time of day at which an event arrived."""
        return self._clock() - timedelta(seconds=self._clock.run_seconds() - arrival.seconds)

    def has_waiting(self, until: datetime) -> bool:
        """Return True if an event that arrived by `until` is not handled yet."""
        return any(self.time_of(each) <= until for each in self._waiting)


FIRST_RETRY_SECONDS: Final = 5.0
MAX_RETRY_SECONDS: Final = 3600.0
MAX_HURRIED_SECONDS: Final = 60.0
"""Pauses up to this length are not shortened by `hurry`: frequent calls must not make attempts frequent."""


class BackgroundRetry:
    """Repeats an attempt with growing pauses until it returns True."""

    def __init__(
        self,
        name: str,
        attempt: Callable[[], Awaitable[bool]],
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._name = name
        self._attempt = attempt
        self._rest = rest
        self._resting = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def is_failing(self) -> bool:
        """True while no attempt has succeeded."""
        return self._task is not None and not self._task.done()

    async def start(self) -> None:
        """Make the first attempt; raises the errors of the attempt."""
        await self.stop()
        if not await self._attempt():
            self._task = asyncio.create_task(self._repeat(), name=self._name)

    def hurry(self) -> None:
        """Start with short pauses again, since the attempt may succeed now."""
        if self._task is not None and self._resting > MAX_HURRIED_SECONDS:
            self._task.cancel()
            self._resting = 0.0
            self._task = asyncio.create_task(self._repeat(), name=self._name)

    async def stop(self) -> None:
        """Stop trying."""
        task, self._task = self._task, None
        await cancel_tasks(task)

    async def _repeat(self) -> None:
        pause, done = FIRST_RETRY_SECONDS, False
        while not done:
            self._resting = pause
            await self._rest(pause)
            self._resting = 0.0
            pause = min(pause * 2, MAX_RETRY_SECONDS)
            try:
                done = await self._attempt()
            except Exception as error:  # noqa: BLE001 - logged, and tried again
                log.warning("retry-failed", task=self._name, reason=repr(error))
