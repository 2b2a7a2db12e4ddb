"""The month of a channel: leaderboards of periods, the message when a month is over, titles and their emblems."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.competitions.keeper import TitleKind
from bot.kernel.operations.clock import HEARTBEAT_NAME
from bot.kernel.requests import TryLater, Undeliverable
from bot.kernel.texts import Texts, strip_styles
from bot.people.standings.month import Highlight, Strengths, find_highlights, find_largest_capture
from bot.table.ratings import round_points
from render.charts import EMBLEM_KINDS
from storage import Post, Result, Unavailable
from storage.message_schema import MONTH
from storage.schema import SLOW, Pace
from tests.bot.ladders import a_ladder, challenged
from tests.bot.party import SQUARE, Party, Shown, button, buttons, card, missing, picture_of, words
from tests.bot.test_analysis import finished
from tests.support.present import present
from tests.support.stores import list_posts_in


async def lose(party: Party, loser: str, line: str = SQUARE, *joining: str) -> str:
    """Have a rated game played that somebody gives up, and return its code."""
    return await give_up(party, loser, await party.started(line, *joining))


async def give_up(party: Party, loser: str, code: str) -> str:
    """Have somebody give up a game that is rated all the same (tests/bot/test_counting.py), and return its code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.table.ratings.MIN_RATED_TURNS", 0)
        await party.resign(loser, code)
    return code


class Died(BaseException):
    """Stands for the end of a process: nothing of it handles that."""


def month_messages(party: Party) -> list[Shown]:
    return [shown for shown in party.shown if "-month:" in shown.key]


async def it_is(party: Party, when: datetime) -> list[Shown]:
    """Have it be a time with the program up, where what is due is done, and return the messages of months."""
    party.clock.now = when
    await party.store.alarms.record_heartbeat(HEARTBEAT_NAME, when)
    await party.front.jobs["standings"].run_until_idle()
    await party.front.delivery.run_until_idle()
    return month_messages(party)


@pytest.fixture
def party(advised: Party) -> Party:
    """People in a room, in the middle of November."""
    advised.clock.now = datetime(2026, 11, 10, 12, tzinfo=UTC)
    return advised


AFTER_NOVEMBER = datetime(2026, 12, 1, 9, 1, tzinfo=UTC)
"""When the message of November is due."""


async def test_monthly_message_is_sent_once_with_champions_and_titles(party: Party) -> None:
    for _ in range(3):
        await lose(party, "bruno")
    assert await it_is(party, AFTER_NOVEMBER - timedelta(minutes=2)) == []
    (message,) = await it_is(party, AFTER_NOVEMBER)
    happened = "November 2026: what happened here", "3 games were finished, with 2 people at the boards."
    best = "Champion in Annuvin: Anna, 3 wins in 3 games", "Longest streak: Anna, 3 wins in a row"
    assert missing(message.text, *happened, *best) == []
    assert message.calls == ()
    (post,) = await list_posts_in(party.store, (await party.store.places.get_or_create("web", "room")).id, MONTH)
    translated = present(await party.front.delivery.kinds[MONTH].translate(post, Texts().speaker("it")))
    assert missing(strip_styles(translated.text), "novembre 2026", "Anna") == []
    assert [each.press for each in buttons(translated)] == [each.press for each in buttons(message.card)]
    assert await it_is(party, AFTER_NOVEMBER + timedelta(days=1)) == [message]
    titles = await party.store.titles.list_for_person(await party.id_of("anna"))
    assert {(each.kind, each.game_key, each.period) for each in titles} >= {
        (TitleKind.MONTH, "annuvin", "2026-11"),
        (TitleKind.STREAK, "annuvin", "2026-11"),
    }
    assert "Champion of a month: 1 (Annuvin 1)" in words(await party.say("anna", "/profile"))
    assert await party.store.titles.list_for_person(await party.id_of("bruno")) == []
    leaders = await party.press("bruno", button(message.card, "leaders"))
    assert missing(words(leaders), "November 2026", "Anna: 3 wins") == []


async def test_monthly_message_needs_a_finished_game_the_setting_and_a_week(party: Party) -> None:
    await lose(party, "bruno")
    party.managers = {"anna"}
    await party.say("anna", "/settings monthly:off")
    assert await it_is(party, AFTER_NOVEMBER) == []
    assert await it_is(party, AFTER_NOVEMBER + timedelta(days=2)) == []
    await party.say("anna", "/settings monthly:on")
    assert await it_is(party, AFTER_NOVEMBER + timedelta(days=8)) == [], "it would be too late"
    assert await it_is(party, AFTER_NOVEMBER + timedelta(days=31)) == [], "nobody has played in December"
    assert await party.store.titles.list_for_person(await party.id_of("anna")) == []


