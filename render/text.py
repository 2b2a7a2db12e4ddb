"""Lettering: Jost, other fonts for what it lacks, and names typed by people made harmless."""

from __future__ import annotations

import io
import json
import math
import re
import struct
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, Literal

from PIL import Image, ImageDraw, ImageFont

from render.scripts import visual

Weight = Literal["bold", "semibold"]
Align = Literal["left", "centre", "right"]

CAPITAL: Final = 0.7
"""The height of Jost's capitals and figures, in parts of the size."""
ELLIPSIS: Final = "…"
_BOX: Final = 0.6
"""The width of the box that stands for what no font draws, in parts of the size."""
_WORDS: Final = re.compile(r"\s+|\S+")
_LONGEST = 80
_MOST_MARKS = 2
_MEASURE: Final = 120
_SHARP: Final = [0] * 128 + [255] * 128


@dataclass(frozen=True)
class Face:
    """A font file: which characters it draws, its kerning, and the font at any size."""

    path: str

    @cached_property
    def characters(self) -> frozenset[int]:
        """All characters that the font has glyphs for."""
        return characters(files("render").joinpath("fonts", self.path).read_bytes())

    @cached_property
    def kerning(self) -> dict[str, float]:
        """By how much pairs of letters move together, in parts of the size (`tools/make_fonts.py` wrote it down)."""
        source = files("render").joinpath("fonts", self.path[:-4] + ".json")
        if not source.is_file():
            return {}
        data = json.loads(source.read_text(encoding="utf-8"))
        return {
            pairs[at : at + 2]: int(value) * data["unit"]
            for value, pairs in data["pairs"].items()
            for at in range(0, len(pairs), 2)
        }

    def font(self, size: float) -> ImageFont.FreeTypeFont:
        """Return the font at a size in pixels."""
        return _font(self.path, size)


@lru_cache(maxsize=64)
def _font(path: str, size: float) -> ImageFont.FreeTypeFont:
    file = io.BytesIO(files("render").joinpath("fonts", path).read_bytes())
    # The basic layout is built into Pillow; the other one needs libraries that not every machine has.
    return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)


_SCRIPTS: Final = (
    "Armenian Georgian Hebrew Arabic Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam "
    "Sinhala Thai Lao Khmer Myanmar Ethiopic Cherokee CanadianAboriginal"
)
_OTHERS: Final = (
    Face("NotoSans-Bold.ttf"),
    *(Face(f"NotoSans{script}-Bold.ttf") for script in _SCRIPTS.split()),
    Face("NotoSansCJKjp-Bold.otf"),
)
_MAIN: Final = Face("Jost-Bold.ttf"), Face("Jost-SemiBold.ttf")
_FACES: Final[dict[Weight, tuple[Face, ...]]] = {"bold": (_MAIN[0], *_OTHERS), "semibold": (_MAIN[1], *_OTHERS)}


def characters(data: bytes) -> frozenset[int]:
    """Return the characters in a font file's `cmap` table (formats 4 and 12, which all our fonts have)."""
    tables = struct.unpack_from(">H", data, 4)[0]
    start = next(
        struct.unpack_from(">I", data, 12 + 16 * number + 8)[0]
        for number in range(tables)
        if data[12 + 16 * number : 16 + 16 * number] == b"cmap"
    )
    found: set[int] = set()
    for number in range(struct.unpack_from(">H", data, start + 2)[0]):
        at = start + struct.unpack_from(">I", data, start + 4 + 8 * number + 4)[0]
        kind = struct.unpack_from(">H", data, at)[0]
        if kind == 12:
            for group in range(struct.unpack_from(">I", data, at + 12)[0]):
                first, last = struct.unpack_from(">II", data, at + 16 + 12 * group)
                found.update(range(first, last + 1))
        elif kind == 4:
            twice = struct.unpack_from(">H", data, at + 6)[0]
            ends = struct.unpack_from(f">{twice // 2}H", data, at + 14)
            starts = struct.unpack_from(f">{twice // 2}H", data, at + 16 + twice)
            for first, last in zip(starts, ends, strict=True):
                found.update(range(first, last + 1))
    return frozenset(found - {0xFFFF})


@lru_cache(maxsize=8192)
def _face(character: str, weight: Weight = "bold") -> Face | None:
    """Return the first font that draws a character."""
    return next((face for face in _FACES[weight] if ord(character) in face.characters), None)


def _word_faces(word: str, weight: Weight) -> list[Face | None]:
    """Return a font for each character of a word, the same one if any draws the whole word."""
    for face in dict.fromkeys(_face(character, weight) for character in word):
        if face and all(ord(character) in face.characters for character in word):
            return [face] * len(word)
    return [_face(character, weight) for character in word]


@lru_cache(maxsize=2048)
def clean(name: str) -> str:
    """Return a name as it may be drawn: one line, no control characters, few marks on a letter, not too long.

    Letters in fancy dress become plain ones, pictographs are left out where anything else remains, and invisible
    characters, those that turn the direction of text among them, go. The result is in the order of reading.
    """
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", name[: 4 * _LONGEST]):
        kind = unicodedata.category(character)
        if kind[0] == "Z" or character in "\t\n\r":
            kept.append(" ")
        elif kind[0] != "C" and not 0xFE00 <= ord(character) <= 0xFE0F:
            marks = marks + 1 if kind[0] == "M" else 0
            if marks <= _MOST_MARKS:
                kept += _plain(character, kind)
    words = " ".join("".join(kept).split())
    if not words and name.strip():
        return "\N{WHITE SQUARE}"
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1].rstrip() + ELLIPSIS


