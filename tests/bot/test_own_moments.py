"""Moments of one's own games: found after the analysis, answered alone, repeated in time, shown to nobody else."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.boards.puzzles.own_moments import MOMENTS_PRESS, schedule_review
from bot.kernel.presses import press, read_press
from bot.kernel.requests import Reply
from bot.table.replaying import turns_of
from bot.thinking.analysis import CostlyChoice
from bot.thinking.analyst import OwnMoment, OwnMoments, read_own_moments
from tests.bot.computers import Thoughts
from tests.bot.party import SQUARE, Party, button, buttons, card, missing, picture_of, words
from tests.bot.test_analysis import SHORT, TURNS, finished
from tests.bot.test_puzzling import way
from tests.support.present import present
from tests.support.tiny import Tiny


@pytest.fixture
def party(advised: Party, monkeypatch: pytest.MonkeyPatch) -> Party:
    """A party that is advised; the charts of its analyses are tiny, too."""
    monkeypatch.setattr("bot.people.advice.analysis.draw_chances", lambda *_: Tiny())
    return advised


@pytest.fixture
async def code(party: Party) -> str:
    return await finished(party, SQUARE, TURNS)


@pytest.fixture
async def who(party: Party, code: str) -> str:
    """Who made the proven mistake of the game on the square board: the one who moved third."""
    return (await party.table(code)).names[0].lower()


@pytest.fixture
async def analysed(party: Party, code: str, who: str) -> Reply:
    """What they are answered who have that game analysed."""
    return await party.say(who, f"/analyse {code}")


async def test_a_moment_is_answered_and_explained(party: Party, code: str, who: str, analysed: Reply) -> None:
    reply = await party.press(who, button(card(analysed), MOMENTS_PRESS))
    assert reply.private
    asked = f"a moment of your own, 1 of 1 · turn 3 of game {code}", "Find the turn that is clearly better."
    assert missing(words(reply), *asked) == []
    wrong = await party.say(who, "d1-c2")
    assert "That is what you played in the game." in words(wrong)
    assert "Find the turn" in words(await party.press(who, way(wrong, "go")))
    solved = await party.say(who, "a2xa3")
    cost = "You played d1-c2: a certain draw with the better turn, a certain loss with yours."
    assert missing(words(solved), "solved after errors", cost) == []
    assert button(card(solved), "analysed")
    played = await party.press(who, way(solved, "played"))
    assert picture_of(played).alt.startswith("Marked: what you played.")
    ended = await party.press(who, button(card(played), "analysed"))
    assert "left the game" in words(ended)
    assert "proven: with a2 takes a3" in words(ended), "the game's end, with its analysis"


@pytest.mark.usefixtures("analysed")
async def test_moments_come_one_after_the_other_and_are_rated_nowhere(party: Party, code: str, who: str) -> None:
    data = present(await party.store.analyses.get(code))
    legal = (await turns_of(party.front.context, await party.table(code)))[0].before.legal_actions()
    better = next(each.text for each in legal if each.text != TURNS[0])
    earlier = OwnMoment(CostlyChoice(1, 0, 0, (TURNS[0],), (better,), 0.8, 0.3), {})
    later = OwnMoment(CostlyChoice(3, 0, 0, ("d1-c2",), ("a2xa3",), 0.5, 0.0, proven=True), {})
    two = OwnMoments((earlier, later)).to_json()
    await party.store.analyses.store(code, {**data, "own": {"0": two}}, party.clock())
    party.languages[who] = "it"
    person = await party.id_of(who)
    first = await party.press(who, press(MOMENTS_PRESS, code, 0, "0"))
    assert f"un tuo momento, 1 di 2 · turno 1 della partita {code}" in words(first)
    solved = await party.say(who, better)
    assert "80% di probabilità con il turno migliore, 30% di probabilità con il tuo" in words(solved)
    assert "2 di 2 · turno 3" in words(await party.press(who, button(card(solved), MOMENTS_PRESS)))
    last = await party.say(who, "a2xa3")
    assert not [each for each in buttons(card(last)) if read_press(each.press).deed == MOMENTS_PRESS]
    counts = await party.store.own_moments.counts(person, party.clock(), None)
    assert (counts.total, counts.solved) == (2, 2)
    assert await party.store.puzzles.list_ratings(person) == {}


async def test_hints_lead_step_by_step_and_the_solution_can_be_seen(party: Party, code: str, who: str) -> None:
    assert "has not been analysed yet" in words(await party.press(who, press(MOMENTS_PRESS, code)))
    await party.say(who, f"/analyse {code}")
    reply = await party.press(who, press(MOMENTS_PRESS, code))
    for hint in ("It begins on a2.", "It goes to a3.", "It is a2 takes a3."):
        reply = await party.press(who, way(reply, "hint"))
        assert hint in words(reply)
    reply = await party.press(who, way(reply, "give"))
    assert "The better turn: a2 takes a3." in words(await party.press(who, way(reply, "giveyes")))


async def test_moments_come_again_and_only_to_their_own_player(party: Party, code: str, who: str) -> None:
    other = "anna" if who == "bruno" else "bruno"
    assert "no moments of your own yet" in words(await party.say(who, "/puzzle which:mine"))
    await party.say(who, f"/analyse {code}")
    opened = await party.press(who, press(MOMENTS_PRESS, code))
    assert "You did not play in this game." in words(await party.press("carla", press(MOMENTS_PRESS, code)))
    assert "This board is somebody else's." in words(await party.press(other, way(opened, "hint")))
    await party.say(who, "a2xa3")
    assert "Nothing is due" in words(await party.say(who, "/puzzle which:mine"))
    assert "no moments of your own" in words(await party.say(other, "/puzzle which:mine"))
    party.clock.turn(days=40)
    assert "a moment of your own" in words(await party.say(who, "/puzzle which:mine"))
    assert "solved at once" in words(await party.say(who, "a2xa3"))
    assert "Moments of your own games: 1, of which 1 solved" in words(await party.say(who, "/profile"))
    assert "Moments of" not in words(await party.say(other, f"/profile @{who}"))
    party.languages[who] = "it"
    assert "Niente da ripetere" in words(await party.say(who, "/puzzle which:mine"))


@pytest.mark.usefixtures("analysed")
async def test_key_moments_are_stored_with_the_analysis_exported_and_forgotten_with_their_person(
    party: Party, thoughts: Thoughts, code: str, who: str
) -> None:
    first = await party.press(who, press(MOMENTS_PRESS, code))
    asked = len(thoughts.asked)
    party.restarted()
    assert words(await party.press(who, press(MOMENTS_PRESS, code))) == words(first)
    assert len(thoughts.asked) == asked
    person = await party.id_of(who)
    assert [each["game"] for each in (await party.store.privacy.export_person(person))["own_moments"]] == [code]
    await party.store.privacy.forget_person(person, party.clock.now)
    assert await party.store.own_moments.list_in_game(person, code) == []


@pytest.mark.usefixtures("analysed")
async def test_a_game_without_mistakes_says_so(party: Party, code: str, who: str) -> None:
    other = "anna" if who == "bruno" else "bruno"
    said = words(await party.press(other, press(MOMENTS_PRESS, code)))
    assert "nothing that you did was clearly worse" in said
    assert "Your best find was" in said or "You always kept within a hair of the best turn." in said


async def test_a_search_that_takes_long_says_how_far_it_is(party: Party, thoughts: Thoughts) -> None:
    code = await finished(party, moves=SHORT)
    await party.say("anna", f"/analyse {code}")
    party.front.context.advice.timeout_seconds = 0.01
    thoughts.may_end.clear()
    reply = await party.press("anna", press(MOMENTS_PRESS, code))
    assert "going through your turns: 0 of" in words(reply)
    thoughts.may_end.set()
    party.front.context.advice.timeout_seconds = 60.0
    assert "going through" not in words(await party.press("anna", button(card(reply), MOMENTS_PRESS)))


def test_the_schedule_grows_with_success_and_begins_again_after_a_failure() -> None:
    now = datetime(2026, 11, 24, tzinfo=UTC)
    card, due = schedule_review(1, {}, "clean", now)
    pauses = [due - now]
    for _ in range(3):
        now = due
        card, due = schedule_review(1, card, "clean", now)
        pauses.append(due - now)
    assert pauses == sorted(pauses)
    assert pauses[0] >= timedelta(days=1)
    assert pauses[-1] > timedelta(days=20)
    _, failed = schedule_review(1, card, None, due)
    assert failed - due < pauses[-1]


def test_stored_moments_of_another_version_are_not_read() -> None:
    assert read_own_moments({"version": 0}) is None
    assert read_own_moments(OwnMoments().to_json()) == OwnMoments()
