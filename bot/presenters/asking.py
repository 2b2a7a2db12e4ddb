"""A question of the tree of choices as buttons or a menu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.entry.choices import Entry, Question, clicks
from bot.interface.cards import Button, Menu, Row, Style
from bot.interface.presses import press
from bot.language.rich_text import Text
from bot.language.texts import Speaker
from engine import Action, Facts

BUTTONS_A_ROW: Final = 5
MOST_BUTTONS: Final = 10

PUBLIC: Final = "c"
PRIVATE: Final = "p"
LESSON: Final = "l"
"""Where a question is asked: in the open, privately, in a lesson."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Where a question is asked: the game, its revision, in the open or privately (then targets have numbers).

    `deed` is what the buttons do where that does not follow.
    """

    speaker: Speaker
    game: str
    revision: int
    private: bool
    deed: str = ""

    def press(self, *path: str) -> str:
        """Return what a button for a path carries."""
        return press(self.deed or (PRIVATE if self.private else PUBLIC), self.game, self.revision, *path)

    def rows(self, asked: Question) -> tuple[Row, ...]:
        """Return the answers as rows of buttons, or a menu where they are many; a way back after the first."""
        buttons = [
            Button(self.label(asked, entry), self.press(*asked.path, entry.key), self.style(entry))
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
        return {cell: self.press(*path) for cell, path in clicks(asked).items()}

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
            return action_label(self.speaker, asked.facts, entry.actions[0])
        name = f"×{entry.cell}" if entry.capture and entry.sort == "target" else entry.cell
        return f"{entry.number} · {name}" if self.private and entry.number else name


def action_label(speaker: Speaker, facts: Facts, action: Action) -> str:
    """Return the name of one action as a button says it."""
    if action.source is not None or action.target is not None:
        return action.text
    if action.verb in facts.picks:
        return speaker.word("word", action.value)
    verb = speaker.line(f"verb.{facts.kind_of(action)}")
    return f"{verb} ({action.amount})" if action.amount is not None else verb


def button_rows(buttons: Sequence[Button]) -> tuple[tuple[Button, ...], ...]:
    """Return buttons five a row."""
    return tuple(tuple(buttons[at : at + BUTTONS_A_ROW]) for at in range(0, len(buttons), BUTTONS_A_ROW))
