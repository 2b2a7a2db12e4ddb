"""Lessons as learners have them: played, kept, their own, offered once."""

import pytest

from bot.boards.lessons import LessonBoard
from bot.kernel.cards import Card
from bot.kernel.choices import path_to
from bot.kernel.preferences import LANGUAGES
from bot.kernel.presses import read_press
from bot.kernel.request_context import resolve_request
from bot.kernel.requests import Place, Reply
from bot.kernel.texts import Speaker, Texts, strip_styles
from bot.kernel.words.describe import typed_form
from engine import games
from storage import Lesson
from tests.bot.party import Party, button, buttons, card, missing, words
from tests.bot.test_limits import CAPTION, check

TEXTS = Texts()
ALONE = Place("telegram", "77", kind="private")
FINISHED = 400


@pytest.fixture
async def lesson_begun(party: Party) -> None:
    """Have Anna begin a lesson."""
    await party.say("anna", "/learn annuvin")


async def lesson(party: Party, who: str = "anna") -> Lesson:
    """Return the lesson that somebody has touched last."""
    return (await party.store.lessons.list_for_person(await party.id_of(who)))[0]


async def progress(party: Party, who: str = "anna") -> LessonBoard:
    requester = await resolve_request(party.front.context, party.request(who))
    return LessonBoard.read(party.front.context, requester, await lesson(party, who))


def deed(found: Card, what: str) -> str:
    """Return the press of a button that leads through a lesson."""
    return next(each.press for each in buttons(found) if each.press.endswith(f"={what}"))


async def go_on(party: Party, at: LessonBoard, who: str = "anna") -> Reply:
    """Press what leads to the next step of a lesson: this one is done, or left out."""
    return await party.press(who, f"lesson:{at.stored.id}:{at.stored.revision}={'next' if at.done else 'skip'}")


async def skip_to_free_play(party: Party) -> LessonBoard:
    """Have Anna leave out all steps but the last one."""
    while not (at := await progress(party)).step.free:
        await go_on(party, at)
    return at


async def skip_to_the_end(party: Party) -> Reply:
    """Have Anna leave out what is left of a lesson; return the last answer."""
    return await go_on(party, await skip_to_free_play(party))


def says(reply: Reply, speaker: Speaker, key: str) -> bool:
    return speaker.line(key) in words(reply)


async def play(party: Party, text: str, who: str = "anna", *, at_once: bool = False) -> Reply:
    """Press what settles an action, question by question or at once."""
    at = await progress(party, who)
    actions = at.line.state.legal_actions()
    action = next(each for each in actions if each.text == text)
    path = path_to(at.line.state, actions, action)
    for depth in () if at_once else range(1, len(path)):
        asked = await party.press(who, f"l:{at.stored.id}:{at.stored.revision}={'.'.join(path[:depth])}")
        check(card(asked), CAPTION)
    return await party.press(who, f"l:{at.stored.id}:{at.stored.revision}={'.'.join(path)}")


@pytest.mark.parametrize(
    ("key", "language"),
    # Each lesson in one language; the others are in the long version.
    [
        pytest.param(key, language, marks=() if (i - j) % len(LANGUAGES) == 0 else pytest.mark.full)
        for i, key in enumerate(games)
        for j, language in enumerate(LANGUAGES)
    ],
)
async def test_a_lesson_can_be_played_from_its_beginning_to_its_end(party: Party, key: str, language: str) -> None:
    party.languages["anna"] = language
    speaker = TEXTS.speaker(language)
    other_speaker = speaker.of(f"lesson-{key}")
    reply = await party.say("anna", f"/learn {key}")
    assert reply.private
    done = set()
    for _ in range(FINISHED):
        check(card(reply), CAPTION)
        at = await progress(party)
        done.add(at.step.name)
        if at.done and at.step.free:
            break
        if at.done:
            assert says(reply, other_speaker, f"{at.step.name}.done")
            reply = await party.press("anna", deed(card(reply), "next"))
        elif at.step.free:
            reply = await play(party, (await at.find_suggestion()).text)
        else:
            reply = await one_ask(party, at, other_speaker, reply)
    at = await progress(party)
    assert at.stored.finished_at == party.clock.now
    assert done == {step.name for step in at.plan.steps}
    assert says(reply, other_speaker, f"{at.step.name}.done")
    assert says(reply, speaker, "learn.finished")
    assert [read_press(each.press).deed for each in buttons(card(reply))] == ["solo", "new", "lesson", "lesson"]


async def one_ask(party: Party, at: LessonBoard, speaker: Speaker, reply: Reply) -> Reply:
    """Do something else that is legal, something that is not, ask for a suggestion, and then follow it."""
    ask, name, state = at.step.asks[at.at], at.step.name, at.line.state
    if at.at == 0:
        assert says(reply, speaker, f"{name}.teach")
    assert says(reply, speaker, f"{name}.task.{ask.number}")
    answers = {ask.answer(state, each): each for each in state.legal_actions() if not ask.is_met(state, each)}
    for answer, action in answers.items():
        key = f"{name}.other.{ask.number}" + (f".{answer}" if answer else "")
        other = await play(party, action.text, at_once=True)
        assert says(other, speaker, key)
        check(card(other), CAPTION)
        assert (await progress(party)).at == at.at
    check(card(await party.say("anna", "/move z9-z9")), CAPTION)
    assert (await lesson(party)) == at.stored
    hinted = await party.press("anna", deed(card(reply), "hint"))
    suggested = ask.suggested(state)
    assert says(hinted, speaker, f"{name}.hint.{ask.number}")
    assert typed_form(speaker, suggested) in words(hinted)
    check(card(hinted), CAPTION)
    return await play(party, suggested.text)


