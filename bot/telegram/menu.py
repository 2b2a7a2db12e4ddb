"""Telling Telegram of our commands when they have changed, and only then."""

from __future__ import annotations

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
)
from telegram.error import TelegramError

from bot.commands import COMMANDS
from bot.language.texts import Texts
from bot.telegram.decode import PLATFORM
from storage import Store

LONGEST: Final = 256
ENGLISH: Final = "en"
_NOTE: Final = "commands"

Listed = dict[tuple[str, str], list[tuple[str, str]]]

_SCOPES: Final[dict[str, BotCommandScope]] = {
    "private": BotCommandScopeAllPrivateChats(),
    "groups": BotCommandScopeAllGroupChats(),
    "managers": BotCommandScopeAllChatAdministrators(),
}

log = structlog.get_logger(__name__)


def listed(texts: Texts) -> Listed:
    """Return names and descriptions of the commands for each scope and language, English for all others."""
    made: Listed = {}
    for language in texts.languages:
        speaker = texts.speaker(language)
        for scope in _SCOPES:
            # Whether somebody does manage a group is checked when they use what is for those.
            fitting = [each for each in COMMANDS.values() if scope == "managers" or not each.managed]
            told = [(command.name, command.description(speaker)[:LONGEST]) for command in fitting]
            made[scope, "" if language == ENGLISH else language] = told
    return made


async def register_if_changed(bot: Bot, store: Store, texts: Texts) -> bool:
    """Register the commands unless the same ones were registered before; say whether they were."""
    made = listed(texts)
    digest = hashlib.sha256(json.dumps(sorted(made.items())).encode()).hexdigest()
    known = {"digest": digest, "bot": bot.id}
    if await store.value(PLATFORM, _NOTE) == known:
        return False
    try:
        for (scope, language), commands in made.items():
            await bot.set_my_commands(
                [BotCommand(*each) for each in commands], scope=_SCOPES[scope], language_code=language or None
            )
    except TelegramError as error:
        log.error("commands-not-registered", reason=error.message)
        return False
    await store.set_value(PLATFORM, _NOTE, known)
    return True
