"""Colours of the three themes: the frame, the seats' pieces and the marks; a game's board colours are its module's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Final

RGB = tuple[int, int, int]


def parse_rgb(text: str) -> RGB:
    """Return the colour written as six hexadecimal digits."""
    return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


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

    def colours(self) -> Iterator[RGB]:
        """Yield every colour of the frame (not of the sets)."""
        for each in fields(self):
            value: Any = getattr(self, each.name)
            if isinstance(value, tuple):
                yield value


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
SHAPES: Final = {"red": "triangle", "yellow": "dot", "green": "square", "blue": "bars", "white": "plus"}
TINTS: Final = {"red": "E8806B", "yellow": "FAD97E", "green": "8CC7A2", "blue": "6C8AC9", "white": "FFFFFF"}
EMBLEMS: Final = {"red": "FFF6EC", "yellow": "3A2A08", "green": "F4FBF2", "blue": "F1F4FF", "white": "2A2422"}
BLACK: Final = parse_rgb("000000")


def _seats(faces: Mapping[str, str], walls: Mapping[str, str], contours: Mapping[str, str]) -> dict[str, Set]:
    return {
        name: Set(
            SHAPES[name],
            parse_rgb(face),
            parse_rgb(walls[name]),
            parse_rgb(EMBLEMS[name]),
            parse_rgb(TINTS[name]),
            parse_rgb(contours[name]),
            parse_rgb(walls[name]),
        )
        for name, face in faces.items()
    }


_LIGHT_WALLS = {"red": "8E2519", "yellow": "B57F0C", "green": "2A6745", "blue": "172C5C", "white": "A39478"}
_BLACK_WALLS = dict.fromkeys(_LIGHT_WALLS, "000000")
_CONTOURS = {"red": "5E150D", "yellow": "6B4A06", "green": "174029", "blue": "0D1A38", "white": "5C503A"}

LIGHT: Final = Theme(
    key="light",
    paper=parse_rgb("F4ECDF"),
    band=parse_rgb("E6DAC6"),
    ink=parse_rgb("2A2422"),
    on_ink=parse_rgb("F7F0E4"),
    second=parse_rgb("695C52"),
    second_on_ink=parse_rgb("B1ABA1"),
    halo=parse_rgb("E6DAC6"),
    ground=parse_rgb("E3D2BB"),
    rule=parse_rgb("B8AD9D"),
    outline=0,
    sets=MappingProxyType(
        {
            **_seats(
                {"red": "C9402E", "yellow": "EDB52C", "green": "4C9A6A", "blue": "2B4A8F", "white": "F8F2E6"},
                _LIGHT_WALLS,
                _CONTOURS,
            ),
            "counsellor": Set(
                "hourglass",
                parse_rgb("1B1719"),
                BLACK,
                parse_rgb("F8F2E6"),
                parse_rgb("8C8288"),
                parse_rgb("1B1719"),
                parse_rgb("3F3A3C"),
            ),
            "light": Set(
                "ring",
                parse_rgb("FBF6EB"),
                parse_rgb("B9A98F"),
                parse_rgb("D8CBB6"),
                parse_rgb("FFFFFF"),
                parse_rgb("574431"),
                parse_rgb("D8CBB6"),
            ),
            "dark": Set(
                "inlay",
                parse_rgb("2B2628"),
                parse_rgb("151214"),
                parse_rgb("6A6063"),
                parse_rgb("6A6063"),
                parse_rgb("100D0F"),
                parse_rgb("3F3A3C"),
            ),
        }
    ),
)

DARK: Final = Theme(
    key="dark",
    paper=parse_rgb("1D1A1C"),
    band=parse_rgb("2B272A"),
    ink=parse_rgb("F1E7D8"),
    on_ink=parse_rgb("1D1A1C"),
    second=parse_rgb("A99C8E"),
    second_on_ink=parse_rgb("5C5655"),
    halo=parse_rgb("A99C8E"),
    ground=parse_rgb("121011"),
    rule=parse_rgb("5C5655"),
    outline=0,
    sets=MappingProxyType(
        {
            **_seats(
                {"red": "DD5441", "yellow": "F5BC34", "green": "5EB07F", "blue": "3665BB", "white": "F8F2E6"},
                {**_LIGHT_WALLS, "blue": "24418A"},
                _CONTOURS,
            ),
            "counsellor": Set(
                "hourglass",
                parse_rgb("1B1719"),
                BLACK,
                parse_rgb("F8F2E6"),
                parse_rgb("8C8288"),
                parse_rgb("8C8288"),
                parse_rgb("8C8288"),
            ),
            "light": Set(
                "ring",
                parse_rgb("F6EFE2"),
                parse_rgb("B9A98F"),
                parse_rgb("D8CBB6"),
                parse_rgb("FFFFFF"),
                parse_rgb("4A3A2A"),
                parse_rgb("D8CBB6"),
            ),
            "dark": Set(
                "inlay",
                parse_rgb("0E0C0D"),
                parse_rgb("151214"),
                parse_rgb("6A6063"),
                parse_rgb("6A6063"),
                parse_rgb("000000"),
                parse_rgb("3F3A3C"),
            ),
        }
    ),
)

CONTRAST: Final = Theme(
    key="contrast",
    paper=parse_rgb("FFFFFF"),
    band=parse_rgb("E6E6E6"),
    ink=BLACK,
    on_ink=parse_rgb("FFFFFF"),
    second=BLACK,
    second_on_ink=parse_rgb("FFFFFF"),
    halo=parse_rgb("FFFFFF"),
    ground=parse_rgb("C4C4C4"),
    rule=BLACK,
    outline=4,
    sets=MappingProxyType(
        {
            **_seats(
                {"red": "C8101E", "yellow": "F9CA00", "green": "17A05E", "blue": "053EA7", "white": "FFFFFF"},
                _BLACK_WALLS,
                _BLACK_WALLS,
            ),
            "counsellor": Set(
                "hourglass", BLACK, BLACK, parse_rgb("FFFFFF"), parse_rgb("FFFFFF"), BLACK, parse_rgb("FFFFFF")
            ),
            "light": Set(
                "ring", parse_rgb("FFFFFF"), parse_rgb("B9A98F"), BLACK, parse_rgb("FFFFFF"), BLACK, parse_rgb("FFFFFF")
            ),
            "dark": Set("inlay", BLACK, BLACK, parse_rgb("FFFFFF"), BLACK, BLACK, BLACK),
        }
    ),
)

THEMES: Final[Mapping[str, Theme]] = MappingProxyType({theme.key: theme for theme in (LIGHT, DARK, CONTRAST)})
