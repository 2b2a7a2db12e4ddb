"""The order and the forms of letters in scripts that are not simply written one after the other.

Pillow can leave this to libraries, but not every machine has them, and a picture has to be the same everywhere. What
stands here is enough for names: Arabic letters join, Hebrew and Arabic run from right to left among other scripts,
Indic vowel signs that are written before their consonant come before it. Consonants are not merged into conjuncts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

Direction = Literal["left", "right", "none"]

_PRE_BASE: Final = frozenset(
    "\u093f\u09bf\u09c7\u09c8\u0a3f\u0abf\u0b47\u0bc6\u0bc7\u0bc8\u0d46\u0d47\u0d48\u0dd9\u0dda\u0ddb"
    "\u1031\u17c1\u17c2\u17c3"
)
_VIRAMA: Final = 9
_NUKTA: Final = 7
_MIRRORED: Final = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_TATWEEL: Final = "\u0640"


def visual(words: str) -> str:
    """Return the characters of a line in the order and the forms in which they are drawn from left to right."""
    directions = [_direction(character) for character in words]
    if "left" not in directions:
        return _reordered(words)
    parts = list(_directed(_joined(words)))
    if parts[0][0] == "left":
        parts.reverse()
    return "".join(_reversed(part) if direction == "left" else _reordered(part) for direction, part in parts)


def _direction(character: str) -> Direction:
    """Return which way a character is written: to the left (Hebrew, Arabic), to the right, or as those around it."""
    match unicodedata.bidirectional(character):
        case "R" | "AL":
            return "left"
        case "L" | "EN" | "AN":
            return "right"
    return "none"


def _directed(words: str) -> Iterator[tuple[Direction, str]]:
    """Cut a line into parts of one direction; what has none goes with its neighbours, or with the line if they differ.

    The line's own direction is that of its first letter.
    """
    directions = [_direction(character) for character in words]
    line = next(direction for direction in directions if direction != "none")
    settled: list[Direction] = []
    for at, direction in enumerate(directions):
        if direction == "none":
            before = next((d for d in reversed(directions[:at]) if d != "none"), line)
            after = next((d for d in directions[at:] if d != "none"), line)
            marks = unicodedata.category(words[at])[0] == "M"
            direction = before if before == after or marks else line
        settled.append(direction)
    start = 0
    for at in range(1, len(words) + 1):
        if at == len(words) or settled[at] != settled[start]:
            yield settled[start], words[start:at]
            start = at


def _reversed(words: str) -> str:
    """Return a part written to the left in the order from left to right, each mark still after its letter."""
    clusters: list[str] = []
    for character in words:
        if clusters and unicodedata.category(character)[0] == "M":
            clusters[-1] += character
        else:
            clusters.append(character)
    return "".join(reversed(clusters)).translate(_MIRRORED)


@lru_cache(maxsize=1)
def _forms() -> dict[tuple[str, str], str]:
    """Return the joined forms of Arabic letters and ligatures: (letters, "initial" and so on) -> character."""
    forms: dict[tuple[str, str], str] = {}
    for code in (*range(0xFB50, 0xFE00), *range(0xFE70, 0xFF00)):
        kind, *letters = unicodedata.decomposition(chr(code)).split() or [""]
        if kind in {"<isolated>", "<final>", "<initial>", "<medial>"} and len(letters) <= 2:
            forms.setdefault(("".join(chr(int(letter, 16)) for letter in letters), kind[1:-1]), chr(code))
    return forms


def _joined(words: str) -> str:
    """Return a text with each Arabic letter in the form that its neighbours ask for."""
    forms = _forms()
    letters = [at for at, character in enumerate(words) if unicodedata.category(character)[0] != "M"]
    result = list(words)
    place = 0
    before = ""
    while place < len(letters):
        at = letters[place]
        letter = words[at]
        after = words[letters[place + 1]] if place + 1 < len(letters) else ""
        if letter == "\u0644" and after and (letter + after, "isolated") in forms:
            # Lam and alef are always written as one.
            result[at], result[letters[place + 1]] = "", ""
            letter, place = letter + after, place + 1
            after = words[letters[place + 1]] if place + 1 < len(letters) else ""
        ties_back = _ties(before, "initial") and _ties(letter, "final")
        ties_on = _ties(letter, "initial") and _ties(after, "final")
        kind = ("medial" if ties_on else "final") if ties_back else ("initial" if ties_on else "isolated")
        form = forms.get((letter, kind), letter)
        if form != letter:
            result[at] = form
        before = letter
        place += 1
    return "".join(result)


def _ties(letter: str, kind: str) -> bool:
    return letter == _TATWEEL or (letter, kind) in _forms()


def _reordered(words: str) -> str:
    """Return a text with the Indic vowel signs that stand before their consonants moved there."""
    result: list[str] = []
    for character in words:
        parts = unicodedata.normalize("NFD", character)
        if parts[0] not in _PRE_BASE:
            result.append(character)
            continue
        at = len(result)
        while at > 0:
            at -= 1
            if unicodedata.combining(result[at]) == _NUKTA:
                continue
            if not (at > 0 and unicodedata.combining(result[at - 1]) == _VIRAMA):
                break
            at -= 1
        result.insert(at, parts[0])
        result.extend(parts[1:])
    return "".join(result)
