"""The discord.py client: registering commands, permissions, welcome messages, unreadable events.

Discord shards of this process: its share of all shards.

A process locks a shard in the database before it listens to it. When a process dies its locks are released, and its
peers take the shards; when a process is added its peers give up the shards that exceed their share.
"""

import asyncio
import hashlib
import json
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

import discord
import structlog

from bot.boards.lessons import welcome_card
from bot.kernel.operations.clock import BackgroundRetry
from bot.kernel.operations.listening import CannotConnect, ConnectionLost, Listener, drop_message
from bot.kernel.operations.metrics import DISCORD_SHARDS
from bot.kernel.operations.tasks import is_set_within
from bot.kernel.requests import Place, TryLater, Undeliverable
from bot.platforms.discord.activity import list_entry_points
from bot.platforms.discord.adapter import DiscordAdapter
from bot.platforms.discord.commands import CHAT_INPUT, command_payloads
from bot.platforms.discord.decode import PLATFORM, Interaction, lacking_permission
from bot.platforms.discord.dispatcher import DiscordDispatcher
from bot.platforms.discord.errors import CONNECTION_ERRORS, UnreadableResponse, guard_responses, read_responses
from storage import MISSED_NEWS, Json, News, StorageError, Store

PERMISSION_EVENTS: Final = frozenset(
    {
        "GUILD_CREATE",
        "CHANNEL_UPDATE",
        "THREAD_UPDATE",
        "THREAD_CREATE",
        "THREAD_MEMBERS_UPDATE",
        "THREAD_LIST_SYNC",
        "GUILD_ROLE_CREATE",
        "GUILD_ROLE_UPDATE",
        "GUILD_ROLE_DELETE",
        "GUILD_MEMBER_UPDATE",
    }
)
"""Gateway events after a change of permissions (page Gateway Events), and at each connection, as one may be missed.

The bot receives events about itself as a member only, since it requests no more (same page, Guild Member Update). For a
channel that becomes visible to it, THREAD_LIST_SYNC reports the threads (page Threads). When it is added to
a thread, THREAD_CREATE reports that, and THREAD_MEMBERS_UPDATE, which it receives about itself only.
"""


REQUIRED_EVENTS: Final = frozenset({"READY", "RESUMED"})
"""Events that must have been read for the connection to continue."""
UNUSED_FIELDS: Final = frozenset({"attachments", "components", "embeds", "interaction_metadata", "mentions"})
"""Fields of a pressed message that discord.py need not parse: we use only its id and its flags."""


def wrap_parsers(client: discord.Client, changed: Callable[[str], None]) -> None:
    """Wrap a client's event parsers; call this before connecting.

    An event that it cannot parse is skipped, logged and counted. `changed` is called with each server whose permissions
    for the bot may have changed.
    """
    parsers = client._connection.parsers  # noqa: SLF001 - discord.py has no other way to what it reads events with
    for event, parse in parsers.items():
        parsers[event] = partial(_read_event, event, parse, changed)


def _read_event(event: str, parse: Callable[[Any], None], changed: Callable[[str], None], data: Any) -> None:
    try:
        if event == "INTERACTION_CREATE" and "message" in data:
            used = {name: value for name, value in data["message"].items() if name not in UNUSED_FIELDS}
            data = {**data, "message": used}
        parse(data)
    except Exception as error:
        if event in REQUIRED_EVENTS:
            raise
        drop_message(PLATFORM, event, error)
    if event in PERMISSION_EVENTS and isinstance(data, dict):
        guild = data.get("id" if event == "GUILD_CREATE" else "guild_id")
        if guild is not None and not data.get("newly_created"):
            changed(str(guild))


COMMANDS_KEY_PREFIX: Final = "commands."
"""Prefix of the key under which an application's commands are stored; the application's id follows."""

log = structlog.get_logger(__name__)


