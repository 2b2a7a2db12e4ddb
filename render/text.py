"""Lettering: Jost, fallback fonts for missing characters, and sanitized names.

Texts as glyphs: HarfBuzz joins letters, orders vowel signs and places marks, and draws the outlines.

HarfBuzz comes as a wheel (uharfbuzz), so that a picture is the same on every machine. What it leaves to others stands
here: which fonts there are, which of them draws what, and the order of scripts that run from right to left.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal, TypeVar

import uharfbuzz as hb
from PIL import Image

from engine.record import make_names_distinct

Weight = Literal["bold", "semibold"]
Direction = Literal["left", "right", "none"]
Names = tuple[str, ...]
"""All names of a picture."""
K = TypeVar("K")

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
    yield from _join_runs(faces, words)


def _join_runs(kinds: Iterable[K], words: str) -> Iterator[tuple[K, str]]:
    """Yield the stretches of a text whose characters are of one kind, each with it."""
    for kind, run in groupby(zip(kinds, words, strict=False), key=itemgetter(0)):
        yield kind, "".join(character for _, character in run)


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


@lru_cache
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
    directions = [] if words.isascii() else [_direction(character) for character in words]
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
    parts = list(_join_runs(settled, words))
    yield from parts if line == "right" else reversed(parts)


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
def clean_names(names: Names) -> Names:
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
    return _cut_end(words, "", room, least, weight), least


@lru_cache(maxsize=2048)
def fit_name(name: str, room: float, size: float, least: float, among: Names = ()) -> tuple[str, float]:
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


def _cut_end(words: str, ending: str, room: float, size: float, weight: Weight = "bold") -> str:
    """Return as much of a text as fits with an ellipsis and what must stay behind it."""
    parts = split_clusters(words)
    while parts and text_width("".join(parts).rstrip() + ELLIPSIS + ending, size, weight) > room:
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
