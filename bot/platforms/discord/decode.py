"""Conversion of interactions into requests: user, place, language, press; and the bot's permissions there."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import discord

from bot.kernel.names import clean_name, mention_by_id
from bot.kernel.request_context import private_channel_name
from bot.kernel.requests import DmAccess, Place, Request, User
from storage import NewInteractionPass

PLATFORM: Final = "discord"

TOKEN_LIFETIME: Final = timedelta(minutes=14.5)
"""Time for which a token is used: it is valid a little longer (page Receiving and Responding)."""
MAX_FOLLOWUPS: Final = 5
"""Maximum number of new messages per interaction where the bot is no member (page Receiving and Responding)."""

Interaction = discord.Interaction[Any]


def request_of(interaction: Interaction, now: datetime) -> Request:
    """Return an interaction as a request; `now` is the time by our clock, from which the life of its token counts."""
    message = interaction.message
    nonmember, guest = not is_member(interaction), is_guest(interaction)
    # The token of an autocomplete allows no messages.
    brings = guest and interaction.type is not discord.InteractionType.autocomplete
    place = place_of(interaction)
    if nonmember:
        # A message that only one person sees belongs to a private place.
        own = Place(PLATFORM, private_channel_name(str(interaction.user.id)), kind="private")
        place = replace(place, kind="group", threads=False, guest=True) if guest else own
    return Request(
        event=str(interaction.id),
        user=user_of(interaction),
        place=place,
        message=None if message is None else str(message.id),
        nonmember=nonmember,
        brings=interaction_token(interaction, now + TOKEN_LIFETIME) if brings else None,
        can_dm=can_dm(interaction),
    )


def can_dm(interaction: Interaction) -> DmAccess:
    """Return whether a private message would reach the sender, as far as an interaction shows it.

    An application may write to people who share a server with it, and to people who have installed it (discord-api-docs
    issues 7275, 7666). A button belongs to the installation through which its message was sent, even another person's
    (page Receiving and Responding, Authorizing Integration Owners Object).
    """
    if interaction.guild_id is None and interaction.context.dm_channel:
        return "certain"
    return "likely" if is_member(interaction) or interaction.is_user_integration() else "unknown"


def interaction_token(interaction: Interaction, until: datetime) -> NewInteractionPass:
    """Return the token of an interaction where the bot is no member, with its permitted uses."""
    message = interaction.message
    # An ephemeral message is no board.
    pressed = None if message is None or message.flags.ephemeral else str(message.id)
    # Of those for a press, one follow-up is reserved for the private reply.
    spare = MAX_FOLLOWUPS if message is None else MAX_FOLLOWUPS - 1
    return NewInteractionPass(interaction.token, pressed, until, spare)


def user_of(interaction: Interaction) -> User:
    """Return the user of an interaction; they are a manager if their permissions in this channel say so."""
    user = interaction.user
    return User(
        platform=PLATFORM,
        id=str(user.id),
        name=user.display_name,
        language=str(interaction.locale),
        manager=interaction.permissions.manage_guild,
        handle=user.name,
        roles=frozenset(role.name.lower() for role in getattr(user, "roles", ())),
    )


def place_of(interaction: Interaction) -> Place:
    """Return the place of an interaction."""
    channel = interaction.channel
    here = str(interaction.channel_id or 0)
    if interaction.guild_id is None:
        return Place(PLATFORM, here, kind="private")
    group = str(interaction.guild_id)
    title = getattr(channel, "name", None) or ""
    if isinstance(channel, discord.Thread):
        return Place(PLATFORM, str(channel.parent_id), here, group, title=title, threads=True)
    return Place(PLATFORM, here, None, group, title=title, language=channel_language(interaction), threads=True)


def channel_language(interaction: Interaction) -> str | None:
    """Return the most likely language of a server's channel, None where the bot is no member.

    Only communities choose the language of their server (page Guild, `preferred_locale`). Otherwise English is the
    default: unless it was changed, the language of the first user of the bot is a better guess.
    """
    guild = interaction.guild
    if guild is None or not is_member(interaction):
        return None
    chosen = "COMMUNITY" in guild.features or interaction.guild_locale is not discord.Locale.american_english
    return str(interaction.guild_locale if chosen else interaction.locale)


def is_member(interaction: Interaction) -> bool:
    """Return True if the bot is a member here, and so can write without an interaction."""
    if interaction.guild_id is None:
        return interaction.context.dm_channel
    # A button keeps the installation with which its message was sent; the bot may have joined since then.
    known = interaction.client.get_guild(interaction.guild_id)
    return interaction.is_guild_integration() or (known is not None and not known.unavailable)


def is_guest(interaction: Interaction) -> bool:
    """Return True if the bot is no member here but can still reply publicly.

    Servers may allow external apps only private replies (page Permissions, USE_EXTERNAL_APPS); private chats have no
    such permission, and none is reported there (page Receiving and Responding, Interaction Object).
    """
    if is_member(interaction):
        return False
    return interaction.guild_id is None or interaction.app_permissions.use_external_apps


def may_attach(interaction: Interaction) -> bool:
    """Return True if a reply may show pictures here; always where the bot is a member."""
    return is_member(interaction) or interaction.app_permissions.attach_files


def mention_of(user: str, resolved: Any) -> str:
    """Return a user as the value of a `people` parameter, with the name from the event's data."""
    account, member = resolved.get("users", {}).get(user, {}), resolved.get("members", {}).get(user, {})
    username = account.get("username") or user
    return mention_by_id(user, clean_name(member.get("nick") or account.get("global_name") or username, username))


