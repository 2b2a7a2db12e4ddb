"""The program's clock: each player is charged for the time in which the program ran, and for no other."""

import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from bot.kernel.operations.clock import (
    DOWNTIME_THRESHOLD,
    HEARTBEAT_NAME,
    HEARTBEAT_SECONDS,
    PEER_HEARTBEAT_AGE,
    TOTAL_NAME,
    Clock,
    SystemTime,
)
from storage import Store
from storage.columns import UNKNOWN_TIME
from storage.schema import pulses
from tests.bot.party import Clock as Machine
from tests.support.present import present
from tests.support.stores import START, change_game, make_place, some_people, store_game, time_after

TICK = timedelta(seconds=HEARTBEAT_SECONDS)
ROUNDING = timedelta(seconds=1)
"""Differences are moved in whole seconds, rounded for the player."""


async def running(store: Store) -> tuple[Machine, Clock]:
    """Return a machine and the clock of a program on it that has begun to beat."""
    machine = Machine()
    clock = Clock(machine)
    await beat(clock, store)
    return machine, clock


@dataclass
class Player:
    """A game with a clock, and for how long the program has run since its turn began."""

    store: Store
    game: str
    allowed: timedelta = timedelta(days=300)
    ran: timedelta = timedelta()
    mistakes: timedelta = timedelta()
    """By how much more or less a player may have been charged: what is not known of the program's ends."""

    async def left(self, now: datetime) -> timedelta:
        """Return how much time a player has by a clock."""
        return present(present(await self.store.games.get(self.game)).deadline) - now

    async def check(self, now: datetime) -> None:
        """See that the player was charged for the time in which the program ran."""
        charged = self.allowed - await self.left(now)
        assert abs(charged - self.ran) <= self.mistakes, (charged, self.ran, self.mistakes)


async def a_player(store: Store) -> Player:
    people = await some_people(store, "Ada", "Bob")
    row = await store_game(store, await make_place(store), people)
    player = Player(store, row.id)
    until = START + player.allowed
    await change_game(store, row, status="playing", deadline=until, alarm_at=until, to_move=people[0].id)
    return player


async def beat(clock: Clock, store: Store) -> None:
    await clock.beat(store, ("annuvin",))


class Life:
    """A program on one machine, whatever happens to its clocks."""

    def __init__(self, store: Store, player: Player, rng: random.Random) -> None:
        self.store, self.player, self.rng = store, player, rng
        self.machine = Machine()
        self.clock = Clock(self.machine)
        self.clock.stops = True

    async def run(self, seconds: float) -> None:
        """Let the program run, with its heartbeats."""
        while seconds > 0:
            step = min(seconds, HEARTBEAT_SECONDS)
            self.machine.turn(seconds=step)
            self.player.ran += timedelta(seconds=step)
            seconds -= step
            await self.player.check(self.clock())
            if step == HEARTBEAT_SECONDS:
                await beat(self.clock, self.store)
                await self.player.check(self.clock())

    async def is_set(self, seconds: float) -> None:
        """Set the time of day: as NTP does, a person, or a boot without a battery."""
        left = await self.player.left(self.clock())
        self.machine.set(seconds=seconds)
        assert await self.player.left(self.clock()) == left, "nobody sees it before the heartbeat"
        self.player.mistakes += ROUNDING

    async def suspends(self, seconds: float) -> None:
        self.machine.suspend(seconds=abs(seconds))
        self.player.mistakes += ROUNDING

    async def stands_still(self, seconds: float) -> None:
        """Stop the process, or lose the database: the seconds go on, and nobody is served."""
        self.machine.turn(seconds=abs(seconds) + DOWNTIME_THRESHOLD.total_seconds())
        charged = self.player.allowed - await self.player.left(self.clock())
        assert charged <= self.player.ran + self.player.mistakes + DOWNTIME_THRESHOLD + ROUNDING
        # What ran after the last heartbeat is not told from standing still.
        self.player.mistakes += TICK + ROUNDING
        await beat(self.clock, self.store)

    async def ends(self, seconds: float) -> None:
        """End the program as it should, and start it again; the machine may have been off, its clock set meanwhile."""
        await beat(self.clock, self.store)
        await self._starts(seconds)

    async def dies(self, seconds: float) -> None:
        await self._starts(seconds)
        self.player.mistakes += TICK

    async def _starts(self, seconds: float) -> None:
        self.machine.set(seconds=seconds)
        if self.rng.random() < 0.5:
            self.machine._seconds = self.rng.random() * 1000  # the machine was off, too
        self.clock = Clock(self.machine)
        self.clock.stops = True
        self.player.mistakes += ROUNDING
        await beat(self.clock, self.store)


@pytest.fixture
def any_zone(rng: random.Random) -> Iterator[Callable[[], None]]:
    """What changes the machine's time zone."""
    before = os.environ.get("TZ")

    def change() -> None:
        os.environ["TZ"] = rng.choice(("Pacific/Kiritimati", "America/Los_Angeles", "Europe/Rome"))
        time.tzset()

    yield change
    if before is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.fixture
def rng(seed: int) -> random.Random:
    return random.Random(seed)


