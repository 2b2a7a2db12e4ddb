"""Conversion of rich text to Telegram's HTML: typed text never becomes markup, and no one is mentioned by accident.

Inline keyboards in the Bot API's JSON form.

A keyboard is the largest part of a message, and every board has a new one. Creating, sending and reading its buttons as
objects of the library would take several times as long.

Keyboards for the answers to a question: a whole board if it fits, otherwise columns and rows of cells.

The first keyboard of a turn should have the buttons for all its taps, since each change of a keyboard is a call, and
calls in groups are few. So a board's keyboard has the answers to its question and also *keys*: cells that only a later
answer can name, distinctions between actions with the same cells (such as dice), and on large boards columns and rows.
The meaning of a key depends on the previous taps (`bot.platforms.telegram.choosing`).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from typing import Final

from telegram import LinkPreviewOptions

from bot.kernel.cards import Button, Buttons, Card, Spots, row_buttons
from bot.kernel.choices import column_name
from bot.kernel.presses import PATH_SEPARATOR, PUZZLE_ANSWER, TRY_ANSWER, Press, find_press, press, read_press
from bot.kernel.question_cards import (
    LESSON_CHOICE,
    PRIVATE_CHOICE,
    PUBLIC_CHOICE,
    order_columns,
    order_rows,
    row_name,
    way_name,
)
from bot.kernel.texts import Span, Text
from storage import Json

NO_PREVIEW: Final = LinkPreviewOptions(is_disabled=True)
MAX_TEXT_LENGTH: Final = 4096
MAX_CAPTION_LENGTH: Final = 1024
_ELLIPSIS: Final = "…"
_ZERO_WIDTH_SPACE: Final = "\u200b"
_INERT_AT_SIGN: Final = f"@{_ZERO_WIDTH_SPACE}"
_TIMESTAMP_FORMATS: Final = {"relative": "r", "day": "D", "time": "Dt"}
"""Formats of timestamps, which clients show in the reader's time zone and language; older clients show the text."""
_HANDLE_PATTERN: Final = re.compile(r"[A-Za-z]\w{4,31}", re.ASCII)
_LINKED: Final = re.compile(r"(?<=:)(?=//)|(?<=\w\.)(?=[^\W\d_]{2})|(?<=[#$])(?=\w)|(?<=(?<![\w/])/)(?=\w)")
"""Pattern of texts that Telegram turns into links: an address with or without a scheme, a #tag, a $SIGN, a /command."""
_LINKED_NAME: Final = re.compile(rf"{_LINKED.pattern}|(?<=\S\.)(?=\S)|(?<=\d{3})(?=[ ()-]?\d\d)")
"""The same for names, where phone numbers and numeric addresses must not become links, either."""


def format_html(text: Text, called: Mapping[int, int] | None = None, most: int = MAX_TEXT_LENGTH) -> str:
    """Return rich text as HTML that shows at most `most` characters, counted in UTF-16 as Telegram does.

    `called` maps the people to mention to their ids on Telegram.
    """
    spans = shorten(_separate_mentions([_make_visible(span) for span in text]), most)
    left = dict(called or {})
    parts = []
    for small, run in groupby(spans, key=lambda span: span.small):
        inner = _add_tags(run, left)
        parts.append(f"<blockquote expandable>{inner}</blockquote>" if small and inner.strip() else inner)
    return "".join(parts)


def _add_tags(spans: Iterable[Span], left: dict[int, int]) -> str:
    written = []
    for bold, group in groupby(spans, key=lambda span: span.bold):
        inner = "".join(_render_span(span, left) for span in group)
        written.append(f"<b>{inner}</b>" if bold and inner.strip() else inner)
    return "".join(written)


def shorten(spans: list[Span], most: int) -> list[Span]:
    """Return spans of at most `most` characters in total, with an ellipsis if something is left out."""
    if sum(utf16_length(span.text) for span in spans) <= most:
        return spans
    fitting: list[Span] = []
    left = most - utf16_length(_ELLIPSIS)
    for span in spans:
        if utf16_length(span.text) > left:
            if not _is_mention(span):  # a shortened name may be another person's
                fitting.append(replace(span, text=truncate(span.text, left)))
            break
        fitting.append(span)
        left -= utf16_length(span.text)
    return [*fitting, Span(_ELLIPSIS)]


