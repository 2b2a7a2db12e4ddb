"""The client of discord.py: commands and context menus, permissions, welcome messages, unreadable events."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import discord
import structlog
from discord import app_commands

from bot.discord.activity import register_commands
from bot.discord.adapter import DiscordAdapter
from bot.discord.decode import PLATFORM, PressButton, PressMenu, lacking_permission, mention_of
from bot.discord.dispatcher import DiscordDispatcher
from bot.discord.tree import CATALOGUE_DOMAIN, CommandDispatcher, Localisation, Translations, Tree, app_commands_for
from bot.interface.cards import Button, Card
from bot.interface.presses import press
from bot.interface.requests import Place, TryLater, Undeliverable
from bot.language.texts import Speaker, Texts
from bot.learn.cards import LESSON_SCOPE
from bot.operations.listening import Listener, drop_message
from engine import games
from storage import Store


def context_menus_for(texts: Texts, dispatcher: CommandDispatcher) -> list[app_commands.ContextMenu]:
    """Return what is offered for a person (to challenge them) and for a message (to show its board)."""
    words = Localisation(texts)

    async def challenge(interaction: discord.Interaction[Any], person: discord.User) -> None:
        problem = "opponent.bot" if person.bot else None
        await dispatcher.command(interaction, "play", {"opponents": mention_of(person)}, problem)

    async def show(interaction: discord.Interaction[Any], message: discord.Message) -> None:
        await dispatcher.show(interaction, message.id)

    return [
        app_commands.ContextMenu(
            name=words.say(partial(_display_name, key)),
            callback=callback,
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=private, private_channel=True),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        )
        for key, callback, private in (("menu.challenge", challenge, False), ("menu.show", show, True))
    ]


def _display_name(key: str, speaker: Speaker) -> str:
    return speaker.of(CATALOGUE_DOMAIN).line(key)


PERMISSION_EVENTS: Final = frozenset(
    {
        "GUILD_CREATE",
        "CHANNEL_UPDATE",
        "THREAD_UPDATE",
        "THREAD_LIST_SYNC",
        "GUILD_ROLE_CREATE",
        "GUILD_ROLE_UPDATE",
        "GUILD_ROLE_DELETE",
        "GUILD_MEMBER_UPDATE",
    }
)
"""What is told when permissions change (page Gateway Events), and at each connection: that may have been missed.

The bot receives events of itself as a member only, since it asks for no more (same page, Guild Member Update). For
a channel that becomes visible to it, THREAD_LIST_SYNC reports the threads (page Threads).
"""


def watch_permissions(client: discord.Client, changed: Callable[[str], None]) -> None:
    """Have a client, before it connects, tell of the servers where what the bot may do has perhaps changed."""
    parsers = client._connection.parsers  # noqa: SLF001 - discord.py tells of some of these events in no other way
    for event in PERMISSION_EVENTS:
        parsers[event] = partial(_read_change, event, parsers[event], changed)


def _read_change(event: str, parse: Callable[[Any], None], changed: Callable[[str], None], data: Any) -> None:
    parse(data)
    guild = data.get("id" if event == "GUILD_CREATE" else "guild_id") if isinstance(data, dict) else None
    if guild is not None:
        changed(str(guild))


COMMANDS_KEY_PREFIX: Final = "commands."
"""What begins the name of the value about an application's commands; its id follows."""

log = structlog.get_logger(__name__)


async def sync_commands(tree: app_commands.CommandTree[Any], store: Store) -> dict[str, int]:
    """Register the tree's commands unless the same ones were registered before; return their ids by name.

    A command keeps its id as long as there is one of its name, so what was noted before is right where registering
    fails, too.
    """
    translator = tree.translator
    commands = tree.get_commands()
    if translator is not None:
        payload = [await command.get_translated_payload(tree, translator) for command in commands]
    else:
        payload = [command.to_dict(tree) for command in commands]
    digest = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
    name = f"{COMMANDS_KEY_PREFIX}{tree.client.application_id}"
    known: dict[str, Any] = await store.key_values.get(PLATFORM, name) or {}
    ids: dict[str, int] = known.get("ids") or {}
    if ids and known.get("digest") == digest:
        return ids
    try:
        registered = await register_commands(tree, payload)
    except discord.HTTPException as error:
        log.error("commands-not-registered", status=error.status, code=error.code, reason=error.text)
        return ids
    chat = discord.AppCommandType.chat_input.value
    ids = {str(each["name"]): int(each["id"]) for each in registered if each.get("type", chat) == chat}
    await store.key_values.set(PLATFORM, name, {"digest": digest, "ids": ids})
    log.info("commands-registered", count=len(payload))
    return ids


REQUIRED_EVENTS: Final = frozenset({"READY", "RESUMED"})
"""Without having read these there is no connection that could go on."""


