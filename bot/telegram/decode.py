"""Updates as requests: who, where, in which language, and what a line that was typed says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from telegram import CallbackQuery, Chat, InlineKeyboardMarkup, MaybeInaccessibleMessage, Message, MessageEntity, Update
from telegram import User as Account

from bot.interface.requests import DmAccess, Place, Request, User
from bot.language.names import clean_name

PLATFORM: Final = "telegram"
MANAGER_COMMANDS: Final = frozenset({"settings", "set", "close", "help"})
"""Commands and deeds of buttons that some may do who manage a group, and others may not."""
PUZZLE_LINK_PREFIX: Final = "puzzle-"
"""What a deep link into a private chat begins with where it opens the puzzle with the id that follows."""
MANAGER_PARAMETERS: Final = {"puzzle": frozenset({"daily", "hour"})}
"""Commands that anybody may give, with those of their parameters that are for who manages a group."""
SERVICE_ACCOUNTS: Final = frozenset({777000, 1087968824, 136817688})
"""Accounts that stand for no person: Telegram itself, who writes anonymously for a group, who writes as a channel."""
COMMENTS_THREAD_PREFIX: Final = "c"
"""Stands before the number of a channel's post where a thread is the comments below it, no topic of a forum."""
_KEYBOARD: Final = "keyboard_as_told"
"""What a message's keyboard is called while it is set aside; the library keeps what it does not know as it is."""

_COMMAND_PATTERN: Final = re.compile(r"/([A-Za-z]\w*)(?:@(\w+))?(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A command as it was typed: `rest` is what follows its name, `people` those whom Telegram itself has named."""

    command: str
    rest: str
    people: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The line as it would be typed on any platform."""
        return f"/{self.command} {self.rest}".rstrip()


def read_command(message: Message, bot: str) -> TypedLine | None:
    """Return the command that a message is, None if it is none, or one for another bot."""
    text = message.text or ""
    found = _COMMAND_PATTERN.fullmatch(text.strip())
    if found is None or (found[2] is not None and found[2].lower() != bot.lower()):
        return None
    named, text = _split_text_mentions(message, text)
    found = _COMMAND_PATTERN.fullmatch(text.strip())
    assert found is not None  # noqa: S101 - names come after the command's own
    return TypedLine(found[1].lower(), (found[3] or "").strip(), tuple(named))


def is_command(message: Message) -> bool:
    """Say whether a message is a command, for whichever bot."""
    return _COMMAND_PATTERN.fullmatch((message.text or "").strip()) is not None


def set_keyboards_aside(update: Any) -> None:
    """Have the keyboards of an update's messages read only where somebody asks for them: they take longest of it."""
    named = update if isinstance(update, dict) else {}
    tap = named.get(Update.CALLBACK_QUERY)
    for message in (named.get(Update.MESSAGE), tap.get("message") if isinstance(tap, dict) else None):
        for each in (message, message.get("reply_to_message")) if isinstance(message, dict) else ():
            if isinstance(each, dict) and "reply_markup" in each:
                each[_KEYBOARD] = each.pop("reply_markup")


def shown_keyboard(message: object) -> InlineKeyboardMarkup | None:
    """Return the buttons below a message of an update, None if there are none."""
    if not isinstance(message, Message):
        return None
    aside = message.api_kwargs.get(_KEYBOARD)
    return message.reply_markup if aside is None else InlineKeyboardMarkup.de_json(aside, message.get_bot())


def replied_message(message: Message) -> Message | None:
    """Return the message that somebody answered; in a topic each message answers its beginning unless another."""
    other = message.reply_to_message
    return None if other is None or other.forum_topic_created is not None else other


def replied_player(message: Message) -> Account | None:
    """Return the author of the message that was answered, None if that was no person who could play."""
    other = replied_message(message)
    if other is None or other.is_automatic_forward or other.sender_chat is not None:
        return None
    account = other.from_user
    return None if account is None or account.is_bot or account.id in SERVICE_ACCOUNTS else account


def mention_of(account: Account) -> str:
    """Return somebody as the value of a `people` parameter names those whose id is known."""
    name = "".join(character for character in clean_name(account.full_name) if character not in "<>|")
    return f"<@{account.id}|{name.strip() or account.id}>"


def request_of_message(message: Message, account: Account, place: Place, *, manager: bool = False) -> Request:
    """Return a message in a place as a request; what it is called stays the same for ever."""
    other = replied_message(message)
    return Request(
        event=f"m{message.chat.id}.{message.message_id}",
        user=user_of(account, manager=manager),
        place=place,
        message=None if other is None else str(other.message_id),
        ids="counted",
        can_dm=_can_dm(place),
    )


def request_of_tap(
    query: CallbackQuery, message: MaybeInaccessibleMessage, place: Place, *, manager: bool = False
) -> Request:
    """Return a press of a button in a place as a request."""
    return Request(
        event=f"c{query.id}",
        user=user_of(query.from_user, manager=manager),
        place=place,
        message=str(message.message_id),
        undrawn=True,
        can_dm=_can_dm(place),
    )


def _can_dm(place: Place) -> DmAccess:
    """Say what is known from where somebody acts: a bot may write to those alone who have begun a chat with it."""
    return "certain" if place.kind == "private" else "unknown"


def user_of(account: Account, *, manager: bool = False) -> User:
    """Return who did something."""
    return User(
        platform=PLATFORM,
        id=str(account.id),
        name=account.full_name,
        language=account.language_code,
        manager=manager,
        handle=account.username,
    )


def place_of(chat: Chat, thread: str | None = None) -> Place:
    """Return where it was done; a topic belongs to its group."""
    here = str(chat.id)
    if chat.type == Chat.PRIVATE:
        return Place(PLATFORM, here, thread, kind="private")
    return Place(PLATFORM, here, thread, here, title=chat.title or "")


def thread_of(message: MaybeInaccessibleMessage) -> str | None:
    """Return the topic that a message is in, or the comments below a channel's post that it answers."""
    if not isinstance(message, Message):
        return None
    if message.is_topic_message:
        return str(message.message_thread_id)
    other = message.reply_to_message
    return f"{COMMENTS_THREAD_PREFIX}{other.message_id}" if other is not None and other.is_automatic_forward else None


def _split_text_mentions(message: Message, text: str) -> tuple[list[str], str]:
    """Return the people whom Telegram names without their having an @name, and the text without them."""
    found: Iterable[tuple[MessageEntity, str]] = message.parse_entities([MessageEntity.TEXT_MENTION]).items()
    people = []
    for entity, words in found:
        if entity.user is not None and entity.user.id not in SERVICE_ACCOUNTS:
            people.append(mention_of(entity.user))
            text = text.replace(words, "", 1)
    return people, text