async def sync_commands(
    client: discord.Client, payload: Sequence[Mapping[str, Any]], store: Store
) -> tuple[dict[str, int], bool]:
    """Register commands unless the same ones were registered before.

    Returns their ids by name, and whether all of them are registered. A command keeps its id as long as its name
    exists, so the stored ids are right even if registering fails.
    """
    digest = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
    http, application = client.http, client.application_id
    assert application is not None  # noqa: S101 - commands are registered once logged in
    name = f"{COMMANDS_KEY_PREFIX}{application}"
    known: Json = await store.key_values.get(PLATFORM, name) or {}
    ids: dict[str, int] = known.get("ids") or {}
    if ids and known.get("digest") == digest:
        return ids, True
    try:
        with read_responses():
            there: list[Any] = list(await http.get_global_commands(application))
            complete: list[Any] = [*payload, *list_entry_points(there)]
            registered: list[Any] = list(await http.bulk_upsert_global_commands(application, payload=complete))
            new = {
                str(each["name"]): int(each["id"]) for each in registered if each.get("type", CHAT_INPUT) == CHAT_INPUT
            }
            if not all(each["name"] in new for each in payload if each["type"] == CHAT_INPUT):
                raise UnreadableResponse("commands are missing")
    except discord.HTTPException as error:
        log.error("commands-not-registered", status=error.status, code=error.code, reason=error.text)
        return ids, False
    await store.key_values.set(PLATFORM, name, {"digest": digest, "ids": new})
    log.info("commands-registered", count=len(payload))
    return new, True


MAX_CHANNELS_TRIED = 5


# discord.py would warn at every start that voice, which we do not use, is not supported.
discord.VoiceClient.warn_nacl = False
discord.VoiceClient.warn_dave = False

MAX_RATE_LIMIT_WAIT_SECONDS = 30.0
"""Maximum seconds that discord.py waits for a rate limit; beyond that, delivery retries with the newest board."""


