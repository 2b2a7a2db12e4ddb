"""The stored levels of computer players."""

from typing import Final

from bot.language.stored_names import log_unknown_name
from engine.search import LEVELS

DEFAULT_LEVEL: Final = 2


def load_level(stored: str) -> int:
    """Return a stored level; the usual one for a level that is not known here, which is logged once."""
    level = int(stored) if stored.isdecimal() and len(stored) == 1 else 0
    if level in LEVELS:
        return level
    log_unknown_name("level", stored)
    return DEFAULT_LEVEL
