"""Interactions as requests: who, where, in which language."""

from __future__ import annotations

from typing import Any, Final

import discord

from bot.interface.requests import Place, Request, User
from bot.language.names import clean_name

PLATFORM: Final = "discord"

Interaction = discord.Interaction[Any]


def request_of(interaction: Interaction) -> Request:
    """Return an interaction as a request."""
    message = interaction.message
    nonmember = not is_member(interaction)
    # What somebody does by themselves belongs to nobody else's channel.
    place = Place(PLATFORM, f"alone-{interaction.user.id}", kind="private") if nonmember else place_of(interaction)
    return Request(
        event=str(interaction.id),
        user=user_of(interaction),
        place=place,
        message=None if message is None else str(message.id),
        nonmember=nonmember,
    )


def user_of(interaction: Interaction) -> User:
    """Return who did it; whether they manage the server is what Discord says of them in this very channel."""
    user = interaction.user
    return User(
        platform=PLATFORM,
        id=str(user.id),
        name=user.display_name,
        language=str(interaction.locale),
        manager=interaction.permissions.manage_guild,
        handle=user.name,
    )


def place_of(interaction: Interaction) -> Place:
    """Return where it was done."""
    channel = interaction.channel
    here = str(interaction.channel_id or 0)
    if interaction.guild_id is None:
        return Place(PLATFORM, here, kind="private")
    group = str(interaction.guild_id)
    title = getattr(channel, "name", None) or ""
    if isinstance(channel, discord.Thread):
        return Place(PLATFORM, str(channel.parent_id), here, group, title=title, threads=True)
    return Place(PLATFORM, here, None, group, title=title, threads=True)


def is_member(interaction: Interaction) -> bool:
    """Say whether the bot itself is where this was done, so that it can write there by itself."""
    if interaction.guild_id is None:
        return interaction.context.dm_channel
    return interaction.is_guild_integration()


def mention_of(user: discord.abc.User) -> str:
    """Return somebody as the value of a `people` parameter names those whose id is known."""
    name = "".join(character for character in clean_name(user.display_name) if character not in "<>|")
    return f"<@{user.id}|{name.strip() or user.id}>"
