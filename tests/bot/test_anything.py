"""Everything people can do, in any order: whatever happens, nothing contradicts."""

import asyncio
import random
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bot.kernel.line import replay_line
from bot.kernel.operations.clock import HEARTBEAT_NAME
from bot.kernel.presses import press, read_press
from bot.outbox.boards import announcement_number
from bot.table.ratings import OVERALL_KEY
from bot.table.replaying import line_of_play
from engine import games
from engine.record import Record
from storage import GameRow, OfferKind, Offers, Store
from tests.bot.party import Party, buttons, card, words
from tests.bot.test_account import code_in, on_telegram
from tests.support.examples import scaled
from tests.support.present import present
from tests.support.records import record_of

PEOPLE = ("anna", "bruno", "carla", "dora")
LINES = (
    "/play annuvin board:square clock:1d",
    "/play annuvin @bruno",
    "/play annuvin @anna rated:no setup:empty",
    "/play fagocitare size:7",
    "/play vedova-nera seats:3 clock:1h",
    "/play vedova-nera @bruno @carla",
    "/play uomo-nero seats:2",
    "/play real-queen @carla clock:12h",
    "/play annuvin computer:1 board:square clock:1h",
    "/play vedova-nera seats:4 computers:2 clock:1h",
    "/play uomo-nero @bruno computer 1",
    *(f"/play {key} seats:{game.seats[0]}" for key, game in games.items()),
)
SAYINGS = (
    "/draw", "/undo", "/pause", "/rematch", "/join", "/games", "/board", "/leaderboard", "/history", "/help",
    "/profile", "/export", "/replay", "/settings holiday:2", "/settings reminders:off", "/block @dora", "/close",
    "/move nonsense", "hello there",
)  # fmt: skip

STEPS = ("offer:{0.id}:{0.revision}=wait", "resign!:{0.id}:{0.revision}")

who = st.sampled_from(PEOPLE)
seeds = st.integers(0, 2**16)


