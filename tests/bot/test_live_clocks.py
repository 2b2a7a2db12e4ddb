"""Live clocks: what a turn is charged, when a clock runs, what ends a turn, and how clocks are named."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from bot.cli.imports import import_record
from bot.kernel.cards import Button, Card, Headline
from bot.kernel.operations.clock import HEARTBEAT_NAME, MAX_STALL_SECONDS
from bot.kernel.refusals import Refused
from bot.kernel.requests import RateLimited, Reply
from bot.kernel.texts import Texts
from bot.platforms.app import MAX_HOLD, PEER_GRACE
from bot.platforms.discord.activity import with_open_button
from bot.platforms.telegram.layout import build_keyboard
from bot.table.clocks import (
    CLOCK_NAMES,
    DELIVERY_DELAY,
    MAX_INCREMENT_SECONDS,
    MAX_RESERVE_MINUTES,
    SCREEN_DELAY,
    ClockReading,
    TimeControl,
    get_allowance,
    get_moving_seat,
    parse_time_control,
    read_clock,
    with_deadline,
)
from bot.table.replaying import export_record
from engine.record import Record, verify
from storage import GameChange, GameRow, Terms
from tests.bot.party import Party, button, fail_next_calls, of_row, words
from tests.support.present import catch_error, present
from tests.support.stores import connect, disconnect, open_copy

LIVE = "/play annuvin @bruno board:square clock:15+10"
RESERVE = 15 * 60_000


@pytest.fixture
async def code(party: Party) -> str:
    """The code of a live game that has begun."""
    return await party.started(LIVE)


@pytest.fixture
async def mover(party: Party, code: str) -> int:
    """The seat that moves first in it."""
    return await seat_to_move(party, code)


async def meet(programs: Sequence[Party]) -> None:
    """Have programs beat and know of each other."""
    for party in programs:
        await party.front.alarms.beat()
    for party in programs:
        assert await party.store.register_peer(HEARTBEAT_NAME) == len(programs)
        party.front.alarms.note_running()


async def ring(party: Party, **parts: float) -> None:
    """Have so much time pass, due alarms be handled, and what follows be shown."""
    party.clock.turn(**parts)
    await party.front.alarms.ring()
    await party.settle()


async def clocks_of(party: Party, code: str, now: datetime | None = None) -> ClockReading:
    """Return what the clocks show, at another time than by the machine's clock where one is given."""
    return present(read_clock(await party.load_row(code), now or party.clock.now))


async def time_left(party: Party, code: str, now: datetime | None = None) -> int:
    """Return the milliseconds that who is to move has left."""
    clocks = await clocks_of(party, code, now)
    return clocks.left[present(clocks.running)]


async def play_undelivered(party: Party, code: str) -> Reply:
    """Have who is to move play, the board of which is not shown yet."""
    return await party.front.typed_text(party.request(await party.mover_of(code)), await party.legal(code))


async def seat_to_move(party: Party, code: str) -> int:
    return present((await party.table(code)).mover)


@pytest.mark.parametrize("names", CLOCK_NAMES.values(), ids=CLOCK_NAMES)
def test_every_clock_to_choose_from_is_read_as_it_is_called(names: tuple[str, ...]) -> None:
    kind = next(kind for kind, known in CLOCK_NAMES.items() if known == names)
    assert [(parse_time_control(name).name, parse_time_control(name).kind) for name in names] == [
        (name, kind) for name in names
    ]


