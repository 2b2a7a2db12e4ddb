"""The day's puzzle in a channel: once a date by its own clock, whatever becomes of the program meanwhile."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bot.boards.puzzles.daily import today_at
from bot.boards.puzzles.daily_cards import edit_interval, question_card
from bot.boards.puzzles.puzzle import puzzle_on
from bot.kernel.requests import Place, TryLater, Undeliverable
from bot.kernel.texts import Texts, strip_styles
from storage import PlaceRow, Post, Unreachable
from storage.puzzles import Dailies, SolvedSummary, Solver
from tests.bot.party import Party, Shown, buttons, fail_next_calls, missing, words
from tests.support.present import present
from tests.support.stores import START, list_posts_in

ON = "/puzzle daily:on"
DOCS = Path(__file__).parents[2] / "docs"
SATURDAY, SUNDAY, MONDAY = "2026-11-21", "2026-11-22", "2026-11-23"


@pytest.fixture
async def channel(party: Party) -> PlaceRow:
    """The room, which Anna manages, where today's puzzle comes at nine; it is Saturday noon."""
    party.managers.add("anna")
    await party.say("anna", ON)
    return await party.store.places.get_or_create("web", "room")


def dailies(party: Party) -> list[Shown]:
    """Return the messages with the day's puzzle, the oldest first."""
    return [shown for shown in party.shown if "-daily:" in shown.key]


def days(party: Party) -> list[str]:
    """Return the dates of the messages with the day's puzzle, the oldest first."""
    return [shown.key.partition("-daily:")[2][: len(SATURDAY)] for shown in dailies(party)]


async def solve(party: Party, who: str, place: PlaceRow, day: str = SATURDAY, *, clean: bool = True) -> None:
    """Have somebody solve the puzzle of a day in a place."""
    person = await party.store.people.identify("web", who, who.capitalize(), at=party.clock())
    puzzle, now = puzzle_on(date.fromisoformat(day)), party.clock()
    attempt = await party.store.puzzles.begin_attempt(person.id, puzzle.id, puzzle.game, "", now, place.id, counts=True)
    solved = replace(attempt, result="solved", wrong=0 if clean else 2, tried_at=now, ended_at=now)
    await party.store.puzzles.update_attempt(solved, now)


async def messages(party: Party, place: PlaceRow) -> list[Post]:
    return await list_posts_in(party.store, place.id, "daily")


# Who has it come, and when.


async def test_only_channel_managers_switch_the_daily_puzzle_on(party: Party) -> None:
    party.managers.add("anna")
    assert "manage" in words(await party.say("bruno", ON))
    assert "24" in words(await party.say("anna", "/puzzle daily:on hour:24"))
    await party.wait(days=2)
    assert party.shown == []
    reply = await party.say("anna", "/puzzle daily:on hour:8")
    assert reply.private
    assert missing(words(reply), "8:00", "UTC") == []
    assert len(dailies(party)) == 1
    assert "manage" in words(await party.say("bruno", "/puzzle daily:off"))
    assert "8:00" in words(await party.say("anna", "/settings for:channel"))


@pytest.mark.usefixtures("channel")
async def test_daily_message_is_sent_once_a_date_without_mentions_and_only_todays_after_a_pause(party: Party) -> None:
    (first,) = dailies(party)
    assert days(party) == [SATURDAY]
    assert (first.calls, first.card.mention) == ((), None)
    assert "Saturday 21 November" in first.text
    (again,) = buttons(first.card)
    assert again.press.startswith("puzzle")
    for hours, count in ((20, 1), (1, 2), (12, 2), (12, 3)):
        await party.wait(hours=hours)
        assert len(dailies(party)) == count
    party.restarted()
    await party.wait(days=5, hours=-1)
    assert days(party) == [SATURDAY, SUNDAY, MONDAY], "it is eight, and those of the days between are past"
    await party.wait(hours=1)
    assert days(party) == [SATURDAY, SUNDAY, MONDAY, "2026-11-28"]


async def test_daily_message_follows_the_time_zone_set_by_managers(party: Party) -> None:
    assert "manage" in words(await party.say("bruno", "/settings timezone:Asia/Tokyo for:channel"))
    party.managers.add("anna")
    assert "Asia/Tokyo" in words(await party.say("anna", "/settings timezone:Asia/Tokyo for:channel"))
    assert (await party.store.places.get_or_create("web", "room")).settings["timezone"] == "Asia/Tokyo"
    assert "timezone" not in (await party.store.people.identify("web", "anna", "Anna", at=START)).settings
    assert "Asia/Tokyo" in words(await party.say("anna", "/puzzle daily:on hour:7"))
    assert days(party) == [SATURDAY], "it is Saturday evening there"
    await party.wait(hours=9, minutes=59)
    assert len(dailies(party)) == 1
    await party.wait(minutes=1)
    assert days(party) == [SATURDAY, SUNDAY], "it is seven on Sunday there"


