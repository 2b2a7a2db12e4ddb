"""The client of discord.py, with our commands and buttons."""

from __future__ import annotations

from typing import Any

import discord

from bot.discord.adapter import DiscordAdapter
from bot.discord.dispatcher import DiscordDispatcher
from bot.discord.items import PressButton, PressMenu
from bot.discord.menus import context_menus_for
from bot.discord.permission_events import watch_permissions
from bot.discord.sync import sync_commands
from bot.discord.tree import Translations, Tree, app_commands_for
from bot.discord.unreadable_events import skip_unreadable_events
from bot.discord.welcome import send_welcome
from bot.language.texts import Texts
from bot.operations.listening import Listener
from storage import Store

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
