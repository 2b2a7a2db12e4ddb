"""Which commands and presses make something public, and how often in an hour that may be: each has its line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bot.context.context import Public
from bot.handlers.daily import is_about_daily
from bot.interface.presses import PUZZLE, PUZZLE_ANSWER, PUZZLE_WAY, TRY, TRY_WAY, Press

PRIVATE: Final = None

_CUP_DEEDS: Final = frozenset({"leave", "stay", "give", "start", "pause", "resume", "end!", "out!", "show"})
"""The deeds of a competition's buttons that all see; to enter is one of those that begin something."""

COMMANDS_PUBLIC: Final[Mapping[str, Public | Callable[[Mapping[str, str]], Public | None] | None]] = {
    "play": Public.BEGIN,
    "cup": Public.BEGIN,
    "join": lambda values: Public.CHANGE if values.get("code") else Public.BEGIN,
    "move": Public.MOVE,
    "board": Public.CHANGE,
    "games": PRIVATE,
    "hint": PRIVATE,
    "rematch": Public.BEGIN,
    "resign": PRIVATE,
    "undo": Public.CHANGE,
    "draw": Public.CHANGE,
    "pause": Public.CHANGE,
    "close": Public.CHANGE,
    "mute": Public.CHANGE,
    "kick": Public.CHANGE,
    "ban": Public.CHANGE,
    "leaderboard": Public.CHANGE,
    "profile": PRIVATE,
    "history": PRIVATE,
    "replay": PRIVATE,
    "analyse": PRIVATE,
    "try": PRIVATE,
    "plan": PRIVATE,
    "puzzle": lambda values: Public.CHANGE if is_about_daily(values) else PRIVATE,
    "export": PRIVATE,
    "rules": PRIVATE,
    "learn": PRIVATE,
    "settings": lambda values: Public.CHANGE if values.get("for") == "channel" else PRIVATE,
    "block": PRIVATE,
    "link": PRIVATE,
    "privacy": PRIVATE,
    "help": PRIVATE,
}

PRESSES_PUBLIC: Final[Mapping[str, Public | None]] = {
    "c": Public.MOVE,
    "p": Public.MOVE,
    "text": PRIVATE,
    "board": Public.CHANGE,
    "show": PRIVATE,
    "words": PRIVATE,
    "resign": PRIVATE,
    "resign!": Public.CHANGE,
    "keep": PRIVATE,
    "fair": PRIVATE,
    "more": PRIVATE,
    "undo": Public.CHANGE,
    "hint": PRIVATE,
    "hinted": PRIVATE,
    "offer": Public.CHANGE,
    "agree": Public.CHANGE,
    "refuse": Public.CHANGE,
    "off": Public.CHANGE,
    "close": Public.CHANGE,
    "share": PRIVATE,
    "join": Public.BEGIN,
    "leave": Public.CHANGE,
    "withdraw": Public.CHANGE,
    "start": Public.CHANGE,
    "begin": Public.CHANGE,
    "against": Public.BEGIN,
    "choose": PRIVATE,
    "new": PRIVATE,
    "post": Public.BEGIN,
    "cup": Public.CHANGE,
    "cupnew": PRIVATE,
    "cupmore": PRIVATE,
    "cuppost": Public.BEGIN,
    "solo": Public.BEGIN,
    "robot": Public.CHANGE,
    "seat": Public.CHANGE,
    "rematch": Public.BEGIN,
    "rules": PRIVATE,
    "learn": PRIVATE,
    "lesson": PRIVATE,
    "l": PRIVATE,
    "example": PRIVATE,
    "leaders": Public.CHANGE,
    "profile": PRIVATE,
    "history": PRIVATE,
    "replay": PRIVATE,
    "film": PRIVATE,
    "sheet": PRIVATE,
    "export": PRIVATE,
    "analyse": PRIVATE,
    "analysed": PRIVATE,
    "better": PRIVATE,
    "try": PRIVATE,
    TRY: PRIVATE,
    TRY_WAY: PRIVATE,
    "plan": PRIVATE,
    "unplan": PRIVATE,
    PUZZLE: PRIVATE,
    PUZZLE_ANSWER: PRIVATE,
    PUZZLE_WAY: PRIVATE,
    "privacy": PRIVATE,
    "forget": PRIVATE,
    "forget!": PRIVATE,
    "keepme": PRIVATE,
    "set": PRIVATE,
}


def of_command(name: str, values: Mapping[str, str]) -> Public | None:
    """Return what kind of public deed a command is with these values, None where only its sender sees anything."""
    kind = COMMANDS_PUBLIC.get(name, Public.CHANGE)
    return kind(values) if callable(kind) else kind


def of_press(pressed: Press) -> Public | None:
    """Return what kind of public deed a press is, None where only whoever pressed sees anything."""
    if pressed.deed == "cup":
        return Public.CHANGE if pressed.path and pressed.path[0] in _CUP_DEEDS else PRIVATE
    return PRESSES_PUBLIC.get(pressed.deed, Public.CHANGE)