@pytest.mark.usefixtures("lesson_begun")
async def test_typed_moves_are_played_and_rules_explained(party: Party) -> None:
    assert missing(words(await party.say("anna", "/move d2-d4")), "d4", "2") == []
    assert (await progress(party)).at == 0
    assert "d2-d3" in [each.value for each in await party.complete("anna", "move", "move")]
    assert "d2-d3" in words(await party.say("anna", "/hint"))
    await party.say("anna", "/move d2 d3")
    assert (await progress(party)).done
    assert await party.complete("anna", "move", "move") == []


async def test_a_cell_that_is_typed_beside_a_lesson_means_the_lesson(party: Party) -> None:
    await party.say("anna", "/learn fagocitare")
    assert "no cell d9" in words(await party.say("anna", "d9"))
    assert (await party.say("anna", "z9")).talk, "no column of this board"
    assert (await party.say("anna", "d9 would be nice")).talk
    await party.say("anna", "d4")
    assert (await progress(party)).done
    for typed in ("e5", "/move e5"):
        assert "leads to the next one" in words(await party.say("anna", typed))
    assert (await party.say("anna", "that was easy")).talk
    assert (await party.say("anna", "4")).talk


@pytest.mark.usefixtures("lesson_begun")
async def test_a_whole_turn_can_be_typed_and_is_played_whole_or_not_at_all(party: Party) -> None:
    for name in ("move", "capture"):
        at = await progress(party)
        assert (at.step.name, at.done) == (name, False)
        await go_on(party, at)
    assert (await progress(party)).step.name == "on", "the step that goes on from one that is skipped is skipped, too"
    await party.say("anna", "/move d5xc4xa2")
    assert (await progress(party)).at == 0
    await party.say("anna", "/move d5xc4xc3xa2")
    assert (await progress(party)).done


async def test_it_goes_on_after_a_restart_and_begins_again_once_finished(party: Party) -> None:
    reply = await party.say("anna", "/learn annuvin")
    reply = await party.press("anna", deed(card(reply), "skip"))
    party.restarted()
    assert "e3xe4" in words(await party.press("anna", deed(card(reply), "hint")))
    await party.say("anna", "/learn annuvin")
    assert (await progress(party)).step.name == "capture"
    ended = await skip_to_the_end(party)
    assert (await lesson(party)).finished_at is not None
    replayed = await party.press("anna", deed(card(ended), "replay"))
    assert (await progress(party)).step.free
    assert not (await progress(party)).done
    await party.press("anna", deed(card(replayed), "start"))
    assert (await progress(party)).number == 0
    await skip_to_the_end(party)
    await party.say("anna", "/learn annuvin")
    assert (await progress(party)).number == 0


async def test_lesson_is_offered_once_to_a_newcomer(party: Party) -> None:
    started = await party.say("anna", "/play annuvin")
    assert "New to Annuvin?" in words(started)
    assert started.private
    joined = await party.press("bruno", button(party.newest.card, "join"))
    assert "New to Annuvin?" in words(joined)
    opened = await party.press("bruno", button(card(joined), "learn"))
    assert "step 1 of 8" in words(opened)
    assert opened.apart
    for who in ("anna", "bruno"):
        assert "New to" not in words(await party.say(who, "/play annuvin"))
    assert "New to" in words(await party.say("anna", "/play fagocitare"))


async def test_help_rules_and_a_new_game_lead_to_lessons(party: Party) -> None:
    asked = await party.press("anna", button(card(await party.say("anna", "/help")), "learn"))
    for reply in (asked, await party.say("anna", "/learn")):
        assert {read_press(each.press).rest for each in buttons(card(reply))} == set(games)
    opened = await party.press("anna", button(card(await party.say("anna", "/rules fagocitare")), "learn"))
    assert "lesson, step 1 of" in words(opened)
    assert button(card(await party.press("anna", "new=annuvin")), "learn").press == "learn:LESSON:0=annuvin"


@pytest.mark.usefixtures("lesson_begun")
async def test_lesson_is_private_and_does_not_count(party: Party) -> None:
    assert (await skip_to_the_end(party)).private
    assert party.shown == []
    anna = await party.id_of("anna")
    assert await party.store.ratings.results_of_person(anna) == []
    assert await party.store.games.list_for_person(anna) == []
    assert await party.store.ratings.list_for_people([anna]) == []


@pytest.mark.usefixtures("lesson_begun")
async def test_the_computer_answers_even_where_it_cannot_think(party: Party) -> None:
    at = await skip_to_free_play(party)
    await party.front.context.thinkers.close()
    assert await at.find_suggestion() in at.line.state.legal_actions()
    reply = await play(party, "b2-b3")
    after = await progress(party)
    assert (after.turns, after.line.state.to_move) == (1, 0)
    assert "Computer" in strip_styles(card(reply).text)


async def test_a_game_that_does_not_end_is_ended_with_kind_words(party: Party) -> None:
    await party.say("anna", "/learn real-queen")
    at = await skip_to_free_play(party)
    reply = Reply()
    while not (at := await progress(party)).done:
        quiet = [
            each
            for each in at.line.state.legal_actions()
            if (after := at.line.state.play(each)).outcome is None and after.to_json()["pending"] is None
        ]
        reply = await play(party, (quiet or at.line.state.legal_actions())[0].text)
    key = (
        "learn.open"
        if at.line.state.outcome is None
        else "learn.won"
        if at.line.state.outcome.winner == at.seat
        else "learn.lost"
    )
    assert TEXTS.speaker("en").line(key) in words(reply)
    assert at.turns <= at.step.turns
