"""The answers to a question as a keyboard: a whole board where it fits, else columns and rows to name a cell by.

Every tap of a turn should find its button there from the first one on, so that no keyboard has to be changed in
between: in a group each change is a call, and there are few. So a board's keyboard has, beside the answers to its
question, *keys*: cells that only a later answer can name, and on large boards columns and rows. What a key means
depends on what was tapped before it (`bot.telegram.halves`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import mean
from typing import Final

from telegram import InlineKeyboardButton

from bot.interface.cards import MOST_PRESS_BYTES, Button, Card, Menu, Row
from bot.interface.presses import PUZZLE_ANSWER, TRY, BrokenPress, Press, press, read_press
from bot.presenters.asking import LESSON, PRIVATE, PUBLIC, Spots, column_of, columns_seen
from bot.telegram.markup import cut, units

IN_ROW: Final = 8
MOST_ROWS: Final = 8
MOST_CELLS: Final = 56
"""So many cells are one keyboard where they lie in at most IN_ROW columns; on larger ones column and row name them."""
LONGEST_LABEL: Final = 64
NOTHING: Final = "-"
"""What a button carries that does nothing: Telegram has nothing else to stand between buttons."""
KEY: Final = "k"
"""The deed of a button that names a cell, a column or a row and is no answer by itself."""
FIRST: Final = "●"
"""Stands before what can be tapped first where there are keys, too; colours alone would not tell it to everybody."""
BLANK: Final = "·"

_WIDTHS: Final = ((3, 8), (6, 5), (11, 4), (17, 3), (26, 2))
"""How many buttons fit in a row whose longest label has so many characters."""
_NUMBER: Final = re.compile(r"^\d+ · ")
"""What a picture of the choice would show beside a cell; here the picture stays as it is."""
_CELL: Final = re.compile(r"([a-z]+)(\d+)")
_STYLES: Final = {"plain": None, "primary": "primary", "danger": "danger"}

Keyboard = list[list[InlineKeyboardButton]]


@dataclass(frozen=True)
class Answers:
    """The answers to the question of a card by what a tap names: a cell, a column, a kind of action, an action.

    `within` are the cells of the columns, `back` the buttons that lead back, `keys` the cells that only later answers
    name; `asked` is one of the presses, None without any.
    """

    cells: Mapping[str, Button]
    columns: Mapping[str, Button]
    others: Mapping[str, Button]
    within: Mapping[str, Button]
    back: tuple[Button, ...]
    keys: tuple[str, ...]
    asked: Press | None

    @property
    def goes_on(self) -> bool:
        """Whether what is tapped is kept until the turn's action is settled, so that keys can be understood."""
        return self.asked is not None and self.asked.deed in (PUBLIC, PRIVATE)

    @property
    def presses(self) -> dict[str, str]:
        """What each answer carries, by what it names."""
        parts = (self.within, self.columns, self.others, self.cells)
        return {name: button.press for part in parts for name, button in part.items()}

    @property
    def labels(self) -> list[str]:
        """What the answers are called, in their order."""
        cells = [_named(name, button) for name, button in {**self.cells, **self.within}.items()]
        return [*cells, *(button.label for button in self.others.values())]


def answers_of(card: Card) -> Answers:
    """Return the answers to the question of a card; none if it asks nothing."""
    choices = [button for row in card.rows if _all_choose(row) for button in _of(row)]
    paths = {button.press: read_press(button.press) for button in choices}
    deepest = max((len(read.path) for read in paths.values()), default=0)
    known = {*card.cells, *(card.picture.spots if card.picture is not None else ()), *card.presses}
    cells: dict[str, Button] = {}
    columns: dict[str, Button] = {}
    others: dict[str, Button] = {}
    within: dict[str, Button] = {}
    back = []
    for button in choices:
        read = paths[button.press]
        if len(read.path) < deepest:
            back.append(button)
            continue
        name = read.path[-1] if read.path else ""
        label = _NUMBER.sub("", button.label)
        inner = _within(card, read, name)
        if name in known:
            cells[name] = replace(button, label=label)
        elif inner:
            columns[name] = button
            within |= inner
        else:
            others[name] = replace(button, label=label)
    asked = next(iter(paths.values()), None)
    made = Answers(cells, columns, others, within, tuple(back), (), asked)
    keys = tuple(cell for cell in card.cells if cell not in cells and cell not in within)
    return replace(made, keys=keys) if made.goes_on else made


