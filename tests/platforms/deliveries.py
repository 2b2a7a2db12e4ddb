"""What the walk of all cases is made of: kinds of posts, steps of their delivery, and what changes meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pytest

from bot.kernel.operations.clock import HEARTBEAT_NAME, BackgroundRetry
from bot.kernel.requests import TryLater
from bot.outbox.worker import Delivery
from bot.platforms.telegram.adapter import REOPEN_INTERVAL_SECONDS
from bot.platforms.telegram.updates import UpdatePoller
from bot.platforms.webhooks.job import WEBHOOK
from storage import NewPost, PlaceRow, Post
from storage.message_schema import BOARD, DAILY, MONTH
from storage.posts import Posts
from tests.fakes.discord.messages import ApiError as DiscordError
from tests.fakes.discord.world import THREAD, USUAL, Channel, Permission
from tests.fakes.telegram.schema import ApiError as TelegramError
from tests.platforms.room import OnDiscord, OnTelegram, Room, start_annuvin
from tests.support.present import present

COMMANDS: Final = "PUT /applications/{application_id}/commands"
NOW: ContextVar[Post | None] = ContextVar("now", default=None)
"""The post that is being delivered."""


async def place_of(room: Room) -> PlaceRow:
    """Return the room's place as it is stored."""
    channel, thread, group = room.place.channel, None, room.place.group
    if isinstance(room, OnDiscord) and room.channel.parent is not None:
        channel, thread = room.channel.parent.id, room.channel.id
    elif isinstance(room, OnTelegram):
        topic, group = next((each.topic for each in room.people.values() if each.topic is not None), None), channel
        thread = None if topic is None else str(topic)
    found: PlaceRow = await room.bot.store.places.get_or_create(room.place.platform, channel, thread, group)
    return found


async def promise(room: Room, kind: str, subject: str) -> None:
    """Have something shown in the room."""
    place = await place_of(room)
    await room.bot.store.posts.promise(NewPost(kind, subject, place.id, room.bot.clock()))


# Kinds: what stands before, and what makes something due, with whom that calls.


@dataclass(frozen=True)
class Kind:
    """A kind of post, by its name in the database; `stir` makes it due, which `calls` somebody.

    `stays`: True if one message of it stands in the room at the end, False if it comes to somebody alone.
    """

    name: str
    arrange: Callable[[Room], Awaitable[None]]
    stir: Callable[[Room], Awaitable[None]]
    calls: Callable[[Room], Any] = lambda _: None
    stays: bool = True


async def meet(room: Room) -> None:
    """Have Anna and Bruno be known there."""
    for name in ("Anna", "Bruno"):
        await room.give(room.member(name), "help")


async def play(room: Room) -> None:
    await start_annuvin(room)


def bruno(room: Room) -> Any:
    return room.member("Bruno")


def waiting(room: Room) -> Any:
    """Return who is not to move."""
    return next(each for each in room.people.values() if each != room.mover)


async def challenge(room: Room) -> None:
    """Have Anna open a lobby that calls Bruno."""
    await room.give(room.member("Anna"), "play", game="annuvin", opponent=bruno(room))


async def move(room: Room) -> None:
    (brief,) = await room.bot.store.games.list_in_place((await place_of(room)).id)
    table = await room.bot.tavoliere.context.table(brief.id)
    action = table.playing.state.legal_actions()[0]
    await room.give(room.mover, "move", move=str(action))


async def offer(room: Room) -> None:
    await room.give(room.mover, "draw")


async def join(room: Room, *names: str) -> None:
    """Have people enter what Anna has made."""
    for name in names:
        board = next(message for message in reversed(room.shown) if "Join" in message.labels)
        await room.press(room.member(name), board, "Join")


def make(kind: str, *names: str, **terms: Any) -> Callable[[Room], Awaitable[None]]:
    """Return how Anna makes a competition, which people enter."""

    async def arrange(room: Room) -> None:
        await meet(room)
        await room.give(room.member("Anna"), kind, game="annuvin", clock="1d", **terms)
        await room.bot.settle()
        await join(room, *names)

    return arrange


async def enter(room: Room) -> None:
    await join(room, "Bruno")


def begin(job: str) -> Callable[[Room], Awaitable[None]]:
    """Return how a competition begins that lacks nobody but Bruno."""

    async def stir(room: Room) -> None:
        await enter(room)
        await room.bot.tavoliere.jobs[job].run_until_idle()

    return stir


async def switch_daily_on(room: Room) -> None:
    await room.bot.store.daily.switch_on((await place_of(room)).id, 9, room.bot.clock())
    await room.bot.tavoliere.jobs["puzzles"].run_until_idle()


async def play_out(room: Room) -> None:
    mover, _ = await start_annuvin(room)
    await room.give(mover, "resign")
    await room.press(mover, room.private(mover)[-1], "Yes, resign")