def skip_unreadable_events(client: discord.Client) -> None:
    """Have a client, before it connects, pass over each event that it cannot read; it is logged and counted."""
    parsers = client._connection.parsers  # noqa: SLF001 - discord.py has no other way to what it reads events with
    for event, parse in parsers.items():
        if event not in REQUIRED_EVENTS:
            parsers[event] = partial(_read_or_skip, event, parse)


def _read_or_skip(event: str, parse: Callable[[Any], None], data: Any) -> None:
    try:
        parse(data)
    except Exception as error:  # noqa: BLE001 - logged there: whatever was told, all else must still be heard
        drop_message(PLATFORM, event, error)


MAX_CHANNELS_TRIED = 5


def welcome_card(speaker: Speaker) -> Card:
    """Return the words for those who have just added the bot: how to start a first game."""
    voice = speaker.of(PLATFORM)
    names = voice.listing([speaker.of(key).line("name") for key in games])
    buttons = (
        Button(voice.line("button.play"), press("choose"), "primary"),
        Button(voice.line("button.learn-any"), press("learn", LESSON_SCOPE)),
        Button(voice.line("welcome.rules"), press("rules", None, 0, next(iter(games)))),
    )
    return Card(voice.say("welcome", games=names), rows=(buttons,))


def welcome_channels(guild: discord.Guild) -> Iterator[discord.TextChannel]:
    """Yield the channels where a welcome fits, the one for the system's messages first."""
    listed = ([guild.system_channel] if guild.system_channel else []) + guild.text_channels
    for channel in dict.fromkeys(listed):
        if lacking_permission(channel.permissions_for(guild.me), thread=False) in (None, "missing.attach"):
            yield channel


async def send_welcome(guild: discord.Guild, adapter: DiscordAdapter, texts: Texts, language: str) -> None:
    """Say hello in the first channel where that is possible, in the server's language."""
    known = texts.supported(str(guild.preferred_locale)) or language
    card = welcome_card(texts.speaker(known))
    for channel in list(welcome_channels(guild))[:MAX_CHANNELS_TRIED]:
        try:
            await adapter.send(Place(PLATFORM, str(channel.id), None, str(guild.id)), card, f"welcome-{guild.id}")
        except Undeliverable:
            continue
        except TryLater as error:
            log.info("welcome-not-sent", guild=guild.id, reason=str(error))
        return


# It would say at every start that voice is not supported, which nobody misses here.
discord.VoiceClient.warn_nacl = False
discord.VoiceClient.warn_dave = False

MAX_RATE_LIMIT_WAIT_SECONDS = 30.0
"""How many seconds discord.py may wait for a rate limit by itself; after more, what is newest then is delivered."""


class Client(discord.Client):
    """Listens to Discord; what it hears goes to the dispatcher."""

    def __init__(
        self,
        dispatcher: DiscordDispatcher,
        adapter: DiscordAdapter,
        store: Store,
        texts: Texts,
        listener: Listener,
        *,
        language: str,
        registers: bool = True,
        **options: Any,
    ) -> None:
        """Prepare; `listener` is told whether it hears anything.

        It `registers` our commands if they have changed, unless another client of ours does.
        """
        # Servers and their channels are all we need to be told of: commands and presses come without being asked for.
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
        self._store = store
        self._texts = texts
        self._listener = listener
        self._language = language
        self._registers = registers
        self.tree = Tree(self, dispatcher)
        skip_unreadable_events(self)
        watch_permissions(self, dispatcher.on_permissions_changed)

    async def setup_hook(self) -> None:
        """Make commands and buttons known, before anything comes in."""
        self.add_dynamic_items(PressButton, PressMenu)
        await self.tree.set_translator(Translations())
        for command in app_commands_for(self._texts, self._dispatcher):
            self.tree.add_command(command)
        for menu in context_menus_for(self._texts, self._dispatcher):
            self.tree.add_command(menu)
        if self._registers:
            self._adapter.commands = await sync_commands(self.tree, self._store)

    async def on_press(self, interaction: discord.Interaction[Any], press: str) -> None:
        """Carry out a press of a button or the choice of an option."""
        await self._dispatcher.press(interaction, press)

    async def on_connect(self) -> None:
        """Note that we are told of everything from now on."""
        # Events of a connection come a little later, when it may be over.
        if not self.is_closed():
            self._listener.connected()

    async def on_resumed(self) -> None:
        """Note that we are told of everything again."""
        await self.on_connect()

    async def on_disconnect(self) -> None:
        """Note that we are told nothing until discord.py has connected anew."""
        if not self.is_closed():
            self._listener.lost()

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Say hello where we are new."""
        await send_welcome(guild, self._adapter, self._texts, self._language)
