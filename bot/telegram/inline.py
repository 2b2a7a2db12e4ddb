"""Messages in chats that the bot is not in: each is a place of its own, known by its id, and shows one game.

A person posts such a message by choosing from our list while typing the bot's name (inline mode) or by mentioning it
(guest mode). It can be edited at any time by its `inline_message_id`, which comes with the chosen result, the first
press or the answer to the mention (https://core.telegram.org/bots/api#inline-mode, #guest-mode).
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from telegram import CallbackQuery, Message

from bot.core.run_presses import only_looks
from bot.interface.presses import BACK_STEP, FORM_PRESS, RUN_PRESS, Press, read_press
from bot.interface.requests import Place
from bot.telegram.decode import PLATFORM
from bot.telegram.rate_limits import Chat

INLINE_MESSAGE: Final = "1"
"""The only message of such a place."""
LINKABLE_PRESSES: Final = frozenset(
    {
        "show",
        "words",
        "rules",
        "more",
        "learn",
        "hint",
        "analyse",
        "replay",
        "fair",
        "details",
        "try",
        "share",
        "profile",
        "history",
        "privacy",
    }
)
"""Presses that a link may carry: none of them plays, or agrees to anything."""
MAX_PAYLOAD_LENGTH: Final = 64
"""Maximum length of the parameter of a link to a bot."""
_INLINE_PREFIX: Final = "inline:"
_INSTANCE_PREFIX: Final = "instance:"
_GUEST_PREFIX: Final = "guest:"
_OFFER_PREFIX: Final = "at="
_PRESS_PREFIX: Final = "p-"
_SEPARATOR: Final = "."
_SIGNATURE_LENGTH: Final = 10


@dataclass(frozen=True, slots=True)
class InlineOffer:
    """The offer of a new inline message, for its first press: a game's key or code, and the user who posted it."""

    what: str
    user: int


def inline_place(message: str) -> Place:
    """Return the place of an inline message."""
    return Place(PLATFORM, f"{_INLINE_PREFIX}{message}")


def inline_id(channel: str) -> str | None:
    """Return the id of the inline message of a channel, None for a chat."""
    return channel.removeprefix(_INLINE_PREFIX) if channel.startswith(_INLINE_PREFIX) else None


def chat_of(place: Place) -> Chat:
    """Return the key by which the calls to a place are counted."""
    return place.channel if inline_id(place.channel) is not None else int(place.channel)


def tapped_chat(query: CallbackQuery) -> Chat:
    """Return the key of the chat of a press, the same for all presses there, even if the bot is not in it."""
    return f"{_INSTANCE_PREFIX}{query.chat_instance}"


def called_chat(message: Message) -> Chat:
    """Return the key of the chat of a mention.

    Its id may be that of another chat of ours (Message.guest_query_id in the Bot API); in a private chat, each side
    sees the id of the other.
    """
    people = (message.from_user.id,) if message.chat.type == message.chat.PRIVATE and message.from_user else ()
    return f"{_GUEST_PREFIX}{_SEPARATOR.join(str(number) for number in sorted((message.chat.id, *people)))}"


def encode_offer(what: str, user: int, token: str) -> str:
    """Return the signed payload of a message's offer; nobody else can make one in a person's name."""
    return f"{_OFFER_PREFIX}{what}{_SEPARATOR}{user}{_SEPARATOR}{_signature(what, user, token)}"


def decode_offer(data: str, token: str) -> InlineOffer | None:
    """Return the offer in a payload, None for any other, and for one that we have not signed."""
    parts = data.removeprefix(_OFFER_PREFIX).split(_SEPARATOR)
    if not data.startswith(_OFFER_PREFIX) or len(parts) != 3 or not (parts[1].isascii() and parts[1].isdecimal()):
        return None
    found = InlineOffer(parts[0], int(parts[1]))
    return found if hmac.compare_digest(parts[2].encode(), _signature(found.what, found.user, token).encode()) else None


def encode_payload(pressed: Press) -> str | None:
    """Return the parameter of a link that does what a button does, in private; None if no link may."""
    made = _PRESS_PREFIX + base64.urlsafe_b64encode(str(pressed).encode()).decode().rstrip("=")
    return made if _is_linkable(pressed) and len(made) <= MAX_PAYLOAD_LENGTH else None


def read_payload(text: str) -> str | None:
    """Return the press in a link's parameter, None if it carries none that a link may."""
    if not text.startswith(_PRESS_PREFIX):
        return None
    carried = text.removeprefix(_PRESS_PREFIX)
    try:
        decoded = base64.urlsafe_b64decode(carried + "=" * (-len(carried) % 4)).decode()
        pressed = read_press(decoded)
    except ValueError:
        return None
    return decoded if _is_linkable(pressed) else None


def _is_linkable(pressed: Press) -> bool:
    """Return True if a link may carry a press: of a form's, only that which shows it."""
    if pressed.deed == RUN_PRESS:
        return only_looks(pressed)
    return pressed.deed in LINKABLE_PRESSES or (pressed.deed == FORM_PRESS and pressed.path[2:3] == (BACK_STEP,))


def _signature(what: str, user: int, token: str) -> str:
    return hmac.new(token.encode(), f"{what}{_SEPARATOR}{user}".encode(), hashlib.sha256).hexdigest()[
        :_SIGNATURE_LENGTH
    ]
