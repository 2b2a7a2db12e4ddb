"""Renders a question of the tree of choices as buttons or a menu."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from typing import Final, TypeVar

from bot.kernel.cards import Button, Buttons, Card, Menu, PanelItem, Picture, Row, Rows, Spots, Style
from bot.kernel.choices import Entry, Question, cell_sort_key, click_paths, column_name, column_sort_key
from bot.kernel.presses import press
from bot.kernel.texts import Speaker, Text, strip_styles
from bot.kernel.words import words
from engine import Action, Facts, State
from storage import GameBrief

NO_SPOTS: Final[Spots] = {}
T = TypeVar("T")

BUTTONS_PER_ROW: Final = 5
MAX_BUTTONS: Final = 10

_BETWEEN_CELLS: Final = re.compile(r"[a-z]+\d+-[a-z]+\d+")

PUBLIC_CHOICE: Final = "c"
PRIVATE_CHOICE: Final = "p"
LESSON_CHOICE: Final = "l"
"""Contexts of a question: in public, privately, in a lesson."""


@dataclass(frozen=True, slots=True)
class QuestionView:
    """Parameters of a question: the game, its revision, and whether it is private (then targets have numbers).

    `deed` is the first word of the buttons' payload if it does not follow from `private`. `state` is the position of
    the question; a game may have its own words for the effect of actions there.
    """

    speaker: Speaker
    game: str
    revision: int
    private: bool
    deed: str = ""
    state: State | None = None

    def press(self, *path: str) -> str:
        """Return the payload of a button for a path."""
        return press(self.deed or (PRIVATE_CHOICE if self.private else PUBLIC_CHOICE), self.game, self.revision, *path)

    def rows(self, asked: Question, spots: Spots = NO_SPOTS) -> Rows:
        """Return the answers as rows of buttons, or as a menu if many; after the first answer, with a back button.

        Columns are in the order, from left to right, of a picture with the cells at these spots.
        """
        entries, begun = asked.entries, self._continue_view(asked)
        if columns := {entry.key: entry for entry in entries if entry.sort == "column"}:
            ordered = iter(order_columns(columns, spots))
            entries = tuple(columns[next(ordered)] if entry.sort == "column" else entry for entry in entries)
        buttons = [
            Button(
                self.label(asked, entry),
                begun.press(*asked.path, entry.key),
                "danger" if entry.sort == "target" and entry.capture else "plain",
            )
            for entry in entries
        ]
        rows: list[Row] = list(button_rows(buttons))
        if len(buttons) > MAX_BUTTONS:
            rows = [Menu(self.speaker.line(f"ask.{asked.answer_kind}"), tuple(buttons))]
        if asked.path:
            rows.append((Button(self.speaker.line("button.back"), self.press(*asked.path[:-1])),))
        return tuple(rows)

    def presses(self, asked: Question) -> Mapping[str, str]:
        """Return the presses of clicks on the picture, by cell."""
        begun = self._continue_view(asked)
        return {cell: begun.press(*path) for cell, path in click_paths(asked).items()}

    def _continue_view(self, asked: Question) -> QuestionView:
        """Return the view after the first answer: a choice in progress needs further presses."""
        return replace(self, deed=PRIVATE_CHOICE) if asked.path and not self.deed else self

    def put_on(self, card: Card, asked: Question, spots: Spots = NO_SPOTS) -> Card:
        """Return a card with the answers to a question above its other buttons, and with its clickable cells.

        Its cells are those that the answers to this question and the following ones can name. Its ways are the labels,
        by name, of the differences between actions with the same cells, such as dice.
        """
        facts, actions = asked.state.game.facts, asked.actions
        named = {cell for action in actions for cell in (action.source, action.target) if cell is not None}
        alike = Counter((facts.kind_of(action), action.source, action.target) for action in actions)
        told_apart = [a for a in actions if alike[facts.kind_of(a), a.source, a.target] > 1]
        told_apart.sort(key=lambda action: (action.amount or 0, action.text))
        return replace(
            card,
            rows=(*self.rows(asked, spots), *card.rows),
            presses=self.presses(asked),
            cells=tuple(sorted(named, key=cell_sort_key)),
            pieces=asked.unambiguous_pieces,
            ways={way: self.action_label(facts, a) for a in told_apart if (way := way_name(a.text))},
        )

    def question(self, asked: Question) -> Text:
        """Return the question in words."""
        if asked.answer_kind in ("column", "target") and asked.piece:
            return self.speaker.say("ask.target.from", cell=asked.piece)
        kinds = set(map(asked.state.game.facts.kind_of, asked.actions))
        if len(kinds) == 1 and self.speaker.has(f"ask.{min(kinds)}"):
            return self.speaker.say(f"ask.{min(kinds)}")
        return self.speaker.say(f"ask.{asked.answer_kind}")

    def label(self, asked: Question, entry: Entry) -> str:
        """Return the label of an answer's button; `×c4` captures on c4, `c4 ×` captures on another cell."""
        if entry.sort == "kind":
            return self.speaker.line(f"verb.{entry.key}")
        if entry.sort == "column":
            return self.speaker.line("label.column", column=entry.key)
        facts = asked.state.game.facts
        if entry.sort == "action" or entry.cell is None:
            return self.action_label(facts, entry.actions[0])
        name = entry.cell
        if entry.capture and entry.sort == "target":
            there = any(map(facts.is_capture, entry.actions))
            name = f"×{entry.cell}" if there else f"{entry.cell} ×"
        return f"{entry.number} · {name}" if self.private and entry.number else name

    def action_label(self, facts: Facts, action: Action) -> str:
        """Return the label of a button for one action."""
        said = words[self.state.game.key].choice(self.speaker, self.state, action) if self.state is not None else ""
        return said or _label(self.speaker, facts, action)


