"""Clocks: deadlines, reminders in waking hours, dropping out of time, and no time lost while we were down."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.kernel.operations.clock import HEARTBEAT_NAME, HEARTBEAT_SECONDS
from bot.kernel.requests import Place
from bot.kernel.table import Table
from bot.table.clocks import avoid_quiet_hours, next_alarm_at, reminder_at, warning_at
from storage import Person, Unreachable
from tests.bot.party import Party, button, buttons, card, labelled, words
from tests.support.present import present
from tests.support.stores import START, time_after

DAILY = "/play annuvin @bruno board:square clock:1d"


async def beat(party: Party, *, is_up: bool = False) -> None:
    """Have time pass as it does while the program runs; if it was up until now, that is noted first."""
    if is_up:
        await party.store.alarms.record_heartbeat(HEARTBEAT_NAME, party.clock.now)
    await party.front.alarms.tick()
    await party.front.delivery.run_until_idle()


async def wait(party: Party, **parts: float) -> None:
    """Turn the clock on while the program runs, from one alarm to the next."""
    until = party.clock.now + timedelta(**parts)
    while party.clock.now < until:
        due = await party.store.alarms.list_due(until)
        party.clock.now = (due[0].alarm_at if due else None) or until
        await beat(party, is_up=True)


@pytest.fixture
async def code(party: Party) -> str:
    return await party.started(DAILY)


async def test_a_turn_has_its_time_and_the_board_says_until_when(party: Party, code: str) -> None:
    assert (await party.load_row(code)).deadline == time_after(days=1)
    assert "Time for this turn runs out in 24 hours (Nov 22, 2026 12:00 UTC)." in party.newest.text
    await wait(party, hours=10)
    await party.say(party.mover, "a1-a2")
    sent = len(party.shown)
    assert (await party.load_row(code)).deadline == time_after(days=1, hours=10)
    await wait(party, hours=10)
    assert len(party.shown) == sent, "who moves in time is not reminded"


async def test_within_a_turn_the_time_runs_on(party: Party) -> None:
    code = await party.started("/play real-queen @bruno clock:1d")
    for text in ("a1", "g1", "b1", "g2", "c1", "f4"):
        await party.say(party.mover, text)
    before = (await party.load_row(code)).deadline
    party.clock.turn(hours=2)
    await party.say(party.mover, "d1")
    assert (await party.load_row(code)).deadline == before


async def test_one_reminder_one_warning_then_the_seat_is_dropped(party: Party, code: str) -> None:
    mover, sent = party.mover, len(party.shown)
    await wait(party, hours=17, minutes=50)
    assert len(party.shown) == sent
    await wait(party, minutes=20)
    assert "friendly reminder: time runs out in 6 hours" in party.newest.text
    assert (party.mover, len(party.shown)) == (mover, sent + 1)
    revision = (await party.load_row(code)).revision
    await beat(party)
    assert (await party.load_row(code)).revision == revision, "a repeated beat does nothing twice"
    await wait(party, hours=4)
    assert "Last call" in party.newest.text
    assert (len(party.shown), (await party.load_row(code)).status) == (sent + 2, "playing")
    await wait(party, hours=2)
    assert (await party.load_row(code)).status == "over"
    assert f"{mover.capitalize()} has run out of time.\n" in party.newest.text
    (drop,) = [event for event in await party.store.games.events(code) if event.data.get("why") == "time"]
    assert drop.data["action"].startswith("drop ")


async def test_who_wants_no_reminder_gets_only_the_warning(party: Party) -> None:
    for who in ("anna", "bruno"):
        await party.say(who, "/settings reminders:off")
    await party.started(DAILY)
    sent = len(party.shown)
    await wait(party, hours=21)
    assert len(party.shown) == sent
    await wait(party, hours=1, minutes=10)
    assert "Last call" in party.newest.text


async def test_the_others_may_choose_to_wait(party: Party, code: str) -> None:
    mover, other = party.mover, party.other()
    more = card(await party.press(mover, button(party.newest.card, "more")))
    assert "wait" not in [entry.press.rpartition("=")[2] for entry in buttons(more)]
    more = card(await party.press(other, button(party.newest.card, "more")))
    await party.press(other, labelled(more, "Wait for them if time runs out"))
    assert "will wait" in party.newest.text
    await wait(party, hours=25)
    found = await party.load_row(code)
    assert found.status == "playing"
    assert present(found.deadline) > time_after(hours=47)


async def test_a_pause_by_consent_stops_the_clock_and_another_lets_it_run(party: Party, code: str) -> None:
    await party.say("anna", "/pause")
    assert (await party.load_row(code)).deadline is not None
    await party.say("bruno", "/pause")
    assert "clock is stopped" in party.board.text
    await wait(party, days=2)
    assert (await party.load_row(code)).status == "playing"
    assert "let the clock run again" in words(await party.say("bruno", "/pause"))
    await party.press("anna", button(party.newest.card, "agree"))
    assert party.board.text.endswith("Agreed: the clock runs again.")
    assert (await party.load_row(code)).deadline == party.clock.now + timedelta(days=1)


async def test_a_holiday_stops_one_s_clock(party: Party, code: str) -> None:
    mover, other = party.mover, party.other()
    await party.say(mover, "/settings holiday:5")
    assert (await party.load_row(code)).deadline == time_after(days=6)
    await party.say(mover, "a1-a2")
    assert (await party.load_row(code)).deadline == time_after(days=1)
    await party.say(other, "/move d4-d3")
    assert (await party.load_row(code)).deadline == time_after(days=6)
    await party.say(mover, "/settings holiday:0")
    assert (await party.load_row(code)).deadline == time_after(days=1)
    assert "from 0 to 30" in words(await party.say(mover, "/settings holiday:31"))


async def test_holidays_of_a_year_come_to_an_end(party: Party) -> None:
    await party.say("anna", "/settings holiday:20")
    party.clock.turn(days=25)
    assert "10 are left" in words(await party.say("anna", "/settings holiday:11"))
    await party.say("anna", "/settings holiday:10")
    party.clock.turn(days=365)
    assert "stand still until Jan 15, 2028" in words(await party.say("anna", "/settings holiday:30"))


async def test_unanswered_invitation_expires_and_its_event_is_forgotten_long_after(party: Party) -> None:
    await party.say("anna", "/play annuvin", event="old")
    lobby = party.newest
    await wait(party, days=3)
    assert "Nobody answered in time" in lobby.text
    assert [entry.press for entry in buttons(lobby.card)] == ["solo=annuvin", "choose"]
    assert await party.store.processed_events.get("web", "old") is not None
    await wait(party, days=12)
    await party.front.alarms.tick()
    assert await party.store.processed_events.get("web", "old") is None


ROME = {"timezone": "Europe/Rome", "quiet": [22, 8]}


@pytest.mark.parametrize(
    ("hour", "moved_to"),
    [(3, (21, 21)), (6, (21, 21)), (7, (22, 7)), (12, (22, 12)), (20, (22, 20)), (21, (22, 21)), (22, (22, 21))],
)
def test_reminders_keep_out_of_quiet_hours(hour: int, moved_to: tuple[int, int]) -> None:
    # In Rome it is one hour later than in UTC: the quiet hours are 21 to 7.
    when = datetime(2026, 11, 22, hour, tzinfo=UTC)
    expected = datetime(2026, 11, *moved_to, tzinfo=UTC)
    assert (avoid_quiet_hours(when, ROME), avoid_quiet_hours(when, {})) == (expected, when)


async def test_alarms_come_in_their_order_and_never_after_the_deadline(party: Party, code: str) -> None:
    row, deadline = await party.load_row(code), START + timedelta(days=1)
    person = Person(1, "Anna", None, dict(ROME))
    moments = [reminder_at(row, deadline, person), warning_at(row, deadline), deadline]
    assert moments == sorted(moments)
    now, sent = START, []
    while now < deadline:
        now = next_alarm_at(row, deadline, person, now)
        sent.append(now)
    assert sent == [when for when in moments if when > START]
    assert next_alarm_at(row, deadline, replace(person, settings={"reminders": False}), START) == moments[1]


async def test_downtime_is_given_back_even_if_the_database_goes_away_when_we_come_up(
    party: Party, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await beat(party)
    party.clock.turn(days=40)
    party.restarted()

    async def fail(*_: object) -> int:
        raise Unreachable

    with monkeypatch.context() as patch:
        patch.setattr("storage.clock.StoredClock.move", fail)
        with pytest.raises(Unreachable):
            await party.front.alarms.tick()
    for _ in range(3):
        await beat(party)
        party.clock.turn(seconds=HEARTBEAT_SECONDS)
    found = await party.load_row(code)
    assert (found.status, found.deadline) == ("playing", time_after(days=41))


async def test_a_game_breaking_the_alarms_stops_no_other_clock(
    party: Party, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    party.clock.turn(seconds=1)
    await party.say("anna", "/play annuvin @bruno board:square clock:1d", place=Place("web", "garden"))
    second, table = party.code, party.front.context.table

    async def stumbling(game: str) -> Table:
        if game == code:
            raise KeyError(game)
        return await table(game)

    monkeypatch.setattr(party.front.context, "table", stumbling)
    for _ in range(8):
        party.clock.turn(days=1)
        await beat(party, is_up=True)
    assert [(await party.load_row(each)).status for each in (code, second)] == ["playing", "over"]