@pytest.mark.parametrize("seed", range(4))
async def test_a_player_is_charged_for_the_time_in_which_the_program_ran(
    store: Store, rng: random.Random, any_zone: Callable[[], None]
) -> None:
    player = await a_player(store)
    life = Life(store, player, rng)
    await beat(life.clock, store)
    for _ in range(25):
        size = rng.choice((5, 100, 3600, 86_400 * 3, 86_400 * 400))
        by = rng.choice((-1, 1)) * rng.uniform(3, size)
        happens = rng.choice((life.is_set, life.suspends, life.stands_still, life.ends, life.dies))
        await happens(by)
        if rng.random() < 0.3:
            any_zone()
        await life.run(rng.choice((40, 90, 200)))
        await beat(life.clock, store)
        await player.check(life.clock())
    assert player.mistakes < 25 * (TICK + ROUNDING)


async def test_small_corrections_move_nothing(store: Store) -> None:
    player, machine = await a_player(store), Machine()
    clock = Clock(machine)
    for number in range(50):
        await beat(clock, store)
        machine.turn(seconds=HEARTBEAT_SECONDS)
        machine.set(seconds=1.5 if number % 2 else -1.5)
    assert (await store.clock.list_moves(), clock.moves) == ([], 0)
    assert clock() == machine.now + timedelta(seconds=-1.5), "the clock follows"
    assert abs(await player.left(clock()) - (player.allowed - 50 * TICK)) <= timedelta(seconds=3)


async def test_heartbeat_that_cannot_be_read_moves_nothing_by_decades(store: Store) -> None:
    """The program has run at least until its newest event: so much time is known, and no more is given."""
    player = await a_player(store)
    machine, _ = await running(store)
    row = present(await store.games.get(player.game))
    machine.turn(hours=1)
    await change_game(store, row, minutes=60)
    async with store._database.transaction() as connection:
        await connection.execute(update(pulses).values(at=UNKNOWN_TIME))
    machine.turn(hours=5)
    await beat(Clock(machine), store)
    assert await player.left(machine.now) == player.allowed - timedelta(hours=1)


async def test_while_heartbeats_fail_the_clock_stops_and_nothing_falls_due(store: Store) -> None:
    machine, clock = await running(store)
    machine.turn(days=2)
    assert clock() == time_after(days=2), "no heartbeats are expected yet"
    clock.stops = True
    assert clock() == START + DOWNTIME_THRESHOLD
    await beat(clock, store)
    assert clock() == machine.now


async def test_history_is_told_from_what_was_set_since(store: Store) -> None:
    """Three days by mistake, put right: what was stored meanwhile is three days younger than it says."""
    machine, clock = await running(store)
    stored = [(clock(), clock.moves)]
    for days in (3, -3):
        machine.set(days=days)
        await beat(clock, store)
        machine.turn(minutes=1)
        stored.append((clock(), clock.moves))
    assert [at for at, _ in stored] == [START, time_after(days=3, minutes=1), time_after(minutes=2)]
    assert [clock() - clock.rebase(*each) for each in stored] == [timedelta(minutes=n) for n in (2, 1, 0)]
    await beat(clock, store)
    again = Clock(machine)
    await beat(again, store)
    assert [again() - again.rebase(*each) for each in stored] == [timedelta(minutes=n) for n in (2, 1, 0)]


async def test_elapsed_time_leaves_out_what_did_not_run(store: Store) -> None:
    machine, clock = await running(store)
    machine.turn(minutes=1)
    machine.suspend(hours=5)
    await beat(clock, store)
    assert clock.elapsed_since(START) == timedelta(minutes=1)
    machine.set(days=-3)
    await beat(clock, store)
    assert clock.elapsed_since(START) == timedelta(), "it may have been just now: nobody is charged"
    assert clock.elapsed_since(time_after(days=-4)) == timedelta(days=4, minutes=1)


async def test_what_was_due_while_away_is_put_off(store: Store) -> None:
    machine, clock = await running(store)
    machine.set(hours=5)
    clock = Clock(machine)
    await beat(clock, store)
    assert clock.put_off(time_after(hours=2)) == time_after(hours=7)
    assert clock.put_off(START) is None
    assert clock.put_off(time_after(hours=6)) is None


@pytest.mark.parametrize("seconds", [-3 * 86_400, 3, 0.7, -0.7])
async def test_a_difference_is_followed_at_once_and_once(two_stores: tuple[Store, Store], seconds: float) -> None:
    player, machine = await a_player(two_stores[0]), Machine()
    here, there = Clock(machine), Clock(machine)
    news = (1, int(seconds * 1_000_000))
    for _ in range(2):
        for clock, store in zip((here, there), two_stores, strict=True):
            await beat(clock, store)
        machine.turn(seconds=1)
    before = machine.now
    machine.set(seconds=seconds)
    left = await player.left(there())
    await beat(here, two_stores[0])
    assert there() == before, "it would take for due what has been moved"
    for _ in range(2):
        there.follow(*news)
        assert there() == machine.now
    await beat(there, two_stores[1])
    there.follow(*news)
    assert there() == machine.now
    assert [move.seconds for move in await two_stores[0].clock.list_moves()] == ([seconds] if abs(seconds) > 2 else [])
    assert await player.left(there()) == left - timedelta(seconds=seconds if abs(seconds) < 2 else 0)