def truncate(text: str, most: int) -> str:
    """Return the beginning of a text, at most `most` UTF-16 code units."""
    return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 code units, as Telegram counts it."""
    return len(text.encode("utf-16-le")) // 2


def _make_visible(span: Span) -> Span:
    """Return a span as it is shown: without unintended mentions and links."""
    text = span.text
    if span.handle and _HANDLE_PATTERN.fullmatch(text):
        text = f"@{text}"
    # Except in code, Telegram mentions the owner of a name after an @, and makes links of texts that look like one.
    elif span.link is None and (not span.code or span.person is not None):
        linked = _LINKED if span.person is None else _LINKED_NAME
        text = linked.sub(_ZERO_WIDTH_SPACE, text.replace("@", _INERT_AT_SIGN))
    return span if text == span.text else replace(span, text=text)


def _is_mention(span: Span) -> bool:
    """Return True if a span made visible is a name after an @."""
    return span.handle and _HANDLE_PATTERN.fullmatch(span.text, 1) is not None and span.text[0] == "@"


def _separate_mentions(spans: list[Span]) -> list[Span]:
    """Return spans with a separator after each mention, so that a following word does not extend the name."""
    made: list[Span] = []
    called = False
    for span in spans:
        goes_on = called and re.match(r"\w", span.text)
        made.append(replace(span, text=_ZERO_WIDTH_SPACE + span.text) if goes_on else span)
        called = _is_mention(span) if span.text else called
    return made


def _render_span(span: Span, left: dict[int, int]) -> str:
    """Return a span as HTML; people who are `left` to be mentioned are mentioned at their first name."""
    said = escape(span.text, quote=False)
    if span.timestamp is not None and not span.code:
        unix, form = int(span.timestamp.at.timestamp()), _TIMESTAMP_FORMATS[span.timestamp.style]
        return f'<tg-time unix="{unix}" format="{form}">{said}</tg-time>'
    if span.person is not None and span.person in left:
        return f'<a href="tg://user?id={left.pop(span.person)}">{said}</a>'
    if span.link is not None:
        return f'<a href="{escape(span.link)}">{said}</a>'
    return f"<code>{said}</code>" if span.code and said.strip() else said


KeyboardButton = Json
"""A button: its `text` and its action (https://core.telegram.org/bots/api#inlinekeyboardbutton)."""
Keyboard = list[list[KeyboardButton]]
"""The rows of a keyboard."""


def list_presses(keyboard: Keyboard | None) -> Iterator[str]:
    """Yield the payloads of a keyboard's buttons, of those that have one."""
    for row in keyboard or ():
        for button in row:
            if (data := button.get("callback_data")) is not None:
                yield data


def keyboard_arguments(keyboard: Keyboard | None) -> Json:
    """Return the arguments with which a method of the library sets a message's keyboard, or removes it."""
    if keyboard is None:
        return {}
    # Encode it here: the library passes on strings unchanged, and would encode an object twice.
    return {"api_kwargs": {"reply_markup": json.dumps({"inline_keyboard": keyboard})}}


MAX_COLUMNS: Final = 8
MAX_ROWS: Final = 8
MAX_CELLS: Final = 56
"""Maximum number of cells in one keyboard, in at most MAX_COLUMNS columns; larger boards use columns and rows."""
MAX_LABEL_LENGTH: Final = 64
NO_ACTION_PRESS: Final = "-"
"""The payload of a button without an action: Telegram has no other spacer between buttons."""
CELL_PRESS: Final = "k"
"""The press of a button that names a cell, a column or a row, and is no answer alone."""
ANSWER_MARK: Final = "●"
"""Prefix of buttons that can be tapped first, if there are also keys; colours alone are not accessible to everybody."""
BLANK_LABEL: Final = "·"

_LABEL_WIDTHS: Final = ((3, 8), (6, 5), (11, 4), (17, 3), (26, 2))
"""Pairs of a maximum label length and the number of such buttons that fit in a row."""
_NUMBER_PATTERN: Final = re.compile(r"^\d+ · ")
"""The number that a picture of the choice would show next to a cell; here the picture does not change."""
_CELL_PATTERN: Final = re.compile(r"([a-z]+)(\d+)")


@dataclass(frozen=True)
class ChoiceAnswers:
    """The answers to a card's question, by the name that a tap gives: a cell, a column, a kind of action, an action.

    `within` are the cells of the columns and kinds, `back` the buttons that lead back, `keys` the cells that only later
    answers name, `ways` the labels of the other keys. `asked` is one of the presses, None if there are none.
    """

    cells: Mapping[str, Button]
    columns: Mapping[str, Button]
    others: Mapping[str, Button]
    within: Mapping[str, Button]
    back: Buttons
    keys: tuple[str, ...]
    ways: Mapping[str, str]
    asked: Press | None

    @property
    def goes_on(self) -> bool:
        """True if taps are remembered until the turn's action is complete; only then keys have a meaning."""
        return self.asked is not None and self.asked.deed in (PUBLIC_CHOICE, PRIVATE_CHOICE)

    @property
    def presses(self) -> dict[str, str]:
        """The payload of each answer, by name."""
        parts = (self.within, self.columns, self.others, self.cells)
        return {name: button.press for part in parts for name, button in part.items()}

    @property
    def labels(self) -> list[str]:
        """The labels of the answers, in order."""
        return [button.label for button in {**self.cells, **self.within, **self.others}.values()]


def read_answers(card: Card) -> ChoiceAnswers:
    """Return the answers to a card's question; empty if it has no question."""
    rows = (row_buttons(row) for row in card.rows)
    choices = [button for row in rows if all(is_choice(each.press) for each in row) for button in row]
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
        if name in known:
            label = _NUMBER_PATTERN.sub("", button.label) if button.style == "danger" else name
            cells[name] = replace(button, label=label)
        elif inner := _buttons_in_column(card.presses, read, name):
            columns[name] = button
            within |= inner
        else:
            others[way_name(name) or name] = replace(button, label=_NUMBER_PATTERN.sub("", button.label))
            within |= _piece_buttons(card, read)
    asked = next(iter(paths.values()), None)
    made = ChoiceAnswers(cells, columns, others, within, tuple(back), (), {}, asked)
    if not made.goes_on:
        return made
    keys = tuple(cell for cell in card.cells if cell not in cells and cell not in within)
    return replace(made, keys=keys, ways={name: label for name, label in card.ways.items() if name not in others})


def choice_rows(card: Card) -> Keyboard:
    """Return the buttons for a card's question, those that lead back last."""
    answers = read_answers(card)
    spots = card.picture.spots if card.picture is not None else {}
    shown = {*answers.cells, *answers.within, *answers.keys}
    in_parts = answers.columns or answers.keys
    if in_parts and len(shown) <= MAX_CELLS and len({column_name(cell) for cell in shown}) <= MAX_COLUMNS:
        rows = _whole_board(answers, spots)
    elif in_parts and answers.goes_on:
        rows = _column_and_row_keyboard(answers, spots)
    else:
        rows = board_rows(_make_buttons(answers.cells), spots)
        rows += flow_rows([*_make_buttons(answers.columns).values(), *_make_buttons(answers.others).values()])
    return rows + [[make_button(button)] for button in answers.back]


def board_rows(cells: Mapping[str, KeyboardButton], spots: Spots) -> Keyboard:
    """Return the buttons of cells laid out like the board if that fits, otherwise from top to bottom."""
    lines = _board_lines(cells, spots)
    if lines is None or len(cells) < 1.5 * len(lines):
        return flow_rows([cells[cell] for cell in sorted(cells, key=lambda cell: _position(cell, spots))])
    return [[cells[cell] for cell in line] for line in lines]


def _board_lines(cells: Iterable[str], spots: Spots) -> list[list[str]] | None:
    """Return cells line by line as in the picture, None if it lacks some of them or they do not fit into a keyboard."""
    lines: list[list[str]] = []
    for cell in sorted(cells, key=lambda cell: _position(cell, spots)):
        if cell not in spots:
            return None
        _, y, radius = spots[cell]
        if lines and y - spots[lines[-1][0]][1] <= radius / 2:
            lines[-1].append(cell)
        else:
            lines.append([cell])
    if len(lines) > MAX_ROWS or any(len(line) > MAX_COLUMNS for line in lines):
        return None
    return [sorted(line, key=lambda cell: spots[cell][0]) for line in lines]


def _position(cell: str, spots: Spots) -> tuple[int, int]:
    """Return the place of a cell in the order from top to bottom, then from left to right."""
    x, y, _ = spots.get(cell, (0, 0, 0))
    return y, x


def flow_rows(buttons: Sequence[KeyboardButton]) -> Keyboard:
    """Return buttons in even rows, as wide as the longest label allows."""
    if not buttons:
        return []
    longest = max(len(button["text"]) for button in buttons)
    most = next((count for length, count in _LABEL_WIDTHS if longest <= length), 1)
    lines = -(-len(buttons) // most)
    width = -(-len(buttons) // lines)
    return [[*buttons[at : at + width]] for at in range(0, len(buttons), width)]


def make_button(button: Button, *, first: bool = False) -> KeyboardButton:
    """Return a Telegram button; `first`: True to mark that it can be tapped first."""
    text = f"{ANSWER_MARK}{button.label}" if first else button.label
    if utf16_length(text) > MAX_LABEL_LENGTH:
        text = f"{truncate(text, MAX_LABEL_LENGTH - 1)}…"
    made = {"text": text.strip() or "…", "callback_data": button.press}
    style = "primary" if first and button.style == "plain" else button.style
    return made if style == "plain" else made | {"style": style}


def is_choice(carried: object) -> bool:
    """Return True if a payload is an answer to a card's question or a key."""
    read = read_button(carried)
    return read is not None and read.deed in (
        PUBLIC_CHOICE,
        PRIVATE_CHOICE,
        LESSON_CHOICE,
        TRY_ANSWER,
        PUZZLE_ANSWER,
        CELL_PRESS,
    )


def read_button(carried: object) -> Press | None:
    """Return a parsed payload, None if it is none of ours."""
    return find_press(str(carried))


def find_deed(presses: Iterable[str], *deeds: str) -> Press | None:
    """Return the first of some payloads that does one of these deeds, None if none does."""
    parsed = map(read_button, presses)
    return next((read for read in parsed if read is not None and read.deed in deeds), None)


def _whole_board(answers: ChoiceAnswers, spots: Spots) -> Keyboard:
    """Return the cells of a board in their places, unused ones as blanks, and the other answers."""
    marks = bool(answers.keys)
    buttons = {cell: _make_key(answers, cell, cell) for cell in answers.keys}
    buttons |= _make_buttons({**answers.within, **answers.cells}, first=marks)
    if len(spots) <= MAX_CELLS:
        blank = {"text": BLANK_LABEL, "callback_data": NO_ACTION_PRESS}
        buttons |= {cell: blank for cell in spots if cell not in buttons}
    rows = _named_rows(buttons, spots) if _board_lines(buttons, spots) is None else board_rows(buttons, spots)
    others = flow_rows([*_make_buttons(answers.others, first=marks).values()])
    # Buttons that must be tapped first come first.
    rows = [*others, *rows] if not answers.cells and not answers.within else [*rows, *others]
    return rows + _way_rows(answers)


def _column_and_row_keyboard(answers: ChoiceAnswers, spots: Spots) -> Keyboard:
    """Return the answers, and keys for all columns and rows of cells."""
    named = [*answers.within, *answers.keys, *(answers.cells if answers.keys else ())]
    columns = order_columns({*answers.columns, *map(column_name, named)}, spots)
    rows = order_rows({row_name(cell) for cell in named}, spots)
    keys = [
        make_button(replace(answers.columns[name], label=f"{name}…"), first=True)
        if name in answers.columns
        else _make_key(answers, name, f"{name}…")
        for name in columns
    ]
    return [
        *board_rows(_make_buttons(answers.cells, first=True), spots),
        *flow_rows([*_make_buttons(answers.others, first=True).values()]),
        *flow_rows(keys),
        *flow_rows([_make_key(answers, row, f"…{row}") for row in rows]),
        *_way_rows(answers),
    ]


def _way_rows(answers: ChoiceAnswers) -> Keyboard:
    return flow_rows([_make_key(answers, name, label) for name, label in answers.ways.items()])


def _named_rows(buttons: Mapping[str, KeyboardButton], spots: Spots) -> Keyboard:
    """Return cells by name: a row for each number, the last one on top, with its columns in order."""
    columns = order_columns({column_name(cell) for cell in buttons}, spots)
    rows = order_rows({row_name(cell) for cell in buttons}, spots)
    return [[buttons[column + row] for column in columns if column + row in buttons] for row in reversed(rows)]


def _make_buttons(answers: Mapping[str, Button], *, first: bool = False) -> dict[str, KeyboardButton]:
    return {name: make_button(button, first=first) for name, button in answers.items()}


def _make_key(answers: ChoiceAnswers, name: str, label: str) -> KeyboardButton:
    asked = answers.asked or Press(CELL_PRESS)
    return {"text": label, "callback_data": press(CELL_PRESS, asked.game, asked.revision, name)}


def _piece_buttons(card: Card, kind: Press) -> dict[str, Button]:
    """Return the pieces that can be chosen before their kind of action, without targets, which would play at once."""
    found = {cell: f"{kind}{PATH_SEPARATOR}{cell}" for cell in card.pieces}
    return {cell: Button(cell, carries) for cell, carries in found.items() if card.presses.get(cell) == carries}


def _buttons_in_column(presses: Mapping[str, str], column: Press, name: str) -> dict[str, Button]:
    """Return the buttons of the cells in a column that is an answer, empty if it is no column."""
    found, prefix = {}, f"{column}{PATH_SEPARATOR}"
    for cell, carries in presses.items():
        # Compare texts: parsing every payload of a large board takes several times as long.
        if carries.startswith(prefix) and PATH_SEPARATOR not in carries[len(prefix) :]:
            inner = _CELL_PATTERN.fullmatch(cell)
            if inner is None:
                continue
            if inner[1] != name:
                return {}
            found[cell] = Button(cell, carries)
    return found
