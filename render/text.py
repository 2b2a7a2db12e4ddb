"""Lettering: Jost, fallback fonts for missing characters, and sanitized names."""

import math
import re
import unicodedata
from functools import lru_cache
from typing import Final, Literal

from PIL import Image

from engine.record_fields import make_names_distinct
from render.shaping import JOINERS, Weight, draw_box, draw_glyph, face_of, shape_text, split_clusters

Align = Literal["left", "centre", "right"]

CAPITAL_HEIGHT: Final = 0.7
"""Height of Jost's capitals and figures, relative to the size."""
ELLIPSIS: Final = "…"
MIN_SIZE: Final = 27
"""Minimum size of text in pixels: a phone shows pictures at less than half of their width."""
_MAX_LENGTH = 80
_MAX_COMBINING_MARKS = 2
_QUOTES: Final = "\u201c\u201d"
_COMPUTER: Final = re.compile(r"(?P<whole>(?P<word>[^\W\d]{5,})(?P<number> \d)?)(?: \(\w+ \d\))")
"""A computer's name: `Computer 3 (level 4)`; its level goes first, then the end of the word."""
_BRACKETS: Final = ("(", "[")
_NUMBER: Final = re.compile(r" \(\d+\)$")
"""What tells a name apart from others that look like it: `Anna (2)`."""


@lru_cache(maxsize=2048)
def clean(name: str, length: int = _MAX_LENGTH) -> str:
    """Return a name or a sentence as it may be drawn: one line, no control characters, few marks on a letter, not long.

    Letters in fancy dress become plain ones, pictographs are left out where anything else remains, and invisible
    characters, those that turn the direction of text among them, go (but joiners within words that they belong to).
    The result is in the order of reading.
    """
    characters: list[str] = []
    marks = 0
    whole = unicodedata.normalize("NFC", name[: 4 * length])
    for at, character in enumerate(whole):
        kind = unicodedata.category(character)
        if kind[0] == "Z" or character in "\t\n\r":
            characters.append(" ")
        elif character in JOINERS:
            if 0 < at < len(whole) - 1 and _joins(whole[at - 1]) and _joins(whole[at + 1]):
                characters.append(character)
        elif kind[0] != "C" and not 0xFE00 <= ord(character) <= 0xFE0F:
            marks = marks + 1 if kind[0] == "M" else 0
            if marks <= _MAX_COMBINING_MARKS:
                characters += _plain(character, kind)
    words = " ".join("".join(characters).split())
    if not words and name.strip():
        return "\N{WHITE SQUARE}"
    return words if len(words) <= length else words[: length - 1].rstrip() + ELLIPSIS


