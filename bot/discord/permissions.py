"""What the bot may do in a channel, said to those who can do something about it."""

from __future__ import annotations

from typing import Final

import discord

from bot.discord.decode import Interaction

REQUIRED_PERMISSIONS: Final = discord.Permissions(
    view_channel=True,
    send_messages=True,
    attach_files=True,
    read_message_history=True,
    create_public_threads=True,
    send_messages_in_threads=True,
)
"""What the invitation asks for; docs/discord.md says what each is for."""


def missing_permission(interaction: Interaction) -> str | None:
    """Return the key of a sentence about the permission that is lacking where this was done, None if all is well."""
    if interaction.guild_id is None:
        return None
    return lacking_permission(interaction.app_permissions, thread=isinstance(interaction.channel, discord.Thread))


def lacking_permission(permissions: discord.Permissions, *, thread: bool) -> str | None:
    """Return the key of a sentence about the first permission that is lacking for boards to be shown."""
    if not permissions.view_channel:
        return "missing.view"
    if not (permissions.send_messages_in_threads if thread else permissions.send_messages):
        return "missing.thread" if thread else "missing.send"
    if not permissions.attach_files:
        return "missing.attach"
    return None
