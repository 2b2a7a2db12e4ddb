"""Buttons of a half-made choice that come when the game has moved on: no old board gets any."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest

from bot.kernel.requests import Place, Reply, Request, TryLater, User
from bot.platforms.telegram.calls import MAX_PER_BURST, CallBudget, CallKind, CallQueue
from storage import Post, Store, Unreachable
from storage.games import StoredGames
from storage.posts import Posts
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.world import Message
from tests.telegram.harness import Scene, data_of, first_of, without_keys

ASKING_ON = ("e3", "a2", "e4", "b3", "e5", "a3", "e2")
"""Moves of Real Queen of which the last captures, and asks what."""


async def test_a_late_choice_gives_an_old_board_no_buttons(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, other = await scene.started()
    board, front = scene.board, scene.bot.tavoliere
    without_keys(board)
    press, example = front.press, board.marked.code[-1].removeprefix("/move ")

    async def late(request: Request, pressed: str) -> Reply:
        reply = await press(request, pressed)
        # Before the buttons are there the same person has typed a move, and the next board is shown.
        await front.command(replace(request, event="typed", message=None), "move", {"move": example})
        await front.delivery.run_until_idle()
        return reply

    monkeypatch.setattr(front, "press", late)
    await scene.tap(mover, board, first_of(board)[0])
    assert scene.mover is other
    assert scene.board is not board
    assert board.buttons == []


async def test_who_taps_before_the_buttons_have_changed_is_told_so(scene: Scene) -> None:
    mover, _ = await scene.started()
    board, budget = scene.board, scene.bot.connection.adapter.budget
    key = next(str(each["callback_data"]) for each in board.buttons if str(each["callback_data"]).startswith("k:"))
    without_keys(board)
    while not budget.seconds_to_wait(scene.group.id, CallKind.KEYBOARD):
        budget.acquire(scene.group.id, CallKind.KEYBOARD)
    taps = [await mover.tap(board, first_of(board)[0]), await mover.tap_data(board, key)]
    await scene.finish()
    assert (taps[1].text or "").startswith("The buttons are changing. Tap one of the new ones.\nIt is shown in about")
    late = await mover.tap_data(board, key)
    await scene.finish()
    assert late.text == "That comes second. First tap what is marked with ●.", "now they are there"


async def test_who_taps_an_old_board_is_told_when_the_newest_comes(scene: Scene) -> None:
    mover, _ = await scene.started()
    board, budget = scene.board, scene.bot.connection.adapter.budget
    choice = data_of(board, first_of(board)[0])
    while not budget.seconds_to_wait(scene.group.id, CallKind.BOARD):
        budget.acquire(scene.group.id, CallKind.BOARD)
    await mover.say(board.marked.code[-1], board)
    await scene.bot.settle()
    assert scene.board is board, "the next one has to wait"
    early = await mover.tap_data(board, choice)
    await scene.finish()
    moved_on = "The game has moved on in the meantime, so nothing was changed. Look at the board as it is now."
    assert re.fullmatch(rf"{moved_on}\nIt is shown in about \d seconds: .*", early.text or "")
    assert scene.board is not board
    while not budget.seconds_to_wait(scene.group.id, CallKind.BOARD):
        budget.acquire(scene.group.id, CallKind.BOARD)
    late = await mover.tap_data(board, choice)
    await scene.bot.settle()
    assert late.text == moved_on, "now it is there"


QUIET: Final = 10.0


async def tap_late(scene: Scene, mover: Person, monkeypatch: pytest.MonkeyPatch, then: Callable[[], object]) -> Message:
    """Have a tap bring its keyboard after another process has shown a newer board; return the board tapped.

    `then` is what follows at once.
    """
    board, front, adapter = scene.board, scene.bot.tavoliere, scene.bot.connection.adapter
    example, put = board.marked.code[-1].removeprefix("/move "), adapter.put_keyboard
    without_keys(board)
    monkeypatch.setattr(Store, "is_shared", True)

    async def slowly(place: Place, message: str, *given: Any) -> None:
        monkeypatch.setattr(adapter, "put_keyboard", put)
        # What follows is another process's doing, whose changes do not wait for ours.
        adapter._changing.clear()
        me = User("telegram", str(mover.account.id), "Anna")
        await front.command(Request("typed", me, place), "move", {"move": example})
        await front.delivery.run_until_idle()
        # An old board's buttons go when the group has been quiet for a while.
        scene.bot.clock.turn(seconds=QUIET)
        await front.delivery.run_until_idle()
        assert board.buttons == []
        await put(place, message, *given)
        assert board.buttons != []
        then()

    monkeypatch.setattr(adapter, "put_keyboard", slowly)
    await scene.tap(mover, board, first_of(board)[0])
    return board


async def test_newer_board_of_another_process_stays_last(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, other = await scene.started()
    board = await tap_late(scene, mover, monkeypatch, lambda: None)
    assert scene.mover is other
    assert scene.board is not board
    assert board.buttons == []


async def test_late_buttons_are_removed_from_an_outdated_board(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, _ = await scene.started()

    def lost() -> None:
        raise TryLater

    board = await tap_late(scene, mover, monkeypatch, lost)
    await scene.bot.until(lambda: board.buttons == [], "the old board's buttons to go")
    assert scene.board is not board


async def test_repairing_buttons_meanwhile_shows_a_board_once(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, other = await scene.started()
    board, front, adapter = scene.board, scene.bot.tavoliere, scene.bot.connection.adapter
    example, put, find = board.marked.code[-1].removeprefix("/move "), adapter.put_keyboard, Posts.find_by_message
    monkeypatch.setattr(Store, "is_shared", True)
    before = len(scene.shown)
    without_keys(board)

    async def found(subject: Any, *asked: str) -> Post | None:
        known = await find(subject, *asked)
        monkeypatch.setattr("storage.posts.Posts.find_by_message", find)
        # Between what is asked and what is noted, this process itself shows the new board.
        adapter._changing.clear()
        await front.delivery.run_until_idle()
        return known

    async def slowly(place: Place, message: str, *given: Any) -> None:
        monkeypatch.setattr(adapter, "put_keyboard", put)
        me = User("telegram", str(mover.account.id), "Anna")
        # Stored by another process; this one is about to show it.
        await front.command(Request("typed", me, place), "move", {"move": example})
        await put(place, message, *given)
        monkeypatch.setattr("storage.posts.Posts.find_by_message", found)

    monkeypatch.setattr(adapter, "put_keyboard", slowly)
    await scene.tap(mover, board, first_of(board)[0])
    for _ in range(4):
        await scene.bot.wait(5)
    assert len(scene.shown) == before + 1
    assert scene.mover is other
    assert board.buttons == []
    # Its buttons may go twice, which Telegram finds needless.
    scene.telegram.refused.clear()


async def test_button_check_is_repeated_after_a_database_outage(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, _ = await scene.started()
    known, failures = StoredGames.revision, 20

    async def revision_of(subject: Any, game: str) -> int | None:
        nonlocal failures
        failures -= 1
        if failures >= 0:
            raise Unreachable
        return await known(subject, game)

    # Gone before anybody can look whether these buttons came too late.
    board = await tap_late(
        scene, mover, monkeypatch, lambda: monkeypatch.setattr("storage.games.StoredGames.revision", revision_of)
    )
    await scene.bot.until(lambda: failures < 0 and board.buttons == [], "the old board's buttons to go")


async def test_retried_call_does_not_block_others() -> None:
    done, outbox = list[str](), CallQueue(CallBudget(lambda: 0.0))

    async def never() -> None:
        done.append("tried")
        raise TryLater(60.0)

    async def once() -> None:
        done.append("done")

    await outbox.put(5, "never", CallKind.KEYBOARD, never, most=3)
    await outbox.put(5, "once", CallKind.NOTE, once)
    assert done == ["tried", "tried", "done"]
    assert len(outbox._jobs[5]) == 1
    await outbox.run_until_idle()
    assert len(outbox._jobs[5]) == 0
    await outbox.run_until_idle()
    assert done == ["tried", "tried", "done", "tried"]
    await outbox.close()


@pytest.mark.parametrize("error", [Unreachable(), KeyError("something unforeseen")])
async def test_a_job_that_fails_leaves_the_others_of_its_chat_their_turn(error: Exception) -> None:
    now, done, tries = 0.0, list[str](), 0
    budget = CallBudget(lambda: now)
    outbox = CallQueue(budget)
    for _ in range(MAX_PER_BURST[CallKind.BOARD]):
        budget.acquire(5, CallKind.BOARD)

    async def fails() -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise error
        done.append("first")

    async def other() -> None:
        done.append("other")

    await outbox.put(5, "fails", CallKind.NOTE, fails)
    await outbox.put(5, "other", CallKind.NOTE, other)
    assert len(outbox._jobs[5]) == 2
    now += 120.0
    await outbox.run_until_idle()
    assert done == ["other"]
    again = isinstance(error, Unreachable)
    assert len(outbox._jobs[5]) == again
    await outbox.run_until_idle()
    assert done == (["other", "first"] if again else ["other"])
    await outbox.close()


@pytest.mark.parametrize("pressed", [False, True])
async def test_without_database_come_no_buttons(scene: Scene, monkeypatch: pytest.MonkeyPatch, pressed: bool) -> None:
    await scene.started("/play real-queen")
    for move in ASKING_ON[:-1]:
        await scene.say(scene.mover, move, answering=scene.board)
    if pressed:
        await scene.say(scene.mover, ASKING_ON[-1], answering=scene.board)
    board, mover = scene.board, scene.mover

    async def fail(subject: Any, game: str) -> list[Post]:
        raise Unreachable

    # Away since the move was stored; back before the board is shown.
    with monkeypatch.context() as patch:
        patch.setattr("storage.posts.Posts.list_for_game", fail)
        if pressed:
            tap = await scene.tap(mover, board, "×a3")
            assert tap.text == "So far: e2, takes a3.\nWhich piece of your line goes back to your reserve?"
        else:
            await scene.say(mover, ASKING_ON[-1], answering=board)
            assert scene.shown[-1].text == "So far: e2.\nWhich enemy piece do you capture?"
    assert [message for message in scene.shown if message.buttons] == [board]