async def tell_of_month(room: Room) -> None:
    await promise(room, MONTH, f"{room.bot.clock():%Y-%m}")


def ask_for(notices: str) -> Callable[[Room], Awaitable[None]]:
    """Return how Bruno chooses how he is notified."""

    async def arrange(room: Room) -> None:
        await meet(room)
        await room.give(room.member("Bruno"), "settings", notices=notices)

    return arrange


async def wait_for_digest(room: Room) -> None:
    await challenge(room)
    room.bot.clock.turn(days=1)
    await room.bot.tavoliere.messenger.run_until_idle()


async def end_webhook(room: Room) -> None:
    """Have a webhook of the room end."""
    store, now, place = room.bot.store, room.bot.clock(), await place_of(room)
    maker = next(each for each in await store.places.members(place.id) if each.name == "Anna")
    hook = present(await store.webhooks.create(place.id, "https://example.org/x", "whsec_", maker.id, now, 5))
    async with store.transaction():
        await store.webhooks.stop(hook.id, "gone")
        await promise(room, WEBHOOK, str(hook.id))


async def make_team(room: Room) -> None:
    await meet(room)
    await room.give(room.member("Anna"), "team", game="annuvin", computer="1", quorum=2)
    await room.bot.tavoliere.jobs["computers"].run_until_idle()
    await room.wait(minutes=1)


async def show_votes(room: Room) -> None:
    """Have a team's board shown again, as after a vote."""
    store, place = room.bot.store, await place_of(room)
    (brief, *_) = await store.games.list_in_place(place.id)
    (side, *_) = await store.teams.sides(brief.id)
    await store.teams.show_again(brief.id, side.team, room.bot.clock())


KINDS: Final[dict[str, Kind]] = {
    "lobby": Kind(BOARD, meet, challenge, bruno),
    "board": Kind(BOARD, play, move, waiting),
    "team": Kind(BOARD, make_team, show_votes),
    "offer": Kind("offer", play, offer, waiting),
    "cup": Kind("cup", make("cup"), enter),
    "cup-news": Kind("cup-news", make("cup", "Anna", "Cora", players=3), begin("cups")),
    "league": Kind("league", make("league"), enter),
    "league-news": Kind("league-news", make("league", "Anna", "Cora", "Dino", "Elsa"), begin("leagues")),
    "ladder": Kind("ladder", make("ladder"), enter),
    "daily": Kind(DAILY, meet, switch_daily_on),
    "month": Kind(MONTH, play_out, tell_of_month),
    "notice": Kind("notice", ask_for("private"), challenge, bruno, stays=False),
    "digest": Kind("digest", ask_for("digest"), wait_for_digest, bruno, stays=False),
    "webhook": Kind(WEBHOOK, meet, end_webhook),
}


# Steps of a delivery, at which it stops until something has changed.


class Stop:
    """Stops the delivery of a kind of post at a step, once, until it may go on."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.reached = asyncio.Event()
        self.goes_on = asyncio.Event()

    async def at(self, kind: str | None) -> bool:
        """Wait if this is the kind, and the first of it; return whether it was."""
        if kind != self.kind or self.reached.is_set():
            return False
        self.reached.set()
        await self.goes_on.wait()
        return True


Step = Callable[[Stop, Room, pytest.MonkeyPatch], None]


def before_claim(stop: Stop, room: Room, patch: pytest.MonkeyPatch) -> None:
    serve = Delivery._serve_chat

    async def wait(delivery: Delivery, chat: Any, queue: list[Any]) -> None:
        for due in queue:
            post = await room.bot.store.posts.get(due.post)
            await stop.at(None if post is None else post.kind)
        await serve(delivery, chat, queue)

    patch.setattr(Delivery, "_serve_chat", wait)


def before(owner: type, method: str, kind_of: Callable[..., str]) -> Step:
    """Return how a delivery is stopped before a method is called, by whose arguments the kind of the post is known."""

    def arm(stop: Stop, room: Room, patch: pytest.MonkeyPatch) -> None:
        call = getattr(owner, method)

        async def wait(self: Any, *arguments: Any, **named: Any) -> Any:
            await stop.at(kind_of(*arguments))
            return await call(self, *arguments, **named)

        patch.setattr(owner, method, wait)

    return arm


def before_answer(stop: Stop, room: Room, patch: pytest.MonkeyPatch) -> None:
    """Lose the answer to what was carried out."""
    show, adapter = Delivery._show, room.bot.connection.adapter

    async def note(delivery: Delivery, adapter: Any, kind: Any, found: Any, epoch: int, **arguments: Any) -> Any:
        NOW.set(found.post)
        return await show(delivery, adapter, kind, found, epoch, **arguments)

    async def lose(call: Callable[..., Awaitable[Any]], *arguments: Any, **named: Any) -> Any:
        answer, post = await call(*arguments, **named), NOW.get()
        if post is not None and await stop.at(post.kind):
            raise TryLater
        return answer

    patch.setattr(Delivery, "_show", note)
    for name in ("send", "edit"):
        patch.setattr(adapter, name, partial(lose, getattr(adapter, name)))


STEPS: Final[dict[str, Step]] = {
    "unclaimed": before_claim,
    "read": before(Delivery, "_show", lambda _adapter, _kind, found, *_: found.post.kind),
    "unanswered": before_answer,
    "unrecorded": before(Posts, "record_shown", lambda known, *_: known.kind),
    "unretired": before(Delivery, "_retire", lambda _adapter, post: post.kind),
}


# Changes: how one begins, and how it is put right again.


async def nothing(_: Room) -> None:
    """Nothing is to be done."""


@dataclass(frozen=True)
class Change:
    """A change while something is under way, and how it ends; after one that `ends` a place nothing comes there.

    `where` is the room that it needs. `dies` says whether the program does meanwhile, by which it is made.
    """

    begin: Callable[[Room], Awaitable[None]]
    mend: Callable[[Room], Awaitable[None]] = nothing
    where: str = ""
    ends: bool = False
    dies: bool = False


def change_channel(event: str, **attributes: Any) -> Callable[[Room], Awaitable[None]]:
    """Return how a channel or thread becomes another, of which the bot hears by an event."""

    async def change(room: Room) -> None:
        vars(room.channel).update(attributes)
        await room.discord.gateway.dispatch(event, room.channel.to_json())

    return change


def permit(permissions: int) -> Callable[[Room], Awaitable[None]]:
    """Return how the bot's permissions change."""
    return change_channel("CHANNEL_UPDATE", permissions=permissions)