@lru_cache(maxsize=512)
def clean_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names as they may be drawn in one picture: those that are left with the same have a number behind them."""
    shown = [clean(name) for name in names]
    distinct = iter(make_names_distinct([name for name in shown if name], length=_MAX_LENGTH))
    return tuple(next(distinct) if name else "" for name in shown)


def is_drawable(words: str) -> bool:
    """Return whether our fonts have every character of a text."""
    return all(face_of(character) for character in words if character not in JOINERS)


def _joins(character: str) -> bool:
    """Say whether a character is a letter of a script without capitals, or a mark."""
    return unicodedata.category(character) in {"Lo", "Mn", "Mc"}


def _plain(character: str, kind: str) -> str:
    """Return what stands for a character: itself, its plain form, nothing (pictographs, marks) or itself as a box."""
    wide = unicodedata.decomposition(character).startswith(("<wide>", "<narrow>"))
    if face_of(character) and not wide:
        return character
    plain = unicodedata.normalize("NFKC", character)
    if plain != character and is_drawable(plain):
        return plain
    return "" if kind[0] in "SM" else character


def text_width(words: str, size: float, weight: Weight = "bold") -> float:
    """Return the width of a text, in the unit of its size."""
    return shape_text(words, weight).width * size


@lru_cache(maxsize=2048)
def fit_text(words: str, room: float, size: float, least: float, weight: Weight = "bold") -> tuple[str, float]:
    """Return the text and a size between `least` and `size` in which it is no wider than `room`.

    If even `least` is too large, the end of the text goes and an ellipsis shows it.
    """
    wide = text_width(words, size, weight)
    if wide <= room:
        return words, size
    if text_width(words, least, weight) <= room:
        # In steps, so that fewer forms of letters are kept.
        return words, max(least, math.floor(2 * size * room / wide) / 2)
    parts = split_clusters(words)
    while parts and text_width("".join(parts).rstrip() + ELLIPSIS, least, weight) > room:
        parts.pop()
    return "".join(parts).rstrip() + ELLIPSIS, least


@lru_cache(maxsize=2048)
def fit_name(name: str, room: float, size: float, least: float, among: tuple[str, ...] = ()) -> tuple[str, float]:
    """Return a name as `fit_text` does, but shorten words at its end to their first letters, then drop them, first.

    What is dropped leaves an ellipsis, only a computer's level does not. Scripts without capitals have no initials. A
    number that tells apart those who have the same name stays. `among` are all names of the picture: no two of them
    become the same.
    """
    taken = {form for other in among if other != name for form in _forms(other)}
    for form in _forms(name):
        if form not in taken:
            shown, used = fit_text(form, room, size, least)
            if shown == form:
                return shown, used
    whole, number = _split_number(name)
    cut = _cut_end(whole, number, room, least)
    if any(other.startswith(cut.removesuffix(ELLIPSIS + number)) for other in among if other != name):
        cut = _cut_end(whole, f" ({among.index(name) + 1})", room, least)
    return cut, least


@lru_cache(maxsize=512)
def _forms(name: str) -> tuple[str, ...]:
    """Return a name and ever shorter forms of it."""
    if not name:
        return (name,)
    if computer := _COMPUTER.fullmatch(name):
        whole, word, number = computer["whole"], computer["word"], computer["number"]
        return name, whole, f"{word[:4]}.{number or ''}", f"{word[0]}.{number or ''}"
    if name[0] == _QUOTES[0]:
        inner = name.removeprefix(_QUOTES[0]).removesuffix(_QUOTES[1])
        return tuple(f"{_QUOTES[0]}{form}{_QUOTES[1]}" for form in _person_forms(inner))
    return _person_forms(name)


def _person_forms(name: str) -> tuple[str, ...]:
    """Return a person's name and ever shorter forms of it."""
    whole, number = _split_number(name)
    words = whole.split(" ")
    # What stands in brackets behind a name goes as a whole.
    last = next((at for at, word in enumerate(words) if at and word[:1] in _BRACKETS), len(words))
    forms = [whole, *([" ".join(words[:last]) + ELLIPSIS] if last < len(words) else [])]
    final = words[last - 1]
    if final[0].isupper():
        forms += [" ".join([*words[:count], f"{final[0]}."]) for count in range(last - 1, 0, -1)]
        # More letters of it, where others have the same first one.
        forms += [" ".join([words[0], f"{final[:length]}."]) for length in (2, 3) if last > 1 and len(final) > length]
    forms += [" ".join(words[:count]) + ELLIPSIS for count in range(last - 1, 0, -1)]
    return tuple(dict.fromkeys(form + number for form in forms))


def _split_number(name: str) -> tuple[str, str]:
    """Return a name without the number that tells it apart from others, and that number as it is written behind it."""
    found = _NUMBER.search(name)
    return (name[: found.start()], found[0]) if found and found.start() else (name, "")


def _cut_end(words: str, ending: str, room: float, size: float) -> str:
    """Return as much of a text as fits with an ellipsis and what must stay behind it."""
    parts = split_clusters(words)
    while parts and text_width("".join(parts).rstrip() + ELLIPSIS + ending, size) > room:
        parts.pop()
    return "".join(parts).rstrip() + ELLIPSIS + ending


def text_mask(words: str, size: float, weight: Weight) -> tuple[Image.Image, int, int]:
    """Return a text as a mask (mode L), with the place in it where the baseline starts."""
    left, base = math.ceil(size * 0.3), math.ceil(size * 1.2)
    wide = math.ceil(shape_text(words, weight).width * size) + 2 * left
    return draw_masked(words, size, weight, (wide, base + math.ceil(size * 0.6)), (left, base)), left, base


def draw_masked(
    words: str, size: float, weight: Weight, extent: tuple[int, int], start: tuple[int, int]
) -> Image.Image:
    """Return a mask (mode L) of a given extent with a text on it, whose baseline begins at `start`."""
    image = Image.new("L", extent, 0)
    for glyph in shape_text(words, weight).glyphs:
        form, dx, dy = draw_glyph(glyph.face, glyph.number, size) if glyph.face else draw_box(size)
        image.paste(255, (start[0] + round(glyph.x * size) + dx, start[1] - round(glyph.y * size) + dy), form)
    return image
