"""The buttons of a card as an inline keyboard: the answers to its question, then the rest in rows that fit."""

from collections.abc import Sequence
from typing import Final

from bot.core.question_cards import PRIVATE_CHOICE
from bot.interface.cards import Button, Card, Menu, row_buttons
from bot.interface.presses import TEAM_MENU, Press
from bot.language.texts import Speaker
from bot.telegram.cells import (
    MAX_LABEL_LENGTH,
    NO_ACTION_PRESS,
    choice_rows,
    flow_rows,
    is_choice,
    make_button,
    read_button,
)
from bot.telegram.inline import encode_payload
from bot.telegram.keyboards import Keyboard, KeyboardButton, list_presses

CATALOGUE_DOMAIN: Final = "telegram"
BOARD_PRESS: Final = "more"
"""The press of a button that is below every board and no private reply."""


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

    `speaker` names the buttons that only Telegram has; `link` is the beginning of a link by which a person joins a
    game, whose code follows. `shares`: True if a challenge can be posted to any chat (inline mode). `inline`: True for
    an inline message, where a link leads to the board in private. `opens` opens it in the Mini App.
    """
    voice = speaker.of(CATALOGUE_DOMAIN)
    others = [row for row in card.rows if not all(is_choice(button.press) for button in row_buttons(row))]
    rows = choice_rows(card)
    menus = sum(isinstance(row, Menu) for row in others)
    if not menus and any(_game_to_join(row_buttons(row)) for row in others):
        # Rows that are separate elsewhere are merged here.
        others = [tuple(button for row in others for button in row_buttons(row))]
    for row in others:
        if isinstance(row, Menu) and menus > 1:
            rows.append([{"text": f"— {row.placeholder} —"[:MAX_LABEL_LENGTH], "callback_data": NO_ACTION_PRESS}])
        buttons = [each for each in row_buttons(row) if not each.disabled]
        rows += flow_rows(list(map(make_button, [*buttons, *_extra_row_buttons(buttons, card, voice)])))
        if link and (code := _game_to_join(buttons)):
            invites: list[KeyboardButton] = [{"text": voice.line("button.invite"), "copy_text": {"text": link + code}}]
            if shares:
                invites.append({"text": voice.line("button.carry"), "switch_inline_query": code})
            rows.append(invites)
        if inline and link and (leads := _private_board_parameter(buttons)):
            rows.append([{"text": voice.line("button.alone"), "url": link + leads}])
    if opens is not None:
        rows.append([opens])
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
    """Return one of the answers of a card that asks one person what to play, None for any other card."""
    for row in card.rows:
        for button in row_buttons(row):
            read = read_button(button.press)
            if read is not None and read.deed == PRIVATE_CHOICE:
                return read
    return None


def is_board(shown: Keyboard | None) -> bool:
    """Return True if buttons are those below a board for everybody."""
    carried = map(read_button, list_presses(shown))
    return any(read is not None and read.deed in (BOARD_PRESS, TEAM_MENU) for read in carried)


def _extra_row_buttons(buttons: Sequence[Button], card: Card, voice: Speaker) -> list[Button]:
    """Return the buttons that Telegram adds to a row: the description of a picture, since pictures have no alt text."""
    found = next((read for button in buttons if (read := read_button(button.press)) and read.deed == BOARD_PRESS), None)
    if found is None or card.picture is None:
        return []
    return [Button(voice.line("button.words"), str(Press("words", found.game, found.revision)))]


def _private_board_parameter(buttons: Sequence[Button]) -> str | None:
    """Return the parameter of a link to a board in private, None for what is no board."""
    found = (
        read for button in buttons if (read := read_button(button.press)) and read.deed == BOARD_PRESS and read.game
    )
    return next((encode_payload(Press("show", read.game)) for read in found), None)


def _game_to_join(buttons: Sequence[Button]) -> str:
    found = (read for button in buttons if (read := read_button(button.press)) and read.deed == "join")
    return next((read.game or "" for read in found), "") if len(buttons) > 1 else ""
