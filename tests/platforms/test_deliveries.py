"""The walk of all cases: whatever changes at any step of a delivery, of any kind of post, on both platforms."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from bot.kernel.features import load_features
from storage import Post
from tests.platforms.conftest import open_room
from tests.platforms.deliveries import (
    CHANGES,
    KINDS,
    STEPS,
    Change,
    Kind,
    cut_off,
    die,
    hurrying,
    move_in,
    place_of,
    stopped_at,
)
from tests.platforms.room import Message, OnDiscord, Room, platform_of
from tests.support.present import present
from tests.support.stores import list_posts_in, open_checked

EXPECTED_ERRORS: Final = frozenset({"commands-not-registered"})
"""What is an error in the log, and meant to be one: an operator can do something about it."""


def list_cases() -> Iterator[Any]:
    """Yield all cases; the short run has every change at one step, every kind, and every step.

    The long run has all other changes of a kind and step in one case: each case costs every run while it is collected.
    """
    for platform, (number, step), (turn, kind) in product(CHANGES, enumerate(STEPS), enumerate(KINDS)):
        others = list[str]()
        for at, (change, how) in enumerate(CHANGES[platform].items()):
            if kind == "month" and how.where == "thread":
                continue  # none comes there: its channel gets one
            chosen = (3 * at + 5 * number + 7 * (platform == "discord")) % len(KINDS)
            if turn == chosen and (at + number) % len(STEPS) == 0:
                yield pytest.param(platform, kind, step, [change], id=f"{platform}-{kind}-{step}-{change}")
            else:
                others.append(change)
        yield pytest.param(platform, kind, step, others, marks=pytest.mark.full, id=f"{platform}-{kind}-{step}-others")


def test_the_table_of_cases_has_every_kind_of_post() -> None:
    assert {each.name for each in KINDS.values()} == {name for each in load_features().values() for name in each.posts}


@pytest.mark.parametrize(("platform", "kind", "step", "changes"), [*list_cases()])
async def test_whatever_changes_what_is_due_is_shown_in_the_end(
    tmp_path: Path, empty_database: Path, platform: str, kind: str, step: str, changes: list[str]
) -> None:
    for change in changes:
        with pytest.MonkeyPatch.context() as patch, hurrying(patch), capture_logs() as logs:
            async with (
                open_checked(empty_database, tmp_path / change / "tavoliere.db") as store,
                open_room(platform, store, patch) as room,
            ):
                await walk(room, patch, KINDS[kind], step, CHANGES[platform][change])
                platform_of(room).refused.clear()
        errors = [each for each in logs if each["log_level"] in ("error", "critical")]
        assert [each for each in errors if each["event"] not in EXPECTED_ERRORS] == [], change


async def walk(room: Room, patch: pytest.MonkeyPatch, kind: Kind, step: str, change: Change) -> None:
    """Have something change when a delivery has come to a step, and see what there is in the end."""
    await move_in(room, change.where)
    await kind.arrange(room)
    await room.wait(seconds=20)
    called, before = kind.calls(room), all_messages(room)
    async with stopped_at(step, kind, room, patch) as (stop, driving):
        await change.begin(room)
        if change.dies:
            await cut_off(driving)
            await die(room)
    await change.mend(room)
    for _ in range(4):
        await room.wait(minutes=11)
    unknown = stop.reached.is_set() and (step == "unanswered" or (change.dies and step == "unrecorded"))
    copies = 1 + (unknown and not isinstance(room, OnDiscord))
    assert await room.bot.store.posts.list_due(room.bot.clock() + timedelta(days=9)) == []
    if called is not None:
        calls = [each for each in all_messages(room)[len(before) :] if has_called(room, each, called)]
        assert (not change.ends or not kind.stays) <= len(calls) <= copies, "everybody is called, and nobody twice"
    if kind.stays:
        await look(room, kind, change, before, copies)


async def look(room: Room, kind: Kind, change: Change, before: list[Message], copies: int) -> None:
    """Look whether what is to stand in the room does, once; or has ended with its place."""
    newest, *_ = await list_posts_in(room.bot.store, (await place_of(room)).id, kind.name)
    assert not newest.waiting
    if change.ends:
        return
    if newest.gone and change.where == "basic":
        return  # news were told in the group as it was, which its members still read
    assert newest.gone or newest.is_current
    shown = message_of(room, newest)
    alike = [each for each in room.shown if (each.text, each.labels) == (shown.text, shown.labels)]
    assert 1 <= len(alike) <= copies, "it is there, and nothing twice"
    if kind is KINDS["board"]:
        old = [each.labels for each in before if each in room.shown and each is not shown and each.labels]
        assert old == [], "old messages have no buttons"


def has_called(room: Room, message: Any, person: Any) -> bool:
    """Return whether a message has notified somebody; in a private chat every one does that is not silent."""
    if isinstance(room, OnDiscord):
        return person.account in message.pings or message.channel is room.discord.dm(person.account)
    own = message.chat is room.alone(person).here
    return person.id in message.pings or (own and not message.silent)


def message_of(room: Room, post: Post) -> Message:
    """Return the message of a post, which is there."""
    number = present(post.message)
    found = (
        room.discord.messages[number] if isinstance(room, OnDiscord) else room.telegram.find(room.group.id, int(number))
    )
    assert not present(found).deleted
    message: Message = found
    return message


def all_messages(room: Room) -> list[Message]:
    """Return everything that the program has said anywhere, the oldest first."""
    platform = platform_of(room)
    return [each for each in platform.messages.values() if each.author is platform.bot]
