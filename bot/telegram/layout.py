"""The buttons of a card as an inline keyboard: the answers to its question, then the rest in rows that fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from telegram import CopyTextButton, InlineKeyboardButton, InlineKeyboardMarkup

from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import Press
from bot.language.texts import Speaker
from bot.presenters.asking import PRIVATE
from bot.telegram.cells import LONGEST_LABEL, NOTHING, choice_rows, chooses, flowing, reading
from bot.telegram.inline import payload

DOMAIN: Final = "telegram"
BOARD: Final = "more"
"""The deed of a button that is below every board and no private answer."""


def keyboard(
    card: Card, speaker: Speaker, link: str = "", *, shares: bool = False, inline: bool = False
) -> InlineKeyboardMarkup | None:
    """Return the buttons of a card, None if it has none.

    `speaker` says what the buttons that only Telegram has are called; `link` is the beginning of a link to us, by which
    somebody joins a game, its code following. `shares`: a challenge can be carried into any chat (inline mode).
    `inline`: for an inline message, from where a link leads to the board in private.
    """
    voice = speaker.of(DOMAIN)
    others = [row for row in card.rows if not all(chooses(button.press) for button in _of(row))]
    rows = choice_rows(card)
    menus = sum(isinstance(row, Menu) for row in others)
    for row in others:
        if isinstance(row, Menu) and menus > 1:
            rows.append([InlineKeyboardButton(f"— {row.placeholder} —"[:LONGEST_LABEL], callback_data=NOTHING)])
        buttons = [each for each in _of(row) if not each.disabled]
        rows += flowing([*buttons, *_more(buttons, card, voice)])
        if link and (code := _joins(buttons)):
            invites = [InlineKeyboardButton(voice.line("button.invite"), copy_text=CopyTextButton(link + code))]
            if shares:
                invites.append(InlineKeyboardButton(voice.line("button.carry"), switch_inline_query=code))
            rows.append(invites)
        if inline and link and (leads := _alone(buttons)):
            rows.append([InlineKeyboardButton(voice.line("button.alone"), url=link + leads)])
    return InlineKeyboardMarkup(rows) if rows else None


def choosing(card: Card, shown: InlineKeyboardMarkup | None) -> InlineKeyboardMarkup:
    """Return the keyboard of a half-made choice: its answers, and what else the shown keyboard has."""
    rows = choice_rows(card)
    for row in shown.inline_keyboard if shown is not None else ():
        kept = [button for button in row if not chooses(button.callback_data) and button.callback_data != NOTHING]
        if kept:
            rows.append(kept)
    return InlineKeyboardMarkup(rows)


def is_choosing(card: Card) -> Press | None:
    """Return one of the answers of a card that asks somebody alone what to play, None for any other card."""
    for row in card.rows:
        for button in _of(row):
            read = reading(button.press)
            if read is not None and read.deed == PRIVATE:
                return read
    return None


def is_board(shown: InlineKeyboardMarkup | None) -> bool:
    """Say whether buttons are those below a board for all."""
    rows = shown.inline_keyboard if shown is not None else ()
    carried = (reading(button.callback_data) for row in rows for button in row)
    return any(read is not None and read.deed == BOARD for read in carried)


def _of(row: Row) -> tuple[Button, ...]:
    return row.options if isinstance(row, Menu) else row


def _more(buttons: Sequence[Button], card: Card, voice: Speaker) -> list[Button]:
    """Return what Telegram adds to a row: a picture's description, since its pictures carry none."""
    found = next((read for button in buttons if (read := reading(button.press)) and read.deed == BOARD), None)
    if found is None or card.picture is None:
        return []
    return [Button(voice.line("button.words"), str(Press("words", found.game, found.revision)))]


def _alone(buttons: Sequence[Button]) -> str | None:
    """Return the parameter of a link to a board in private, None for what is no board."""
    found = (read for button in buttons if (read := reading(button.press)) and read.deed == BOARD and read.game)
    return next((payload(Press("show", read.game)) for read in found), None)


def _joins(buttons: Sequence[Button]) -> str:
    found = (read for button in buttons if (read := reading(button.press)) and read.deed == "join")
    return next((read.game or "" for read in found), "") if len(buttons) > 1 else ""