def choice_rows(card: Card) -> Keyboard:
    """Return the buttons for the question of a card, the way back last."""
    answers = answers_of(card)
    spots = card.picture.spots if card.picture is not None else {}
    shown = {*answers.cells, *answers.within, *answers.keys}
    if not answers.columns and not answers.keys:
        rows = board_rows(_cell_buttons(answers.cells), spots)
        rows += flowing([*answers.others.values()])
    elif len(shown) <= MOST_CELLS and len({column_of(cell) for cell in shown}) <= IN_ROW:
        rows = _whole_board(answers, spots)
    elif answers.goes_on:
        rows = _by_column_and_row(answers, spots)
    else:
        rows = board_rows(_cell_buttons(answers.cells), spots)
        rows += flowing([*answers.columns.values(), *answers.others.values()])
    return rows + [[made(button)] for button in answers.back]


def board_rows(cells: Mapping[str, Button], spots: Spots) -> Keyboard:
    """Return the buttons of cells as the cells lie on the board where that fits, else from its top to its bottom."""
    ordered = sorted(cells, key=lambda cell: (spots[cell][1], spots[cell][0]) if cell in spots else (0, 0))
    lines = _lines(ordered, spots) if all(cell in spots for cell in ordered) else [ordered]
    fits = len(lines) <= MOST_ROWS and all(len(line) <= IN_ROW for line in lines)
    if not fits or len(cells) < 1.5 * len(lines):
        return flowing([cells[cell] for cell in ordered])
    return [[made(cells[cell]) for cell in sorted(line, key=_across(spots))] for line in lines]


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


def chooses(carried: object) -> bool:
    """Say whether what a button carries answers the question of a card, or is a key."""
    read = reading(carried)
    return read is not None and read.deed in (PUBLIC, PRIVATE, LESSON, TRY, PUZZLE_ANSWER, KEY)


def reading(carried: object) -> Press | None:
    """Return what a button carries, None if it is none of ours."""
    try:
        return read_press(str(carried))
    except BrokenPress:
        return None


def row_of(cell: str) -> str:
    """Return the row of a cell, its number."""
    return cell[len(column_of(cell)) :]


def _whole_board(answers: Answers, spots: Spots) -> Keyboard:
    """Return the cells of a board in their places, those that nothing happens on as blanks, and the other answers."""
    marks = bool(answers.keys)
    buttons = {cell: _key(answers, cell, cell) for cell in answers.keys}
    buttons |= _cell_buttons({**answers.within, **answers.cells}, first=marks)
    if len(spots) <= MOST_CELLS:
        buttons |= {cell: Button(BLANK, NOTHING) for cell in spots if cell not in buttons}
    rows = board_rows(buttons, spots)
    if any(len(row) > IN_ROW for row in rows) or not _lie(buttons, spots):
        rows = _named_rows(buttons, spots)
    others = flowing([_marked(button) if marks else button for button in answers.others.values()])
    # What must be tapped first stands first.
    return [*others, *rows] if not answers.cells and not answers.within else [*rows, *others]


def _by_column_and_row(answers: Answers, spots: Spots) -> Keyboard:
    """Return the answers, and keys for all columns and rows that cells can be named by."""
    named = [*answers.within, *answers.keys, *(answers.cells if answers.keys else ())]
    columns = columns_seen({*answers.columns, *map(column_of, named)}, spots)
    rows = _rows_seen({row_of(cell) for cell in named}, spots)
    keys = [
        _marked(replace(answers.columns[name], label=f"{name}…"))
        if name in answers.columns
        else _key(answers, name, f"{name}…")
        for name in columns
    ]
    others = flowing([_marked(button) for button in answers.others.values()])
    cells = board_rows(_cell_buttons(answers.cells, first=True), spots)
    return [
        *(cells if answers.cells else []),
        *others,
        *flowing(keys),
        *flowing([_key(answers, row, f"…{row}") for row in rows]),
    ]