def way_name(action: str) -> str:
    """Return the part that distinguishes an action from others with the same cells: `/4` for `b1-c5/4`; often empty."""
    return _BETWEEN_CELLS.sub("", action) if _BETWEEN_CELLS.match(action) else ""


def row_name(cell: str) -> str:
    """Return the row of a cell: its number."""
    return cell[len(column_name(cell)) :]


def order_columns(columns: Iterable[str], spots: Spots) -> list[str]:
    """Return columns ordered by name, reversed if the picture shows them from right to left."""
    return _order_lines(columns, [(column_name(cell), x) for cell, (x, _, _) in spots.items()])


def order_rows(rows: Iterable[str], spots: Spots) -> list[str]:
    """Return rows ordered by number, reversed if the picture shows them from the other side: the first on top."""
    return _order_lines(rows, [(row_name(cell), -y) for cell, (_, y, _) in spots.items()])


def _order_lines(lines: Iterable[str], places: Sequence[tuple[str, int]]) -> list[str]:
    """Return lines by name or number, reversed if their cells' `places` (line, coordinate) fall in that order."""
    ordered = sorted(lines, key=column_sort_key)
    middles = [fmean(found) for line in ordered if (found := [at for name, at in places if name == line])]
    return ordered[::-1] if len(middles) > 1 and all(a > b for a, b in pairwise(middles)) else ordered


def _label(speaker: Speaker, facts: Facts, action: Action) -> str:
    if action.source is not None or action.target is not None:
        return action.text
    if action.verb in facts.picks:
        return speaker.word("word", action.value)
    verb = speaker.line(f"verb.{facts.kind_of(action)}")
    return f"{verb} ({action.amount})" if action.amount is not None else verb


def button_rows(buttons: Iterable[Button | None], per_row: int = BUTTONS_PER_ROW) -> tuple[Buttons, ...]:
    """Return buttons in rows, by default of five; None is a button that is not offered."""
    shown = [button for button in buttons if button is not None]
    return tuple(tuple(shown[at : at + per_row]) for at in range(0, len(shown), per_row))


def with_alt_prefix(picture: Picture | None, words: Text) -> Picture | None:
    """Return a picture whose alt text begins with some words."""
    return None if picture is None else replace(picture, prefix=strip_styles(words))


PAGE_SIZE: Final = 20
"""Games per page. Discord accepts at most forty buttons and rows."""


def make_button(
    speaker: Speaker,
    label: str,
    action: str,
    game: str | None = None,
    revision: int = 0,
    *path: str,
    style: Style = "plain",
    people: tuple[int, ...] = (),
    without: tuple[int, ...] = (),
    disabled: bool = False,
) -> Button:
    """Return a button with a label from the catalogues; its payload is as `press` writes it."""
    carried = press(action, game, revision, *path)
    return Button(speaker.line(label), carried, style, disabled, people, without)


def game_button(
    speaker: Speaker,
    row: GameBrief,
    name: str,
    action: str = "",
    *rest: str,
    style: Style = "plain",
    people: tuple[int, ...] = (),
    without: tuple[int, ...] = (),
    disabled: bool = False,
) -> Button:
    """Return the button `name` for a game's current revision; its press is `action`, by default `name`."""
    carried = press(action or name, row.id, row.revision, *rest)
    return Button(speaker.line(f"button.{name}"), carried, style, disabled, people, without)


def new_game_button(speaker: Speaker) -> Button:
    """Return the button that asks which game to play next; it is shown where a game has ended."""
    return make_button(speaker, "button.new-game", "choose")


def items_on_page(items: Sequence[T], page: int) -> tuple[int, Sequence[T]]:
    """Return a page, counted from 0, with its items; the last page in place of one beyond it."""
    at = min(max(0, page), max(0, (len(items) - 1) // PAGE_SIZE))
    return at, items[at * PAGE_SIZE : (at + 1) * PAGE_SIZE]


def picking_rows(
    speaker: Speaker, keys: Sequence[str], page: int, button: Callable[[str], Button], turned: Callable[[str], str]
) -> Rows:
    """Return a button for every game on a page, and buttons to the neighbouring pages with payloads from `turned`."""
    at, shown = items_on_page(keys, page)
    ways = [
        Button(speaker.line("button.back"), turned(str(at - 1))) if at else None,
        Button(speaker.line("button.next"), turned(str(at + 1))) if (at + 1) * PAGE_SIZE < len(keys) else None,
    ]
    return (*button_rows(map(button, shown)), *button_rows(ways))


MAX_PEOPLE_SHOWN: Final = 50


def person_tile(name: str, person: int | None, note: str = "", place: int | str = "") -> PanelItem:
    """Return the tile of a person, which opens their profile, or without an id the tile of a computer."""
    opens = "" if person is None else press("profile", None, 0, str(person))
    return PanelItem(name, note, str(place), opens, person)


def shorten_tiles(speaker: Speaker, tiles: Sequence[PanelItem]) -> list[PanelItem]:
    """Return the tiles of people; if there are very many, only the first ones, and the number of others."""
    more = [PanelItem(speaker.line("leaders.more", n=len(tiles) - MAX_PEOPLE_SHOWN))]
    return [*tiles[:MAX_PEOPLE_SHOWN], *(more if len(tiles) > MAX_PEOPLE_SHOWN else [])]
