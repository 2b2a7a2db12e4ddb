"""The payload of a button: action, game, revision and the rest, in at most 64 bytes."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.kernel.cards import MAX_PRESS_BYTES
from bot.kernel.requests import BoardPost, OpenBoard

GAME_CODE_LENGTH: Final = 6
MAX_ID_DIGITS: Final = 9
"""Maximum number of digits of an id: it fits the column of any database."""
PATH_SEPARATOR: Final = "."
"""Separator of the parts of a path; no action, option or cell contains it."""

TRY_ANSWER: Final = "t"
TRY_CONTROL: Final = "tr"
"""Presses on a private board for trying out lines: answers, and moving through the tree."""

OPEN_PUZZLE: Final = "puzzle"
"""Press that opens a puzzle for the person who presses; the puzzle's id follows."""
PUZZLE_ANSWER: Final = "z"
PUZZLE_CONTROL: Final = "zw"
"""Presses on a person's puzzle board: answers, and all other buttons."""

TEAM_PROPOSE: Final = "propose"
TEAM_SUGGEST: Final = "suggest"
TEAM_MENU: Final = "teamm"
"""Presses that propose a tried turn to one's team, open a board for that, and all other presses about teams."""

GUESS: Final = "guess"
GUESS_TURN: Final = "guessed"
"""Presses that open a board for guessing a game's next turn, and submit the turn tried there."""

LESSON: Final = "lesson"
LESSON_ANSWER: Final = "l"
"""Presses in a person's lesson: moving through it, and answers."""

FORM_PRESS: Final = "form"
"""Press in a form: its command, its version, a step, and the choices so far."""
BACK_STEP: Final = "-"
"""The step that shows the whole form; the field that is left may follow."""
SUBMIT_STEP: Final = "ok"

MENU_PRESS: Final = "menu"
"""Press that opens the menu, or a part of it."""
RUN_PRESS: Final = "do"
"""Press that runs a command; its name and some of its values follow."""

_PRIVATE_BOARDS: Final[Mapping[str, BoardPost]] = {
    LESSON: "lesson",
    LESSON_ANSWER: "lesson",
    PUZZLE_ANSWER: "puzzle",
    PUZZLE_CONTROL: "puzzle",
    TRY_ANSWER: "try",
    TRY_CONTROL: "try",
}

_PRESS_PATTERN = re.compile(r"([a-z]{1,10}!?)(?::([0-9A-Z]{1,12}):(\d{1,9}))?(?:=(.*))?", re.DOTALL)


class BrokenPress(ValueError):
    """A text that is not the payload of one of our buttons."""


@dataclass(frozen=True, slots=True)
class Press:
    """A parsed payload; `rest` is a path of choices, a value, or empty."""

    deed: str
    game: str | None = None
    revision: int = 0
    rest: str = ""

    @property
    def path(self) -> tuple[str, ...]:
        """The rest as a path."""
        return tuple(self.rest.split(PATH_SEPARATOR)) if self.rest else ()

    @property
    def number(self) -> int | None:
        """The rest as a number, None if it is not a number."""
        return read_number(self.rest)

    def __str__(self) -> str:
        return press(self.deed, self.game, self.revision, self.rest)

    @property
    def game_code(self) -> str | None:
        """The code of the game that the press is about; None if there is none, such as on a private board."""
        return self.game if len(self.game or "") == GAME_CODE_LENGTH and self.deed != "learn" else None

    @property
    def fits(self) -> bool:
        """True if the payload is short enough for a button."""
        return len(str(self).encode()) <= MAX_PRESS_BYTES


def read_number(text: str, digits: int = MAX_ID_DIGITS) -> int | None:
    """Return the number in a text; None for any other text, and for more digits, by default than an id can have."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def press(deed: str, game: str | None = None, revision: int = 0, *path: str) -> str:
    """Return the payload for a button."""
    rest = PATH_SEPARATOR.join(path)
    middle = "" if game is None else f":{game}:{revision}"
    return f"{deed}{middle}={rest}" if rest else f"{deed}{middle}"


@lru_cache(maxsize=4096)
def find_press(text: str) -> Press | None:
    """Return a parsed payload, None if it is not one of ours."""
    match = _PRESS_PATTERN.fullmatch(text) if len(text.encode(errors="replace")) <= MAX_PRESS_BYTES else None
    if match is None:
        return None
    deed, game, revision, rest = match.groups()
    return Press(deed, game, int(revision or 0), rest or "")


def read_press(text: str) -> Press:
    """Return a parsed payload; raises BrokenPress if it is not one of ours."""
    found = find_press(text)
    if found is None:
        raise BrokenPress(text[:MAX_PRESS_BYTES])
    return found


RULES_AT_PLAY: Final = "at-play"
"""Marks a press for the rules below a board on which the game is already played."""


def private_board(carried: Iterable[str]) -> OpenBoard | None:
    """Return the private board (lesson, puzzle or try) of a message with these presses; None for any other message."""
    pressed = _find_on_private_board(carried)
    return None if pressed is None else OpenBoard(_PRIVATE_BOARDS[pressed.deed], pressed.game or "")


def reopening_press(carried: Iterable[str]) -> str | None:
    """Return the press that reopens the private board of a message with these presses; None for any other message."""
    pressed = _find_on_private_board(carried)
    return None if pressed is None else press(pressed.deed, pressed.game)


def _find_on_private_board(carried: Iterable[str]) -> Press | None:
    found = (pressed for pressed in map(find_press, carried) if pressed is not None and pressed.game is not None)
    return next((pressed for pressed in found if pressed.deed in _PRIVATE_BOARDS), None)


TODAY_PRESS: Final = press(OPEN_PUZZLE, "PUZZLES", 0, "today")
"""Press that opens the puzzle of the day."""


def game_of_press(press: str) -> str | None:
    """Return the code of the game that a press is about; None if there is none, such as on a private board."""
    found = find_press(press)
    return None if found is None else found.game_code


def answered_form(payload: str) -> str | None:
    """Return the press that a typed answer to a form's message fills in, given its back button; otherwise None."""
    pressed = find_press(payload)
    if pressed is None or pressed.deed != FORM_PRESS or len(pressed.path) < 3:
        return None
    name, version, step, *chosen = pressed.path
    field = step.removeprefix(BACK_STEP)
    return press(FORM_PRESS, None, 0, name, version, field, *chosen) if field not in ("", step) else None
