"""Messages in chats that we are not in: each is a place of its own, known by its id, and shows one game.

A person puts such a message there, by choosing what we list as they write our name (inline mode) or by calling us
(guest mode). It can be edited at any time by its `inline_message_id`, which comes with the chosen result, the first
press or the answer to the call (https://core.telegram.org/bots/api#inline-mode, #guest-mode).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from telegram import CallbackQuery, Message

from bot.interface.presses import BrokenPress, Press, read_press
from bot.interface.requests import Place, Request, User
from bot.telegram.decode import PLATFORM, user_of
from bot.telegram.rate_limits import Chat

INLINE_MESSAGE: Final = "1"
"""The one message of such a place."""
LINKABLE_PRESSES: Final = frozenset(
    {"show", "words", "rules", "more", "learn", "hint", "analyse", "replay", "fair", "details", "try", "share"}
)
"""The deeds that somebody may be led to by a link: none of them plays, or agrees to anything."""
MAX_PAYLOAD_LENGTH: Final = 64
"""How many characters the parameter of a link to a bot may have."""
_INLINE_PREFIX: Final = "inline:"
_INSTANCE_PREFIX: Final = "instance:"
_GUEST_PREFIX: Final = "guest:"
_OFFER_PREFIX: Final = "at="
_PRESS_PREFIX: Final = "p-"
_SEPARATOR: Final = "."
_SIGNATURE_LENGTH: Final = 10


@dataclass(frozen=True, slots=True)
class InlineOffer:
    """What the first press on such a message brings there: a game by its key or its code, by whom it was put there."""

    what: str
    user: int


def inline_place(message: str) -> Place:
    """Return the place that an inline message is."""
    return Place(PLATFORM, f"{_INLINE_PREFIX}{message}")


def inline_id(channel: str) -> str | None:
    """Return the id of the inline message that a channel is, None for a chat."""
    return channel.removeprefix(_INLINE_PREFIX) if channel.startswith(_INLINE_PREFIX) else None


def chat_of(place: Place) -> Chat:
    """Return what the calls of a place are counted by."""
    return place.channel if inline_id(place.channel) is not None else int(place.channel)


def tapped_chat(query: CallbackQuery) -> Chat:
    """Return what the chat of a press is called in all presses there, be it one that we are not in."""
    return f"{_INSTANCE_PREFIX}{query.chat_instance}"


def called_chat(message: Message) -> Chat:
    """Return what the chat is called that we were called in as a guest.

    Its id may be that of another chat of ours (Message.guest_query_id in the Bot API); a private one has, to either
    side, that of the other.
    """
    people = (message.from_user.id,) if message.chat.type == message.chat.PRIVATE and message.from_user else ()
    return f"{_GUEST_PREFIX}{_SEPARATOR.join(str(number) for number in sorted((message.chat.id, *people)))}"


def encode_offer(what: str, user: int, token: str) -> str:
    """Return what the button of a message carries that shows no game yet; nobody else makes one in somebody's name."""
    return f"{_OFFER_PREFIX}{what}{_SEPARATOR}{user}{_SEPARATOR}{_signed(what, user, token)}"


def decode_offer(data: str, token: str) -> InlineOffer | None:
    """Return what such a button offers, None for any other, and for one that is not ours."""
    parts = data.removeprefix(_OFFER_PREFIX).split(_SEPARATOR)
    if not data.startswith(_OFFER_PREFIX) or len(parts) != 3 or not (parts[1].isascii() and parts[1].isdecimal()):
        return None
    found = InlineOffer(parts[0], int(parts[1]))
    return found if hmac.compare_digest(parts[2].encode(), _signed(found.what, found.user, token).encode()) else None


def request_of_inline_tap(query: CallbackQuery, place: Place) -> Request:
    """Return a press of a button of an inline message as a request."""
    return Request(event=f"c{query.id}", user=user_of(query.from_user), place=place, undrawn=True)


def request_of_offer(message: str, user: User) -> Request:
    """Return the request that creates what a message offers: once, for the first person who presses there."""
    return Request(event=f"i{message}", user=user, place=inline_place(message))


def encode_payload(pressed: Press) -> str | None:
    """Return the parameter of a link that has us do what a button does in private; None where no link may."""
    made = _PRESS_PREFIX + base64.urlsafe_b64encode(str(pressed).encode()).decode().rstrip("=")
    return made if pressed.deed in LINKABLE_PRESSES and len(made) <= MAX_PAYLOAD_LENGTH else None


def read_payload(text: str) -> str | None:
    """Return the press that a link's parameter carries, None if it carries none that a link may."""
    if not text.startswith(_PRESS_PREFIX):
        return None
    carried = text.removeprefix(_PRESS_PREFIX)
    try:
        decoded = base64.urlsafe_b64decode(carried + "=" * (-len(carried) % 4)).decode()
        pressed = read_press(decoded)
    except (BrokenPress, binascii.Error, ValueError):
        return None
    return decoded if pressed.deed in LINKABLE_PRESSES else None


def _signed(what: str, user: int, token: str) -> str:
    return hmac.new(token.encode(), f"{what}{_SEPARATOR}{user}".encode(), hashlib.sha256).hexdigest()[
        :_SIGNATURE_LENGTH
    ]