class Client(discord.Client):
    """Receives Discord's events and passes them to the dispatcher."""

    def __init__(
        self,
        dispatcher: DiscordDispatcher,
        adapter: DiscordAdapter,
        listener: Listener,
        **options: Any,
    ) -> None:
        """Create the client; `listener` learns whether it is connected."""
        # We need only events about servers and channels: commands and presses come without an intent.
        super().__init__(
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
            max_ratelimit_timeout=MAX_RATE_LIMIT_WAIT_SECONDS,
            **options,
        )
        self._dispatcher = dispatcher
        self._adapter = adapter
        self._listener = listener
        self.registration = BackgroundRetry("discord commands", self._register)
        wrap_parsers(self, dispatcher.on_permissions_changed)
        guard_responses(self)

    async def setup_hook(self) -> None:
        """Register commands before any event arrives, unless another client of ours does."""
        if self.shard_id is None:
            await self.registration.start()

    async def close(self) -> None:
        """Close all connections."""
        await self.registration.stop()
        await super().close()

    async def _register(self) -> bool:
        context = self._adapter.context
        self._adapter.commands, registered = await sync_commands(self, command_payloads(context.texts), context.store)
        return registered

    async def on_interaction(self, interaction: Interaction) -> None:
        """Handle a command, a completion, a press of a button, the choice of an option, or a submitted form."""
        await self._dispatcher.handle(interaction)

    async def on_connect(self) -> None:
        """Record that events arrive from now on."""
        # Events are dispatched with a delay: the client may already be closed.
        if not self.is_closed():
            self._listener.connected()

    on_resumed = on_connect

    async def on_disconnect(self) -> None:
        """Record that no events arrive until discord.py has reconnected."""
        if not self.is_closed():
            self._listener.lost()

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Close the boards in a deleted channel and its threads."""
        await self._dispatcher.on_closed("channel-gone", channel=str(channel.id))

    async def on_raw_thread_delete(self, deleted: discord.RawThreadDeleteEvent) -> None:
        """Close the boards in a deleted thread."""
        await self._dispatcher.on_closed("channel-gone", channel=str(deleted.parent_id), thread=str(deleted.thread_id))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Suspend the boards in a server that has removed the bot: it may be invited again."""
        await self._dispatcher.on_closed("forbidden", group_id=str(guild.id))

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Send a welcome to a new server, in its language, to the first channel where that is possible."""
        card = welcome_card(self._adapter.context.speaker(str(guild.preferred_locale)), PLATFORM)
        listed = [*([guild.system_channel] if guild.system_channel else []), *guild.text_channels]
        fitting = [
            channel
            for channel in dict.fromkeys(listed)
            if lacking_permission(channel.permissions_for(guild.me), thread=False) in (None, "missing.attach")
        ]
        for channel in fitting[:MAX_CHANNELS_TRIED]:
            place = Place(PLATFORM, str(channel.id), None, str(guild.id))
            try:
                await self._adapter.answer(place, card, f"welcome-{guild.id}")
            except Undeliverable:
                continue
            except TryLater as error:
                log.info("welcome-not-sent", guild=guild.id, reason=str(error))
            return


MIN_BACKOFF_SECONDS: Final = 5.0
MAX_BACKOFF_SECONDS: Final = 300.0
SHUTDOWN_TIMEOUT_SECONDS: Final = 1.0
"""Maximum seconds for closing."""


class DiscordTokenRefused(CannotConnect):
    """Discord rejects the token."""

    event = "discord-token-refused"
    final = True


class GatewayClosed(CannotConnect):
    """Discord has closed the gateway connection for good; `code` is the close code."""

    event = "discord-closed"


class DiscordSession:
    """A client that is logged in and, if it listens, connected; `client` is None while it is not logged in.

    Its `listener` logs in and stays connected, retrying while Discord is unreachable; it raises DiscordTokenRefused.
    """

    def __init__(
        self, make: Callable[[Listener], Client], token: str, *, listens: bool = True, changed: Callable[[], None]
    ) -> None:
        """Create the session; `make` creates a client that reports to a listener, `changed` is called at each login."""
        self.client: Client | None = None
        self.listener = Listener(
            PLATFORM, self._listen, self._log_in, first=MIN_BACKOFF_SECONDS, longest=MAX_BACKOFF_SECONDS
        )
        self._make = make
        self._token = token
        self._listens = listens
        self._changed = changed

    async def stop_listening(self) -> None:
        """Stop listening; events received so far can still be answered."""
        await self.listener.stop()
        # discord.py sets it at the first connection.
        socket = getattr(self.client, "ws", None)
        if socket is not None:
            with suppress(TimeoutError, *CONNECTION_ERRORS):
                async with asyncio.timeout(SHUTDOWN_TIMEOUT_SECONDS):
                    await socket.close(code=1000)

    async def log_out(self) -> None:
        """Log out."""
        await self.stop_listening()
        await self._close_client()

    async def _log_in(self) -> None:
        """Log in unless that is done; raises ConnectionLost, DiscordTokenRefused."""
        if self.client is not None:
            return
        client = self._make(self.listener)
        try:
            with _translate_connection_errors(), read_responses():
                await client.login(self._token)
        except BaseException:
            await client.close()
            raise
        self.client = client
        self._changed()

    async def _close_client(self) -> None:
        client, self.client = self.client, None
        if client is not None:
            # Do not wait for Discord's answer to our closing.
            with suppress(TimeoutError):
                async with asyncio.timeout(SHUTDOWN_TIMEOUT_SECONDS):
                    await client.close()

    async def _listen(self) -> None:
        """Stay connected while discord.py reconnects; raise ConnectionLost or GatewayClosed if it gives up."""
        client = self.client
        if not self._listens or client is None:
            self.listener.connected()
            return
        try:
            with _translate_connection_errors():
                await client.connect()
            raise ConnectionLost("closed")
        except Exception:
            await self._close_client()
            raise


@contextmanager
def _translate_connection_errors() -> Iterator[None]:
    try:
        yield
    except discord.LoginFailure as error:
        raise DiscordTokenRefused from error
    except discord.ConnectionClosed as error:
        raise GatewayClosed(code=error.code) from error
    except (*CONNECTION_ERRORS, discord.HTTPException, discord.RateLimited) as error:
        raise ConnectionLost(str(error) or repr(error)) from error


HEARTBEAT_SECONDS: Final = 2.0
"""Seconds between two checks."""
MAX_SHARD_BACKOFF_SECONDS: Final = 30.0
"""Maximum back-off after a failure."""
LEASE_GRACE_SECONDS: Final = 6.0
"""Seconds for which a process that has disappeared keeps its share: it may only have lost the database connection."""
SHARD_DRAIN_TIMEOUT_SECONDS: Final = 60.0
"""Maximum seconds for answering the events of a shard that is given up."""


class ShardManager:
    """Listens to a fair share of `count` shards; `opened` opens the session of one."""

    def __init__(
        self, store: Store, count: int, opened: Callable[[int], DiscordSession], idle: Callable[[], Awaitable[None]]
    ) -> None:
        """Create the manager; `idle` waits until all received events are answered."""
        self._store = store
        self._count = count
        self._opened = opened
        self._idle = idle
        self._sessions: dict[int, DiscordSession] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._most = 0
        self._until = 0.0
        self._listener = Listener(PLATFORM, self._run, first=HEARTBEAT_SECONDS, longest=MAX_SHARD_BACKOFF_SECONDS)
        store.add_listener(self._on_missed_news, {MISSED_NEWS.kind})

    @property
    def held_shards(self) -> tuple[int, ...]:
        """The shards that this process listens to."""
        return tuple(sorted(self._sessions))

    @property
    def listeners(self) -> list[Listener]:
        """Tasks that must be running: our shards, and the loop that balances them."""
        return [self._listener, *(session.listener for session in self._sessions.values())]

    async def start(self) -> None:
        """Start."""
        await self._listener.start()

    async def stop(self) -> None:
        """Give up all shards."""
        await self._listener.stop()
        sessions = list(self._sessions.values())
        self._sessions.clear()
        for task in self._leaving:
            task.cancel()
        await asyncio.gather(*(session.log_out() for session in sessions), *self._leaving, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self._balance()
                self._listener.connected()
            except StorageError as error:
                log.info("shards-wait-for-the-database", reason=str(error))
            await is_set_within(self._wake, HEARTBEAT_SECONDS)

    async def _balance(self) -> None:
        """Give up shards whose lock is lost or that exceed our share; take free ones up to our share."""
        share = self._share(await self._store.register_peer(PLATFORM))
        for shard in self.held_shards:
            # The lock was lost with the connection to the database; a peer may hold it now.
            if not await self._store.acquire_lock(shard_claim(shard)):
                log.warning("shard-lost", shard=shard)
                await self._give_up(shard)
        while len(self._sessions) > share:
            shard = next(reversed(self._sessions))
            await self._give_up(shard)
            await self._store.release_lock(shard_claim(shard))
        # In random order, so that not all processes try the same shards.
        for shard in random.sample(range(self._count), self._count):
            if len(self._sessions) >= share:
                break
            if shard not in self._sessions and await self._store.acquire_lock(shard_claim(shard)):
                await self._open_shard(shard)

    def _share(self, processes: int) -> int:
        """Return our number of shards, given the number of processes."""
        now = asyncio.get_running_loop().time()
        if processes >= self._most or now >= self._until:
            self._most, self._until = processes, now + LEASE_GRACE_SECONDS
        return -(-self._count // self._most)

    async def _open_shard(self, shard: int) -> None:
        session = self._opened(shard)
        self._sessions[shard] = session
        DISCORD_SHARDS.set(len(self._sessions))
        log.info("shard-claimed", shard=shard, of=self._count)
        try:
            await session.listener.start()
        except DiscordTokenRefused:
            log.error("discord-token-refused")

    async def _give_up(self, shard: int) -> None:
        """Stop listening to a shard; the events received so far are still answered."""
        session = self._sessions.pop(shard)
        DISCORD_SHARDS.set(len(self._sessions))
        log.info("shard-released", shard=shard, of=self._count)
        await session.stop_listening()
        task = asyncio.create_task(self._drain_and_log_out(session), name="discord shard leaving")
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _drain_and_log_out(self, session: DiscordSession) -> None:
        try:
            async with asyncio.timeout(SHARD_DRAIN_TIMEOUT_SECONDS):
                await self._idle()
        except TimeoutError:
            log.info("shard-shutdown-timed-out")
        finally:
            await session.log_out()

    def _on_missed_news(self, _: News) -> None:
        # Our peers may have lost the database, too: they keep their share for a while.
        self._until = asyncio.get_running_loop().time() + LEASE_GRACE_SECONDS
        self._wake.set()


def shard_claim(shard: int) -> str:
    """Return the name of a shard's lock."""
    return f"discord shard {shard}"
