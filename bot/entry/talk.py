"""Telling a typed line of play from talk."""

import re
from typing import Final

from engine import EngineError, State
from engine.core import AmbiguousAction, IllegalAction, InvalidAction
from engine.notation import normalise

_TOKEN_PATTERN: Final = re.compile(r"[^\W\d_]+|\d+")
_CELLS_PATTERN: Final = re.compile(r"(?:[a-z]{1,2}\d{1,2}|[\s\-x/!+,;:]|/\d{1,2})+")
_CELL_PATTERN: Final = re.compile(r"[a-z]\d{1,2}")
_MAX_CELL_LETTERS: Final = 2
"""Maximum number of letters before the number of a cell: the cell's own, and that of the piece that moves there."""


def is_talk(state: State, text: str) -> bool:
    """Return True if a text is just talk: no line of play, whether legal, ambiguous or forbidden by a rule."""
    try:
        state.parse(text)
    except (IllegalAction, AmbiguousAction):
        return not _is_written_out(state, text)
    except InvalidAction as error:
        # A cell that is not on the board is a typo in a move; by itself it may be anything, from w8 to 4pm.
        slip = error.code in ("no-such-cell", "unreadable-sign") and len(re.findall(r"\d+", text)) > 1
        return not slip or not _is_written_out(state, text)
    except EngineError:
        return False
    return False


def is_talk_beside_board(state: State, text: str) -> bool:
    """Return True if a text that is typed beside a private board is just talk.

    A cell alone means the board, even one that is not there: as long as it names one of its columns.
    """
    typed, cells = normalise(text), state.topology.cells(state.topology.all)
    if _CELL_PATTERN.fullmatch(typed) and typed[0] in {cell[0] for cell in cells}:
        return False
    return is_talk(state, text)


def names_cells(text: str) -> bool:
    """Return True if a text consists of cells with the marks of a notation, as `d5xc4`."""
    typed = normalise(text)
    return any(each.isdecimal() for each in typed) and _CELLS_PATTERN.fullmatch(typed) is not None


def _is_written_out(state: State, text: str) -> bool:
    """Return True if a whole text is notation: the engine judges by its start, and sentences may start with a cell."""
    typed = normalise(text)
    if "?" in typed or not any(each.isdecimal() for each in typed):
        return False
    for piece in _TOKEN_PATTERN.finditer(typed):
        word, follows = piece[0], typed[piece.end() : piece.end() + 1]
        if word.isdecimal() or word == "x":
            continue
        if follows.isdecimal():
            if len(word) > _MAX_CELL_LETTERS:
                return False
        elif not any(normalise(action.text).startswith(word) for action in state.well_formed(typed[piece.start() :])):
            return False
    return True
