"""What the bot may do in a channel, said to those who can do something about it."""

from __future__ import annotations

import discord

from bot.discord.decode import Interaction


def missing(interaction: Interaction) -> str | None:
    """Return the key of a sentence about the permission that is lacking where this was done, None if all is well."""
    if interaction.guild_id is None:
        return None
    return lacking(interaction.app_permissions, thread=isinstance(interaction.channel, discord.Thread))


def lacking(permissions: discord.Permissions, *, thread: bool) -> str | None:
    """Return the key of a sentence about the first permission that is lacking for boards to be shown."""
    if not permissions.view_channel:
        return "missing.view"
    if not (permissions.send_messages_in_threads if thread else permissions.send_messages):
        return "missing.thread" if thread else "missing.send"
    if not permissions.attach_files:
        return "missing.attach"
    return None