async def test_a_month_ends_by_the_clock_of_its_place(party: Party) -> None:
    party.managers = {"anna"}
    await party.say("anna", "/settings timezone:Pacific/Auckland for:channel")
    party.clock.now = datetime(2026, 11, 30, 12, tzinfo=UTC)  # the first of December there
    await lose(party, "bruno")
    assert await it_is(party, datetime(2026, 12, 1, 12, tzinfo=UTC)) == []
    (message,) = await it_is(party, datetime(2026, 12, 31, 20, 1, tzinfo=UTC))
    assert "December 2026" in message.text


async def test_monthly_message_is_sent_once_despite_failures(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    await lose(party, "bruno")
    party.adapter.faults = [TryLater(30), Undeliverable("forbidden"), TimeoutError()]
    noted, lost = party.store.posts.record_shown, 0

    async def lose_the_database(known: Post, *given: Any, **named: Any) -> Post | None:
        nonlocal lost
        if known.kind == "month" and lost < 2:
            lost += 1
            raise Unavailable("gone")
        return await noted(known, *given, **named)

    monkeypatch.setattr(party.store.posts, "record_shown", lose_the_database)
    # The pause after that is one of the loop, whose time does not jump.
    monkeypatch.setattr("bot.outbox.worker.FIRST_RETRY_SECONDS", 0.01)
    for hour in range(9, 20):
        await party.front.is_reopened("web")
        await it_is(party, datetime(2026, 12, 1, hour, 1, tzinfo=UTC))
    # The process died after the message was sent, before it was noted: another one goes on.
    party.restarted()
    (message,) = await it_is(party, datetime(2026, 12, 1, 20, 1, tzinfo=UTC))
    assert lost == 2
    (found,) = await list_posts_in(party.store, 1, "month")
    assert (found.due_at, party.adapter.messages[present(found.message)]) == (None, message)


async def test_of_processes_that_die_at_any_moment_one_tells_of_a_month_once(programs: list[Party]) -> None:
    here, _ = programs
    here.clock.now = datetime(2026, 11, 10, 12, tzinfo=UTC)
    await lose(here, "bruno")
    # The process that comes to it first dies as it sends the message, and the next one does so, too.
    here.adapter.faults = [Died(), Died()]
    for minutes in range(0, 60, 12):
        now = AFTER_NOVEMBER + timedelta(minutes=minutes)
        outcomes = await asyncio.gather(*(it_is(each, now) for each in programs), return_exceptions=True)
        for each, outcome in zip(programs, outcomes, strict=True):
            if isinstance(outcome, Died):
                each.restarted()
    assert not here.adapter.faults
    assert len(month_messages(here)) == 1
    titles = await here.store.titles.list_for_person(await here.id_of("anna"))
    assert len({(each.kind, each.game_key, each.period) for each in titles}) == len(titles)


async def test_the_leaderboard_of_a_month_a_season_and_all_time(party: Party) -> None:
    for month_number, loser in ((9, "anna"), (10, "bruno"), (11, "bruno")):
        party.clock.now = datetime(2027, month_number, 20, 12, tzinfo=UTC)
        await lose(party, loser)
    month = await party.say("anna", "/leaderboard game:annuvin period:month")
    assert missing(words(month), "November 2027", "1. Anna: 1 win, 0 draws, 0 losses") == []
    season = words(await party.say("anna", "/leaderboard period:season"))
    assert missing(season, "This season, since", "1. Anna: 2 wins, 0 draws, 0 losses") == []
    assert "1. Anna: 2 wins, 0 draws, 1 loss" in words(await party.say("anna", "/leaderboard period:all"))
    assert "Anna: 1 win" in words(await party.say("anna", "/leaderboard where:everywhere period:month"))
    assert "leave period out" in words(await party.say("anna", "/leaderboard where:channels period:month"))
    labels = {each.label: each for each in buttons(card(month))}
    assert "Anna: 2 wins" in words(await party.press("bruno", labels["This season"].press))
    assert "Anna: 2 wins, 0 draws, 1 loss" in words(await party.press("bruno", labels["All time"].press))
    party.clock.now = datetime(2028, 2, 1, 12, tzinfo=UTC)
    assert "Nobody has finished a game in this period" in words(await party.say("anna", "/leaderboard period:month"))
    assert "out of date" in words(await party.press("anna", "leaders=.here.2026-13"))


@pytest.mark.parametrize("one_browser", [False, True])
async def test_the_first_of_a_ladder_holds_its_title_for_the_month(
    party: Party, monkeypatch: pytest.MonkeyPatch, one_browser: bool
) -> None:
    """Not if the first shares a browser with another climber."""
    monkeypatch.setattr(party.adapter, "browser_of", lambda user: "all" if one_browser else user, raising=False)
    code = await a_ladder(party, "/ladder annuvin clock:1d", "anna", "bruno")
    await challenged(party, code, "bruno", "anna")
    await party.press("anna", f"ladder=accept.{code}.0")
    await party.front.jobs["ladders"].run_until_idle()
    (game,) = [each for each in await party.store.games.list_in_place(1) if each.terms.cup == code]
    await party.resign("anna", game.id)
    await party.front.jobs["ladders"].run_until_idle()
    (message,) = await it_is(party, AFTER_NOVEMBER)
    assert f"First on the ladder of Annuvin ({code}): Bruno" in message.text
    titles = await party.store.titles.list_for_person(await party.id_of("bruno"))
    held = (TitleKind.LADDER, code, "2026-11") in {(each.kind, each.source, each.period) for each in titles}
    assert held is not one_browser
    profile = words(await party.say("bruno", "/profile"))
    assert ("First on a ladder at a month's end: 1" in profile) is not one_browser


async def test_the_largest_capture_and_the_emblems_are_drawn(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    code = await finished(party)
    with monkeypatch.context() as patch:
        patch.setattr(party.adapter, "browser_of", lambda _: "all", raising=False)
        assert await find_largest_capture(party.front.context, [code]) is None, "between names of one browser"
    found = present(await find_largest_capture(party.front.context, [code]))
    for _ in range(3):
        await lose(party, "bruno")
    (message,) = await it_is(party, AFTER_NOVEMBER)
    assert found.pieces == 1
    name = present(await party.store.people.get(found.person)).name
    assert f"Largest capture: {name} took 1 piece in one turn (Annuvin, {code})" in message.text
    assert present(message.card.picture).png.startswith(b"\x89PNG")
    assert "Champion of a month: 1" in picture_of(await party.say("anna", "/profile")).alt


def result(number: int, who: int, mark: str, mu: float, pace: Pace = SLOW) -> Result:
    when = datetime(2026, 11, 1 + number, tzinfo=UTC)
    place = 1 if mark == "win" else 2
    own: Any = {"game": f"G{number}", "game_key": "annuvin", "mark": mark, "ended_at": when}
    return Result(who, place, "x", who, mu=mu, sigma=5.0, pace=pace, **own)


def highlights(kind: TitleKind, here: list[Result], before: Strengths) -> list[Highlight]:
    return [each for each in find_highlights(here, here, before) if each.kind == kind]


def test_highlights_consider_people_rated_before() -> None:
    known = {1: (20.0, 5.0, 9), 2: (30.0, 5.0, 9), 3: (40.0, 5.0, 2)}
    before: Strengths = {(person, "annuvin", SLOW): figures for person, figures in known.items()}
    here = [
        result(1, 1, "win", 22.0),
        result(1, 2, "loss", 29.0),
        result(2, 1, "win", 23.0),
        result(2, 3, "loss", 39.0),
    ]
    (upset,) = highlights(TitleKind.UPSET, here, before)
    assert (tuple(upset.people), upset.other, upset.code, upset.n) == ((1,), 2, "G1", 400)
    (improved,) = highlights(TitleKind.IMPROVED, here, before)
    assert (tuple(improved.people), improved.n) == ((1,), 120)
    assert highlights(TitleKind.UPSET, here, {}) == []
    surer = {key: (mu, 5.5, count) for key, (mu, _, count) in before.items()}
    (gained,) = highlights(TitleKind.IMPROVED, here, surer)
    assert gained.n == round_points(23.0, 5.0) - round_points(20.0, 5.5) == 180, "the points that people see"
    assert highlights(TitleKind.IMPROVED, here, {}) == []


def test_who_is_equal_shares_a_title_and_two_games_make_no_champion() -> None:
    here = [result(n, who, mark, 25.0) for n in range(4) for who, mark in ((n % 2, "win"), (1 - n % 2, "loss"))]
    assert [tuple(each.people) for each in highlights(TitleKind.MONTH, here, {})] == [(0, 1)]
    assert highlights(TitleKind.MONTH, here[:4], {}) == []
    assert highlights(TitleKind.STREAK, here, {}) == []


def test_every_kind_of_title_has_its_emblem() -> None:
    assert list(EMBLEM_KINDS) == [str(kind) for kind in TitleKind]
