"""Conversion of updates into requests: user, place, language, and typed commands."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from telegram import (
    CallbackQuery,
    Chat,
    ChatMember,
    ChatMemberRestricted,
    MaybeInaccessibleMessage,
    Message,
    MessageEntity,
    Update,
    User as Account,
)

from bot.kernel.names import clean_name, mention_by_id
from bot.kernel.requests import DmAccess, Place, Request, User
from bot.platforms.telegram.markup import Keyboard
from storage import Json
from storage.addresses import align_plain, make_plain

PLATFORM: Final = "telegram"
HELP_PARAMETER: Final = "help"
"""The parameter of a link that only opens the private chat, which begins with the help."""
PUZZLE_LINK_PREFIX: Final = "puzzle-"
"""Prefix of the parameter of a deep link that opens a puzzle in a private chat; the puzzle's id follows."""
ANONYMOUS_ADMINISTRATOR: Final = 1087968824
"""The account of anonymous administrators, @GroupAnonymousBot: it is the same in all groups."""
SERVICE_ACCOUNTS: Final = frozenset({777000, ANONYMOUS_ADMINISTRATOR, 136817688})
"""Accounts that belong to no person: Telegram itself, anonymous group administrators, and channels."""
COMMENTS_THREAD_PREFIX: Final = "c"
"""Prefix of a thread of comments below a channel's post, whose number follows; forum topics have no prefix."""
_KEYBOARD: Final = "keyboard_as_told"
"""The key under which a message's keyboard is set aside; the library keeps unknown fields unparsed."""
_UNREAD: Final = ("photo", "caption_entities")

