"""What Discord offers beside the commands: by a person, and by a message."""

from __future__ import annotations

from functools import partial
from typing import Any

import discord
from discord import app_commands

from bot.discord.decode import mention_of
from bot.discord.tree import CATALOGUE_DOMAIN, CommandDispatcher, Localisation
from bot.language.texts import Speaker, Texts


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
            name=words.say(partial(_named, key)),
            callback=callback,
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=private, private_channel=True),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        )
        for key, callback, private in (("menu.challenge", challenge, False), ("menu.show", show, True))
    ]


def _named(key: str, speaker: Speaker) -> str:
    return speaker.of(CATALOGUE_DOMAIN).line(key)
