"""What waits where the bot may not write comes as soon as it may again, however the platform tells of that.

And what stands in a place that is gone ends at once.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

import pytest

from storage import Store
from storage.message_schema import BOARD
from tests.bot.computers import wait_until
from tests.fakes.discord.world import USUAL, Permission
from tests.platforms.conftest import open_discord, open_room
from tests.platforms.deliveries import (
    CHANGES,
    Change,
    become,
    close_topic,
    give_permission,
    move_in,
    place_of,
    reopen_topic,
    take_away_permission,
)
from tests.platforms.room import Message, OnDiscord, OnTelegram, Room, platform_of, start_annuvin
from tests.support.present import present
from tests.support.stores import list_posts_in


def lack(permission: int) -> Callable[[OnDiscord], Awaitable[None]]:
    """Return how a permission is taken from the bot, which finds that out by trying."""

    async def change(room: OnDiscord) -> None:
        (room.channel.parent or room.channel).permissions = USUAL & ~permission

    return change


async def lock(room: OnDiscord) -> None:
    room.channel.archived = room.channel.locked = True


def notify(event: str, describe: Callable[[OnDiscord], dict[str, Any]]) -> Callable[[OnDiscord], Awaitable[None]]:
    """Return how Discord tells of permissions that have changed."""

    async def change(room: OnDiscord) -> None:
        (room.channel.parent or room.channel).permissions = USUAL
        room.channel.archived = room.channel.locked = False
        await room.discord.gateway.dispatch(event, {"guild_id": room.guild.id, **describe(room)})

    return change


async def begin_anew_on_discord(room: OnDiscord) -> None:
    await room.bot.leave()
    room.channel.permissions = USUAL
    await room.bot.start()


def a_thread(room: OnDiscord) -> dict[str, Any]:
    return room.channel.to_json() | {"newly_created": False}


def own_membership(room: OnDiscord) -> dict[str, Any]:
    member = {"id": room.channel.id, "user_id": room.discord.bot.id, "join_timestamp": "2026-11-21T12:00:00+00:00"}
    return {"id": room.channel.id, "member_count": 3, "added_members": [member | {"flags": 0}]}


async def unhide_topic(room: OnTelegram) -> None:
    room.group.closed.clear()
    await room.member("Anna").send_service(general_forum_topic_unhidden={})


async def begin_anew_on_telegram(room: OnTelegram) -> None:
    await room.bot.stop()
    room.group.closed.clear()
    await room.bot.start()


async def become_supergroup(room: OnTelegram) -> None:
    room.group = await room.telegram.migrate(room.group)
    room.group.may_send = True
    await room.member("Anna").send_service(migrate_to_chat_id=room.group.id)


in_channel = partial(Change, lack(Permission.SEND_MESSAGES))
in_thread = partial(Change, lack(Permission.VIEW_CHANNEL), where="thread")
UNREPORTED: Final = (take_away_permission, close_topic)
"""What Telegram does not tell the bot of."""
REOPENED: Final[dict[str, dict[str, Change]]] = {
    "discord": {
        "the channel has changed": in_channel(notify("CHANNEL_UPDATE", lambda room: room.channel.to_json())),
        "a role has changed": in_channel(notify("GUILD_ROLE_UPDATE", lambda room: {"role": room.guild.role_json()})),
        "a role is new": in_channel(notify("GUILD_ROLE_CREATE", lambda room: {"role": room.guild.role_json()})),
        "a role is gone": in_channel(notify("GUILD_ROLE_DELETE", lambda room: {"role_id": room.guild.id})),
        "the bot has changed": in_channel(notify("GUILD_MEMBER_UPDATE", lambda room: room.guild.own_member_json())),
        "threads are visible": in_channel(notify("THREAD_LIST_SYNC", lambda _: {"threads": [], "members": []})),
        "the server is back": in_channel(notify("GUILD_CREATE", lambda room: room.guild.to_json())),
        "the program began anew": in_channel(begin_anew_on_discord),
        "a thread is unlocked": Change(lock, notify("THREAD_UPDATE", a_thread), where="thread"),
        "the bot is added to a thread": in_thread(notify("THREAD_CREATE", a_thread)),
        "the bot is a member of a thread": in_thread(notify("THREAD_MEMBERS_UPDATE", own_membership)),
    },
    "telegram": {
        "it is a member again": Change(become("restricted"), become("member")),
        "it is an administrator": Change(become("restricted"), become("administrator")),
        "it is added again": Change(become("kicked"), become("member")),
        "it is back": Change(become("left"), become("administrator")),
        "members may not write but it is one": Change(take_away_permission, become("administrator")),
        "members may write again and somebody does": Change(take_away_permission, give_permission),
        "a topic is reopened": Change(close_topic, reopen_topic, where="topic"),
        "the first topic is reopened": Change(close_topic, reopen_topic, where="forum"),
        "the first topic is unhidden": Change(close_topic, unhide_topic, where="forum"),
        "it is an administrator of a topic": Change(close_topic, become("administrator"), where="topic"),
        "it may write in a topic again": Change(become("restricted"), become("member"), where="topic"),
        "the program began anew": Change(close_topic, begin_anew_on_telegram, where="topic"),
        "it became a supergroup": Change(take_away_permission, become_supergroup, where="basic"),
    },
}


def find_news(room: Room, before: list[Message]) -> list[Message]:
    """Return what has come since and calls somebody."""
    return [each for each in room.shown if each not in before and each.pings]


@pytest.mark.parametrize(
    ("platform", "where"),
    sorted({(name, each.where) for name, changes in REOPENED.items() for each in changes.values()}),
)
async def test_it_comes_when(store: Store, monkeypatch: pytest.MonkeyPatch, platform: str, where: str) -> None:
    async with open_room(platform, store, monkeypatch) as room:
        await move_in(room, where)
        players = await start_annuvin(room)
        (code,) = await store.games.list_ids()
        until = room.discord.until if platform == "discord" else room.bot.until
        for how, change in REOPENED[platform].items():
            if change.where != where:
                continue
            mover, before = room.mover, room.shown
            state = (await room.bot.tavoliere.context.table(code)).playing.state
            await change.begin(room)
            await room.give(room.alone(mover), "move", move=state.legal_actions()[0].text)
            is_reported = platform == "telegram" and change.begin not in UNREPORTED
            assert bool(platform_of(room).refused) is not is_reported, f"what was reported is not asked for: {how}"
            platform_of(room).refused.clear()
            assert room.shown == before, how
            await change.mend(room)
            news = await until(partial(find_news, room, before), how)
            assert room.called(news[-1]) == [each for each in players if each is not mover], how
            await room.bot.settle()
            if platform == "telegram":
                room.group.may_send = True
                room.group.closed.clear()
                await become("member")(room)


@pytest.mark.parametrize("how", ["delete", "delete thread", "kick"])
async def test_on_discord_what_is_gone_ends_or_waits_without_a_refused_call(
    store: Store, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    change = CHANGES["discord"][how]
    async with open_discord(store, monkeypatch) as room:
        await move_in(room, change.where)
        await start_annuvin(room)
        (board,) = await list_posts_in(store, (await place_of(room)).id, BOARD)

        async def is_closed() -> bool:
            now = present(await store.posts.get(board.id))
            return now.gone or now.waiting

        async def is_open() -> bool:
            return not await is_closed()

        await change.begin(room)
        await wait_until(is_closed)
        await room.bot.settle()
        ended = present(await store.posts.get(board.id))
        assert (ended.gone, ended.waiting, ended.due_at) == (change.ends, not change.ends, None)
        if not change.ends:
            await change.mend(room)
            await wait_until(is_open)


async def test_on_discord_nothing_ends_by_an_outage(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_discord(store, monkeypatch) as room:
        mover, other = await start_annuvin(room)
        before = room.shown
        await room.discord.gateway.dispatch("GUILD_DELETE", {"id": room.guild.id, "unavailable": True})
        await room.move(mover)
        assert len(room.shown) > len(before)
        assert room.called(room.board) == [other]
