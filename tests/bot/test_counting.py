"""Games that end before they count: nobody is rated by them, and everybody is told beforehand and at the end."""

from dataclasses import replace

import pytest

from storage import GameChange, NewEvent
from tests.bot.party import SQUARE, Party, button, card, words
from tests.support.present import present

MANY = "/play uomo-nero @bruno @carla seats:3"
EARLY = "ended before everybody had had three turns of their own"


async def resign(party: Party, who: str, code: str) -> str:
    """Have somebody resign, and return what they were asked before."""
    asked = card(await party.say(who, f"/resign game:{code}"))
    await party.press(who, button(asked, "resign!"))
    return "".join(span.text for span in asked.text)


async def test_resigning_before_both_have_moved_is_not_rated(party: Party) -> None:
    for number in range(2):
        code = await party.started(SQUARE)
        while (await party.table(code)).playing.turn_count(1) in (None, 0):
            await party.play_first(code)
        asked = await resign(party, party.mover if number % 2 else party.other(), code)
        assert "will not count for the leaderboard" in asked
        assert EARLY in party.board.text
        assert "Rating:" not in party.board.text
        assert (await party.load_row(code)).progress.uncounted == "early"
        assert [result.rated for result in await party.store.games.results_of(code)] == [False, False]
    people = [await party.id_of(who) for who in ("anna", "bruno")]
    assert await party.store.ratings.list_for_people(people) == []
    for where in ("", " where:everywhere"):
        assert "wins" not in words(await party.say("anna", f"/leaderboard{where}"))


@pytest.mark.parametrize(("turns", "rated"), [(2, False), (3, True)])
async def test_a_draw_both_agree_on_counts_after_three_turns_of_both(party: Party, turns: int, rated: bool) -> None:
    code = await party.warm_up(await party.started(SQUARE), turns)
    await party.say("anna", f"/draw game:{code}")
    offers = [shown.text for shown in party.shown if "offers a draw" in shown.text]
    assert offers
    assert all(("would not count for the leaderboard" in offer) is not rated for offer in offers)
    await party.say("bruno", f"/draw game:{code}")
    assert (EARLY in party.board.text) is not rated
    assert ("Rating:" in party.board.text) is rated
    assert [result.rated for result in await party.store.games.results_of(code)] == [rated, rated]


async def test_turns_of_an_older_game_are_counted_from_its_events(party: Party) -> None:
    code = await party.warm_up(await party.started(SQUARE))
    stored = await party.load_row(code)
    old = {name: value for name, value in present(stored.last_turn).items() if name != "turns"}
    was = GameChange(game=replace(stored, last_turn=old), events=(NewEvent("reminder"),), at=party.clock())
    await party.store.games.commit(was)
    party.front = party.restarted()
    assert "leaderboard" not in await resign(party, "bruno", code)
    assert EARLY not in party.board.text
    assert [result.rated for result in await party.store.games.results_of(code)] == [True, True]


async def test_a_casual_game_says_nothing_of_it(party: Party) -> None:
    assert "leaderboard" not in await resign(party, "bruno", await party.started(SQUARE + " rated:no"))
    assert EARLY not in party.board.text
    code = await party.started(SQUARE + " rated:no")
    for who in ("anna", "bruno"):
        await party.say(who, f"/draw game:{code}")
    assert not any("three turns" in shown.text for shown in party.shown)


async def test_who_leaves_many_early_is_left_out_and_the_others_rate_each_other(party: Party) -> None:
    code = await party.started(MANY, "bruno", "carla")
    assert "will not count for you" in await resign(party, "carla", code)
    await party.warm_up(code)
    assert "count" not in await resign(party, "bruno", code)
    table = await party.table(code)
    rated = {table.names[result.seat]: result.rated for result in await party.store.games.results_of(code)}
    assert rated == {"Anna": True, "Bruno": True, "Carla": False}


async def test_forgetting_during_the_first_turns_is_not_rated(party: Party, code: str) -> None:
    asked = await party.press("bruno", button(card(await party.say("bruno", "/privacy")), "forget"))
    await party.press("bruno", button(card(asked), "forget!"))
    assert (await party.load_row(code)).status == "over"
    assert [result.rated for result in await party.store.games.results_of(code)] == [False, False]