def archive(*, archived: bool, locked: bool = False) -> Callable[[Room], Awaitable[None]]:
    """Return how a thread is archived, perhaps for good, or opened."""
    return change_channel("THREAD_UPDATE", archived=archived, locked=locked)


async def leave_guild(room: Room) -> None:
    room.guild.has_bot = False
    await room.discord.gateway.dispatch("GUILD_DELETE", {"id": room.guild.id})


async def join_guild(room: Room) -> None:
    room.guild.has_bot = True
    await room.discord.gateway.dispatch("GUILD_CREATE", room.guild.to_json())


async def reinstall_on_discord(room: Room) -> None:
    await leave_guild(room)
    await join_guild(room)


async def drop_gateway(room: Room) -> None:
    await room.discord.gateway.ask_to_reconnect()


async def wait_for_gateway(room: Room) -> None:
    await room.discord.until(lambda: room.discord.gateway.connected, "the gateway")


async def refuse_commands_on_discord(room: Room) -> None:
    await room.bot.store.key_values.set("discord", f"commands.{room.discord.application_id}", {})
    room.discord.fail(COMMANDS, DiscordError(403, 50001, "Missing Access"))


async def see_commands_on_discord(room: Room) -> None:
    await room.discord.until(lambda: room.discord.count(COMMANDS) >= 3, "the commands")


ON_DISCORD: Final[dict[str, Change]] = {
    "permission": Change(permit(USUAL & ~Permission.SEND_MESSAGES), permit(USUAL)),
    "hidden": Change(permit(USUAL & ~Permission.VIEW_CHANNEL), permit(USUAL)),
    "archive": Change(archive(archived=True), where="thread"),
    "close": Change(archive(archived=True, locked=True), archive(archived=False), where="thread"),
    "delete": Change(change_channel("CHANNEL_DELETE", deleted=True), ends=True),
    "delete thread": Change(change_channel("THREAD_DELETE", deleted=True), where="thread", ends=True),
    "rename": Change(change_channel("CHANNEL_UPDATE", name="renamed")),
    "kick": Change(leave_guild, join_guild),
    "reinstall": Change(reinstall_on_discord),
    "reconnect": Change(drop_gateway, wait_for_gateway),
    "commands refused": Change(refuse_commands_on_discord, see_commands_on_discord, dies=True),
    "nothing": Change(nothing),
    "killed": Change(nothing, dies=True),
}


def become(*statuses: Any) -> Callable[[Room], Awaitable[None]]:
    """Return how the bot becomes something in its group, one after the other."""

    async def change(room: Room) -> None:
        for status in statuses:
            await room.telegram.change_bot(room.group, room.member("Anna").account, status)

    return change


async def take_away_permission(room: Room) -> None:
    room.group.may_send = False


async def give_permission(room: Room) -> None:
    room.group.may_send = True
    room.bot.clock.turn(seconds=REOPEN_INTERVAL_SECONDS)
    await room.member("Anna").say("/leaderboard annuvin")