@pytest.mark.usefixtures("channel")
async def test_another_time_zone_brings_no_date_twice_and_is_heeded_at_once(party: Party) -> None:
    await party.say("anna", "/settings timezone:Pacific/Kiritimati for:channel")
    assert days(party) == [SATURDAY], "it is two on Sunday morning there"
    await party.say("anna", "/puzzle hour:2")
    assert days(party) == [SATURDAY, SUNDAY]
    await party.say("anna", "/settings timezone:Pacific/Honolulu for:channel")
    assert len(dailies(party)) == 2, "it is Saturday there, which has come"
    await party.wait(days=1)
    assert len(dailies(party)) == 2, "Sunday has come, too"
    await party.wait(days=1)
    assert days(party) == [SATURDAY, SUNDAY, MONDAY]


@pytest.mark.parametrize(
    ("zone", "hour", "now", "due", "after"),
    [
        ("Europe/Rome", 2, "2027-03-28T00:30", "2027-03-28T01:00", "2027-03-29T00:00"),
        ("Europe/Rome", 2, "2026-10-25T00:30", "2026-10-25T00:00", "2026-10-26T01:00"),
        ("Asia/Kathmandu", 0, "2026-11-21T18:14", "2026-11-20T18:15", "2026-11-21T18:15"),
        ("America/St_Johns", 23, "2026-11-21T02:00", "2026-11-21T02:30", "2026-11-22T02:30"),
        ("Nowhere/Land", 9, "2026-11-21T12:00", "2026-11-21T09:00", "2026-11-22T09:00"),
    ],
    ids=["left out", "repeated", "a quarter", "a half", "unknown"],
)
def test_hours_are_those_of_the_place(zone: str, hour: int, now: str, due: str, after: str) -> None:
    place = PlaceRow(1, "web", "room", settings={"timezone": zone})
    today = today_at(place, hour, datetime.fromisoformat(now).replace(tzinfo=UTC))
    expected = [datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (due, after)]
    assert [today.due_at, today.next_at] == expected


async def test_in_private_it_comes_by_the_persons_own_clock(party: Party) -> None:
    own = Place("web", "@anna", kind="private")
    await party.say("anna", "/settings timezone:Asia/Tokyo", place=own)
    await party.say("anna", "/puzzle daily:on hour:20", place=own)
    assert len(dailies(party)) == 1, "it is nine in the evening there"
    assert dailies(party)[0].place.kind == "private"


async def test_switched_off_nothing_more_comes_and_the_last_is_solved_in_time(party: Party, channel: PlaceRow) -> None:
    await party.say("anna", "/puzzle daily:off")
    await party.wait(hours=20)
    assert buttons(dailies(party)[0].card)
    await party.wait(hours=1)
    (only,) = dailies(party)
    assert "Solution" in only.text
    assert (await messages(party, channel))[0].gone
    await party.say("anna", ON)
    await party.say("anna", "/puzzle daily:off")
    await party.say("anna", ON)
    assert len(dailies(party)) == 2, "off and on again brings no second one"


# Whatever becomes of the program.


async def test_one_that_could_not_be_sent_before_its_day_was_over_is_left_out(party: Party, channel: PlaceRow) -> None:
    party.clock.turn(days=1)
    with fail_next_calls(party.adapter, TryLater(20 * 3600)):
        await party.settle()
    assert len(dailies(party)) == 1
    await party.wait(hours=22)
    assert days(party) == [SATURDAY, MONDAY]
    assert [each.subject[:10] for each in await messages(party, channel)] == [MONDAY, SATURDAY]


@pytest.mark.usefixtures("channel")
async def test_a_clock_that_was_set_back_leaves_no_day_out(party: Party) -> None:
    await party.wait(days=40)
    assert len(dailies(party)) == 2
    await party.wait(days=-38)
    # What has come for a later date stands; days before it do not come after it.
    assert len(dailies(party)) == 2
    await party.wait(days=39)
    assert len(dailies(party)) == 3


async def test_where_it_may_not_be_written_it_waits_and_a_channel_that_is_gone_has_no_more(
    party: Party, channel: PlaceRow
) -> None:
    party.clock.turn(days=1)
    with fail_next_calls(party.adapter, Undeliverable("forbidden")):
        await party.settle()
    await party.wait(hours=3)
    assert len(dailies(party)) == 1
    await party.front.is_reopened("web")
    await party.settle()
    assert days(party) == [SATURDAY, SUNDAY]
    party.clock.turn(days=1)
    with fail_next_calls(party.adapter, Undeliverable("channel-gone")):
        await party.settle()
    assert present(await party.store.places.get(channel.id)).daily_hour is None
    calls = len(party.adapter.calls)
    await party.wait(days=1)
    assert len(party.adapter.calls) == calls


async def test_deleted_daily_message_is_not_sent_again(party: Party, channel: PlaceRow) -> None:
    party.adapter.messages.clear()
    party.clock.turn(minutes=1)
    await solve(party, "bruno", channel)
    await party.settle()
    assert (party.shown, (await messages(party, channel))[0].gone) == ([], True)


# What it shows.


