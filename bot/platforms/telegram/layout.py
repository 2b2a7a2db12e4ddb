"""Conversion of a card's buttons to an inline keyboard: the answers to its question, then the other buttons.

Inline messages, in chats that the bot is not in: each is a separate place, identified by its id, with one game.

A person posts such a message by choosing from our list while typing the bot's name (inline mode) or by mentioning it
(guest mode). It can be edited at any time by its `inline_message_id`, which comes with the chosen result, the first
press or the answer to the mention (https://core.telegram.org/bots/api#inline-mode, #guest-mode).
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from telegram import CallbackQuery, Message

from bot.kernel.cards import Button, Card, Menu, row_buttons
from bot.kernel.form_presses import only_looks
from bot.kernel.presses import BACK_STEP, FORM_PRESS, MENU_PRESS, RUN_PRESS, TEAM_MENU, Press, read_press
from bot.kernel.question_cards import PRIVATE_CHOICE
from bot.kernel.requests import Place
from bot.kernel.texts import Speaker
from bot.platforms.telegram.calls import Chat
from bot.platforms.telegram.decode import PLATFORM
from bot.platforms.telegram.markup import (
    MAX_LABEL_LENGTH,
    NO_ACTION_PRESS,
    Keyboard,
    KeyboardButton,
    choice_rows,
    find_deed,
    flow_rows,
    is_choice,
    list_presses,
    make_button,
)
from storage import PlaceRow

INLINE_MESSAGE: Final = "1"
"""The id of the only message in such a place."""
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
        MENU_PRESS,
    }
)
"""Presses that may be in a link: none of them plays or agrees to anything."""
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


def is_inline(place: Place | PlaceRow) -> bool:
    """Return True if a place is an inline message."""
    return inline_id(place.channel) is not None


def chat_of(place: Place) -> Chat:
    """Return the key by which the calls to a place are counted."""
    return place.channel if is_inline(place) else int(place.channel)


def tapped_chat(query: CallbackQuery) -> Chat:
    """Return the rate limit key of a press's chat, the same for all presses there, even if the bot is not in it."""
    return f"{_INSTANCE_PREFIX}{query.chat_instance}"


def called_chat(message: Message) -> Chat:
    """Return the rate limit key of a mention's chat.

    The chat's id may equal that of another chat of ours (Message.guest_query_id in the Bot API). In a private chat,
    each side sees the id of the other, so the key has both.
    """
    people = (message.from_user.id,) if message.chat.type == message.chat.PRIVATE and message.from_user else ()
    return f"{_GUEST_PREFIX}{_SEPARATOR.join(str(number) for number in sorted((message.chat.id, *people)))}"


def encode_offer(what: str, user: int, token: str) -> str:
    """Return the signed payload of a message's offer; the signature prevents offers in another person's name."""
    return f"{_OFFER_PREFIX}{what}{_SEPARATOR}{user}{_SEPARATOR}{_signature(what, user, token)}"


def decode_offer(data: str, token: str) -> InlineOffer | None:
    """Return the offer in a payload, None if it has none or our signature is missing."""
    parts = data.removeprefix(_OFFER_PREFIX).split(_SEPARATOR)
    if not data.startswith(_OFFER_PREFIX) or len(parts) != 3 or not (parts[1].isascii() and parts[1].isdecimal()):
        return None
    found = InlineOffer(parts[0], int(parts[1]))
    return found if hmac.compare_digest(parts[2].encode(), _signature(found.what, found.user, token).encode()) else None


def encode_payload(pressed: Press) -> str | None:
    """Return the parameter of a link that does the same as a button, in private; None if it may not be in a link."""
    made = _PRESS_PREFIX + base64.urlsafe_b64encode(str(pressed).encode()).decode().rstrip("=")
    return made if _is_linkable(pressed) and len(made) <= MAX_PAYLOAD_LENGTH else None