REQUIRED_PERMISSIONS: Final = discord.Permissions(
    view_channel=True,
    send_messages=True,
    attach_files=True,
    read_message_history=True,
    create_public_threads=True,
    send_messages_in_threads=True,
)
"""Permissions that the invitation asks for; docs/discord.md explains each."""


def missing_permission(interaction: Interaction) -> str | None:
    """Return the key of the sentence about a permission that is missing here, None if none is."""
    if interaction.guild_id is None:
        return None
    channel, permissions = interaction.channel, interaction.app_permissions
    if isinstance(channel, discord.Thread) and channel.archived and channel.locked and not permissions.manage_threads:
        # A new message reopens an archived thread, but not a locked one (page Threads, Archived & Locked Threads).
        return "missing.locked"
    return lacking_permission(permissions, thread=isinstance(channel, discord.Thread))


def lacking_permission(permissions: discord.Permissions, *, thread: bool) -> str | None:
    """Return the key of the sentence about the first missing permission that boards need, None if none is."""
    if not permissions.view_channel:
        return "missing.view"
    if not (permissions.send_messages_in_threads if thread else permissions.send_messages):
        return "missing.thread" if thread else "missing.send"
    if not permissions.attach_files:
        return "missing.attach"
    return None


_BUTTON_ID: Final = re.compile(r"(?s)\d{1,2}\|(.+)")
_MENU_ID: Final = re.compile(r"menu\|\d{1,2}")


def button_id(number: int, press: str) -> str:
    """Return the id of a button: its number makes it unique in a message, even if two buttons have the same press."""
    return f"{number}|{press}"


def press_of_button(custom_id: str) -> str | None:
    """Return the press in a button's id, None if the button is none of ours."""
    found = _BUTTON_ID.fullmatch(custom_id)
    return None if found is None else found[1]


def press_of(interaction: Interaction) -> str | None:
    """Return the press of a button or of a chosen menu option; None if the component is none of ours."""
    data: Any = interaction.data
    custom_id, values = str(data["custom_id"]), data.get("values")
    if _MENU_ID.fullmatch(custom_id):
        return str(values[0]) if values else None
    return press_of_button(custom_id)