def _named_rows(buttons: Mapping[str, Button], spots: Spots) -> Keyboard:
    """Return cells by their names: a row for each number, as high as its cells lie, its columns in their order."""
    rows: dict[str, list[str]] = {}
    for cell in buttons:
        rows.setdefault(row_of(cell), []).append(cell)

    columns = columns_seen({column_of(cell) for cell in buttons}, spots)

    def height(row: str) -> tuple[float, int]:
        known = [spots[cell][1] for cell in rows[row] if cell in spots]
        return (sum(known) / len(known) if known else 0.0), -int(row)

    return [
        [made(buttons[cell]) for cell in sorted(rows[row], key=lambda cell: columns.index(column_of(cell)))]
        for row in sorted(rows, key=height)
    ]


def _lie(buttons: Iterable[str], spots: Spots) -> bool:
    """Say whether cells lie in few enough rows of the picture to be shown as they lie."""
    if not all(cell in spots for cell in buttons):
        return False
    lines = _lines(sorted(buttons, key=lambda cell: (spots[cell][1], spots[cell][0])), spots)
    return len(lines) <= MOST_ROWS and all(len(line) <= IN_ROW for line in lines)


def _lines(ordered: Sequence[str], spots: Spots) -> list[list[str]]:
    lines: list[list[str]] = []
    for cell in ordered:
        _, y, radius = spots[cell]
        if lines and y - spots[lines[-1][0]][1] <= radius / 2:
            lines[-1].append(cell)
        else:
            lines.append([cell])
    return lines


def _across(spots: Spots) -> Callable[[str], tuple[int, str]]:
    return lambda cell: (spots[cell][0] if cell in spots else 0, cell)


def _rows_seen(rows: Iterable[str], spots: Spots) -> list[str]:
    """Return rows by their numbers, from the nearest on: the other way round where the board is seen from there."""
    ordered = sorted(rows, key=int)
    at: dict[str, list[int]] = {}
    for cell, (_, y, _) in spots.items():
        at.setdefault(row_of(cell), []).append(y)
    heights = [mean(at[row]) for row in ordered if row in at]
    return ordered[::-1] if len(heights) > 1 and all(a < b for a, b in pairwise(heights)) else ordered


def _cell_buttons(cells: Mapping[str, Button], *, first: bool = False) -> dict[str, Button]:
    """Return cells as their buttons show them; `first`: marked as what can be tapped first."""
    named = {cell: replace(button, label=_named(cell, button)) for cell, button in cells.items()}
    return {cell: _marked(button) for cell, button in named.items()} if first else named


def _marked(button: Button) -> Button:
    return replace(button, label=FIRST + button.label, style="primary" if button.style == "plain" else button.style)


def _named(cell: str, button: Button) -> str:
    return f"×{cell}" if button.style == "danger" else cell


def _key(answers: Answers, name: str, label: str) -> Button:
    asked = answers.asked or Press(KEY)
    return Button(label, press(KEY, asked.game, asked.revision, name))


def _within(card: Card, column: Press, name: str) -> dict[str, Button]:
    """Return the cells of a column whose answer this is, none if it is no column."""
    found = {}
    for cell, carried in card.presses.items():
        read = reading(carried)
        inner = _CELL.fullmatch(cell)
        if read is not None and read.path[:-1] == column.path and inner is not None:
            if inner[1] != name:
                return {}
            found[cell] = Button(cell, carried)
    return found


def _all_choose(row: Row) -> bool:
    return all(chooses(button.press) for button in _of(row))


def _of(row: Row) -> tuple[Button, ...]:
    return row.options if isinstance(row, Menu) else row