@pytest.mark.parametrize("seconds", [0.4, -0.4])
async def test_a_step_before_two_restarts_is_noticed_by_who_ran(
    two_stores: tuple[Store, Store], seconds: float
) -> None:
    """Each starts while the other runs, and takes for granted that nothing has happened since the last heartbeat."""
    player, machine = await a_player(two_stores[0]), Machine()
    here, there = Clock(machine), Clock(machine)
    await beat(here, two_stores[0])
    await beat(there, two_stores[1])
    machine.set(seconds=seconds)
    left = await player.left(there())
    await beat(Clock(machine), two_stores[0])
    await beat(there, two_stores[1])
    assert there() == machine.now
    total = present(await two_stores[0].key_values.get(HEARTBEAT_NAME, TOTAL_NAME))
    assert total == {"number": 1, "microseconds": int(seconds * 1_000_000)}
    assert await player.left(there()) == left - timedelta(seconds=seconds), "slow games do not follow small steps"


@dataclass
class Fleet:
    """Some processes on one database, whose server has the time that counts."""

    stores: list[Store]
    player: Player
    rng: random.Random
    server: Machine = field(default_factory=Machine)
    clocks: list[Clock] = field(default_factory=list)
    machines: list[Machine] = field(default_factory=list)

    def start(self, at: int) -> None:
        """Start a process on a machine whose own time of day is wrong."""
        machine, server = Machine(), self.server
        machine.set(seconds=self.rng.uniform(-1e6, 1e6))
        machine.read_shared = server.read_shared  # type: ignore[method-assign]
        self.machines[at : at + 1], self.clocks[at : at + 1] = [machine], [Clock(machine)]

    async def beat(self, left_out: int | None = None) -> None:
        """Have all processes beat, in any order."""
        for at in self.rng.sample(range(len(self.stores)), len(self.stores)):
            if at != left_out:
                await beat(self.clocks[at], self.stores[at])
        for clock in self.clocks:
            if clock is not (None if left_out is None else self.clocks[left_out]):
                await self.player.check(clock())

    async def run(self, seconds: float, left_out: int | None = None, *, suspended: bool = False) -> None:
        """Let them run; one may be left out, stopped or suspended."""
        while seconds > 0:
            step = min(seconds, HEARTBEAT_SECONDS)
            self.server.turn(seconds=step)
            for at, machine in enumerate(self.machines):
                if at == left_out and suspended:
                    machine.suspend(seconds=step)
                else:
                    machine.turn(seconds=step)
            self.player.ran += timedelta(seconds=step)
            seconds -= step
            await self.beat(left_out)


@pytest.mark.parametrize("seed", range(2))
async def test_of_several_processes_one_moves_once(
    three_stores: tuple[Store, ...], rng: random.Random, seed: int
) -> None:
    stores = list(three_stores[seed % 2 :])
    fleet = Fleet(stores, await a_player(stores[0]), rng)
    unknown = PEER_HEARTBEAT_AGE + ROUNDING
    for at in range(len(stores)):
        fleet.start(at)
    await fleet.beat()
    for _ in range(12):
        moves = len(await stores[0].clock.list_moves())
        what, by = rng.choice(("set", "one", "all", "killed", "restart")), rng.uniform(400, 400_000)
        if what == "set":
            fleet.player.mistakes += unknown
            fleet.server.set(seconds=by * rng.choice((-1, 1)))
        elif what == "one":
            at = rng.randrange(len(stores))
            await fleet.run(rng.uniform(100, 600), at, suspended=rng.random() < 0.5)
        elif what == "all":
            fleet.player.mistakes += unknown
            for machine in (fleet.server, *fleet.machines):
                machine.suspend(seconds=by)
        elif what == "killed":
            fleet.player.mistakes += unknown
            fleet.server.turn(seconds=by)
            for at in range(len(stores)):
                fleet.start(at)
        else:
            fleet.start(rng.randrange(len(stores)))
        await fleet.beat()
        moved = len(await stores[0].clock.list_moves()) - moves
        assert moved == (what in ("set", "all", "killed")), what
        await fleet.run(rng.uniform(20, 200))
    assert len({clock.moves for clock in fleet.clocks}) == 1


async def test_the_servers_time_counts_for_all_processes(two_stores: tuple[Store, Store]) -> None:
    ahead = timedelta(days=9)

    class Ahead(SystemTime):
        def __call__(self) -> datetime:
            return super().__call__() + ahead

    clock = Clock(Ahead())
    before = await two_stores[0].clock.server_time()
    await beat(clock, two_stores[0])
    assert before <= clock() < before + ahead


async def test_without_a_server_the_machines_time_counts(store: Store) -> None:
    clock = Clock()
    await beat(clock, store)
    stored = present(await store.alarms.lock_heartbeat(HEARTBEAT_NAME))
    assert stored <= clock() <= datetime.now(UTC) + timedelta(seconds=2)
    assert SystemTime().boottime() >= 0
