"""A cup of an evening: rounds begin when those who play are there, and who is not there in time loses the pairing."""

import pytest
from structlog.testing import capture_logs

from storage import Rating
from storage.schema import LIVE
from tests.bot.cups import FOUR, a_cup, cup_of, main, played_out, private_messages, resign_all, time_passes
from tests.bot.party import Party, labelled, missing, words
from tests.support.present import present
from tests.support.stores import make_place, one_step, store_game

EVENING = "/cup annuvin clock:15+10 players:4"
MINUTE = 1 / 60


@pytest.fixture
async def code(party: Party) -> str:
    """The code of a cup in which everybody plays two rounds."""
    return await a_cup(party, f"{EVENING} format:swiss rounds:2", *FOUR)


async def who_meets(party: Party, code: str) -> list[list[str]]:
    """Return the names of the pairings of the newest round, in small letters."""
    cup = await cup_of(party, code)
    return [[cup.name(each).lower() for each in board.entrants] for board in cup.state.rounds[-1].boards]


async def say_here(party: Party, code: str, *people: str) -> None:
    for who in people:
        await party.press(who, f"cup=here.{code}")
    await party.front.jobs["cups"].run_until_idle()
    await party.settle()


async def test_a_game_begins_when_both_who_have_entered_are_there(party: Party) -> None:
    code = await a_cup(party, EVENING, *FOUR[:3])
    assert "No game waits for you" in words(await party.press(FOUR[0], f"cup=here.{code}"))
    assert "You are not in this competition" in words(await party.press(FOUR[3], f"cup=here.{code}"))
    await party.press(FOUR[3], f"cup=join.{code}")
    assert "15+10" in main(party, code).text
    assert all(game.id is None for *_, game in (await cup_of(party, code)).state.games())
    news = private_messages(party)[-1]
    assert missing(news, "Round 1", "Not there yet", "loses the pairing") == []
    (one, two), others = await who_meets(party, code)
    said = await party.press(one, labelled(main(party, code).card, "Here I am"))
    assert "your game begins as soon as" in words(said)
    assert "No game waits for you" in words(await party.press(one, f"cup=here.{code}"))
    assert "No game waits for you" not in words(await party.press(two, f"cup=here.{code}"))
    await party.front.jobs["cups"].run_until_idle()
    first, second = [game for *_, game in (await cup_of(party, code)).state.games()]
    row = await party.load_row(present(first.id))
    assert (row.terms.reserve, row.terms.increment, row.terms.clock, row.terms.is_live) == (900, 10, None, True)
    assert second.id is None
    shown = main(party, code).text.partition("Not there yet:")[2].partition(".")[0]
    assert all(each.capitalize() in shown for each in others)
    assert one.capitalize() not in shown


async def test_a_cup_whose_game_is_not_installed_waits_for_it(
    party: Party, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr("bot.competitions.games.games", {})
        await time_passes(party, 6 * MINUTE)
        assert not (await cup_of(party, code)).state.over
    assert not [entry for entry in logs if entry["log_level"] == "error"]
    await time_passes(party, 1)
    assert (await cup_of(party, code)).state.over


async def test_time_in_which_the_program_was_away_is_charged_to_nobody(party: Party, code: str) -> None:
    await time_passes(party, MINUTE)
    party.clock.turn(hours=3)
    party.restarted()
    await party.front.alarms.tick()
    await party.front.jobs["cups"].run_until_idle()
    waiting = (await cup_of(party, code)).state.games_to_wait_for()
    assert len(waiting) == 2
    await say_here(party, code, *FOUR)
    assert all(game.id for *_, game in (await cup_of(party, code)).state.games())


async def test_an_evening_is_played_to_its_end_and_rated_live(
    party: Party, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr("bot.table.ratings.MIN_RATED_TURNS", 0)
    await say_here(party, code, *FOUR)
    await resign_all(party, code)
    assert len((await cup_of(party, code)).state.rounds) == 2
    await say_here(party, code, *FOUR)
    cup = await played_out(party, code)
    assert (cup.state.stage, cup.state.ending) == ("over", "played")
    people = [await party.id_of(who) for who in FOUR]
    assert {each.pace for each in await party.store.ratings.list_for_people(people)} == {LIVE}
    text = words(await party.press("anna", f"cup=export.{code}"))
    assert code in text


async def test_a_live_cup_is_seeded_by_live_ratings(party: Party) -> None:
    await party.meet(*FOUR)
    anna, bruno = [present(await party.store.people.get(await party.id_of(who))) for who in FOUR[:2]]
    game = await store_game(party.store, await make_place(party.store), [anna, bruno])
    ratings = (
        Rating(anna.id, "annuvin", 40.0, 1.0, 9),
        Rating(anna.id, "annuvin", 20.0, 1.0, 9, pace=LIVE),
        Rating(bruno.id, "annuvin", 30.0, 1.0, 9, pace=LIVE),
    )
    await party.store.games.commit(one_step(game, ratings=ratings))
    for line, first in ((EVENING, "Bruno"), ("/cup annuvin clock:1d players:4", "Anna")):
        party.clock.turn(minutes=1)
        cup = await cup_of(party, await a_cup(party, line, *FOUR))
        assert cup.name(cup.state.seeded_entrants[0]) == first
