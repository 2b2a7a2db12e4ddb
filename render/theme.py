"""Colours of the three themes: the frame, the seats' pieces and the marks; a game's board colours are its module's."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from io import BytesIO
from typing import Any, Final, TypeVar

from PIL import Image

from engine.discovery import file_of
from engine.games import games

RGB = tuple[int, int, int]

T = TypeVar("T")


def parse_rgb(text: str) -> RGB:
    """Return the colour written as six hexadecimal digits."""
    return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


def parse_colours(texts: str) -> list[RGB]:
    """Return the colours of some texts, divided by spaces."""
    return [parse_rgb(text) for text in texts.split()]


def mix_inks(one: RGB, other: RGB, share: float) -> RGB:
    """Return the ink between two, `share` of the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def read_inks(kind: Callable[..., T], **themes: str) -> Mapping[str, T]:
    """Return a game's inks by theme: `kind`, a dataclass, of the colours in the order of its fields."""
    return {theme: kind(*parse_colours(texts)) for theme, texts in themes.items()}


def list_inks(inks: object) -> Iterator[RGB]:
    """Yield those fields of a dataclass that are colours."""
    return (value for value in vars(inks).values() if isinstance(value, tuple))


def luminance(colour: RGB) -> float:
    """Return the relative luminance of a colour, from 0 to 1 (WCAG 2.2)."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (v / 255 for v in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: RGB, b: RGB) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@dataclass(frozen=True)
class Set:
    """The inks of one seat's pieces.

    `face` is the top, `wall` the side, `emblem` what is drawn on the face, `tint` a light plaque in the seat's
    colour, `contour` the outline that sets the piece off where its face does not, `rim` a line along the face's edge.
    """

    shape: str
    face: RGB
    wall: RGB
    emblem: RGB
    tint: RGB
    contour: RGB
    rim: RGB

    @property
    def disc(self) -> tuple[RGB, ...]:
        """The inks of a disc."""
        return (self.face, self.wall, self.emblem, self.contour, self.rim)


@dataclass(frozen=True, eq=False)
class Theme:
    """The colours around a board and of the pieces; `outline` is the width of the pieces' contour in pixels.

    `on_ink` is for what stands on ink, `halo` goes behind an emblem on ink, `faint` and `faint_on_ink` are for
    what is gone (lost pieces), `ground` is the flat shadow of a board on the paper. `sets` holds red, yellow,
    green, blue, white, counsellor, and the pair `light` and `dark` of the games with white and black pieces.
    """

    key: str
    paper: RGB
    band: RGB
    ink: RGB
    on_ink: RGB
    second: RGB
    second_on_ink: RGB
    halo: RGB
    ground: RGB
    rule: RGB
    outline: int
    sets: Mapping[str, Set]


SAFFRON: Final = parse_rgb("F2B632")
PALE: Final = parse_rgb("F6D58C")
SAFFRON_WALL: Final = parse_rgb("B97A10")
LINE: Final = parse_rgb("2A2422")
CROSS: Final = parse_rgb("B5342B")
CREAM: Final = parse_rgb("F7F0E4")
DEEP: Final = parse_rgb("0E6B75")
WATER: Final = parse_rgb("8CC0BE")
MARKS: Final[tuple[RGB, ...]] = (SAFFRON, PALE, SAFFRON_WALL, LINE, CROSS, CREAM, DEEP, WATER)
"""Marks look the same in all themes: last turn (saffron, pale), captures (cross), choices (deep, water, cream)."""

SEATS: Final = ("red", "yellow", "green", "blue", "white")
# What differs from seat to seat is in the order of the seats, here and in the tables below.
SHAPES: Final = ("triangle", "dot", "square", "bars", "plus")
TINTS: Final = "E8806B FAD97E 8CC7A2 6C8AC9 FFFFFF"
EMBLEMS: Final = "FFF6EC 3A2A08 F4FBF2 F1F4FF 2A2422"
BLACK: Final = parse_rgb("000000")


def _build_theme(
    key: str, frame: str, outline: int, seats: tuple[str, str, str], *, counsellor: str, light: str, dark: str
) -> Theme:
    """Return a theme: its frame and its sets have their colours in the order of the fields of Theme and Set.

    `seats` are the faces, the walls (which are the rims, too) and the contours of the five seats.
    """
    faces, walls, contours = map(parse_colours, seats)
    columns = (SHAPES, faces, walls, parse_colours(EMBLEMS), parse_colours(TINTS), contours, walls)
    sets = {name: Set(*inks) for name, *inks in zip(SEATS, *columns, strict=True)}
    others = {"counsellor": ("hourglass", counsellor), "light": ("ring", light), "dark": ("inlay", dark)}
    sets |= {name: Set(shape, *parse_colours(colours)) for name, (shape, colours) in others.items()}
    colours: Any = dict(zip([each.name for each in fields(Theme)][1:], parse_colours(frame), strict=False))
    return Theme(key=key, outline=outline, sets=sets, **colours)


_CONTOURS: Final = "5E150D 6B4A06 174029 0D1A38 5C503A"
_BLACK_WALLS: Final = " ".join(["000000"] * len(SEATS))

LIGHT: Final = _build_theme(
    "light",
    "F4ECDF E6DAC6 2A2422 F7F0E4 695C52 B1ABA1 E6DAC6 E3D2BB B8AD9D",
    0,
    ("C9402E EDB52C 4C9A6A 2B4A8F F8F2E6", "8E2519 B57F0C 2A6745 172C5C A39478", _CONTOURS),
    counsellor="1B1719 000000 F8F2E6 8C8288 1B1719 3F3A3C",
    light="FBF6EB B9A98F D8CBB6 FFFFFF 574431 D8CBB6",
    dark="2B2628 151214 6A6063 6A6063 100D0F 3F3A3C",
)
DARK: Final = _build_theme(
    "dark",
    "1D1A1C 2B272A F1E7D8 1D1A1C A99C8E 5C5655 A99C8E 121011 5C5655",
    0,
    ("DD5441 F5BC34 5EB07F 3665BB F8F2E6", "8E2519 B57F0C 2A6745 24418A A39478", _CONTOURS),
    counsellor="1B1719 000000 F8F2E6 8C8288 8C8288 8C8288",
    light="F6EFE2 B9A98F D8CBB6 FFFFFF 4A3A2A D8CBB6",
    dark="0E0C0D 151214 6A6063 6A6063 000000 3F3A3C",
)
CONTRAST: Final = _build_theme(
    "contrast",
    "FFFFFF E6E6E6 000000 FFFFFF 000000 FFFFFF FFFFFF C4C4C4 000000",
    4,
    ("C8101E F9CA00 17A05E 053EA7 FFFFFF", _BLACK_WALLS, _BLACK_WALLS),
    counsellor="000000 000000 FFFFFF FFFFFF 000000 FFFFFF",
    light="FFFFFF B9A98F 000000 FFFFFF 000000 FFFFFF",
    dark="000000 000000 FFFFFF 000000 000000 000000",
)

THEMES: Final[Mapping[str, Theme]] = {theme.key: theme for theme in (LIGHT, DARK, CONTRAST)}


MAX_COLOURS = 128


class Palette:
    """At most 128 colours, and the conversion between RGB pictures and their indices.

    The nearest colour is looked up by the six high bits of each channel (Pillow's own cache), so two colours that must
    be met exactly may not share those bits; `tools/make_palettes.py` ensures that.
    """

    def __init__(self, colours: Sequence[RGB]) -> None:
        if not 1 <= len(colours) <= MAX_COLOURS:
            raise ValueError(f"a palette of {len(colours)} colours")
        self.colours = tuple(colours)
        self.bytes = bytes(value for colour in self.colours for value in colour)
        self._image = Image.new("P", (1, 1))
        # The unused entries repeat the first colour, which comes before them and so is the one that is found.
        self._image.putpalette(self.bytes + self.bytes[:3] * (256 - len(self.colours)))

    def mapped(self, picture: Image.Image) -> Image.Image:
        """Return an RGB picture in the palette's nearest colours (mode P)."""
        return picture.quantize(palette=self._image, dither=Image.Dither.NONE)

    def indices(self, picture: Image.Image) -> Image.Image:
        """Return an image of mode L with the index of the nearest colour for each pixel of an RGB picture."""
        found = self.mapped(picture)
        return Image.frombytes("L", found.size, found.tobytes())

    def index(self, colour: RGB) -> int:
        """Return the index of the nearest colour."""
        return self.indices(Image.new("RGB", (1, 1), colour)).tobytes()[0]

    def picture(self, indices: Image.Image) -> Image.Image:
        """Return the RGB picture that the indices stand for."""
        return self._coloured(indices).convert("RGB")

    def png(self, indices: Image.Image) -> bytes:
        """Return the PNG file of the picture that the indices stand for."""
        file = BytesIO()
        self._coloured(indices).save(file, "PNG")
        return file.getvalue()

    def _coloured(self, indices: Image.Image) -> Image.Image:
        result = Image.frombytes("P", indices.size, indices.tobytes())
        result.putpalette(self.bytes)
        return result


@lru_cache
def load(game: str, theme: str) -> Palette:
    """Return the palette of a game in a theme; FileNotFoundError if `tools/make_palettes.py` made none, or KeyError."""
    name = f"palettes/{game}-{theme}.bin"
    file = file_of(games.source(game), "render", name, name)
    if file is None:
        raise FileNotFoundError(name)
    data = file.read_bytes()
    return Palette([(data[at], data[at + 1], data[at + 2]) for at in range(0, len(data), 3)])
