"""Choosing one of all installed games: a button for each, on several pages if there are many."""

from collections.abc import Callable, Sequence
from typing import Final

from bot.core.question_cards import button_rows
from bot.interface.cards import Button, Row
from bot.interface.presses import press
from bot.language.texts import Speaker

PAGE_SIZE: Final = 20
"""Games per page. Discord takes at most forty buttons and rows, and nobody reads more at once."""


def new_game_button(speaker: Speaker) -> Button:
    """Return the button that asks which game to play next; it is shown where a game has ended."""
    return Button(speaker.line("button.new-game"), press("choose"))


def games_on_page(keys: Sequence[str], page: int) -> Sequence[str]:
    """Return the games on a page, counted from 0; for a page beyond the last, those of the last."""
    last = max(0, (len(keys) - 1) // PAGE_SIZE)
    first = min(max(0, page), last) * PAGE_SIZE
    return keys[first : first + PAGE_SIZE]


def picking_rows(
    speaker: Speaker, keys: Sequence[str], page: int, button: Callable[[str], Button], turned: Callable[[str], str]
) -> tuple[Row, ...]:
    """Return a button for every game on a page, and those to the neighbouring pages, with `turned` as payload."""
    shown = games_on_page(keys, page)
    at = keys.index(shown[0]) // PAGE_SIZE if shown else 0
    ways = []
    if at:
        ways.append(Button(speaker.line("button.back"), turned(str(at - 1))))
    if (at + 1) * PAGE_SIZE < len(keys):
        ways.append(Button(speaker.line("button.next"), turned(str(at + 1))))
    return (*button_rows([button(key) for key in shown]), *button_rows(ways))


def read_page(text: str) -> int | None:
    """Return the page number in a press, None for anything else: no game's key begins with a digit."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else None
