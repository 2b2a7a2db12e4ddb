"""Finished games analysed: how the chances went, what turned them, and what would have been better."""

import asyncio
import re

import pytest

from bot.thinking.analysis import read_analysis
from render.scene import Hint
from tests.bot.computers import Thoughts
from tests.bot.party import SQUARE, Party, button, card, labelled, missing, words
from tests.support.present import present

# The third move leaves a piece where it can be taken for nothing.
SHORT = ("b1-b2", "b5-b4", "b2-b3", "b4xb3")


@pytest.fixture
def party(advised: Party) -> Party:
    return advised


async def finished(party: Party, line: str = "/play annuvin @bruno", moves: tuple[str, ...] = SHORT) -> str:
    """Play some moves of a game, have the one to move resign, and return its code."""
    code = await party.started(line)
    for move in moves:
        await party.say(party.mover, f"/move {move}")
    await party.resign(party.mover, code)
    return code


async def test_the_card_tells_what_turned_the_game_and_leads_to_the_better_move(
    party: Party, marked: list[Hint | None]
) -> None:
    code = await finished(party)
    reply = await party.say("anna", f"/analyse {code}")
    assert reply.private
    said = words(reply)
    assert said.startswith(f"How the chances went · Annuvin · {code}\n")
    costly = "Turn 3, ", ", the best move, their chances stood at ", "; after b2-b3, the move played, at "
    assert missing(said, *costly) == []
    picture = present(card(reply).picture)
    assert picture.alt.startswith("The chances of everybody in this game of Annuvin, over 5 turns. ")
    assert "at the end 100%." in picture.alt
    shown = await party.press("anna", labelled(card(reply), "Turn 3"))
    assert shown.update
    assert card(shown).picture is not None
    assert marked[-1] is not None
    said = words(shown)
    assert said.startswith("Turn 3, ")
    assert missing(said, "After the move played, ", "could capture on b3.") == []
    back = await party.press("anna", button(card(shown), "analysed"))
    assert back.update
    assert words(back) == words(reply)
    for rest in ("", "=9", "=x", "=0"):
        assert "How the" not in words(await party.press("anna", f"better:{code}:0{rest}")), "no such turn"


# All of the square board is proven; the third move gives a draw away.
TURNS = ("a1-a2", "a4-a3", "d1-c2")


async def test_proven_results_are_reported_without_percentages(party: Party) -> None:
    code = await finished(party, SQUARE, TURNS)
    said = words(await party.say("anna", f"/analyse {code}"))
    (mover,) = re.findall(r"^Turn 3, (\w+): ", said, re.MULTILINE)
    assert f": d1-c2 instead of a2 takes a3 – proven: with a2 takes a3 {mover} draws, with d1-c2 loses. " in said
    party.languages["anna"] = "it"
    said = words(await party.say("anna", f"/analyse {code}"))
    assert f": d1-c2 invece di a2 prende a3 – dimostrato: con a2 prende a3 {mover} pareggia, con d1-c2 perde. " in said


async def test_the_second_time_it_is_known(party: Party, thoughts: Thoughts) -> None:
    code = await finished(party)
    first = await party.say("anna", f"/analyse {code}")
    asked = len(thoughts.asked)
    assert asked > 3
    reply = await party.press("carla", button(party.newest.card, "analyse"))
    assert (reply.private, words(reply)) == (True, words(first))
    party.restarted()
    assert words(await party.say("bruno", f"/analyse {code}")) == words(first)
    assert len(thoughts.asked) == asked
    assert len(present(read_analysis(await party.store.analyses.get(code))).points) == 6
    assert (read_analysis(None), read_analysis({"version": 0, "points": []})) == (None, None), "older ones are ignored"


async def test_without_a_code_the_last_game_here_that_is_over_is_meant(party: Party, thoughts: Thoughts) -> None:
    assert "not finished a game yet" in words(await party.say("carla", "/analyse"))
    await finished(party)
    party.clock.turn(minutes=1)
    code = await finished(party, "/play fagocitare @bruno", ("e5", "d5"))
    running = await party.started()
    assert words(await party.say("anna", f"/analyse {running}")) == "This game is not over yet."
    assert not thoughts.asked
    party.languages["carla"] = "it"
    said = words(await party.say("carla", "/analyse"))
    assert said.startswith(f"Come sono cambiate le probabilità · Fagocitare · {code}")


async def test_a_long_analysis_tells_how_far_it_is(party: Party, thoughts: Thoughts) -> None:
    party.front.context.advice.timeout_seconds = 0.01
    code = await finished(party)
    thoughts.may_end.clear()
    await party.meet("anna", "carla")
    anna, carla = [await party.id_of(who) for who in ("anna", "carla")]
    with party.front.watch_searches(anna) as watch, party.front.watch_searches(carla) as other:
        assert watch.progress() == {}
        first = await party.say("anna", f"/analyse {code}")
        assert "0 of 4 decisions so far" in words(first)
        search = present(card(first).search)
        assert watch.news.is_set()
        assert watch.progress() == {search: (0, 4)}
        received = []
        thoughts.may_end.set()
        async with asyncio.timeout(60):
            while watch.progress():
                watch.news.clear()
                received.append(watch.progress()[search])
                await watch.news.wait()
        assert received[-1] == (4, 4)
        assert other.progress() == {}
        assert not other.news.is_set()
    async with asyncio.timeout(60):
        while "so far" in words(again := await party.press("anna", button(card(first), "analysed"))):
            pass
    assert again.update
    assert "How the chances went" in words(again)


async def test_of_an_analysis_too_long_for_a_caption_the_beginning_and_the_last_sentence_remain(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = await finished(party)
    whole = words(await party.say("anna", f"/analyse {code}"))
    first, last = whole.splitlines()[0], "The percentages are the computer's estimates."
    assert whole.splitlines()[-1] == last
    monkeypatch.setattr("bot.people.advice.analysis.MAX_CAPTION_LENGTH", len(first))
    assert words(await party.say("anna", f"/analyse {code}")).splitlines() == [first, last]
