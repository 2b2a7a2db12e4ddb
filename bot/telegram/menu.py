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
from bot.telegram.decode import PLATFORM
from bot.texts import Texts
from storage import Store

LONGEST: Final = 256
ENGLISH: Final = "en"
MANAGERS: Final = frozenset({"close"})
"""Shown to those only who manage a group; whether they do is checked when they use it."""
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
        known = [(name, command.description(speaker)[:LONGEST]) for name, command in COMMANDS.items()]
        for scope in _SCOPES:
            fitting = [each for each in known if scope == "managers" or each[0] not in MANAGERS]
            made[scope, "" if language == ENGLISH else language] = fitting
    return made


async def register_if_changed(bot: Bot, store: Store, texts: Texts) -> bool:
    """Register the commands unless the same ones were registered before; say whether they were."""
    made = listed(texts)
    digest = hashlib.sha256(json.dumps(sorted(made.items())).encode()).hexdigest()
    known = {"digest": digest, "bot": bot.id}
    if await store.note(PLATFORM, _NOTE) == known:
        return False
    try:
        for (scope, language), commands in made.items():
            await bot.set_my_commands(
                [BotCommand(*each) for each in commands], scope=_SCOPES[scope], language_code=language or None
            )
    except TelegramError as error:
        log.error("commands-not-registered", reason=error.message)
        return False
    await store.set_note(PLATFORM, _NOTE, known)
    return True
