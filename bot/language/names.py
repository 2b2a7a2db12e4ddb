"""Names as people see them: nothing in them can break a line, turn it round or go on for ever."""

from __future__ import annotations

import unicodedata
from typing import Final

LONGEST_NAME: Final = 32
_MOST_MARKS: Final = 2
_JOINERS: Final = "\u200c\u200d"
_BLANKS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that are shown as nothing: fillers of Hangul and the empty pattern of Braille."""
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def clean_name(raw: str, fallback: str = "?") -> str:
    """Return the name without control and direction characters, of at most 32 characters on one line.

    Marks piled on one letter are cut to two. A name of which nothing visible is left becomes the fallback.
    """
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", raw[: LONGEST_NAME * 8]):
        category = unicodedata.category(character)
        if category in ("Zs", "Zl", "Zp") or character in "\t\n\r\v\f" or character in _BLANKS:
            character = " "
            if not kept or kept[-1] == " ":
                continue
        elif category in _INVISIBLE and not (character in _JOINERS and kept):
            continue
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks <= _MOST_MARKS:
            kept.append(character)
    name = "".join(kept)[:LONGEST_NAME].strip(" " + _JOINERS)
    visible = any(unicodedata.category(character)[0] in "LNPS" for character in name)
    return name if visible else fallback