async def test_it_says_how_many_have_tried_it_and_who_solved_it_last(party: Party, channel: PlaceRow) -> None:
    assert "Nobody" in dailies(party)[0].text
    party.clock.turn(minutes=1)
    await solve(party, "bruno", channel)
    await party.settle()
    (shown,) = dailies(party)
    assert "Bruno" in shown.text
    assert shown.edits == 1
    other = await party.store.places.get_or_create("web", "hall")
    party.clock.turn(minutes=1)
    await solve(party, "carla", other)
    await party.settle()
    assert shown.edits == 1, "who solved it elsewhere is named elsewhere"
    await party.wait(minutes=5)
    await party.say("carla", "/puzzle")
    assert "Carla" in shown.text, "until they open it here"
    party.clock.turn(minutes=5)
    await party.press("bruno", f"forget!={await party.id_of('bruno')}")
    assert "Bruno" not in shown.text, "who is forgotten is named no more"


async def test_an_attempt_is_stored_with_the_posts_that_it_makes_due_or_not_at_all(
    party: Party, channel: PlaceRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise Unreachable

    party.clock.turn(minutes=1)
    with monkeypatch.context() as outage:
        outage.setattr(Dailies, "mark_attempted", fail)
        with pytest.raises(Unreachable):
            await solve(party, "bruno", channel)
    await party.settle()
    assert "Nobody" in dailies(party)[0].text
    await solve(party, "bruno", channel)
    # Killed before it was shown: the next program shows it.
    party.restarted()
    await party.settle()
    assert "Bruno" in dailies(party)[0].text


async def test_daily_summary_ignores_attempts_before_its_date(party: Party, channel: PlaceRow) -> None:
    tomorrow = party.clock.now + timedelta(days=1)
    party.clock.turn(days=-90)
    await solve(party, "bruno", channel, tomorrow.date().isoformat())
    party.clock.now = tomorrow
    await party.settle()
    assert "Nobody" in dailies(party)[-1].text


async def test_the_old_one_shows_the_solution_once_the_next_has_come(party: Party, channel: PlaceRow) -> None:
    await solve(party, "bruno", channel)
    await party.wait(days=1)
    await party.wait(seconds=10)
    old, new = dailies(party)
    assert "Solution" in old.text
    assert buttons(old.card) == []
    assert "Bruno" not in old.text, "names are for the day"
    assert "Solution" not in new.text
    puzzle = puzzle_on(date.fromisoformat(SATURDAY))
    assert (await party.store.puzzles.get_figures([puzzle.id]))[puzzle.id].public_at == party.clock()
    for post, asked in zip(await messages(party, channel), (True, False), strict=True):
        translated = present(await party.front.delivery.kinds[post.kind].translate(post, Texts().speaker("it")))
        assert ("Soluzione" not in strip_styles(translated.text)) == asked
        assert bool(buttons(translated)) == asked
    calls = len(party.adapter.calls)
    await party.wait(hours=1)
    assert len(party.adapter.calls) == calls


async def test_many_solvers_are_announced_in_few_edits_and_delay_no_board(duel: Party, channel: PlaceRow) -> None:
    begun = len(duel.adapter.calls)
    for number in range(25):
        await solve(duel, f"solver{number}", channel)
        await duel.front.jobs["puzzles"].run_until_idle()
        await duel.front.delivery.run_until_idle()
        duel.clock.turn(seconds=0.4)
    daily = dailies(duel)[0]
    assert daily.edits <= 10 / 5 + 1
    assert duel.adapter.calls[begun:] == ["edit"] * daily.edits
    await duel.front.typed_text(duel.request(duel.mover), "a1-a2")
    duel.clock.turn(seconds=6)
    await duel.front.jobs["puzzles"].run_until_idle()
    assert daily.edits <= 3, "a board is due: it goes first"
    await duel.wait(seconds=3)
    assert duel.adapter.calls[-1] == "edit"
    assert "send" in duel.adapter.calls[begun:]
    assert "25" in daily.text


@pytest.mark.parametrize(
    ("platform", "kind", "fresh", "old"),
    [("discord", "group", 5, 60), ("telegram", "group", 30, 120), ("telegram", "private", 5, 60)],
)
def test_edits_are_rarer_once_the_first_hour_is_over(platform: str, kind: str, fresh: float, old: float) -> None:
    assert edit_interval(platform, kind, timedelta(minutes=59)) == timedelta(seconds=fresh)
    assert edit_interval(platform, kind, timedelta(minutes=61)) == timedelta(seconds=old)


@pytest.mark.parametrize(("language", "page"), [("en", "puzzles.md"), ("it", "puzzles.it.md")])
def test_player_pages_quote_the_daily_message(language: str, page: str) -> None:
    summary = SolvedSummary(
        7, 5, (Solver(1, "Anna", "clean"), Solver(2, "Bruno", "errors"), Solver(3, "Carla", "hinted"))
    )
    puzzle = puzzle_on(date(2026, 12, 1))
    shown = question_card(puzzle, "2026-12-01", Texts().speaker(language), summary, in_words=False)
    text = (DOCS / page).read_text(encoding="utf-8").replace("> ", "").replace("\\\n", "\n")
    assert strip_styles(shown.text) in text
    assert all(f"*{each.label}*" in text for each in buttons(shown))
