"""The buttons of a card as an inline keyboard: cells where they are on the board, the rest in rows that fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from telegram import CopyTextButton, InlineKeyboardButton, InlineKeyboardMarkup

from bot.interface.cards import MOST_PRESS_BYTES, Button, Card, Menu, Row
from bot.interface.presses import BrokenPress, Press, read_press
from bot.language.texts import Speaker
from bot.presenters.asking import LESSON, PRIVATE, PUBLIC
from bot.telegram.markup import cut, units

IN_ROW: Final = 8
MOST_ROWS: Final = 8
LONGEST_LABEL: Final = 64
NOTHING: Final = "-"
"""What a heading carries, which is a button too: Telegram has nothing else between buttons."""
DOMAIN: Final = "telegram"
BOARD: Final = "more"
"""The deed of a button that is below every board and no private answer."""

_WIDTHS: Final = ((3, 8), (6, 5), (11, 4), (17, 3), (26, 2))
"""How many buttons fit in a row whose longest label has so many characters."""
_NUMBER: Final = re.compile(r"^\d+ · ")
"""What a picture of the choice would show beside a cell; here the picture stays as it is."""
_STYLES: Final = {"plain": None, "primary": "primary", "danger": "danger"}

Spots = Mapping[str, tuple[int, int, int]]
Keyboard = list[list[InlineKeyboardButton]]


def keyboard(card: Card, speaker: Speaker, link: str = "") -> InlineKeyboardMarkup | None:
    """Return the buttons of a card, None if it has none.

    `speaker` says what the buttons that only Telegram has are called; `link` is the beginning of a link by which
    somebody joins a game, its code following.
    """
    voice = speaker.of(DOMAIN)
    spots = card.picture.spots if card.picture is not None else {}
    choices, others = parted(card.rows)
    rows = choice_rows(choices, spots)
    menus = sum(isinstance(row, Menu) for row in others)
    for row in others:
        if isinstance(row, Menu) and menus > 1:
            rows.append([InlineKeyboardButton(f"— {row.placeholder} —"[:LONGEST_LABEL], callback_data=NOTHING)])
        buttons = [each for each in _of(row) if not each.disabled]
        rows += flowing([*buttons, *_more(buttons, card, voice)])
        if link and (code := _joins(buttons)):
            rows.append([InlineKeyboardButton(voice.line("button.invite"), copy_text=CopyTextButton(link + code))])
    return InlineKeyboardMarkup(rows) if rows else None


def choosing(card: Card, shown: InlineKeyboardMarkup | None) -> InlineKeyboardMarkup:
    """Return the keyboard of a half-made choice: its answers, and what else the shown keyboard has."""
    spots = card.picture.spots if card.picture is not None else {}
    rows = choice_rows(parted(card.rows)[0], spots)
    for row in shown.inline_keyboard if shown is not None else ():
        kept = [button for button in row if not _chooses(button.callback_data)]
        if kept:
            rows.append(kept)
    return InlineKeyboardMarkup(rows)


def parted(rows: Sequence[Row]) -> tuple[list[Button], list[Row]]:
    """Return the answers to the question of a card, the way back included, and its other rows."""
    choices: list[Button] = []
    others: list[Row] = []
    for row in rows:
        if all(_chooses(button.press) for button in _of(row)):
            choices += _of(row)
        else:
            others.append(row)
    return choices, others


def choice_rows(choices: Sequence[Button], spots: Spots) -> Keyboard:
    """Return the answers to a question: the cells as they lie on the board, then the rest, the way back last."""
    paths = {button.press: read_press(button.press).path for button in choices}
    deepest = max(map(len, paths.values()), default=0)
    answers = [button for button in choices if len(paths[button.press]) == deepest]
    back = [button for button in choices if len(paths[button.press]) < deepest]
    cells = {paths[button.press][-1]: button for button in answers if paths[button.press][-1:]}
    cells = {cell: button for cell, button in cells.items() if cell in spots}
    lying = [button.press for button in cells.values()]
    rows = board_rows(cells, spots)
    rest = [replace(button, label=_NUMBER.sub("", button.label)) for button in answers if button.press not in lying]
    rows += flowing(rest)
    return rows + [[made(button)] for button in back]


def board_rows(cells: Mapping[str, Button], spots: Spots) -> Keyboard:
    """Return the buttons of cells as the cells lie on the board where that fits, else from its top to its bottom."""
    ordered = sorted(cells, key=lambda cell: (spots[cell][1], spots[cell][0]))
    lines: list[list[str]] = []
    for cell in ordered:
        _, y, radius = spots[cell]
        if lines and y - spots[lines[-1][0]][1] <= radius / 2:
            lines[-1].append(cell)
        else:
            lines.append([cell])
    named = {
        cell: Button(f"×{cell}" if button.style == "danger" else cell, button.press, button.style)
        for cell, button in cells.items()
    }
    fits = len(lines) <= MOST_ROWS and all(len(line) <= IN_ROW for line in lines)
    if not fits or len(cells) < 1.5 * len(lines):
        return flowing([named[cell] for cell in ordered])
    return [[made(named[cell]) for cell in sorted(line, key=lambda cell: spots[cell][0])] for line in lines]


def flowing(buttons: Sequence[Button]) -> Keyboard:
    """Return buttons in rows, as many in each as the longest label leaves room for, evenly."""
    if not buttons:
        return []
    longest = max(len(button.label) for button in buttons)
    most = next((count for length, count in _WIDTHS if longest <= length), 1)
    lines = -(-len(buttons) // most)
    width = -(-len(buttons) // lines)
    return [[made(button) for button in buttons[at : at + width]] for at in range(0, len(buttons), width)]


def made(button: Button) -> InlineKeyboardButton:
    """Return a button; ValueError for one whose press is too long."""
    if len(button.press.encode()) > MOST_PRESS_BYTES:
        raise ValueError(f"a press of more than {MOST_PRESS_BYTES} bytes: {button.press}")
    label = button.label if units(button.label) <= LONGEST_LABEL else f"{cut(button.label, LONGEST_LABEL - 1)}…"
    return InlineKeyboardButton(label.strip() or "…", callback_data=button.press, style=_STYLES[button.style])


def is_choosing(card: Card) -> Press | None:
    """Return one of the answers of a card that asks somebody alone what to play, None for any other card."""
    for row in card.rows:
        for button in _of(row):
            read = _read(button.press)
            if read is not None and read.deed == PRIVATE:
                return read
    return None


def is_board(shown: InlineKeyboardMarkup | None) -> bool:
    """Say whether buttons are those below a board for all."""
    rows = shown.inline_keyboard if shown is not None else ()
    carried = (_read(button.callback_data) for row in rows for button in row)
    return any(read is not None and read.deed == BOARD for read in carried)


def _of(row: Row) -> tuple[Button, ...]:
    return row.options if isinstance(row, Menu) else row


def _more(buttons: Sequence[Button], card: Card, voice: Speaker) -> list[Button]:
    """Return what Telegram adds to a row: a picture's description, since its pictures carry none."""
    found = next((read for button in buttons if (read := _read(button.press)) and read.deed == BOARD), None)
    if found is None or card.picture is None:
        return []
    return [Button(voice.line("button.words"), str(Press("words", found.game, found.revision)))]


def _joins(buttons: Sequence[Button]) -> str:
    found = (read for button in buttons if (read := _read(button.press)) and read.deed == "join")
    return next((read.game or "" for read in found), "") if len(buttons) > 1 else ""


def _chooses(press: object) -> bool:
    read = _read(press)
    return read is not None and read.deed in (PUBLIC, PRIVATE, LESSON)


def _read(press: object) -> Press | None:
    try:
        return read_press(str(press))
    except BrokenPress:
        return None
