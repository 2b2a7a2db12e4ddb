"""Live games on several fronts, in a world whose true time is known: what is charged is compared with what was used.

Presses come late, twice or never, boards are delivered late, platforms limit rates, the system's clock is set, programs
are killed and stay down for a while or stand still, and there may be two of them.
"""

import asyncio
import random
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final

from bot.kernel.cards import Card
from bot.kernel.operations.clock import HEARTBEAT_NAME, HEARTBEAT_SECONDS, MAX_STALL_SECONDS, SHARED_INACCURACY
from bot.kernel.requests import IdKind, Place, RateLimited, Request, User
from bot.kernel.table import last_moved_revision
from bot.platforms.app import ALARM_DELAY_SECONDS, MAX_HOLD, PEER_GRACE, Tavoliere
from bot.table.clocks import DELIVERY_DELAY, get_allowance, get_moving_seat, get_reserve
from storage import GameRow, Store
from tests.bot.party import Clock, Party, Recorder, card, words
from tests.support.present import present
from tests.support.stores import connect, disconnect

TOLERANCE_SECONDS: Final = 0.05
"""Seconds by which somebody may be charged more than they used."""
TICK_SECONDS: Final = 1e-4
"""Smallest step of the time: a clock counts microseconds."""
MAX_TURNS: Final = 10
CLOCKS: Final = ("1+0", "1+2", "3+2", "15+10", "1m", "5m")
GAMES: Final = (("annuvin board:square", 2), ("annuvin board:square", 2), ("uomo-nero seats:3", 3))
FRONTS: Final[Sequence[tuple[str, IdKind]]] = (("discord", "drawn"), ("telegram", "counted"), ("web", "chosen"))
PEOPLE: Final = ("anna", "bruno", "carla")


@dataclass
class TimedFront(Recorder):
    """A platform that remembers when each position of a game was there first."""

    clock: Clock = field(default_factory=Clock)
    shown: dict[tuple[str, int], float] = field(default_factory=dict)

    async def send(self, place: Place, card: Card, key: str) -> str:
        message = await super().send(place, card, key)
        self._note(card)
        return message

    async def edit(self, place: Place, message: str, card: Card, *, urgent: bool = True) -> None:
        await super().edit(place, message, card)
        self._note(card)

    def _note(self, card: Card) -> None:
        if card.headline is not None:
            self.shown.setdefault((card.headline.code, card.headline.position), self.clock.monotonic())


class LiveParty(Party):
    """A program on all fronts, each of which is a room."""

    def __init__(self, store: Store, clock: Clock, fronts: Sequence[TimedFront]) -> None:
        self.fronts = fronts
        super().__init__(store)
        self.clock = clock
        self.restarted()

    def restarted(self) -> Tavoliere:
        front = super().restarted()
        for each in self.fronts:
            front.add(each)
        return front


@dataclass
class Player:
    """Somebody on a front, with the room where they play there."""

    name: str
    platform: str
    ids: IdKind

    @property
    def place(self) -> Place:
        return Place(self.platform, f"room of {self.platform}", title=self.platform)

    def request(self, event: str) -> Request:
        user = User(self.platform, self.name, self.name.capitalize(), "en")
        return Request(event, user, self.place, ids=self.ids, on_screen=self.ids == "chosen")


