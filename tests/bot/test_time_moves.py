"""The clock is set, or the program is away: what people see of it, and that nothing else falls due or waits."""

import asyncio
from datetime import timedelta

import pytest

from bot.competitions.kinds import check_competitions
from bot.kernel.operations.clock import HEARTBEAT_NAME, HEARTBEAT_SECONDS
from tests.bot.cups import a_cup, cup_of
from tests.bot.ladders import a_ladder, challenged, ladder_of, number, order
from tests.bot.party import Party, missing, words
from tests.bot.test_together import Together, together
from tests.support.present import present
from tests.support.stores import time_after

__all__ = ["together"]

DAILY = "/play annuvin @bruno board:square clock:1d"
DAYS = (3, -400)


async def beat(party: Party) -> None:
    """Have a heartbeat come, and all that is due be done."""
    await party.front.alarms.tick()
    for job in party.front.jobs.values():
        await job.run_until_idle()
    await party.settle()


async def runs(party: Party, **parts: float) -> None:
    """Have the program run for a time."""
    party.clock.turn(**parts)
    await party.store.alarms.record_heartbeat(HEARTBEAT_NAME, party.clock())
    await beat(party)


async def clock_set(party: Party, **parts: float) -> None:
    """Have the time of day be set, and the next heartbeat notice it."""
    party.clock.set(**parts)
    await beat(party)


@pytest.fixture
async def code(party: Party) -> str:
    """The code of a game with a day for each turn."""
    code = await party.started(DAILY)
    await beat(party)
    return code


@pytest.mark.parametrize("days", DAYS)
async def test_a_set_clock_costs_nobody_a_turn_and_the_board_says_so(party: Party, code: str, days: int) -> None:
    party.clock.turn(hours=1)
    await runs(party, hours=1)
    party.clock.set(days=days)
    assert (await party.load_row(code)).deadline == time_after(days=1), "nobody has noticed yet"
    await beat(party)
    row = await party.load_row(code)
    assert (row.status, present(row.deadline) - party.front.context.clock()) == ("playing", timedelta(hours=22))
    await runs(party, minutes=11)
    assert missing(party.board.text, "my clock was put right: the end has moved by", "runs out in 24 hours") == []
    (game,) = [shown for shown in party.shown if shown.key == party.board.key]
    assert game.edits == 1, "once, in the message that stands there"
    await party.say(party.mover, "/move a1-a2")
    assert "put right" not in party.board.text
    assert (await party.load_row(code)).progress.moved_seconds == 0


@pytest.mark.usefixtures("code")
async def test_the_board_says_it_in_italian(party: Party) -> None:
    party.managers.add("anna")
    await party.say("anna", "/settings language:it for:channel")
    party.clock.suspend(hours=5)
    await beat(party)
    await runs(party, minutes=11)
    assert "la scadenza si è spostata di 5 ore e nessuno ci rimette tempo" in party.board.text


@pytest.mark.usefixtures("code")
@pytest.mark.parametrize("days", DAYS)
async def test_after_a_set_clock_nothing_floods_and_nothing_sleeps(party: Party, days: int) -> None:
    """Boards in trouble, retries, invitations, limits: as much is left as before, so none is due at once."""
    await party.say("anna", "/play annuvin")
    lobby = party.code
    await beat(party)
    calls = len(party.adapter.calls)
    await clock_set(party, days=days)
    assert party.adapter.calls[calls:] == []
    assert (await party.load_row(lobby)).status == "lobby"
    now = party.front.context.clock()
    due = await party.store.posts.next_due_at()
    assert due is None or due <= now + timedelta(minutes=10)
    await party.say("anna", "/play annuvin")
    assert party.board.card.rows, "shown at once"
    await runs(party, days=3)
    assert (await party.load_row(lobby)).status == "over"


@pytest.mark.parametrize("hours", [50, -50])
async def test_an_hourly_limit_is_of_hours_that_have_passed(party: Party, hours: int) -> None:
    party.front.context.rate_limits = {
        kind: type(pace)(2, pace._clock) for kind, pace in party.front.context.rate_limits.items()
    }
    for _ in range(2):
        await party.say("anna", "/play annuvin")
    await clock_set(party, hours=hours)
    assert "60 min" in words(await party.say("anna", "/play annuvin"))
    party.clock.turn(hours=1)
    await party.say("anna", "/play annuvin")
    assert len(await party.store.games.list_ids()) == 3