def read_payload(text: str) -> str | None:
    """Return the press in a link's parameter, None if there is none or it may not be in a link."""
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
    """Return True if a press may be in a link; of a form's presses, only the one that shows the form."""
    if pressed.deed == RUN_PRESS:
        return only_looks(pressed)
    return pressed.deed in LINKABLE_PRESSES or (pressed.deed == FORM_PRESS and pressed.path[2:3] == (BACK_STEP,))


def _signature(what: str, user: int, token: str) -> str:
    return hmac.new(token.encode(), f"{what}{_SEPARATOR}{user}".encode(), hashlib.sha256).hexdigest()[
        :_SIGNATURE_LENGTH
    ]


BOARD_PRESS: Final = "more"
"""The press of a button that every board has, and no private reply."""


def build_keyboard(
    card: Card,
    speaker: Speaker,
    link: str = "",
    *,
    shares: bool = False,
    inline: bool = False,
    opens: KeyboardButton | None = None,
) -> Keyboard | None:
    """Return the buttons of a card, None if it has none.

    `speaker` gives the language of the buttons that only Telegram has. `link` is the beginning of a link to join a
    game, to which the code is added. `shares`: True if a challenge can be posted to any chat (inline mode). `inline`:
    True for an inline message, which has a link to the board in private. `opens` is the button that opens it in the
    Mini App.
    """
    voice = speaker.of(PLATFORM)
    others = [row for row in card.rows if not all(is_choice(button.press) for button in row_buttons(row))]
    rows = choice_rows(card)
    menus = sum(isinstance(row, Menu) for row in others)
    if not menus and any(_game_to_join(row_buttons(row)) for row in others):
        # Merge rows that are separate on other platforms.
        others = [tuple(button for row in others for button in row_buttons(row))]
    for row in others:
        if isinstance(row, Menu) and menus > 1:
            rows.append([{"text": f"— {row.placeholder} —"[:MAX_LABEL_LENGTH], "callback_data": NO_ACTION_PRESS}])
        buttons = [each for each in row_buttons(row) if not each.disabled]
        board = find_deed((each.press for each in buttons), BOARD_PRESS)
        if board is not None and card.picture is not None:
            # Pictures have no alt text on Telegram.
            words = Press("words", board.game, board.revision)
            buttons.append(Button(voice.line("button.words"), str(words)))
        rows += flow_rows([make_button(each) for each in buttons])
        if link and (code := _game_to_join(buttons)):
            invites: list[KeyboardButton] = [{"text": voice.line("button.invite"), "copy_text": {"text": link + code}}]
            if shares:
                invites.append({"text": voice.line("button.carry"), "switch_inline_query": code})
            rows.append(invites)
        if inline and board is not None and board.game and (leads := encode_payload(Press("show", board.game))):
            rows.append([{"text": voice.line("button.alone"), "url": link + leads}])
    if opens is not None:
        # In a live game this button comes first, since messages may come late.
        rows.insert(0 if card.headline is not None and card.headline.live else len(rows), [opens])
    return rows or None


def choice_keyboard(card: Card, shown: Keyboard | None) -> Keyboard:
    """Return the keyboard of a partial choice: its answers, and the other buttons of the shown keyboard."""
    rows = choice_rows(card)
    for row in shown or ():
        links = [
            button
            for button in row
            if (data := button.get("callback_data")) is None or not (data == NO_ACTION_PRESS or is_choice(data))
        ]
        if links:
            rows.append(links)
    return rows


def find_choice_press(card: Card) -> Press | None:
    """Return one of the answer presses of a card that asks one person for a move, None for any other card."""
    return find_deed((button.press for row in card.rows for button in row_buttons(row)), PRIVATE_CHOICE)


def is_board(shown: Keyboard | None) -> bool:
    """Return True if a keyboard is that of a board for everybody."""
    return find_deed(list_presses(shown), BOARD_PRESS, TEAM_MENU) is not None


def _game_to_join(buttons: Sequence[Button]) -> str | None:
    """Return the code of the lobby whose buttons these are, None for any other buttons."""
    found = find_deed((button.press for button in buttons), "join") if len(buttons) > 1 else None
    return found.game if found is not None else None
