"""Registration of the bot's commands and descriptions with Telegram, only if they have changed."""

import hashlib
import json
from typing import Final

import structlog
from telegram import (
    Bot,
    BotCommandScope,
    BotCommandScopeAllChatAdministrators,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    ChatMember,
    ChatMemberRestricted,
    ChatMemberUpdated,
    MenuButton,
)
from telegram.error import TelegramError

from bot.boards.lessons import welcome_card
from bot.kernel.features import commands_on
from bot.kernel.texts import Texts
from bot.platforms.app import Tavoliere
from bot.platforms.telegram.answers import TelegramAnswers
from bot.platforms.telegram.decode import PLATFORM, is_member, place_of
from bot.platforms.telegram.markup import truncate, utf16_length
from engine import games
from storage import Store

MAX_COMMAND_DESCRIPTION_LENGTH: Final = 256
MAX_DESCRIPTION_LENGTH: Final = 512
MAX_SHORT_DESCRIPTION_LENGTH: Final = 120
DEFAULT_LANGUAGE: Final = "en"
_COMMANDS_KEY: Final = "commands"

_SCOPES: Final[tuple[BotCommandScope, ...]] = (
    BotCommandScopeAllPrivateChats(),
    BotCommandScopeAllGroupChats(),
    BotCommandScopeAllChatAdministrators(),
)

log = structlog.get_logger(__name__)


def describe_bot(texts: Texts) -> list[tuple[str, list[tuple[str, str]], str, str]]:
    """Return for each language, "" for English and all others, what Telegram shows of the bot.

    It consists of the commands (name, description), the description for an empty chat, and that for the profile.
    """
    # Keep the list short: the menu leads to the other commands.
    listed = [each for each in commands_on(PLATFORM).values() if each.listed]
    made = []
    for language in texts.languages:
        voice = texts.speaker(language).of(PLATFORM)
        names = [voice.game_name(key) for key in games]
        whole = voice.line("description", games=voice.listing(names))
        while utf16_length(whole) > MAX_DESCRIPTION_LENGTH and names:
            names.pop()
            whole = voice.line("description", games=voice.listing([*names, "…"]))
        commands = [(each.name, each.description(voice)[:MAX_COMMAND_DESCRIPTION_LENGTH]) for each in listed]
        short = truncate(voice.line("description.short"), MAX_SHORT_DESCRIPTION_LENGTH)
        code = "" if language == DEFAULT_LANGUAGE else language
        made.append((code, commands, truncate(whole, MAX_DESCRIPTION_LENGTH), short))
    return sorted(made)


async def register_if_changed(bot: Bot, store: Store, texts: Texts, button: MenuButton) -> bool:
    """Register commands, descriptions and the menu button unless unchanged; return False if that fails."""
    described = describe_bot(texts)
    content = [described, button.to_dict()]
    known = {"digest": hashlib.sha256(json.dumps(content).encode()).hexdigest(), "bot": bot.id}
    if await store.key_values.get(PLATFORM, _COMMANDS_KEY) == known:
        return True
    try:
        for language, commands, description, short in described:
            for scope in _SCOPES:
                await bot.set_my_commands(commands, scope=scope, language_code=language or None)
            await bot.set_my_description(description, language_code=language or None)
            await bot.set_my_short_description(short, language_code=language or None)
        await bot.set_chat_menu_button(menu_button=button)
    except TelegramError as error:
        log.error("commands-not-registered", reason=error.message)
        return False
    await store.key_values.set(PLATFORM, _COMMANDS_KEY, known)
    return True


async def on_membership_changed(front: Tavoliere, answers: TelegramAnswers, change: ChatMemberUpdated) -> None:
    """Welcome a new group; retry the boards of a group where we may write again, suspend them where we may not."""
    before, after, context, store = change.old_chat_member, change.new_chat_member, front.context, answers.store
    log.info("bot-membership-changed", chat=change.chat.id, before=before.status, after=after.status)
    where = place_of(change.chat)
    if may_write(after) and where.group is not None:
        # Even if we could write before: restrictions of members do not apply to administrators.
        await front.is_reopened(PLATFORM, where.group)
    elif where.group is not None:
        await front.is_closed(PLATFORM, "forbidden", group_id=where.group)
    if not may_write(after) or is_member(before):
        return
    # The person who adds the bot probably speaks the group's language; /settings can change it.
    language = context.texts.supported(change.from_user.language_code)
    row = await store.places.get_or_create(
        where.platform, where.channel, where.thread, where.group, where.kind, where.title, language=language
    )
    live = await store.games.list_in_place(row.id)
    for brief in live:
        await store.posts.add(brief.id, row.id, context.clock())
    if not live and where.kind == "group":
        welcome = welcome_card(context.speaker(context.place_language(row)), PLATFORM)
        await answers.post(where, welcome, "welcome")


def may_write(member: ChatMember) -> bool:
    """Return True if the bot can write with this membership."""
    return is_member(member) and (not isinstance(member, ChatMemberRestricted) or member.can_send_messages)
