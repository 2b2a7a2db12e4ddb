"""What a button carries: what it does, to which game, at which revision, and the rest, in at most 64 bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.interface.cards import MAX_PRESS_BYTES
from bot.interface.requests import BoardKind, OpenBoard

PATH_SEPARATOR: Final = "."
"""Stands between the parts of a path; no action, option or cell has it in its text."""

TRY_ANSWER: Final = "t"
TRY_CONTROL: Final = "tr"
"""The deeds on a private board on which lines are tried out: answers, and ways through the tree."""

OPEN_PUZZLE: Final = "puzzle"
"""The kind of buttons that open a puzzle for the person who presses; the puzzle's id follows."""
PUZZLE_ANSWER: Final = "z"
PUZZLE_CONTROL: Final = "zw"
"""The deeds on somebody's board with a puzzle: answers, and all else."""

TEAM_PROPOSE: Final = "propose"
TEAM_SUGGEST: Final = "suggest"
TEAM_MENU: Final = "teamm"
"""The deeds by which a turn that was tried out is proposed to one's team, a board is opened for that, and all else."""

GUESS: Final = "guess"
GUESS_TURN: Final = "guessed"
"""The deeds by which somebody opens a board to guess a game's next turn, and guesses the one that was tried there."""

LESSON: Final = "lesson"
LESSON_ANSWER: Final = "l"
"""The deeds on somebody's lesson: ways through it, and answers."""

_PRIVATE_BOARDS: Final[Mapping[str, BoardKind]] = {
    LESSON: "lesson",
    LESSON_ANSWER: "lesson",
    PUZZLE_ANSWER: "puzzle",
    PUZZLE_CONTROL: "puzzle",
    TRY_ANSWER: "try",
    TRY_CONTROL: "try",
}

_PRESS_PATTERN = re.compile(r"([a-z]{1,10}!?)(?::([0-9A-Z]{1,12}):(\d{1,9}))?(?:=(.*))?", re.DOTALL)


class BrokenPress(ValueError):
    """A text that no button of ours carries."""


@dataclass(frozen=True, slots=True)
class Press:
    """A press taken apart; `rest` is a path of choices, a value, or nothing."""

    deed: str
    game: str | None = None
    revision: int = 0
    rest: str = ""

    @property
    def path(self) -> tuple[str, ...]:
        """The rest as a path."""
        return tuple(self.rest.split(PATH_SEPARATOR)) if self.rest else ()

    def __str__(self) -> str:
        middle = "" if self.game is None else f":{self.game}:{self.revision}"
        return f"{self.deed}{middle}={self.rest}" if self.rest else f"{self.deed}{middle}"

    @property
    def fits(self) -> bool:
        """Whether a button can carry it."""
        return len(str(self).encode()) <= MAX_PRESS_BYTES


def press(deed: str, game: str | None = None, revision: int = 0, *path: str) -> str:
    """Return the text for a button."""
    return str(Press(deed, game, revision, PATH_SEPARATOR.join(path)))


@lru_cache(maxsize=4096)
def read_press(text: str) -> Press:
    """Return what a button's text says; BrokenPress if it is none of ours."""
    match = _PRESS_PATTERN.fullmatch(text) if len(text.encode(errors="replace")) <= MAX_PRESS_BYTES else None
    if match is None:
        raise BrokenPress(text[:MAX_PRESS_BYTES])
    deed, game, revision, rest = match.groups()
    return Press(deed, game, int(revision or 0), rest or "")


def private_board(carried: Iterable[str]) -> OpenBoard | None:
    """Return the private board (a lesson, a puzzle, a try) whose message carries some presses; None for any other."""
    for text in carried:
        try:
            pressed = read_press(text)
        except BrokenPress:
            continue
        kind = _PRIVATE_BOARDS.get(pressed.deed)
        if kind is not None and pressed.game is not None:
            return OpenBoard(kind, pressed.game)
    return None
