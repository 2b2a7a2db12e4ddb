"""How a press is answered: by the response itself, or acknowledged first where that takes long or comes late.

What a search finds takes the place of the words that tell of the search.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from bot.kernel.advice import analysis_search
from tests.bot.computers import Thoughts
from tests.discord.harness import Scene, acknowledge_first, hold
from tests.discord.pages import ANSWERING, documented
from tests.discord.test_places import with_button
from tests.fakes.discord.answering import DEFERRED_UPDATE, MESSAGE, UPDATE
from tests.fakes.discord.messages import ApiError
from tests.fakes.discord.people import Person
from tests.fakes.discord.rest import Call
from tests.support.tiny import Tiny

CALLBACK: Final = "POST /interactions/{interaction_id}/{interaction_token}/callback"
FOLLOWUP: Final = "POST /webhooks/{webhook_id}/{webhook_token}"
EDIT: Final = "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original"
DELETE_ORIGINAL: Final = "DELETE /webhooks/{webhook_id}/{webhook_token}/messages/@original"
DELETE_FOLLOWUP: Final = "DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"


@contextmanager
def noting_answers(scene: Scene) -> Iterator[list[tuple[str, int | None]]]:
    """Note the calls by which presses are answered, each with the type of a response."""
    noted: list[tuple[str, int | None]] = []

    def note(call: Call, _: Any, done: bool) -> None:
        if done and call.operation.split()[1].startswith(("/interactions", "/webhooks")):
            noted.append((call.operation, call.body["type"] if call.operation == CALLBACK else None))

    scene.discord.listeners.append(note)
    try:
        yield noted
    finally:
        scene.discord.listeners.remove(note)


@documented(page=ANSWERING, says="a response tells, if asked, of the message that it has made or edited")
async def test_a_press_is_answered_by_one_call_with_the_picture(scene: Scene, mover: Person, other: Person) -> None:
    with noting_answers(scene) as calls:
        await scene.press(mover, scene.board, scene.board.labels[0])
        assert calls == [(CALLBACK, MESSAGE)]
        sheet = mover.newest_private
        assert (sheet.private, sheet.picture, sheet.reader) == (True, Tiny.png, mover.account)
        await scene.press(mover, sheet, "Back")
        await scene.press(mover, sheet, sheet.labels[0])
        assert sheet.picture == Tiny.png
        await scene.press(mover, sheet, sheet.labels[0])
    assert calls == [(CALLBACK, MESSAGE)] + [(CALLBACK, UPDATE)] * 3
    assert sheet.text.startswith("Done")
    assert (sheet.attachments, scene.board.pings) == ([], (other.account,))


@pytest.mark.parametrize(("is_late", "deletion"), [(False, DELETE_ORIGINAL), (True, DELETE_FOLLOWUP)])
async def test_a_new_answer_removes_the_old(
    scene: Scene, mover: Person, is_late: bool, deletion: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_late:
        acknowledge_first(monkeypatch)
    first = await scene.choose(mover)
    with noting_answers(scene) as calls:
        await scene.press(mover, scene.board, scene.board.labels[1])
    assert first.deleted
    assert [each for each in mover.private if not each.deleted] == [mover.newest_private]
    assert calls[-1] == (deletion, None)


@documented(page=ANSWERING, says="a deferred update shows no loading state and is for components alone")
async def test_a_slow_press_is_acknowledged_and_answered_later(
    scene: Scene, mover: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.platforms.discord.dispatcher.ANSWER_TIMEOUT_SECONDS", 0.001)
    may_end = hold(monkeypatch, scene.bot.tavoliere, "press")
    with noting_answers(scene) as calls:
        interaction = await mover.press(scene.board, scene.board.labels[0])
        assert (interaction.answer, mover.private) == (DEFERRED_UPDATE, [])
        may_end.set()
        await scene.bot.settle()
    assert calls == [(CALLBACK, DEFERRED_UPDATE), (FOLLOWUP, None)]
    assert (mover.private, mover.newest_private.picture) == (interaction.followups, Tiny.png)
    may_end.clear()
    with noting_answers(scene) as calls:
        await mover.press(mover.newest_private, "Back")
        may_end.set()
        await scene.bot.settle()
    assert calls == [(CALLBACK, DEFERRED_UPDATE), (EDIT, None)]
    assert mover.private == interaction.followups


async def test_a_cancelled_press_ends_its_work(scene: Scene, mover: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    started, cancelled, never = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def endless(*_: Any) -> None:
        started.set()
        try:
            await never.wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    monkeypatch.setattr(scene.bot.tavoliere, "press", endless)
    await mover.send_press(scene.board, scene.board.pressable[0])
    async with asyncio.timeout(60):
        await started.wait()
        (handling,) = (task for task in asyncio.all_tasks() if task.get_name() == "discord.py: on_interaction")
        handling.cancel()
        await cancelled.wait()
    await scene.bot.settle()


async def test_a_late_press_is_acknowledged_before_it_is_done(scene: Scene, mover: Person, other: Person) -> None:
    sheet = await scene.choose(mover)
    scene.bot.clock.turn(seconds=61)
    with scene.discord.refusing(10062):
        scene.discord.fail(CALLBACK, ApiError(404, 10062, "Unknown interaction"))
        await mover.send_press(sheet, sheet.pressable[0])
        await scene.discord.until(lambda: scene.discord.refused, "the refusal")
        await scene.bot.settle()
    assert scene.board.pings == (mover.account,)
    with noting_answers(scene) as calls:
        await scene.press(mover, sheet, sheet.labels[0])
    assert calls == [(CALLBACK, DEFERRED_UPDATE), (EDIT, None)]
    assert scene.board.pings == (other.account,)


async def test_a_clock_that_is_slow_makes_no_press_late(scene: Scene, mover: Person) -> None:
    scene.bot.clock.turn(hours=-1)
    with noting_answers(scene) as calls:
        await scene.press(mover, scene.board, scene.board.labels[0])
    assert calls == [(CALLBACK, MESSAGE)]


@pytest.mark.parametrize(
    ("call", "error", "answers"),
    [
        (CALLBACK, ApiError(403, 50001, "Missing Access"), [(CALLBACK, DEFERRED_UPDATE)]),
        (CALLBACK, ApiError(404, 10062, "Unknown interaction"), []),
        (EDIT, ApiError(401, 50027, "Invalid Webhook Token"), [(CALLBACK, DEFERRED_UPDATE)]),
    ],
    ids=["refused, and acknowledged then", "too late, and asked for no more", "acknowledged, and refused then"],
)
async def test_an_answer_that_is_not_taken_leaves_the_move_played(
    scene: Scene,
    mover: Person,
    other: Person,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    error: ApiError,
    answers: list[tuple[str, int]],
) -> None:
    sheet = await scene.choose(mover)
    if call == EDIT:
        acknowledge_first(monkeypatch)
    scene.discord.fail(call, error)
    with scene.discord.refusing(error.code), noting_answers(scene) as calls:
        await mover.send_press(sheet, sheet.pressable[0])
        await scene.discord.until(lambda: scene.discord.refused, "the refusal")
        await scene.bot.settle()
    assert calls == answers
    assert scene.board.pings == (other.account,)
    assert sheet.labels


@pytest.mark.parametrize("step", ["choice", "move", "command"])
async def test_interaction_told_twice_is_answered_once(scene: Scene, mover: Person, other: Person, step: str) -> None:
    if step == "command":
        await scene.move(mover)
    else:
        await scene.press(mover, scene.board, scene.board.labels[0])
    if step == "move":
        await scene.press(mover, mover.newest_private, mover.newest_private.labels[0])
    board, private = scene.board, list(mover.private)
    with scene.discord.refusing(40060), noting_answers(scene) as calls:
        await scene.discord.gateway.repeat()
        await scene.discord.until(lambda: scene.discord.refused, "the second answer")
        await scene.bot.settle()
    assert calls == []
    assert (scene.board, mover.private) == (board, private)
    assert board.pings == ((mover if step == "choice" else other).account,)


async def test_a_press_that_is_answered_for_all_is_acknowledged_first(scene: Scene, anna: Person) -> None:
    await scene.command(anna, "leaderboard")
    asked = scene.board
    part = {"custom_id": "0|leaders", "type": 2}
    with noting_answers(scene) as calls:
        await scene.press_part(anna, asked, part, with_button(asked.to_json(), "0|leaders"))
    assert calls == [(CALLBACK, DEFERRED_UPDATE)]
    assert (scene.shown, anna.private) == ([asked, scene.board], [])
    # What changes the message that was pressed is no new one.
    newest, before = scene.board, scene.board.text
    with noting_answers(scene) as calls:
        await scene.press(anna, newest, "This month")
    assert calls == [(CALLBACK, DEFERRED_UPDATE), (EDIT, None)]
    assert (scene.board is newest, scene.board.text != before, len(scene.shown)) == (True, True, 2)


@pytest.fixture
def thoughts(scene: Scene) -> Thoughts:
    """Searches that end when the test lets them, of which the requester is told at once."""
    thoughts = Thoughts()
    advice = scene.bot.tavoliere.context.advice
    advice.thinkers, advice.timeout_seconds = thoughts, 0
    return thoughts


@pytest.mark.parametrize("is_late", [False, True])
async def test_search_result_comes_by_itself(
    scene: Scene, bruno: Person, thoughts: Thoughts, is_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_late:
        acknowledge_first(monkeypatch)
    mover, _ = await scene.started(rated="no")
    # Asked for by a command, by a button below the board, and by one in a private answer.
    thoughts.may_end.clear()
    await scene.command(mover, "hint")
    waiting = mover.newest_private
    assert "The computer is thinking" in waiting.text
    thoughts.may_end.set()
    await scene.discord.until(lambda: "is a good move here. It " in waiting.text, "the hint")
    assert waiting.alt is not None
    await scene.press(mover, waiting, "Play it")
    await scene.press(scene.mover, scene.board, "More")
    mover = scene.mover
    waiting = mover.newest_private
    thoughts.may_end.clear()
    await scene.press(mover, waiting, "Hint")
    waiting = mover.newest_private
    assert "The computer is thinking" in waiting.text
    thoughts.may_end.set()
    await scene.discord.until(lambda: "is a good move here. It " in waiting.text, "the hint below the board")
    # What goes on when the program ends is looked at again by its button.
    thoughts.may_end.clear()
    await scene.command(mover, "resign")
    await scene.press(mover, mover.newest_private, "Yes, resign")
    await scene.press(bruno, scene.board, "Analyse")
    waiting = bruno.newest_private
    assert "so far" in waiting.text
    await scene.bot.restart()
    await scene.press(bruno, waiting, "Look again")
    await scene.discord.until(lambda: "How the chances went" in waiting.text, "the analysis")


async def test_nothing_is_shown_where_another_answer_has_taken_the_place(
    scene: Scene, anna: Person, bruno: Person, thoughts: Thoughts
) -> None:
    await scene.started(rated="no")
    (game,) = await scene.bot.store.games.list_for_person(1)
    thoughts.may_end.clear()
    await scene.command(anna, "resign")
    await scene.press(anna, anna.newest_private, "Yes, resign")
    await scene.press(bruno, scene.board, "Analyse")
    waiting = bruno.newest_private
    assert "so far" in waiting.text
    await scene.press(bruno, scene.board, "Share")
    assert waiting.deleted
    following = [task for task in asyncio.all_tasks() if task.get_name() == f"search {analysis_search(game.id)}"]
    thoughts.may_end.set()
    await asyncio.gather(*following)
    await scene.bot.settle()
    assert "How the chances went" not in bruno.newest_private.text
    # Discord was asked for nothing that it refuses.
    assert scene.discord.refused == []
