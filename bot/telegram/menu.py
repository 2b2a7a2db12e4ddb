"""Registering the bot's commands and descriptions with Telegram, only if they have changed."""

import hashlib
import json
from typing import Final

import structlog
from telegram import (
    Bot,
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllChatAdministrators,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    MenuButton,
    MenuButtonCommands,
)
from telegram.error import TelegramError

from bot.core.features import commands_on
from bot.language.texts import Texts
from bot.telegram.decode import PLATFORM
from bot.telegram.layout import CATALOGUE_DOMAIN
from bot.telegram.markup import truncate, utf16_length
from engine import games
from storage import Store

MAX_COMMAND_DESCRIPTION_LENGTH: Final = 256
MAX_DESCRIPTION_LENGTH: Final = 512
MAX_SHORT_DESCRIPTION_LENGTH: Final = 120
DEFAULT_LANGUAGE: Final = "en"
_COMMANDS_KEY: Final = "commands"

Listed = dict[tuple[str, str], list[tuple[str, str]]]

_SCOPES: Final[dict[str, BotCommandScope]] = {
    "private": BotCommandScopeAllPrivateChats(),
    "groups": BotCommandScopeAllGroupChats(),
    "managers": BotCommandScopeAllChatAdministrators(),
}

log = structlog.get_logger(__name__)


def list_commands(texts: Texts) -> Listed:
    """Return names and descriptions of the commands for each scope and language, English for all others."""
    made: Listed = {}
    for language in texts.languages:
        speaker = texts.speaker(language).of(CATALOGUE_DOMAIN)
        for scope in _SCOPES:
            # A short list is read; the menu leads to all others.
            fitting = [each for each in commands_on("telegram").values() if each.listed]
            listed = [
                (command.name, command.description(speaker)[:MAX_COMMAND_DESCRIPTION_LENGTH]) for command in fitting
            ]
            made[scope, _code(language)] = listed
    return made


def list_descriptions(texts: Texts) -> dict[str, tuple[str, str]]:
    """Return the descriptions for an empty chat and for the profile, by language, English for all others."""
    made = {}
    for language in texts.languages:
        voice = texts.speaker(language).of(CATALOGUE_DOMAIN)
        names = [voice.of(key).line("name") for key in games]
        whole = voice.line("description", games=voice.listing(names))
        while utf16_length(whole) > MAX_DESCRIPTION_LENGTH and names:
            names.pop()
            whole = voice.line("description", games=voice.listing([*names, "…"]))
        made[_code(language)] = (
            truncate(whole, MAX_DESCRIPTION_LENGTH),
            truncate(voice.line("description.short"), MAX_SHORT_DESCRIPTION_LENGTH),
        )
    return made


async def register_if_changed(bot: Bot, store: Store, texts: Texts, button: MenuButton | None = None) -> bool:
    """Register commands, descriptions and the menu button unless unchanged; return False if that fails."""
    commands, descriptions = list_commands(texts), list_descriptions(texts)
    button = button or MenuButtonCommands()
    content = [sorted(commands.items()), sorted(descriptions.items()), button.to_dict()]
    known = {"digest": hashlib.sha256(json.dumps(content).encode()).hexdigest(), "bot": bot.id}
    if await store.key_values.get(PLATFORM, _COMMANDS_KEY) == known:
        return True
    try:
        for (scope, language), each in commands.items():
            made = [BotCommand(*command) for command in each]
            await bot.set_my_commands(made, scope=_SCOPES[scope], language_code=language or None)
        for language, (description, short) in descriptions.items():
            await bot.set_my_description(description, language_code=language or None)
            await bot.set_my_short_description(short, language_code=language or None)
        await bot.set_chat_menu_button(menu_button=button)
    except TelegramError as error:
        log.error("commands-not-registered", reason=error.message)
        return False
    await store.key_values.set(PLATFORM, _COMMANDS_KEY, known)
    return True


def _code(language: str) -> str:
    return "" if language == DEFAULT_LANGUAGE else language