async def close_topic(room: Room) -> None:
    room.group.closed.add(room.member("Anna").topic)


async def reopen_topic(room: Room) -> None:
    room.group.closed.clear()
    await room.member("Anna").send_service(forum_topic_reopened={})


async def delete_topic(room: Room) -> None:
    room.telegram.topics[room.group.id].clear()


async def migrate(room: Room) -> None:
    old = room.group
    room.group = await room.telegram.migrate(old)
    for person in room.people.values():
        person.here = room.group
    await room.member("Anna").send_service(migrate_from_chat_id=old.id)


async def rename_group(room: Room) -> None:
    room.group.title = "Renamed"
    await room.member("Anna").send_service(new_chat_title="Renamed")


async def lose_updates(room: Room) -> None:
    room.telegram.fail("getUpdates", *[TelegramError(502, "Bad Gateway")] * 2)


async def refuse_commands_on_telegram(room: Room) -> None:
    await room.bot.store.key_values.set("telegram", "commands", {})
    room.telegram.fail("setMyCommands", TelegramError(403, "Forbidden: not now"))


async def see_commands_on_telegram(room: Room) -> None:
    await room.telegram.until(lambda: room.telegram.count("setMyCommands") > 6, "the commands")


ON_TELEGRAM: Final[dict[str, Change]] = {
    "permission": Change(take_away_permission, give_permission),
    "restricted": Change(become("restricted"), become("member")),
    "close": Change(close_topic, reopen_topic, where="topic"),
    "delete": Change(delete_topic, where="topic", ends=True),
    "migrate": Change(migrate, where="basic"),
    "rename": Change(rename_group),
    "kick": Change(become("left"), become("member")),
    "ban": Change(become("kicked"), become("administrator")),
    "reinstall": Change(become("kicked", "member")),
    "reconnect": Change(lose_updates),
    "commands refused": Change(refuse_commands_on_telegram, see_commands_on_telegram, dies=True),
    "nothing": Change(nothing),
    "killed": Change(nothing, dies=True),
}

CHANGES: Final = {"discord": ON_DISCORD, "telegram": ON_TELEGRAM}


async def move_in(room: Room, where: str) -> None:
    """Have everything happen elsewhere: in a thread, a topic, the first topic of a forum, or a basic group."""
    if where == "thread":
        room.channel = room.discord.add_channel(
            Channel(room.discord.ids.new(), THREAD, "Games", room.guild, parent=room.channel)
        )
    elif where:
        room.group = room.telegram.group("Friends", forum=where != "basic", supergroup=where != "basic")
        people = [room.member(name) for name in ("Anna", "Bruno", "Cora", "Dino", "Elsa")]
        if where == "topic":
            topic = room.telegram.topic(room.group, "Games", people[0].account)
            for person in people:
                person.topic = topic


async def drive(room: Room, kind: Kind) -> None:
    """Have something be due, and let so much time pass that it is shown."""
    await kind.stir(room)
    await room.wait(seconds=12)


@asynccontextmanager
async def stopped_at(
    step: str, kind: Kind, room: Room, patch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Stop, asyncio.Task[None]]]:
    """Have a post of a kind be delivered, but for the block stop at a step, if it comes to it.

    Gives the stop, and the task that waits for the delivery: who ends the program cuts it off.
    """
    stop = Stop(kind.name)
    with patch.context() as changed:
        STEPS[step](stop, room, changed)
        driving = asyncio.create_task(drive(room, kind))
        reached = asyncio.create_task(stop.reached.wait())
        await asyncio.wait({driving, reached}, return_when=asyncio.FIRST_COMPLETED)
        reached.cancel()
        yield stop, driving
        stop.goes_on.set()
        if not driving.cancelled():
            await driving


async def cut_off(task: asyncio.Task[Any]) -> None:
    """Cancel a task until it has ended: `asyncio.wait_for` of Python 3.11 may take a cancellation for its timeout."""
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)


async def die(room: Room) -> None:
    """Cut the program off where it stands, and start it anew."""
    await room.bot.store.alarms.record_heartbeat(HEARTBEAT_NAME, room.bot.clock())
    await room.bot.tavoliere.delivery.close(0)
    await (room.bot.leave() if isinstance(room, OnDiscord) else room.bot.kill())
    await room.bot.start()


@contextmanager
def hurrying(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have what was refused tried again without a pause."""

    async def rest(_: float) -> None:
        await asyncio.sleep(0)

    with patch.context() as changed:
        for platform in ("discord.client", "telegram.connection"):
            changed.setattr(f"bot.platforms.{platform}.BackgroundRetry", partial(BackgroundRetry, rest=rest))
        changed.setattr("bot.platforms.telegram.connection.UpdatePoller", partial(UpdatePoller, rest=rest))
        yield