class LiveWorld:
    """Processes on one database, played at by people whose true times are known."""

    def __init__(self, stores: Sequence[Store], seed: int) -> None:
        self.rng, self.clock = random.Random(seed), Clock()
        self.fronts = [TimedFront(platform, clock=self.clock) for platform, _ in FRONTS]
        self.parties = [LiveParty(store, self.clock, self.fronts) for store in stores]
        self.offline: list[tuple[float, float]] = []
        """When no process was there, or all of them stood still."""
        self.down: set[int] = set()
        self.ended: dict[str, int] = {"time": 0, "other": 0}
        self._events = 0
        self._code = ""
        self._troubles: list[tuple[float, str]] = []
        self._began_at: dict[tuple[str, int], float] = {}
        self._left_at: dict[tuple[str, int], float] = {}
        self._beats_at = 0.0

    @property
    def now(self) -> float:
        return self.clock.monotonic()

    async def play(self) -> None:
        """Play one game to its end, or for some turns, and check each turn of it."""
        rng = self.rng
        game, seats = rng.choice(GAMES)
        # People of the page have no browser here that commits to the lot: only who begins may be there.
        fronts = [rng.choice(FRONTS), *(rng.choice(FRONTS[:-1]) for _ in range(seats - 1))]
        players = {
            name: Player(f"{name} {self._events}", *front) for name, front in zip(PEOPLE[:seats], fronts, strict=True)
        }
        code = await self._begin([*players.values()], f"/play {game} clock:{rng.choice(CLOCKS)}")
        self._code = code
        by_name = {player.name: player for player in players.values()}
        assert (await self._row(code)).status == "playing"
        row = await self._row(code)
        for _ in range(MAX_TURNS):
            table = await self._party.front.context.table(code)
            if row.status != "playing":
                break
            row = await self._play_turn(row, by_name[table.names[present(table.mover)].lower()])
        self.ended["time" if "time" in row.progress.left.values() else "other"] += 1
        if row.status == "playing":
            for player in by_name.values():
                row = await self._row(code)
                await self._party.front.press(player.request(self._event()), f"resign!:{code}:{row.revision}")

    @property
    def _party(self) -> LiveParty:
        return self.rng.choice([party for at, party in enumerate(self.parties) if at not in self.down])

    async def _row(self, code: str) -> GameRow:
        return present(await self._party.store.games.get(code))

    async def _begin(self, players: Sequence[Player], line: str) -> str:
        first, *others = players
        party = self.parties[0]
        await party.front.typed_text(first.request(self._event()), line)
        person = await party.store.people.identify(first.platform, first.name, first.name)
        code = (await party.store.games.list_for_person(person.id))[0].id
        for other in others:
            reply = await party.front.typed_text(other.request(self._event()), f"/join {code}")
            assert reply.failed == "", words(reply)
        return code

    def _event(self) -> str:
        self._events += 1
        return f"event {self._events}"

    # Time.

    async def advance(self, seconds: float) -> None:
        """Let time pass, in which the processes that are there beat and handle alarms; boards are not delivered."""
        until = self.now + seconds
        while True:
            nexts = [self._beats_at, until]
            if len(self.down) < len(self.parties):
                row = await self._party.store.games.get(self._code)
                if row is not None and row.alarm_at is not None:
                    ahead = (row.alarm_at - self._party.front.context.clock()).total_seconds()
                    nexts.append(self.now + max(ahead, 0.0) + ALARM_DELAY_SECONDS)
            self.clock.turn(seconds=max(min(nexts) - self.now, TICK_SECONDS))
            await self._ring()
            row = await self.parties[0].store.games.get(self._code)
            if row is not None:
                self._began_at.setdefault((row.id, row.turn), self.now)
                for seat in row.progress.left:
                    self._left_at.setdefault((row.id, seat), self.now)
            if self.now >= until - TICK_SECONDS:
                return

    async def _ring(self) -> None:
        beats = self.now >= self._beats_at
        self._beats_at = self.now + HEARTBEAT_SECONDS if beats else self._beats_at
        up = [party for at, party in enumerate(self.parties) if at not in self.down]
        self.rng.shuffle(up)
        for party in up:
            await (party.front.alarms.tick() if beats else party.front.alarms.ring())
        await self._hear()

    async def _hear(self) -> None:
        """Wait until every process has followed the clock that another one has moved."""
        for _ in range(500):
            shown = [party.front.context.clock() for at, party in enumerate(self.parties) if at not in self.down]
            if not shown or max(shown) - min(shown) <= SHARED_INACCURACY:
                return
            await asyncio.sleep(0.01)

    async def deliver(self) -> None:
        """Have boards be delivered, as far as platforms let them."""
        for at, party in enumerate(self.parties):
            if at not in self.down:
                await party.front.delivery.run_until_idle()

    async def _trouble(self) -> None:
        """Have something happen that nobody should lose time by."""
        kinds = ("none", "none", "none", "step", "small step", "kill", "kill one", "stall", "limit")
        kind = self.rng.choice(kinds)
        self._troubles.append((self.now, kind))
        match kind:
            case "step":
                self.clock.set(seconds=self.rng.choice((-7200, -90, 90, 86_400)))
            case "small step":
                self.clock.set(seconds=self.rng.uniform(-1.9, 1.9))
            case "kill":
                await self._kill({*range(len(self.parties))}, self.rng.uniform(0.0, self.rng.choice((40.0, 3000.0))))
            case "kill one" if len(self.parties) > 1:
                await self._kill({self.rng.randrange(len(self.parties))}, self.rng.uniform(0.0, 20.0))
            case "stall":
                await self._stall(self.rng.uniform(MAX_STALL_SECONDS + 0.01, 110.0))
            case "limit":
                self.rng.choice(self.fronts).faults.append(RateLimited(self.rng.uniform(1.0, 30.0)))

    async def _kill(self, which: set[int], seconds: float) -> None:
        self.down = which
        begun = self.now
        for at in which:
            await disconnect(self.parties[at].store)
        if len(which) == len(self.parties):
            self.clock.turn(seconds=seconds)
            self.offline.append((begun, self.now))
        else:
            await self.advance(seconds)
        self.down = set()
        for at in which:
            await connect(self.parties[at].store)
            self.parties[at].restarted()
        self._beats_at = 0.0
        await self._ring()
        if len(self.parties) > 1:
            # Their connections look for one another every few seconds.
            for party in self.parties:
                await party.store.register_peer(HEARTBEAT_NAME)

    async def _stall(self, seconds: float) -> None:
        """Have all processes stand still; what is due then may come before their heartbeats."""
        alarms, begun = self._party.front.alarms, self.now
        for party in self.parties:
            party.front.alarms.note_running()
        self.clock.stall(seconds=seconds)
        self.offline.append((begun, self.now))
        if self.rng.random() < 0.5:
            await alarms.ring()
        for party in self.parties:
            party.front.alarms.note_running()
        # Nothing reads the clock while `advance` lets time pass.
        self._party.front.context.clock.is_alone = False
        if len(self.parties) > 1 or self.rng.random() < 0.5:
            self._beats_at = 0.0
            await self._ring()

    def _time_between(self, begin: float, end: float) -> float:
        """Return the seconds between two moments in which a process was there."""
        offline = sum(max(0.0, min(end, back) - max(begin, gone)) for gone, back in self.offline)
        return max(end - begin - offline, 0.0)

    # Turns.

    async def _play_turn(self, row: GameRow, player: Player) -> GameRow:
        """Have the player to move think and move, or run out of time; return the row after that."""
        # The one before may have run out of time while they were thinking.
        rng, begun, turn = self.rng, self._began_at.get((row.id, row.turn), self.now), row.turn
        seat, left = present(get_moving_seat(row)), get_allowance(row).total_seconds()
        faults = [len(front.faults) for front in self.fronts]
        await self.advance(rng.choice((0.0, 0.1, 0.5, 3.0, 80.0)) * rng.random())
        await self.deliver()
        # A limit that comes after the minute holds no clock: it runs already.
        is_limited = self.now - begun < DELIVERY_DELAY.total_seconds() and any(
            len(front.faults) < before for front, before in zip(self.fronts, faults, strict=True)
        )
        while is_limited and self._shown_at(row, player) is None and self.now - begun < 600:
            await self.advance(5.0)
            await self.deliver()
        await self._trouble()
        thinks = rng.uniform(0.0, min(left / 4, 60.0)) if rng.random() < 0.93 else left + rng.uniform(-0.2, 0.5)
        pieces = rng.randint(1, 3)
        for _ in range(pieces):
            await self.advance(thinks / pieces)
            if rng.random() < 0.2:
                await self._trouble()
        begins = self._shown_at(row, player) if player.ids != "chosen" else begun
        if begins is None or not is_limited:
            begins = min(begun + DELIVERY_DELAY.total_seconds(), self.now if begins is None else begins)
        self._troubles.append((self.now, f"{player.platform}: begun {begun}, limited {is_limited}"))
        arrived = self.now
        while True:
            before = await self._row(row.id)
            if before.status != "playing" or before.turn != turn:
                break
            arrived = self.now
            await self._press(before, player)
            after = await self._row(row.id)
            if after.status != "playing" or after.turn != turn or seat in after.progress.left:
                break
            self._check_running(after)
            await self.advance(rng.uniform(0.5, 20.0))  # it was lost on its way: they press again
        after = await self._row(row.id)
        await self._check_turn(row, after, seat, begins, arrived)
        return after

    def _shown_at(self, row: GameRow, player: Player) -> float | None:
        front = next(each for each in self.fronts if each.platform == player.platform)
        return front.shown.get((row.id, last_moved_revision(row)))

    async def _press(self, row: GameRow, player: Player) -> None:
        """Have a press come to a process: at once or late, once or twice, or never."""
        rng, party = self.rng, self._party
        if rng.random() < 0.1:
            return
        table = await party.front.context.table(row.id)
        actions = table.playing.state.legal_actions()
        line, event = f"/move {rng.choice(actions).text} game:{row.id}", self._event()
        with ExitStack() as waiting:
            waiting.enter_context(party.front.context.arrivals.arriving())
            now, seat = party.front.context.clock(), get_moving_seat(row)
            is_in_time = row.deadline is not None and (row.deadline - now).total_seconds() > TOLERANCE_SECONDS
            if rng.random() < 0.3:
                await self.advance(rng.uniform(0.0, 8.0))
                if rng.random() < 0.3:
                    await self._stall(rng.uniform(MAX_STALL_SECONDS + 0.01, 10.0))
            reply = await party.front.typed_text(player.request(event), line)
        assert reply.failed == "", words(reply)
        if is_in_time and len(self.parties) == 1:
            assert seat not in (await self._row(row.id)).progress.left, "it came in time"
        if rng.random() < 0.2:
            again = await self._party.front.typed_text(player.request(event), line)
            assert again.failed == "", card(again)

    def _check_running(self, row: GameRow) -> None:
        """No game goes on without a clock that ran out."""
        if row.deadline is not None:
            late = self._party.front.context.clock() - row.deadline
            assert late <= MAX_HOLD + PEER_GRACE * 2, f"{row.id} goes on without its clock"

    async def _check_turn(self, row: GameRow, after: GameRow, seat: int, begins: float, arrived: float) -> None:
        """Nobody is charged more than they used, and nobody loses on a clock that did not run."""
        charges: list[dict[str, Any]] = [
            event.data
            for event in await self._party.store.games.events(row.id, row.revision)
            if event.data.get("charged") == seat and "used" in event.data
        ]
        allowed = get_allowance(row).total_seconds()
        if after.progress.left.get(seat) == "time":
            used = self._time_between(begins, self._left_at.get((row.id, seat), self.now))
            assert used >= allowed - TOLERANCE_SECONDS, f"{row.id}: {used} of {allowed} s, {self._troubles[-12:]}"
            return
        if after.turn > row.turn:
            used = self._time_between(begins, arrived)
            charged = sum(each["used"] for each in charges) / 1000
            known = (row.id, charges, begins, arrived, self._troubles[-6:], row.progress, row.terms)
            assert charged <= used + TOLERANCE_SECONDS, f"{charged} s for {used} s: {known}"
            assert after.status == "over" or get_reserve(after, seat).total_seconds() >= 0