@given(st.integers(1, MAX_RESERVE_MINUTES), st.integers(0, MAX_INCREMENT_SECONDS))
def test_own_clocks_for_an_evening_are_read_as_they_are_called(minutes: int, increment: int) -> None:
    control = parse_time_control(f" {minutes} + {increment} ")
    assert (control.name, control.reserve, control.increment) == (f"{minutes}+{increment}", minutes * 60, increment)
    assert control.apply(Terms()).is_live
    assert TimeControl.of(control.apply(Terms())) == control


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("0+5", "refusal.clock-evening"),
        ("181+0", "refusal.clock-evening"),
        ("5+61", "refusal.clock-evening"),
        ("31m", "refusal.clock-m"),
        ("0m", "refusal.clock-m"),
        ("24h", "refusal.clock-h"),
        ("15d", "refusal.clock-d"),
        ("91d+1d", "refusal.clock-reserve"),
        ("0d+1d", "refusal.clock-reserve"),
        ("3d+5m", "refusal.clock"),
        ("soon", "refusal.clock"),
        ("5+", "refusal.clock"),
        ("-1+0", "refusal.clock"),
        ("٥m", "refusal.clock"),
    ],
)
def test_what_is_no_clock_is_refused_with_the_limit(name: str, key: str) -> None:
    assert catch_error(Refused, parse_time_control, name).key == key


async def test_a_clock_out_of_bounds_is_refused_in_words_and_begins_nothing(party: Party) -> None:
    assert "between 1+0 and 180+60" in words(await party.say("anna", "/play annuvin clock:200+5"))
    assert "can be 1 to 30" in words(await party.say("anna", "/play annuvin clock:45m"))
    assert not await party.store.games.count_live("status")


@pytest.mark.parametrize(
    ("name", "is_live"), [("1+0", True), ("30m", True), ("1h", False), ("30d+1d", False), ("none", False)]
)
def test_a_game_is_live_if_it_is_played_in_one_sitting(name: str, is_live: bool) -> None:
    assert parse_time_control(name).apply(Terms()).is_live == is_live


async def test_a_turn_is_charged_to_its_player_who_then_gets_the_increment(party: Party, code: str, mover: int) -> None:
    party.clock.turn(seconds=61.5)
    await party.play_first(code)
    assert (await party.load_row(code)).progress.reserves == {mover: RESERVE - 61_500 + 10_000}
    party.clock.turn(seconds=30)
    assert (await clocks_of(party, code)).left == {mover: RESERVE - 51_500, 1 - mover: RESERVE - 30_000}


async def test_until_its_board_is_there_nobody_s_clock_runs_for_a_minute_at_most(party: Party, code: str) -> None:
    await play_undelivered(party, code)
    assert present((await party.load_row(code)).deadline) - party.clock.now == DELIVERY_DELAY + timedelta(minutes=15)
    party.clock.turn(seconds=20)
    assert (await clocks_of(party, code)).waits == 40_000
    assert await time_left(party, code) == RESERVE
    assert await time_left(party, code, party.clock.now + timedelta(seconds=55)) == RESERVE - 15_000
    await party.settle()
    assert present((await party.load_row(code)).deadline) - party.clock.now == timedelta(minutes=15)


async def test_a_rate_limit_holds_the_clock_for_all_of_it(party: Party, code: str) -> None:
    await play_undelivered(party, code)
    with fail_next_calls(party.adapter, RateLimited(200.0)):
        await party.settle()
    party.clock.turn(seconds=200)
    assert await time_left(party, code) == RESERVE
    await party.settle()
    party.clock.turn(seconds=5)
    assert await time_left(party, code) == RESERVE - 5_000


async def test_who_plays_on_a_page_has_the_board_within_a_second(party: Party, code: str) -> None:
    for _ in range(3):
        request = replace(party.request(await party.mover_of(code)), on_screen=True)
        await party.front.typed_text(request, await party.legal(code))
    assert present((await party.load_row(code)).deadline) - party.clock.now == SCREEN_DELAY + timedelta(
        milliseconds=present((await party.load_row(code)).progress.reserves[await seat_to_move(party, code)])
    )


async def test_a_press_counts_from_when_it_came(party: Party, code: str, mover: int) -> None:
    party.clock.turn(minutes=14, seconds=59)
    with party.front.context.arrivals.arriving():
        await ring(party, seconds=5)
        assert (await party.load_row(code)).status == "playing"
        assert (await play_undelivered(party, code)).failed == ""
    assert (await party.load_row(code)).progress.reserves[mover] == 1_000 + 10_000


