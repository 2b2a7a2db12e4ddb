"""A question of the tree of choices as buttons or a menu."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import mean
from typing import Final

from bot.entry.choices import Entry, Question, cell_order, clicks
from bot.interface.cards import Button, Menu, Row, Style
from bot.interface.presses import press
from bot.language.rich_text import Text
from bot.language.texts import Speaker
from bot.words import words
from engine import Action, Facts, State

Spots = Mapping[str, tuple[int, int, int]]
"""Where cells are in a picture."""
NOWHERE: Final[Spots] = {}

BUTTONS_A_ROW: Final = 5
MOST_BUTTONS: Final = 10

PUBLIC: Final = "c"
PRIVATE: Final = "p"
LESSON: Final = "l"
"""Where a question is asked: in the open, privately, in a lesson."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Where a question is asked: the game, its revision, in the open or privately (then targets have numbers).

    `deed` is what the buttons do where that does not follow, `state` the position in which it is asked: a game may have
    words for what its actions do there.
    """

    speaker: Speaker
    game: str
    revision: int
    private: bool
    deed: str = ""
    state: State | None = None

    def press(self, *path: str) -> str:
        """Return what a button for a path carries."""
        return press(self.deed or (PRIVATE if self.private else PUBLIC), self.game, self.revision, *path)

    def rows(self, asked: Question, spots: Spots = NOWHERE) -> tuple[Row, ...]:
        """Return the answers as rows of buttons, or a menu where they are many; a way back after the first.

        Columns stand in the order in which a picture with the cells at these spots shows them, from left to right.
        """
        asked = _as_seen(asked, spots)
        buttons = [
            Button(self.label(asked, entry), self._begun(asked).press(*asked.path, entry.key), self.style(entry))
            for entry in asked.entries
        ]
        rows: list[Row] = list(button_rows(buttons))
        if len(buttons) > MOST_BUTTONS:
            rows = [Menu(self.speaker.line(f"ask.{asked.asks}"), tuple(buttons))]
        if asked.path:
            rows.append((Button(self.speaker.line("button.back"), self.press(*asked.path[:-1])),))
        return tuple(rows)

    def presses(self, asked: Question) -> Mapping[str, str]:
        """Return what a click on a cell of the picture means."""
        return {cell: self._begun(asked).press(*path) for cell, path in clicks(asked).items()}

    def _begun(self, asked: Question) -> Asking:
        """Return who asks on after the first answer: what somebody has begun to choose is no single press any more."""
        return replace(self, deed=PRIVATE) if asked.path and not self.deed else self

    def cells(self, asked: Question) -> tuple[str, ...]:
        """Return all cells that the answers to a question, and to those that follow it, can name."""
        actions = [action for entry in asked.entries for action in entry.actions]
        named = {cell for action in actions for cell in (action.source, action.target) if cell is not None}
        return tuple(sorted(named, key=cell_order))

    def question(self, asked: Question) -> Text:
        """Return the question in words."""
        if asked.asks == "target" and asked.piece:
            return self.speaker.say("ask.target.from", cell=asked.piece)
        kinds = {asked.facts.kind_of(action) for entry in asked.entries for action in entry.actions}
        if len(kinds) == 1 and self.speaker.has(f"ask.{min(kinds)}"):
            return self.speaker.say(f"ask.{min(kinds)}")
        return self.speaker.say(f"ask.{asked.asks}")

    def style(self, entry: Entry) -> Style:
        """Return how the button for an answer looks."""
        return "danger" if entry.sort == "target" and entry.capture else "plain"

    def label(self, asked: Question, entry: Entry) -> str:
        """Return what the button for an answer says."""
        if entry.sort == "kind":
            return self.speaker.line(f"verb.{entry.key}")
        if entry.sort == "column":
            return self.speaker.line("label.column", column=entry.key)
        if entry.sort == "action" or entry.cell is None:
            return self.action_label(asked.facts, entry.actions[0])
        name = f"×{entry.cell}" if entry.capture and entry.sort == "target" else entry.cell
        return f"{entry.number} · {name}" if self.private and entry.number else name

    def action_label(self, facts: Facts, action: Action) -> str:
        """Return the name of one action as a button says it."""
        said = words[self.state.game.key].choice(self.speaker, self.state, action) if self.state is not None else ""
        return said or _label(self.speaker, facts, action)


def column_of(cell: str) -> str:
    """Return the column of a cell, its letters."""
    return cell.rstrip("0123456789")


def columns_seen(columns: Iterable[str], spots: Spots) -> list[str]:
    """Return columns by their names, but from right to left where the picture shows them so."""
    ordered = sorted(columns, key=lambda name: (len(name), name))
    at: dict[str, list[int]] = {}
    for cell, (x, _, _) in spots.items():
        at.setdefault(column_of(cell), []).append(x)
    middles = [mean(at[name]) for name in ordered if name in at]
    return ordered[::-1] if len(middles) > 1 and all(a > b for a, b in pairwise(middles)) else ordered


def _as_seen(asked: Question, spots: Spots) -> Question:
    columns = {entry.key: entry for entry in asked.entries if entry.sort == "column"}
    seen = iter(columns_seen(columns, spots))
    return replace(asked, entries=tuple(columns[next(seen)] if e.sort == "column" else e for e in asked.entries))


def _label(speaker: Speaker, facts: Facts, action: Action) -> str:
    if action.source is not None or action.target is not None:
        return action.text
    if action.verb in facts.picks:
        return speaker.word("word", action.value)
    verb = speaker.line(f"verb.{facts.kind_of(action)}")
    return f"{verb} ({action.amount})" if action.amount is not None else verb


def button_rows(buttons: Sequence[Button]) -> tuple[tuple[Button, ...], ...]:
    """Return buttons five a row."""
    return tuple(tuple(buttons[at : at + BUTTONS_A_ROW]) for at in range(0, len(buttons), BUTTONS_A_ROW))
