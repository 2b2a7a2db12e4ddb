"""Texts as glyphs: HarfBuzz joins letters, orders vowel signs and places marks, and draws the outlines.

HarfBuzz comes as a wheel (uharfbuzz), so that a picture is the same on every machine. What it leaves to others stands
here: which fonts there are, which of them draws what, and the order of scripts that run from right to left.
"""

import math
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Final, Literal

import uharfbuzz as hb
from PIL import Image

Weight = Literal["bold", "semibold"]
Direction = Literal["left", "right", "none"]

JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible characters that keep letters apart or together (Persian and Indic names need them)."""
MISSING_GLYPH_WIDTH: Final = 0.6
"""The width of the box that stands for what no font draws, in parts of the size."""
_VIRAMA: Final = 9
_THRESHOLD_TABLE: Final = [0] * 128 + [255] * 128
_PREPOSED_VOWELS: Final = frozenset((*range(0x0E40, 0x0E45), *range(0x0EC0, 0x0EC5)))
"""Thai and Lao vowels, which are written before the letter that they are spoken after."""


@dataclass(frozen=True)
class Face:
    """A font file: which characters it draws, and HarfBuzz's view of it."""

    path: str

    @cached_property
    def characters(self) -> frozenset[int]:
        """All characters that the font has glyphs for."""
        return frozenset(self.font.face.unicodes)

    @cached_property
    def font(self) -> hb.Font:
        """The font in its own units."""
        return hb.Font(hb.Face(hb.Blob(files("render").joinpath("fonts", self.path).read_bytes())))

    @cached_property
    def unit(self) -> float:
        """The size of one of its units, in parts of the size of letters."""
        return 1 / float(self.font.face.upem)


@dataclass(frozen=True, slots=True)
class Glyph:
    """One form of a font (None: the box for what no font draws) with its place in a line, in parts of the size."""

    face: Face | None
    number: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class ShapedText:
    """A shaped text: its glyphs from left to right, and how wide it is in parts of the size."""

    glyphs: tuple[Glyph, ...]
    width: float


_SCRIPTS: Final = (
    "Armenian Georgian Hebrew Arabic Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam "
    "Sinhala Thai Lao Khmer Myanmar Ethiopic Cherokee CanadianAboriginal"
)
_FALLBACK_FACES: Final = (
    Face("NotoSans-Bold.ttf"),
    *(Face(f"NotoSans{script}-Bold.ttf") for script in _SCRIPTS.split()),
    Face("NotoSansCJKjp-Bold.otf"),
)
_FACES: Final[dict[Weight, tuple[Face, ...]]] = {
    "bold": (Face("Jost-Bold.ttf"), *_FALLBACK_FACES),
    "semibold": (Face("Jost-SemiBold.ttf"), *_FALLBACK_FACES),
}


@lru_cache(maxsize=8192)
def face_of(character: str, weight: Weight = "bold") -> Face | None:
    """Return the first font that draws a character."""
    return next((face for face in _FACES[weight] if ord(character) in face.characters), None)


@lru_cache(maxsize=4096)
def shape_text(words: str, weight: Weight) -> ShapedText:
    """Return a line of text as glyphs."""
    glyphs: list[Glyph] = []
    x = 0.0
    for direction, part in split_directions(words):
        # Most names are drawn by the first font alone.
        first = _FACES[weight][0]
        runs = [(first, part)] if part and first.characters.issuperset(map(ord, part)) else list(_runs(part, weight))
        for face, run in reversed(runs) if direction == "left" else runs:
            if face is None:
                for _ in run:
                    glyphs.append(Glyph(None, 0, x, 0))
                    x += MISSING_GLYPH_WIDTH
                continue
            buffer = hb.Buffer()
            buffer.add_str(run)
            buffer.guess_segment_properties()
            buffer.direction = "rtl" if direction == "left" else "ltr"
            hb.shape(face.font, buffer)
            for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
                at = x + place.x_offset * face.unit, place.y_offset * face.unit
                glyphs.append(Glyph(face, info.codepoint, *at))
                x += place.x_advance * face.unit
    return ShapedText(tuple(glyphs), x)


