"""What waits where the bot may not write comes as soon as it may again, however the platform tells of that.

And what stands in a place that is gone ends at once.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest

from bot.platforms.telegram.adapter import REOPEN_INTERVAL_SECONDS
from storage import Store
from storage.message_schema import BOARD
from tests.bot.computers import wait_until
from tests.fakes.discord.world import THREAD, USUAL, Channel, Permission
from tests.platforms.conftest import open_discord, open_telegram
from tests.platforms.deliveries import ON_DISCORD as CHANGES
from tests.platforms.deliveries import dispatch, move_in, place_of
from tests.platforms.room import OnDiscord, OnTelegram, start_annuvin
from tests.support.present import present
from tests.support.stores import list_posts_in

Discord = Callable[[OnDiscord], Awaitable[None]]
Telegram = Callable[[OnTelegram], Awaitable[None]]


def change(event: str, describe: Callable[[OnDiscord], dict[str, Any]]) -> Discord:
    """Return how Discord tells of permissions that have changed."""

    async def tell(room: OnDiscord) -> None:
        room.channel.permissions = USUAL
        room.channel.archived = room.channel.locked = False
        await room.discord.gateway.dispatch(event, {"guild_id": room.guild.id, **describe(room)})

    return tell


async def began_anew(room: OnDiscord) -> None:
    await room.bot.leave()
    room.channel.permissions = USUAL
    await room.bot.start()


def a_thread(room: OnDiscord) -> dict[str, Any]:
    return room.channel.to_json() | {"newly_created": False}


def own_membership(room: OnDiscord) -> dict[str, Any]:
    member = {"id": room.channel.id, "user_id": room.discord.bot.id, "join_timestamp": "2026-11-21T12:00:00+00:00"}
    return {"id": room.channel.id, "member_count": 3, "added_members": [member | {"flags": 0}]}


ON_DISCORD: Final[dict[str, Discord]] = {
    "the channel has changed": change("CHANNEL_UPDATE", lambda room: room.channel.to_json()),
    "a role has changed": change("GUILD_ROLE_UPDATE", lambda room: {"role": room.guild.role_json()}),
    "a role is new": change("GUILD_ROLE_CREATE", lambda room: {"role": room.guild.role_json()}),
    "a role is gone": change("GUILD_ROLE_DELETE", lambda room: {"role_id": room.guild.id}),
    "the bot has changed": change("GUILD_MEMBER_UPDATE", lambda room: room.guild.own_member_json()),
    "threads have become visible": change("THREAD_LIST_SYNC", lambda _: {"threads": [], "members": []}),
    "the server is back": change("GUILD_CREATE", lambda room: room.guild.to_json()),
    "the program began anew": began_anew,
    "thread: unlocked": change("THREAD_UPDATE", a_thread),
    "thread: the bot is added": change("THREAD_CREATE", a_thread),
    "thread: the bot is a member": change("THREAD_MEMBERS_UPDATE", own_membership),
}


@pytest.mark.parametrize("how", ON_DISCORD)
async def test_on_discord_it_comes_when(store: Store, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    async with open_discord(store, monkeypatch) as room:
        if how.startswith("thread"):
            room.channel = room.discord.add_channel(
                Channel(room.discord.ids.new(), THREAD, "Games", room.guild, parent=room.channel)
            )
        mover, other = await start_annuvin(room)
        before = room.shown
        if how == "thread: unlocked":
            room.channel.archived = room.channel.locked = True
        elif how.startswith("thread"):
            room.channel.parent.permissions = USUAL & ~Permission.VIEW_CHANNEL
        room.channel.permissions = USUAL & ~Permission.SEND_MESSAGES
        await room.move(mover)
        assert len(room.discord.refused) > 0
        room.discord.refused.clear()
        assert room.shown == before
        if room.channel.parent is not None:
            room.channel.parent.permissions = USUAL
        await ON_DISCORD[how](room)
        await room.discord.until(lambda: len(room.shown) > len(before), "the board")
        assert room.called(room.board) == [other]
        await room.bot.settle()


def became(status: Any) -> Telegram:
    """Return how Telegram tells of what the bot has become."""

    async def tell(room: OnTelegram) -> None:
        await room.telegram.change_bot(room.group, room.member("Anna").account, status)

    return tell


def topic(**content: Any) -> Telegram:
    """Return how Telegram tells of a topic that is open again."""

    async def tell(room: OnTelegram) -> None:
        room.group.closed.clear()
        await room.member("Anna").send_service(**content)

    return tell


async def somebody_writes(room: OnTelegram) -> None:
    room.group.may_send = True
    room.bot.clock.turn(seconds=REOPEN_INTERVAL_SECONDS)
    await room.member("Anna").say("/leaderboard annuvin")


async def program_began_anew(room: OnTelegram) -> None:
    await room.bot.stop()
    room.group.closed.clear()
    await room.bot.start()


async def became_a_supergroup(room: OnTelegram) -> None:
    old = room.group
    room.group = await room.telegram.migrate(old)
    room.group.may_send = True
    await room.member("Anna").send_service(migrate_to_chat_id=room.group.id)


ON_TELEGRAM: Final[dict[str, tuple[Telegram | None, Telegram]]] = {
    "it is a member again": (became("restricted"), became("member")),
    "it is an administrator": (became("restricted"), became("administrator")),
    "it is added again": (became("kicked"), became("member")),
    "it is back": (became("left"), became("administrator")),
    "members may not write but it is an administrator": (None, became("administrator")),
    "members may write again and somebody does": (None, somebody_writes),
    "topic: reopened": (None, topic(forum_topic_reopened={})),
    "general: reopened": (None, topic(forum_topic_reopened={})),
    "general: unhidden": (None, topic(general_forum_topic_unhidden={})),
    "topic: it is an administrator": (None, became("administrator")),
    "topic: it may write again": (became("restricted"), became("member")),
    "topic: the program began anew": (None, program_began_anew),
    "group: became a supergroup": (None, became_a_supergroup),
}


@pytest.mark.parametrize("how", ON_TELEGRAM)
async def test_on_telegram_it_comes_when(store: Store, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    async with open_telegram(store) as room:
        if how.startswith(("topic", "general", "group")):
            kinds = {"forum": not how.startswith("group"), "supergroup": not how.startswith("group")}
            room.group = room.telegram.group("Friends", **kinds)
        people = [room.member(name) for name in ("Anna", "Bruno")]
        if how.startswith("topic"):
            people[0].topic = people[1].topic = room.telegram.topic(room.group, "Games", people[0].account)
        mover, other = await start_annuvin(room)
        move, before = room.board.marked.code[-1], room.shown
        close, reopen = ON_TELEGRAM[how]
        if close is not None:
            await close(room)
        elif how.startswith(("topic", "general")):
            room.group.closed.add(mover.topic)
        else:
            room.group.may_send = False
        await room.alone(mover).say(move)
        await room.bot.wait()
        assert bool(room.telegram.refused) is (close is None), "what was reported is not asked for"
        room.telegram.refused.clear()
        assert room.shown == before
        await reopen(room)
        await room.bot.settle()
        await room.bot.wait()
        assert len(room.shown) > (0 if how.startswith("group") else len(before))
        assert next(room.called(each) for each in reversed(room.shown) if each.labels and each.pings) == [other]


@pytest.mark.parametrize("how", ["delete", "delete thread", "kick"])
async def test_on_discord_what_is_gone_ends_or_waits_without_a_refused_call(
    store: Store, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    change = CHANGES[how]
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
        await dispatch(room, "GUILD_DELETE", {"id": room.guild.id, "unavailable": True})
        await room.move(mover)
        assert len(room.shown) > len(before)
        assert room.called(room.board) == [other]