_COMMAND_PATTERN: Final = re.compile(r"\s*/([A-Za-z]\w*)(?:@(\w+))?(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A typed command; `rest` is the text after its name.

    `people` are the people whom Telegram itself identifies: the text in `rest` for each, with the value that names
    them.
    """

    command: str
    rest: str
    people: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The line as it would be typed on any platform."""
        return f"/{self.command} {self.rest}".rstrip()

    def named(self, people: str) -> str:
        """Return the value of a `people` parameter with the people whom Telegram identifies."""
        for stand_in, mention in self.people.items():
            people = people.replace(stand_in, mention)
        return people


def read_command(message: Message, bot: str) -> TypedLine | None:
    """Return the command in a message, None if there is none or it is for another bot."""
    text = message.text or ""
    found = _COMMAND_PATTERN.fullmatch(make_plain(text))
    if found is None or (found[2] is not None and found[2].lower() != bot.lower()):
        return None
    text, named = _name_text_mentions(message, text)
    plain, typed, indices = align_plain(text)
    found = _COMMAND_PATTERN.fullmatch(plain)
    assert found is not None  # noqa: S101 - names come after the command's own
    rest = "" if found[3] is None else typed[indices[found.start(3)] :]
    return TypedLine(found[1].lower(), rest.strip(), named)


def is_command(message: Message) -> bool:
    """Return True if a message is a command, for any bot."""
    return _COMMAND_PATTERN.fullmatch(make_plain(message.text or "")) is not None


def trim_update(update: Json) -> None:
    """Set the keyboards of an update's messages aside unparsed, and drop fields that we never read.

    The library would parse all of these, which takes longest.
    """
    tap = update.get(Update.CALLBACK_QUERY) or {}
    for message in (update.get(Update.MESSAGE), update.get(Update.GUEST_MESSAGE), tap.get("message")):
        for each in (message, message.get("reply_to_message")) if message else ():
            if each and "reply_markup" in each:
                each[_KEYBOARD] = each.pop("reply_markup")
            for name in _UNREAD if each else ():
                each.pop(name, None)


def shown_keyboard(message: object) -> Keyboard | None:
    """Return the buttons below a message of an update, None if there are none."""
    aside = message.api_kwargs.get(_KEYBOARD) if isinstance(message, Message) else None
    return None if aside is None else aside["inline_keyboard"]


def replied_message(message: Message) -> Message | None:
    """Return the replied-to message; in a topic, replies to its first message do not count."""
    other = message.reply_to_message
    return None if other is None or other.forum_topic_created is not None else other


def replied_player(message: Message) -> Account | None:
    """Return the author of the replied-to message, None if that is no person who could play."""
    other = replied_message(message)
    if other is None or other.is_automatic_forward or other.sender_chat is not None:
        return None
    account = other.from_user
    return None if account is None or account.is_bot or account.id in SERVICE_ACCOUNTS else account


def name_of(account: Account) -> str:
    """Return the name of an account; its username if the name is not visible."""
    return clean_name(account.full_name, account.username or "?")


def mention_of(account: Account) -> str:
    """Return an account as the value of a `people` parameter, which names people whose id is known."""
    return mention_by_id(str(account.id), name_of(account))


def is_member(member: ChatMember) -> bool:
    """Return True if a membership in a chat is that of someone who is in it."""
    if isinstance(member, ChatMemberRestricted):
        return member.is_member
    return member.status not in (ChatMember.LEFT, ChatMember.BANNED)


def is_anonymous_administrator(message: Message) -> bool:
    """Return True if the sender of a message is its group itself: an anonymous administrator."""
    return message.sender_chat is not None and message.sender_chat.id == message.chat.id


def request_of_message(message: Message, account: Account, place: Place) -> Request:
    """Return a message in a place as a request; its event id is the same for each delivery."""
    other = replied_message(message)
    user = user_of(account)
    if is_anonymous_administrator(message):
        # They manage the group, but are no particular person.
        number, language = str(ANONYMOUS_ADMINISTRATOR), account.language_code
        user = User(PLATFORM, number, "GroupAnonymousBot", language, manager=True, anonymous=True)
    return Request(
        event=f"m{message.chat.id}.{message.message_id}",
        user=user,
        place=place,
        message=None if other is None else str(other.message_id),
        ids="counted",
        can_dm=_can_dm(place),
    )


def request_of_tap(query: CallbackQuery, place: Place, message: str | None = None) -> Request:
    """Return a press of a button in a place as a request; without a `message`, the place is one."""
    user = user_of(query.from_user)
    return Request(f"c{query.id}", user, place, message, undrawn=True, can_dm=_can_dm(place))


def _can_dm(place: Place) -> DmAccess:
    """Return "certain" in private chats, else "unknown": bots may write only to people who began a chat with them."""
    return "certain" if place.kind == "private" else "unknown"


def user_of(account: Account) -> User:
    """Return the user of an account; whether they manage a group is looked up when needed."""
    return User(
        platform=PLATFORM,
        id=str(account.id),
        name=name_of(account),
        language=account.language_code,
        handle=account.username,
    )


def place_of(chat: Chat, thread: str | None = None) -> Place:
    """Return the place of a chat; a topic belongs to its group."""
    here = str(chat.id)
    if chat.type == Chat.PRIVATE:
        return Place(PLATFORM, here, thread, kind="private")
    return Place(PLATFORM, here, thread, here, title=chat.title or "")


def thread_of(message: MaybeInaccessibleMessage) -> str | None:
    """Return the topic of a message, or the comments below a channel's post that it replies to."""
    if not isinstance(message, Message):
        return None
    if message.is_topic_message:
        return str(message.message_thread_id)
    other = message.reply_to_message
    return f"{COMMENTS_THREAD_PREFIX}{other.message_id}" if other is not None and other.is_automatic_forward else None


def _name_text_mentions(message: Message, text: str) -> tuple[str, dict[str, str]]:
    """Return a text with a quoted name for each person mentioned without an @name, and the mentions by quoted name."""
    units, people = text.encode("utf-16-le"), dict[str, str]()
    found: Iterable[MessageEntity] = message.parse_entities([MessageEntity.TEXT_MENTION])
    for entity in sorted(found, key=lambda entity: entity.offset, reverse=True):
        start, end = 2 * entity.offset, 2 * (entity.offset + entity.length)
        stand_in = ""
        if entity.user is not None and entity.user.id not in SERVICE_ACCOUNTS:
            # Plain, so that normalising the line does not change it, and different for two people.
            name = " ".join(make_plain(name_of(entity.user)).replace('"', "").split())
            namesakes = sum(name in each for each in people)
            stand_in = f'@"{name} {namesakes + 1}"' if namesakes else f'@"{name}"'
            people[stand_in] = mention_of(entity.user)
        units = units[:start] + stand_in.encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le"), people