def _runs(words: str, weight: Weight) -> Iterator[tuple[Face | None, str]]:
    """Yield stretches of one font: whole words where one draws all of it, marks with the letters before them."""
    faces: list[Face | None] = []
    for word in words.split(" "):
        known = {face_of(character, weight) for character in word if character not in JOINERS}
        whole = next((f for f in known if f and all(ord(c) in f.characters or c in JOINERS for c in word)), None)
        for character in word:
            belongs = character in JOINERS or unicodedata.category(character)[0] == "M"
            before = faces[-1] if faces and belongs else None
            keeps = before is not None and (character in JOINERS or ord(character) in before.characters)
            faces.append(whole or (before if keeps else face_of(character, weight)))
        # A space is drawn with the word that it follows, so that it joins no runs.
        faces.append(face_of(" ", weight))
    start = 0
    for at in range(1, len(words) + 1):
        if at == len(words) or faces[at] is not faces[start]:
            yield faces[start], words[start:at]
            start = at


def split_clusters(words: str) -> list[str]:
    """Return a text cut where it may be cut: no letter without its marks, no part of a conjunct."""
    found: list[str] = []
    held = False
    for character in words:
        joined = character in JOINERS or unicodedata.category(character)[0] == "M"
        if found and (held or joined):
            found[-1] += character
        else:
            found.append(character)
        held = (
            unicodedata.combining(character) == _VIRAMA or character == "\u200d" or ord(character) in _PREPOSED_VOWELS
        )
    return found


@lru_cache(maxsize=2048)
def draw_glyph(face: Face, number: int, size: float) -> tuple[Image.Image, int, int]:
    """Return a glyph as a mask (mode L), with where its upper left corner lies from the pen on the baseline."""
    raster = hb.RasterDraw()
    unit = size * face.unit
    raster.transform = (unit, 0.0, 0.0, unit, 0.0, 0.0)
    raster.draw_glyph(face.font, number)
    image = raster.render()
    if image is None or not image.extents.width or not image.extents.height:
        return Image.new("L", (1, 1), 0), 0, 0
    extents = image.extents
    mask = Image.frombuffer("L", (extents.width, extents.height), bytes(image.buffer), "raw", "L", extents.stride, -1)
    # Sketches are reduced, which smooths the edges in few tones; many would only swell the PNG.
    return mask.point(_THRESHOLD_TABLE), extents.x_origin, -(extents.y_origin + extents.height)


@lru_cache(maxsize=64)
def draw_box(size: float) -> tuple[Image.Image, int, int]:
    """Return the box that stands for what no font draws, as `draw_glyph` returns a glyph."""
    wide, high, line = round(0.76 * MISSING_GLYPH_WIDTH * size), round(0.7 * size), max(1, round(size * 0.08))
    image = Image.new("L", (wide, high), 255)
    image.paste(0, (line, line, wide - line, high - line))
    return image, math.floor(0.12 * MISSING_GLYPH_WIDTH * size), -high


def _direction(character: str) -> Direction:
    """Return which way a character is written: to the left (Hebrew, Arabic), to the right, or as those around it."""
    match unicodedata.bidirectional(character):
        case "R" | "AL":
            return "left"
        case "L" | "EN" | "AN":
            return "right"
    return "none"


def split_directions(words: str) -> Iterator[tuple[Direction, str]]:
    """Yield the parts of a line that have one direction, in the order in which they stand from left to right.

    What has none goes with its neighbours, or with the line if they differ; the line's own direction is that of its
    first letter.
    """
    if words.isascii():
        yield "right", words
        return
    directions = [_direction(character) for character in words]
    if "left" not in directions:
        yield "right", words
        return
    line = next(direction for direction in directions if direction != "none")
    settled: list[Direction] = []
    for at, direction in enumerate(directions):
        if direction == "none":
            before = next((d for d in reversed(directions[:at]) if d != "none"), line)
            after = next((d for d in directions[at:] if d != "none"), line)
            marks = unicodedata.category(words[at])[0] == "M"
            direction = before if before == after or marks else line
        settled.append(direction)
    parts: list[tuple[Direction, str]] = []
    start = 0
    for at in range(1, len(words) + 1):
        if at == len(words) or settled[at] != settled[start]:
            parts.append((settled[start], words[start:at]))
            start = at
    yield from parts if line == "right" else reversed(parts)