class Club(RuleBasedStateMachine):
    """A room full of people who do anything at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = Path(tempfile.mkdtemp())
        self.seen: set[str] = set()
        self.checked: dict[str, int] = {}
        self.counted: tuple[int, int] | None = None
        self.linked = 0
        self.positions: dict[tuple[str, int], object] = {}

    @initialize(seed=seeds)
    def gather(self, seed: int) -> None:
        self.store = self.runner.run(Store.open(self.folder / "club.db"))
        self.party = Party(self.store)
        self.party.managers.add("dora")
        for person in PEOPLE:
            self.say(person, "/help")
        for line in random.Random(seed).sample(LINES, 3):
            self.say("carla" if "@" not in line else "dora", line)
            self.everything_agrees()
            self.join_whatever_is_open("anna")
            self.join_whatever_is_open("bruno")
            if "@carla" in line:
                self.join_whatever_is_open("carla")

    def teardown(self) -> None:
        self.runner.run(self.party.front.close())
        self.runner.run(self.store.close())
        self.runner.close()
        shutil.rmtree(self.folder)

    def say(self, person: str, line: str) -> None:
        assert "went wrong on my side" not in words(self.runner.run(self.party.say(person, line)))

    def press(self, person: str, press: str) -> None:
        reply = self.runner.run(self.party.press(person, press))
        assert "went wrong on my side" not in words(reply)
        self.onward = [entry.press for entry in buttons(card(reply))] if reply.card else []

    def row(self, code: str) -> GameRow:
        return present(self.runner.run(self.store.games.get(code)))

    def rows(self, status: str = "") -> list[GameRow]:
        found = [self.runner.run(self.store.games.get(code)) for code in sorted(self.seen)]
        return [row for row in found if row is not None and status in ("", row.status)]

    def pick(self, rng: random.Random) -> GameRow | None:
        """Return one of the games that are played."""
        playing = self.rows("playing")
        return rng.choice(playing) if playing else None

    def act(self, row: GameRow, rng: random.Random) -> str:
        """Have the player to move do something in a game; return who it was."""
        person = self.runner.run(self.party.mover_of(row.id))
        action = games[row.game].load(row.position or {}).random_action(rng)
        self.say(person, f"/move {action.text} game:{row.id}")
        return person

    def agree(self, code: str, kind: OfferKind) -> GameRow:
        """Have everybody agree to an offer as long as there is one; return the game."""
        for person in PEOPLE:
            row = self.row(code)
            if row.offers.offer_of_kind(kind) is not None:
                self.press(person, f"agree:{code}:{row.revision}={kind}")
        return self.row(code)

    @rule(person=who, line=st.sampled_from(LINES))
    def start(self, person: str, line: str) -> None:
        if len(self.rows("playing")) + len(self.rows("lobby")) < 4:
            self.say(person, line)

    @rule(person=who, seed=seeds)
    def press_anything(self, person: str, seed: int) -> None:
        every = [entry.press for shown in self.party.shown[-6:] for entry in buttons(shown.card)]
        if every:
            self.press(person, random.Random(seed).choice(every))
            for _ in range(3):
                if self.onward:
                    self.press(person, random.Random(seed).choice(self.onward))

    @rule(person=who)
    def join_whatever_is_open(self, person: str) -> None:
        for row in self.rows("lobby")[:2]:
            self.press(person, f"join:{row.id}:{row.revision}")

    @rule(seed=seeds, moves=st.integers(3, 20))
    def play_on(self, seed: int, moves: int) -> None:
        rng = random.Random(seed)
        for _ in range(moves):
            if (row := self.pick(rng)) is not None:
                self.act(row, rng)

    @rule(person=who, line=st.sampled_from(SAYINGS), seed=seeds)
    def say_anything(self, person: str, line: str, seed: int) -> None:
        row = random.Random(seed).choice([*self.rows(), None])
        codes = ("/draw", "/undo", "/pause", "/rematch", "/join", "/close", "/board", "/export", "/replay")
        self.say(person, f"{line} {row.id}" if row is not None and line in codes and seed % 3 else line)

    @rule(kind=st.sampled_from([OfferKind.DRAW, OfferKind.TOGETHER, OfferKind.UNDO, OfferKind.PAUSE]), seed=seeds)
    def agree_all_round(self, kind: OfferKind, seed: int) -> None:
        row = self.pick(random.Random(seed))
        if row is None:
            return
        before = row.offers.offer_of_kind(OfferKind.UNDO)
        for person in PEOPLE:
            row = self.row(row.id)
            if row.status == "playing" and row.offers.offer_of_kind(kind) is not None:
                self.press(person, f"agree:{row.id}:{row.revision}={kind}")
            elif row.status == "playing":
                rest = "" if kind == OfferKind.UNDO else f"={kind}"
                self.press(person, f"{'offer' if rest else 'undo'}:{row.id}:{row.revision}{rest}")
        assert before is None or (before.to is not None and before.to < row.revision)

    @rule(seed=seeds)
    def take_back(self, seed: int) -> None:
        """Play something, take it back with everybody's consent, and have exactly what was before.

        A turn that is finished is taken back as a whole.
        """
        rng = random.Random(seed)
        row = self.pick(rng)
        if row is None:
            return
        begun = self.runner.run(self.party.table(row.id)).playing.has_acted
        mover, after = self.act(row, rng), self.row(row.id)
        if after.status != "playing" or after.revision == row.revision:
            return
        self.press(mover, f"undo:{row.id}:{after.revision}")
        now = self.agree(row.id, OfferKind.UNDO)
        if not begun or after.turn == row.turn:
            assert now.position == row.position
        assert (now.to_move, now.turn, now.status) == (row.to_move, row.turn, "playing")

    @rule(person=who, seed=seeds)
    def play_on_for_the_absent(self, person: str, seed: int) -> None:
        row = self.pick(random.Random(seed))
        if row is None:
            return
        if seed % 2:
            # Without a beat in between: clocks that run out meanwhile are another matter.
            self.party.clock.turn(hours=25)
        self.say(person, f"/join {row.id}")
        now = self.agree(row.id, OfferKind.SEAT)
        before, after = ({entry.seat: entry.person for entry in each.seats} for each in (row, now))
        changed = {seat for seat, sits in before.items() if after[seat] != sits}
        assert len(changed) <= 1
        assert changed <= now.progress.unrated
        assert now.position == row.position

    @rule(person=who, pressed=st.sampled_from(STEPS), seed=seeds)
    def wait_or_resign(self, person: str, pressed: str, seed: int) -> None:
        row = self.pick(random.Random(seed))
        if row is not None:
            self.press(person, pressed.format(row))

    @rule(person=who, off=st.booleans())
    def be_one_on_two_platforms(self, person: str, off: bool) -> None:
        self.linked += 1
        code = code_in(self.runner.run(self.party.say(person, "/link")))
        for line in (f"/link {code}", "/games", *(("/link off",) if off else ())):
            said = words(self.runner.run(on_telegram(self.party, f"{person}t", line)))
            assert "went wrong on my side" not in said

    @rule(person=who, seed=seeds)
    def be_forgotten(self, person: str, seed: int) -> None:
        if seed % 4:
            return
        self.linked += 1
        (known,) = self.runner.run(self.store.people.find(person))
        self.press(person, press("forget!", None, 0, str(known.id)))
        assert self.runner.run(self.store.people.find(person)) == []
        for brief in self.runner.run(self.store.games.list_for_person(known.id)):
            # The others play on.
            seat = next(entry.seat for entry in brief.seats if entry.person == known.id)
            assert not games[brief.game].load(self.row(brief.id).position or {}).is_playing(present(seat))
        self.say(person, "/help")

    @rule(hours=st.sampled_from((0.5, 2, 13, 30)))
    def time_passes(self, hours: float) -> None:
        self.party.clock.turn(hours=hours)
        self.runner.run(self.store.alarms.record_heartbeat(HEARTBEAT_NAME, self.party.clock.now))
        self.runner.run(self.party.front.alarms.tick())

    @rule(days=st.integers(1, 30))
    def the_program_is_down(self, days: int) -> None:
        self.runner.run(self.party.front.alarms.tick())
        before = {row.id: row.deadline for row in self.rows("playing")}
        self.party.clock.turn(days=days)
        self.party.restarted()
        self.runner.run(self.party.front.alarms.tick())
        for code, was in before.items():
            row = self.row(code)
            assert row.status == "playing"
            assert row.deadline == (was + timedelta(days=days) if was else None)

    @rule(person=who, seed=seeds)
    def the_same_event_twice(self, person: str, seed: int) -> None:
        if not self.party.shown or not buttons(self.party.newest.card):
            return
        press = random.Random(seed).choice(buttons(self.party.newest.card)).press
        request = self.party.request(person)
        first = self.runner.run(self.party.front.press(request, press))
        after = [(row.id, row.revision) for row in self.rows()]
        assert self.runner.run(self.party.front.press(request, press)) == first
        assert [(row.id, row.revision) for row in self.rows()] == after

    @invariant()
    def everything_agrees(self) -> None:
        if hasattr(self, "party"):
            self.runner.run(self.party.settle())
            for shown in self.party.shown:
                self.seen |= {game for entry in buttons(shown.card) if (game := read_press(entry.press).game)}
            for row in self.rows():
                # What has not changed agrees still.
                if self.checked.get(row.id) != row.revision:
                    self.runner.run(self.check(row))
                    self.checked[row.id] = row.revision

    async def check(self, row: GameRow) -> None:
        events = await self.store.games.events(row.id)
        assert [event.number for event in events] == list(range(1, row.revision + 1))
        results = await self.store.games.results_of(row.id)
        for post in await self.store.posts.list_for_game(row.id):
            assert post.shown_revision == row.revision
            assert post.announced == announcement_number(await self.party.table(row.id))
        if row.position is None:
            assert results == []
            assert row.status == "over" or (row.status, row.offers) == ("lobby", Offers())
            return
        assert row.status != "lobby"
        line = replay_line(
            games[row.game].start(row.seat_count, row.options), (event.data["action"] for event in line_of_play(events))
        )
        assert line.state.to_json() == row.position
        if events[-1].kind == "undo":
            assert self.positions.get((row.id, events[-1].data["to"]), row.position) == row.position
        self.positions[row.id, row.revision] = row.position
        assert not row.thinking
        if row.status == "playing":
            assert (results, line.state.outcome, row.outcome) == ([], None, None)
            moved = max((event.number for event in events if event.kind in ("action", "undo", "started")), default=0)
            assert all(offer.revision > moved for offer in row.offers.pending)
            assert not row.offers.news or events[-1].kind != "action"
            mover = next(entry.person for entry in row.seats if entry.seat == line.state.to_move)
            assert row.to_move == mover
            assert mover is not None
            return
        assert (row.offers, row.reminder) == (Offers(), None)
        assert (row.deadline, row.alarm_at, row.to_move) == (None, None, None)
        computer = any(entry.computer for entry in row.seats)
        assert all((result.pool == "computer", result.rated and computer) == (computer, False) for result in results)
        places = (row.outcome or {}).get("places")
        assert [result.place_number for result in results] == (places or [])
        record = await record_of(self.party.front.context, await self.party.table(row.id))
        assert Record.from_text(record.to_text()) == record

    @invariant()
    @precondition(lambda self: hasattr(self, "party"))
    def ratings_follow_results(self) -> None:
        now = (len(self.rows("over")), self.linked)
        if now == self.counted:
            return
        self.counted = now
        for person in PEOPLE:
            (known,) = self.runner.run(self.store.people.find(person))
            results = self.runner.run(self.store.ratings.results_of_person(known.id))
            ratings = {each.game_key: each for each in self.runner.run(self.store.ratings.list_for_people([known.id]))}
            rated = [result for result in results if result.rated]
            for key in (OVERALL_KEY, *games):
                counted = [result for result in rated if key in (OVERALL_KEY, result.game_key)]
                assert (ratings[key].played if key in ratings else 0) == len(counted)
            for key, rating in ratings.items():
                if key != OVERALL_KEY:
                    last = [result for result in rated if result.game_key == key][-1]
                    assert (rating.mu, rating.sigma) == (last.mu, last.sigma)


TestClub = Club.TestCase
TestClub.settings = settings(
    max_examples=scaled(2),
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