async def test_a_pause_of_a_cup_is_a_duration(party: Party) -> None:
    running = await a_cup(party, "/cup annuvin clock:1d players:3", "anna", "bruno", "cora")
    await beat(party)
    await party.press("anna", f"cup=pause.{running}")
    await runs(party, days=1)
    await clock_set(party, days=-20)
    assert (await cup_of(party, running)).state.paused
    await runs(party, days=12, hours=23)
    assert (await cup_of(party, running)).state.paused
    await runs(party, hours=2)
    assert not (await cup_of(party, running)).state.paused


async def test_a_cup_starts_on_its_date_whatever_was_set_meanwhile(party: Party) -> None:
    code = await a_cup(party, "/cup annuvin clock:1d starts:48h", "anna", "bruno", "cora")
    await beat(party)
    for hours in (30, -10):
        await clock_set(party, hours=hours)
    assert (await cup_of(party, code)).state.until == time_after(hours=48)
    await runs(party, hours=27)
    assert (await cup_of(party, code)).state.stage == "open"
    await runs(party, hours=1, minutes=1)
    assert (await cup_of(party, code)).state.stage == "running"


async def test_a_challenge_leaves_as_much_time_as_before(party: Party) -> None:
    code = await a_ladder(party, "/ladder annuvin clock:1d", "anna", "bruno")
    await beat(party)
    await challenged(party, code, "bruno", "anna")
    allowed = timedelta(days=(await ladder_of(party, code)).state.terms.days)
    await runs(party, days=1)
    await clock_set(party, days=9)
    (challenge,) = (await ladder_of(party, code)).state.open.values()
    assert challenge.answer_by - party.front.context.clock() == allowed - timedelta(days=1)
    await runs(party, seconds=allowed.total_seconds() - 86_400 - 60)
    assert await order(party, code) == ["anna", "bruno"]
    await runs(party, minutes=2)
    assert await order(party, code) == ["bruno", "anna"], "time is up"
    exported = await party.press("anna", f"ladder=export.{code}")
    assert exported.card is not None
    assert await number(party, code, "anna") == 0
    assert [findings async for _, findings in check_competitions(party.store)] == [()], "checked by the times that ran"


async def test_who_is_absent_is_so_by_time_that_ran(party: Party) -> None:
    code = await party.started("/play annuvin @bruno board:square")
    other = party.other()
    party.managers.add(other)
    await beat(party)
    party.clock.suspend(days=2)
    await beat(party)
    assert "has not moved for a day" in words(await party.say(other, f"/close {code}"))
    await runs(party, hours=25)
    await party.say(other, f"/close {code}")
    assert (await party.load_row(code)).status == "over"


async def test_digests_and_puzzles_keep_their_hour(party: Party) -> None:
    await party.say("anna", "/settings notify:digest")
    place = await party.store.places.get_or_create("web", "room")
    await party.store.daily.switch_on(place.id, 9, time_after(hours=21))
    await beat(party)
    await clock_set(party, days=-30, hours=-5)
    (daily,) = await party.store.daily.list_due(time_after(days=3), ("web",))
    now = party.front.context.clock()
    assert timedelta() < daily.due_at - now <= timedelta(days=1)
    assert daily.due_at.hour == 9


async def test_when_one_program_moves_times_the_other_hears_of_it_before_its_own_heartbeat(together: Together) -> None:
    here, there = together.programs
    code = await here.started(DAILY)
    await asyncio.gather(here.front.alarms.beat(), there.front.alarms.beat())
    beaten, expected = asyncio.Event(), here.front.context.clock.moves + 1

    async def note() -> None:
        if there.front.context.clock.moves == expected:
            beaten.set()

    there.front.alarms.watching.append(note)
    there.front.alarms.start()
    here.clock.set(days=9)
    await here.front.alarms.beat()
    async with asyncio.timeout(60):
        await beaten.wait()
    assert there.front.context.clock.moves == here.front.context.clock.moves
    row = (await there.front.context.table(code)).row
    assert (row.status, present(row.deadline) - there.front.context.clock()) == ("playing", timedelta(days=1))


async def test_starting_again_within_a_heartbeat_charges_nobody(party: Party) -> None:
    code = await party.started(DAILY)
    party.front.alarms.start()
    await party.front.close()
    party.clock.turn(seconds=HEARTBEAT_SECONDS / 2)
    party.restarted()
    await beat(party)
    left = present((await party.load_row(code)).deadline) - party.clock.now
    assert left == timedelta(days=1)
