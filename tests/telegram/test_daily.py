"""The day's puzzle on Telegram: for a group's administrators, without a sound, with few edits that come last."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.boards.puzzles.puzzle import puzzle_by_id
from storage import Unreachable
from storage.posts import Posts
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.world import Message
from tests.support.present import present
from tests.support.stores import list_posts_in
from tests.telegram.harness import Scene


async def on(scene: Scene) -> Message:
    """Have an administrator want it, and return the message that comes."""
    anna = scene.person("Anna")
    scene.group.status[anna.id] = "administrator"
    await scene.say(anna, "/puzzle daily:on hour:9")
    return daily(scene)


def daily(scene: Scene) -> Message:
    """Return the newest message with a puzzle of the day."""
    return next(message for message in reversed(scene.shown) if message.labels == ["Try it"])


async def solve(scene: Scene, name: str) -> None:
    """Have somebody solve the puzzle that came last."""
    store, now = scene.bot.store, scene.bot.clock()
    place = await store.places.get_or_create("telegram", str(scene.group.id), None, str(scene.group.id))
    (post, *_) = await list_posts_in(store, place.id, "daily")
    puzzle = present(puzzle_by_id(post.subject.partition(":")[2]))
    person = await store.people.identify("telegram", name, name, at=now)
    attempt = await store.puzzles.begin_attempt(
        person.id, puzzle.id, puzzle.game, puzzle.motif, now, place.id, counts=True
    )
    await store.puzzles.update_attempt(replace(attempt, result="solved", tried_at=now, ended_at=now), now)


async def test_administrators_have_it_come_silently_and_it_changes_twice_a_minute_at_most(
    scene: Scene, bruno: Person
) -> None:
    await scene.say(bruno, "/puzzle daily:on")
    assert "Only those who manage" in scene.shown[-1].text
    message = await on(scene)
    assert message.silent
    assert message.pings == ()
    assert "Saturday 21 November" in message.text
    begun = len(scene.telegram.calls)
    for number in range(15):
        await solve(scene, f"solver{number}")
        await scene.bot.wait(4)
    edits = [
        call
        for call in scene.telegram.calls[begun:]
        if call.method.startswith("edit") and str(call.given.get("message_id")) == str(message.id)
    ]
    assert 1 <= len(edits) <= 3
    await scene.bot.wait(60)
    assert "15 people here" in message.text


async def test_a_group_that_became_a_supergroup_goes_on_having_it(scene: Scene) -> None:
    await on(scene)
    new = await scene.telegram.migrate(scene.group)
    scene.bot.clock.turn(days=1)
    with scene.telegram.refusing("upgraded"):
        await scene.bot.settle()
        await scene.bot.wait(5)
    assert [message.labels for message in scene.telegram.shown(new)] == [["Try it"]]


async def test_a_database_that_is_away_after_posting_or_an_end_of_the_program_makes_no_second_message(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await on(scene)
    posted, noted, begun = Posts.record_shown, asyncio.Event(), asyncio.Event()

    failed = asyncio.Event()

    async def fail(*_: Any, **__: Any) -> None:
        failed.set()
        raise Unreachable

    async def slowly(*given: Any, **named: Any) -> Any:
        begun.set()
        await noted.wait()
        return await posted(*given, **named)

    def puzzles() -> list[Message]:
        return [message for message in scene.shown if message.photo and "Puzzle of" in message.text]

    with monkeypatch.context() as patch:
        patch.setattr("storage.posts.Posts.record_shown", fail)
        patch.setattr("bot.outbox.worker.FIRST_RETRY_SECONDS", 0.0)
        scene.bot.clock.turn(days=1)
        await scene.bot.tavoliere.jobs["puzzles"].run_until_idle()
        delivering = asyncio.create_task(scene.bot.tavoliere.delivery.run_until_idle())
        await failed.wait()
        delivering.cancel()
    await scene.bot.wait(60)
    assert len(puzzles()) == 2
    # Told to end between posting and noting, the program notes it before it is gone.
    monkeypatch.setattr("storage.posts.Posts.record_shown", slowly)
    scene.bot.clock.turn(days=1)
    await scene.bot.tavoliere.jobs["puzzles"].run_until_idle()
    settling = asyncio.create_task(scene.bot.tavoliere.delivery.run_until_idle())
    await begun.wait()
    settling.cancel()
    closing = asyncio.create_task(scene.bot.tavoliere.delivery.close())
    noted.set()
    await closing
    await scene.bot.restart()
    await scene.bot.wait(60)
    assert len(puzzles()) == 3
    scene.telegram.refused.clear()  # the answer to the command is too old to be taken away