def drawable(words: str) -> bool:
    """Say whether our fonts have every character of a text."""
    return all(_face(character) for character in words)


def _plain(character: str, kind: str) -> str:
    """Return what stands for a character: itself, its plain form, nothing (pictographs, marks) or itself as a box."""
    wide = unicodedata.decomposition(character).startswith(("<wide>", "<narrow>"))
    if _face(character) and not wide:
        return character
    plain = unicodedata.normalize("NFKC", character)
    if plain != character and drawable(plain):
        return plain
    return "" if kind[0] in "SM" else character


@lru_cache(maxsize=4096)
def _runs(words: str, weight: Weight) -> tuple[tuple[Face | None, str, float], ...]:
    """Cut a text into runs that one font can draw each without moving letters together.

    A run is a font (None where none has the character), the letters, and how much nearer the next run comes.
    """
    runs: list[tuple[Face | None, str, float]] = []
    shown = visual(words)
    faces = [face for word in _WORDS.findall(shown) for face in _word_faces(word, weight)]
    start = 0
    for at, (face, following) in enumerate(pairwise([*faces, None]), 1):
        nearer = face.kerning.get(shown[at - 1 : at + 1], 0.0) if face and face is following else 0.0
        if at == len(shown) or face is not following or nearer:
            runs.append((face, shown[start:at], nearer))
            start = at
    return tuple(runs)


@lru_cache(maxsize=2048)
def _wide(face: Face, character: str) -> float:
    # Measured at one large size, so that hinting does not make the width jump from size to size.
    return face.font(_MEASURE).getlength(character) / _MEASURE


def _advance(face: Face | None, run: str, size: float) -> float:
    return (sum(_wide(face, character) for character in run) if face else _BOX * len(run)) * size


@lru_cache(maxsize=4096)
def width(words: str, size: float, weight: Weight = "bold") -> float:
    """Return how wide a text is, in the unit of its size."""
    return sum(_advance(face, run, size) + nearer * size for face, run, nearer in _runs(words, weight))


@lru_cache(maxsize=2048)
def fit(words: str, room: float, size: float, least: float, weight: Weight = "bold") -> tuple[str, float]:
    """Return the text and a size between `least` and `size` in which it is no wider than `room`.

    If even `least` is too large, the end of the text goes and an ellipsis shows it.
    """
    wide = width(words, size, weight)
    if wide <= room:
        return words, size
    if width(words, least, weight) <= room:
        # In steps, since every size is a font of its own.
        return words, max(least, math.floor(2 * size * room / wide) / 2)
    while words and width(words + ELLIPSIS, least, weight) > room:
        words = words[:-1].rstrip()
    return words + ELLIPSIS, least


def fit_name(name: str, room: float, size: float, least: float) -> tuple[str, float]:
    """Return a name as `fit` does, but let its later words shrink to their first letters, then go, before it is cut.

    A number right behind the first word stays: it tells apart those who have the same name.
    """
    words = name.split(" ")
    forms = [name]
    if len(words) > 1:
        initials = [word[0] + "." for word in words[1:] if word[0].isalpha()]
        first = " ".join(words[:2]) if words[1].isdecimal() else words[0]
        forms += [" ".join([first, *initials[-1:]]), first]
    for form in forms:
        shown, used = fit(form, room, size, least)
        if not shown.endswith(ELLIPSIS):
            return shown, used
    return fit(name, room, size, least)


def mask(words: str, size: float, weight: Weight) -> tuple[Image.Image, int, int]:
    """Return a text as a mask (mode L), with the place in it where the baseline starts."""
    left, base = math.ceil(size * 0.3), math.ceil(size * 1.2)
    image = Image.new("L", (math.ceil(width(words, size, weight)) + 2 * left, base + math.ceil(size * 0.6)), 0)
    x = float(left)
    for face, run, nearer in _runs(words, weight):
        for character in run:
            glyph, dx, dy = _glyph(face, character, size)
            image.paste(255, (round(x) + dx, base + dy), glyph)
            x += _advance(face, character, size)
        x += nearer * size
    return image, left, base


@lru_cache(maxsize=2048)
def _glyph(face: Face | None, character: str, size: float) -> tuple[Image.Image, int, int]:
    """Return one character as a mask, with where it lies from the pen on the baseline."""
    if face is None:
        wide, high, line = round(0.76 * _BOX * size), round(CAPITAL * size), round(size * 0.08)
        image = Image.new("L", (wide, high), 0)
        ImageDraw.Draw(image).rounded_rectangle((0, 0, wide - 1, high - 1), line, outline=255, width=line)
        return image, round(0.12 * _BOX * size), -high
    # Each size of a font keeps a copy of the whole file: the large ones are drawn at one size and scaled.
    own = size if face in _MAIN else _MEASURE
    left, top, right, bottom = face.font(own).getbbox(character, anchor="ls")
    dx, dy = math.floor(left) - 1, math.floor(top) - 1
    image = Image.new("L", (math.ceil(right) + 1 - dx, math.ceil(bottom) + 1 - dy), 0)
    ImageDraw.Draw(image).text((-dx, -dy), character, fill=255, font=face.font(own), anchor="ls")
    if own != size:
        ratio = size / own
        image = image.resize((max(1, round(image.width * ratio)), max(1, round(image.height * ratio))))
        dx, dy = round(dx * ratio), round(dy * ratio)
    # Sketches are reduced, which smooths the edges in few tones; the font's own many would only swell the PNG.
    return image.point(_SHARP), dx, dy
