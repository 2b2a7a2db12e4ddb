"""A short welcome where the bot is added to a server."""

from __future__ import annotations

from collections.abc import Iterator

import discord
import structlog

from bot.discord.adapter import DiscordAdapter
from bot.discord.decode import PLATFORM
from bot.discord.permissions import lacking_permission
from bot.interface.cards import Button, Card
from bot.interface.presses import press
from bot.interface.requests import Place, TryLater, Undeliverable
from bot.language.texts import Speaker, Texts
from bot.learn.cards import LESSON_SCOPE
from engine import games

MAX_CHANNELS_TRIED = 5

log = structlog.get_logger(__name__)


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
            log.info("no-welcome", guild=guild.id, reason=str(error))
        return