async def test_the_end_waits_for_a_press_that_came_in_time_but_not_for_ever(party: Party, code: str) -> None:
    party.clock.turn(minutes=14, seconds=59)
    with party.front.context.arrivals.arriving():
        await ring(party, seconds=2)
        assert (await party.load_row(code)).status == "playing"
        await ring(party, seconds=MAX_HOLD.total_seconds())
    assert (await party.load_row(code)).status == "over"


async def test_a_press_that_came_too_late_is_refused_and_the_game_is_lost(party: Party, code: str, mover: int) -> None:
    party.clock.turn(minutes=15, milliseconds=1)
    assert "time ran out before" in words(await play_undelivered(party, code))
    await ring(party)
    row = await party.load_row(code)
    assert (row.status, row.progress.left, row.progress.reserves[mover]) == ("over", {mover: "time"}, 0)


async def test_a_move_meanwhile_does_not_lose_to_a_clock_that_is_set(
    party: Party, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    commit = party.store.games.commit

    async def set_clock_first(change: GameChange) -> GameRow:
        monkeypatch.setattr(party.store.games, "commit", commit)
        row = present(change.before)
        later = present(row.deadline) + timedelta(seconds=1)
        assert await party.store.alarms.set_deadline(row, later, row.alarm_at)
        return await commit(change)

    monkeypatch.setattr(party.store.games, "commit", set_clock_first)
    await party.play_first(code)
    assert (await party.load_row(code)).turn == 1


async def test_no_more_time_than_there_was_is_charged_after_being_away(party: Party, code: str) -> None:
    await party.front.alarms.beat()
    party.clock.turn(seconds=20)
    await party.store.alarms.record_heartbeat(HEARTBEAT_NAME, party.clock.now)
    party.clock.turn(hours=5)
    party.restarted()
    await party.front.alarms.beat()
    await ring(party)
    assert RESERVE - 20_000 <= await time_left(party, code) <= RESERVE - 19_000


@pytest.mark.parametrize("seconds", [-3600, -0.3, 1.5, 3600])
async def test_steps_of_the_system_clock_are_charged_to_nobody(party: Party, code: str, seconds: float) -> None:
    await party.front.alarms.beat()
    party.clock.turn(seconds=10)
    party.clock.set(seconds=seconds)
    await party.front.alarms.beat()
    assert RESERVE - 10_000 <= await time_left(party, code, party.front.context.clock()) < RESERVE - 9_000


async def test_a_move_in_a_slow_game_has_no_clock_looked_at(party: Party) -> None:
    async def wakes(clock: str) -> bool:
        await party.started(f"/play annuvin @bruno board:square clock:{clock}")
        wanted: asyncio.Event = vars(party.front.alarms)["_wanted"]
        await party.front.alarms.ring()
        wanted.clear()
        await party.play_first(party.code)
        return wanted.is_set()

    # A live game's clock is set once its board is there.
    assert [await wakes(clock) for clock in ("none", "1d", "30d+1d", "15+10")] == [False, False, False, True]


@pytest.mark.parametrize("seconds", [2.0, 100.0])
async def test_a_process_that_stands_still_charges_nobody(party: Party, code: str, mover: int, seconds: float) -> None:
    alarms, clock = party.front.alarms, party.front.context.clock
    await alarms.beat()
    for pressed in range(2):
        with party.front.context.arrivals.arriving() if pressed else nullcontext():
            alarms.note_running()
            party.clock.stall(seconds=seconds)
            assert await time_left(party, code, clock()) == RESERVE, "its clock stood, too"
            await alarms.ring()
            if pressed:
                await play_undelivered(party, code)
        await alarms.beat()
        assert clock() == party.clock.now
        assert (await clocks_of(party, code)).left[mover] == RESERVE + pressed * 10_000


async def test_a_loop_that_is_a_little_late_is_charged_for(party: Party, code: str) -> None:
    await party.front.alarms.beat()
    party.front.alarms.note_running()
    party.clock.stall(seconds=MAX_STALL_SECONDS)
    await party.front.alarms.beat()
    assert await time_left(party, code) == RESERVE - 1_000


async def test_time_in_which_all_processes_stood_still_is_charged_to_nobody(programs: list[Party]) -> None:
    here, there = programs
    for first, then in ((40, 40), (25, 40), (40, 0)):
        await meet(programs)
        code = await here.started(LIVE)
        left = await time_left(here, code)
        for second in range(1, 41):
            here.clock.stall(seconds=1)
            for ends, party in zip((first, then), programs, strict=True):
                if second >= ends:
                    party.front.alarms.note_running()
                if second == ends:
                    await party.front.alarms.beat()
        for _ in range(2):
            charged = (40 - min(first, then)) * 1000
            assert await time_left(here, code) == pytest.approx(left - charged, abs=1), (first, then)
            await there.front.alarms.beat()


async def test_a_turn_that_seemed_over_after_all_stood_still_ends_in_time_and_takes_what_was_pressed_meanwhile(
    programs: list[Party],
) -> None:
    here, _ = programs
    await meet(programs)
    code = await here.started(LIVE)
    here.clock.stall(minutes=16)
    await here.front.alarms.ring()
    held = await here.load_row(code)
    assert (held.status, present(held.alarm_at) > present(held.deadline)) == ("playing", True)
    for party in programs:
        party.front.alarms.note_running()
        await party.front.alarms.beat()
    row = await here.load_row(code)
    assert await time_left(here, code) == pytest.approx(RESERVE, abs=1)
    assert present(row.alarm_at) <= present(row.deadline)
    here.front.alarms.note_running()
    here.clock.stall(seconds=30)
    await play_undelivered(here, code)
    (reserve,) = (await here.load_row(code)).progress.reserves.values()
    assert reserve == pytest.approx(RESERVE + 10_000, abs=1), "it may have come when that began"


@pytest.mark.parametrize("seconds", [-90, 90])
async def test_what_a_process_assumes_at_its_start_is_corrected_by_the_one_that_ran(
    programs: list[Party], seconds: int
) -> None:
    here, there = programs
    code = await here.started(LIVE)
    for each in programs:
        await each.front.alarms.beat()
    here.clock.turn(seconds=20)
    here.clock.set(seconds=seconds)
    await disconnect(there.store)
    await connect(there.store)
    there.restarted()
    for each in (there, here, there, here):
        await each.front.alarms.beat()
    for each in programs:
        assert each.front.context.clock() == here.clock.now
    assert await time_left(here, code) == RESERVE - 20_000
    assert len(await here.store.clock.list_moves()) == 2


@pytest.mark.parametrize("ends", [0, 1])
async def test_a_short_outage_of_all_processes_is_charged_to_nobody(programs: list[Party], ends: int) -> None:
    code = await programs[0].started(LIVE)
    for each in programs:
        await each.front.alarms.beat()
    for each in programs[ends:]:
        await disconnect(each.store)
    programs[0].clock.turn(seconds=20)
    for each in programs[ends:]:
        await connect(each.store)
        each.restarted()
    for each in programs:
        await each.front.alarms.beat()
    assert await time_left(programs[1], code) == RESERVE - ends * 20_000, "the other one ran"


async def test_a_pause_keeps_what_was_left(party: Party, code: str) -> None:
    party.clock.turn(minutes=2)
    for who in ("anna", "bruno"):
        await party.say(who, "/pause")
    party.clock.turn(days=1)
    assert (await clocks_of(party, code)).running is None
    for who in ("anna", "bruno"):
        await party.say(who, "/pause")
    assert await time_left(party, code) == RESERVE - 120_000


async def test_a_takeback_gives_no_time_back_and_charges_nobody_for_the_turn_that_it_ends(
    party: Party, code: str, mover: int
) -> None:
    party.clock.turn(seconds=40)
    who = await party.play_first(code)
    party.clock.turn(seconds=50)
    await party.say(who, "/undo")
    await party.press(party.mover, button(party.newest.card, "agree"))
    assert (await clocks_of(party, code)).left == {mover: RESERVE - 30_000, 1 - mover: RESERVE}


async def test_one_warning_comes_and_none_where_a_turn_is_short(party: Party, code: str) -> None:
    await ring(party, minutes=13)
    assert "Last call" in party.newest.text
    await ring(party, minutes=2)
    assert (await party.load_row(code)).status == "over"
    code = await party.started("/play annuvin @bruno board:square clock:1m")
    revision = (await party.load_row(code)).revision
    await ring(party, seconds=59)
    assert (await party.load_row(code)).revision == revision
    await ring(party, seconds=1)
    assert (await party.load_row(code)).status == "over"


async def test_whoever_is_out_of_time_leaves_a_game_of_three(party: Party) -> None:
    code = await party.started("/play uomo-nero @bruno @carla clock:1+0 seats:3", "bruno", "carla")
    first = await seat_to_move(party, code)
    await ring(party, minutes=1)
    row = await party.load_row(code)
    assert (row.status, row.progress.left) == ("playing", {first: "time"})
    assert (await clocks_of(party, code)).running not in (None, first)


async def test_a_computer_s_clock_stands(party: Party) -> None:
    await party.say("anna", "/play annuvin computer board:square clock:5+3")
    mine = next(entry.seat for entry in (await party.load_row()).seats if entry.person is not None)
    clock = await clocks_of(party, party.code)
    assert (list(clock.left), clock.running) == ([mine], mine)


async def test_the_worker_ends_a_turn_in_time_by_itself(party: Party, code: str) -> None:
    await party.front.start()
    try:
        row = await party.load_row(code)
        ended = asyncio.Event()
        party.store.add_listener(lambda news: ended.set() if news[1].status == "over" else None, {"game"})
        party.clock.turn(minutes=10)
        # As where a board has come early: no step tells of it.
        assert await party.store.alarms.set_deadline(row, party.clock.now, party.clock.now)
        async with asyncio.timeout(60):
            await ended.wait()
    finally:
        await party.front.close()


async def test_a_lobby_says_where_boards_may_come_late(party: Party) -> None:
    await party.say("anna", LIVE)
    assert "may come late" not in party.newest.text
    party.adapter.limits_groups = True
    await party.say("anna", LIVE)
    assert "Boards may come late here" in party.newest.text
    await party.press("bruno", button(party.newest.card, "join"))
    assert "Boards may come late here" in party.board.text
    await party.say("anna", "/play annuvin @bruno board:square clock:1d")
    assert "may come late" not in party.newest.text


@pytest.mark.parametrize("live", [True, False])
def test_in_a_live_game_the_button_of_the_app_comes_first(live: bool) -> None:
    speaker = Texts().speaker("en")
    headline = Headline("ABCDEF", "annuvin", "playing", 1, 1, (), live=live)
    card = Card((), rows=((Button("Hint", "hint:ABCDEF:1"),),), headline=headline)
    keyboard = present(build_keyboard(card, speaker, opens={"text": "Open", "url": "https://app.example"}))
    assert keyboard[0 if live else -1][0]["text"] == "Open"
    labels = [each.label for row in with_open_button(card, speaker).rows for each in of_row(row)]
    assert labels == (["Open the board", "Hint"] if live else ["Hint", "Open the board"])


async def exported(party: Party, code: str) -> Record:
    async with export_record(party.front.context, await party.table(code)) as record:
        return record


async def exported_with_clocks(party: Party, code: str) -> Record:
    """Return the record of a game, whose clocks follow from it."""
    record = await exported(party, code)
    assert dict(enumerate(record.read_reserves())) == (await party.load_row(code)).progress.reserves
    return record


async def test_a_record_says_what_each_turn_took_so_that_the_clocks_follow_from_it(party: Party, code: str) -> None:
    for seconds in (61.5, 3.25, 700, 1):
        party.clock.turn(seconds=seconds)
        await party.play_first(code)
    for who in ("anna", "bruno"):
        party.clock.turn(seconds=7)
        await party.say(who, "/pause")
    record = await exported_with_clocks(party, code)
    assert [each.milliseconds for each in record.times] == [61_500, 3_250, 700_000, 1_000, 14_000]
    again = Record.from_text(record.to_text())
    assert (again.times, again.clock) == (record.times, record.clock)


async def test_the_record_of_a_game_lost_on_time_is_verified_and_imported_with_its_clock_and_its_times(
    party: Party, tmp_path: Path, empty_database: Path, code: str
) -> None:
    party.clock.turn(seconds=12)
    await party.play_first(code)
    await ring(party, minutes=30)
    record = await exported_with_clocks(party, code)
    verify(Record.from_text(record.to_text()))
    async with open_copy(empty_database, tmp_path / "other" / "tavoliere.db") as other:
        imported = await import_record(other, record, party.clock.now)
        async with Party(other) as there:
            again = await exported(there, imported.id)
    assert (again.clock, again.times) == (record.clock, record.times)
    assert again.to_text() == record.to_text()


async def test_a_game_that_ends_because_the_other_leaves_is_recorded_as_it_was_charged(party: Party, code: str) -> None:
    await party.play_first(code)
    party.clock.turn(seconds=30)
    await party.resign(party.other(), code)
    await exported_with_clocks(party, code)


async def test_a_game_without_reserve_is_recorded_as_ever(party: Party) -> None:
    code = await party.started("/play annuvin @bruno board:square clock:1d")
    party.clock.turn(hours=3)
    await party.play_first(code)
    assert "Clock" not in (await exported(party, code)).to_text()
    assert all("used" not in event.data for event in await party.store.games.events(code))


@pytest.mark.parametrize("clock", ["3+2", "5m", "7d+12h"])
async def test_the_arithmetic_of_many_turns_is_exact_to_the_millisecond(party: Party, clock: str) -> None:
    code = await party.started(f"/play annuvin @bruno board:square clock:{clock}")
    row, terms, rng = await party.load_row(code), (await party.load_row(code)).terms, random.Random(clock)
    people = (await party.table(code)).people
    now, model = party.clock.now, {0: (terms.reserve or 0) * 1000, 1: (terms.reserve or 0) * 1000}
    row = replace(row, deadline=now + get_allowance(row))
    for _ in range(300):
        seat, free = present(get_moving_seat(row)), (terms.clock or 0) * 1000
        delay = timedelta(milliseconds=rng.choice((0, 1_000, 60_000))) if terms.is_live else timedelta()
        used = rng.choice((0, 1, 999, free, rng.randrange(1, max(2, min(free + model[seat], 90_000)))))
        used = min(used, free + model[seat])
        acted_at = present(row.deadline) - get_allowance(row) + timedelta(milliseconds=used)
        now = acted_at + timedelta(milliseconds=rng.choice((0, 40, 7_000)))
        other = next(entry.person for entry in row.seats if entry.person != row.to_move)
        after = replace(row, turn=row.turn + 1, to_move=other)
        after = with_deadline(row, after, people, now, acted_at=acted_at, delay=delay)
        model[seat] = max(model[seat] - max(used - free, 0), 0) + terms.increment * 1000
        assert after.progress.reserves.get(seat, model[seat]) == model[seat]
        begins = now + delay
        assert present(after.deadline) == begins + timedelta(milliseconds=free + model[1 - seat])
        assert now < present(after.alarm_at) <= present(after.deadline) or free + model[1 - seat] == 0
        row = after


async def test_the_end_waits_for_a_press_that_waits_in_another_process(programs: list[Party]) -> None:
    here, there = programs
    code = await here.started(LIVE)
    here.clock.turn(minutes=14, seconds=59)
    with here.front.context.arrivals.arriving():
        here.clock.turn(seconds=2)
        await there.front.alarms.ring()  # announces the end
        async with asyncio.timeout(60):
            while (await held_for(here, code)) <= PEER_GRACE * 2:
                await asyncio.sleep(0.01)  # until it is heard
                await here.front.alarms.ring()
        here.clock.turn(seconds=5)
        await there.front.alarms.ring()
        await play_undelivered(here, code)
    row = await here.load_row(code)
    assert (row.status, row.turn, dict(row.progress.left)) == ("playing", 1, {})


async def held_for(party: Party, code: str) -> timedelta:
    """Return for how long the end of a turn is put off."""
    row = await party.load_row(code)
    return present(row.alarm_at) - present(row.deadline)
