"""Sketch: drawing in picture coordinates at three times the size, then reduced, so that every edge is smooth."""

import cmath
import math
from collections.abc import Sequence
from copy import copy
from itertools import pairwise
from typing import Any, Final

from PIL import Image, ImageDraw

from engine.core import Json
from render import text as lettering
from render.text import Weight
from render.theme import RGB

SUPERSAMPLING = 3
_ROWS_PER_BAND: Final = 64
"""So many rows of a picture are made at once of what was drawn larger."""

Point = tuple[float, float]
Ink = RGB | tuple[int, int, int, int]


class Sketch:
    """A drawing whose (0, 0) lies at `origin` from its upper left corner; all numbers are pixels of the picture.

    Without a width and a height it is as large as what is drawn on it; without `paper` it is transparent where nothing
    is. Inks may carry an alpha as a fourth number; they replace what is beneath, they do not mix with it. `at` returns
    the same drawing with another (0, 0) and unit.
    """

    unit: float = 1

    def __init__(self, width: int = 0, height: int = 0, origin: Point = (0, 0), paper: RGB | None = None) -> None:
        self.origin = origin
        self._size = width, height
        self._paper = paper
        self._strokes: list[tuple[str, Sequence[Point], Json]] = []
        self._corners: list[Point] = []

    @property
    def box_around(self) -> tuple[int, int, int, int]:
        """The edges of the drawing, from the upper left corner that it has if it has a size."""
        if any(self._size) or not self._corners:
            return (0, 0, *self._size)
        xs, ys = zip(*self._corners, strict=True)
        # An even number, since Pillow rounds halves to even ones: figures look the same however large they are.
        left, top = (2 * math.floor((min(each) / SUPERSAMPLING - 1) / 2) for each in (xs, ys))
        right, bottom = (math.ceil(max(each) / SUPERSAMPLING) + 1 for each in (xs, ys))
        return left, top, right, bottom

    def drawn(self) -> Image.Image:
        """Return the drawing in fine pixels."""
        left, top, right, bottom = (edge * SUPERSAMPLING for edge in self.box_around)
        size = right - left, bottom - top
        image = Image.new("RGBA", size) if self._paper is None else Image.new("RGB", size, self._paper)
        draw = ImageDraw.Draw(image)
        for kind, points, how in self._strokes:
            moved = [(x - left, y - top) for x, y in points] if left or top else points
            getattr(draw, kind)(moved, **how)
        return image

    def reduced(self) -> Image.Image:
        """Return the drawing at picture size, antialiased."""
        image = self.drawn()
        if image.mode == "RGB":
            return image.reduce(SUPERSAMPLING)
        # Pillow weighs colours with their alpha in a copy of the whole: in parts that copy stays small.
        result = Image.new(image.mode, (image.width // SUPERSAMPLING, image.height // SUPERSAMPLING))
        for top in range(0, image.height, _ROWS_PER_BAND * SUPERSAMPLING):
            part = image.crop((0, top, image.width, min(image.height, top + _ROWS_PER_BAND * SUPERSAMPLING)))
            result.paste(part.reduce(SUPERSAMPLING), (0, top // SUPERSAMPLING))
        return result

    def at(self, x: float, y: float, unit: float = 1) -> "Sketch":
        """Return the same drawing with its (0, 0) at a point of this one, all numbers being `unit` times as large."""
        moved = copy(self)
        moved.origin = self.origin[0] + x * self.unit, self.origin[1] + y * self.unit
        moved.unit = self.unit * unit
        return moved

    def _at(self, x: float, y: float) -> Point:
        left, top = self.origin
        return (left + x * self.unit) * SUPERSAMPLING, (top + y * self.unit) * SUPERSAMPLING

    def _fine(self, length: float) -> float:
        """Return a length in fine pixels."""
        return length * self.unit * SUPERSAMPLING

    def _stroke(self, kind: str, points: Sequence[Point], **how: Any) -> None:
        """Keep one of ImageDraw's calls until it is known how large the drawing is."""
        self._strokes.append((kind, points, how))
        self._corners += points

    def polygon(self, points: Sequence[Point], ink: Ink, radius: float = 0) -> None:
        """Fill a polygon, its corners rounded by circles of the radius."""
        outline = round_corners(points, radius, self.unit) if radius else points
        self._stroke("polygon", [self._at(*point) for point in outline], fill=ink)

    def outline(self, points: Sequence[Point], ink: Ink, width: float, radius: float = 0) -> None:
        """Draw the outline of a polygon, its middle on the edge."""
        around = list(round_corners(points, radius, self.unit) if radius else points)
        self.line([*around, around[0]], ink, width)

    def box(self, left: float, top: float, right: float, bottom: float, ink: Ink, radius: float = 0) -> None:
        """Fill a rectangle that ends just before `right` and `bottom`."""
        (x0, y0), (x1, y1) = self._at(left, top), self._at(right, bottom)
        self._stroke("rounded_rectangle", [(x0, y0), (x1 - 1, y1 - 1)], radius=self._fine(radius), fill=ink)

    def plate(self, x: float, y: float, wide: float, high: float, ink: Ink, radius: float = 0) -> None:
        """Fill a rectangle around a point, which reaches so far to both sides, and so far above and below."""
        self.box(x - wide, y - high, x + wide, y + high, ink, radius)

    def fill(
        self, box: tuple[float, float, float, float], ink: Ink, radius: float = 0, grown: float = 0, down: float = 0
    ) -> None:
        """Fill a rectangle (left, top, right, bottom) that has grown to all sides and moved down."""
        left, top, right, bottom = box
        self.box(left - grown, top - grown + down, right + grown, bottom + grown + down, ink, radius)

    def side(self, box: tuple[float, float, float, float], down: float, ink: Ink, radius: float) -> None:
        """Fill what is seen of a box, moved down, below one that lies before it: its lower end."""
        left, _, right, bottom = box
        self.box(left, bottom + down - 2.5 * radius, right, bottom + down, ink, radius)

    def disc(self, x: float, y: float, r: float, ink: Ink) -> None:
        """Fill a circle."""
        self._circle(x, y, r, fill=ink)

    def ring(self, x: float, y: float, r: float, ink: Ink, width: float) -> None:
        """Draw a circle whose line has its middle at radius r."""
        self._circle(x, y, r + width / 2, outline=ink, width=round(self._fine(width)))

    def _circle(self, x: float, y: float, r: float, **how: Any) -> None:
        cx, cy = self._at(x, y)
        # Half a fine pixel is taken off on each side, since Pillow counts the last one in.
        reach = self._fine(r) - 0.5
        self._stroke("ellipse", [(cx - reach - 0.5, cy - reach - 0.5), (cx + reach - 0.5, cy + reach - 0.5)], **how)

    def arc(self, x: float, y: float, r: float, start: float, end: float, ink: Ink, width: float) -> None:
        """Draw a part of a circle with round ends; angles in degrees clockwise from three o'clock."""
        steps = max(2, round(abs(end - start) * r * self.unit / 90))
        angles = [math.radians(start + (end - start) * step / steps) for step in range(steps + 1)]
        self.line([on_circle(x, y, r, angle) for angle in angles], ink, width)

    def dashed_ring(self, r: float, ink: Ink, width: float, dash: float = 11, gap: float = 13) -> None:
        """Draw a circle around (0, 0) in dashes with round ends (which are part of the gaps)."""
        count = max(4, round(2 * math.pi * r / (dash + gap)))
        part = 360 / count
        for number in range(count):
            start = number * part - 90
            self.arc(0, 0, r, start, start + part * dash / (dash + gap), ink, width)

    def line(self, points: Sequence[Point], ink: Ink, width: float) -> None:
        """Draw a line through the points with round joints and ends."""
        fine = [self._at(*point) for point in points]
        half = self._fine(width) / 2
        for (x0, y0), (x1, y1) in pairwise(fine):
            length = math.hypot(x1 - x0, y1 - y0)
            if length:
                dx, dy = (y0 - y1) / length * half, (x1 - x0) / length * half
                corners = [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)]
                self._stroke("polygon", corners, fill=ink)
        for x, y in fine:
            self._stroke("ellipse", [(x - half, y - half), (x + half - 1, y + half - 1)], fill=ink)

    def cross(self, x: float, y: float, half: float, ink: Ink, width: float) -> None:
        """Draw a diagonal cross whose arms end `half` to the sides of the centre."""
        self.line([(x - half, y - half), (x + half, y + half)], ink, width)
        self.line([(x - half, y + half), (x + half, y - half)], ink, width)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        ink: Ink,
        weight: Weight = "bold",
        align: lettering.Align = "left",
    ) -> None:
        """Write on the baseline y; names typed by people must have gone through `text.clean` before.

        ValueError for a size below `text.LEAST`.
        """
        if size * self.unit < lettering.MIN_SIZE:
            raise ValueError(f"lettering of {size} pixels")
        if align != "left":
            x -= lettering.text_width(words, size, weight) * (0.5 if align == "centre" else 1)
        letters, left, base = lettering.text_mask(words, self._fine(size), weight)
        fine_x, fine_y = self._at(x, y)
        at = (round(fine_x) - left, round(fine_y) - base)
        self._stroke("bitmap", [at], bitmap=letters, fill=ink)
        self._corners.append((at[0] + letters.width, at[1] + letters.height))

    def centred(self, x: float, y: float, words: str, size: float, ink: Ink, weight: Weight = "bold") -> None:
        """Write figures or capitals with their middle at (x, y)."""
        self.text(x, y + size * lettering.CAPITAL_HEIGHT / 2, words, size, ink, weight, "centre")


def on_circle(x: float, y: float, r: float, angle: float) -> Point:
    """Return the point of a circle at an angle, clockwise from three o'clock."""
    return x + r * math.cos(angle), y + r * math.sin(angle)


def round_corners(points: Sequence[Point], radius: float, unit: float = 1) -> list[Point]:
    """Return the polygon with each corner replaced by an arc of the radius (less where an edge is too short)."""
    result: list[Point] = []
    corners = [complex(x, y) for x, y in points]
    for corner, previous, following in zip(corners, corners[-1:] + corners, corners[1:] + corners[:1], strict=False):
        before, after = previous - corner, following - corner
        one, other = before / abs(before), after / abs(after)
        half = math.acos(max(-1.0, min(1.0, (one * other.conjugate()).real))) / 2
        if half >= math.pi / 2 - 1e-6:
            result.append((corner.real, corner.imag))
            continue
        back = min(radius / math.tan(half), abs(before) / 2, abs(after) / 2)
        r = back * math.tan(half)
        centre = corner + (one + other) / abs(one + other) * (r / math.sin(half))
        start = cmath.phase(corner + one * back - centre)
        turn = cmath.phase(corner + other * back - centre) - start
        turn = (turn + math.pi) % (2 * math.pi) - math.pi
        # As few as leave the arc by less than a tenth of a fine pixel: a polygon costs as much as it has corners.
        steps = max(2, math.ceil(abs(turn) * math.sqrt(r * unit * SUPERSAMPLING / 0.8)))
        for step in range(steps + 1):
            result.append(on_circle(centre.real, centre.imag, r, start + turn * step / steps))
    return result


def mirror(right: Sequence[Point]) -> list[Point]:
    """Return the outline of a symmetrical shape, given its right half from one end to the other."""
    return [*right, *((-x, y) for x, y in reversed(right) if x)]


def square(x: float, y: float, half: float) -> list[Point]:
    """Return the corners of a square around a point, from the upper left one clockwise."""
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]


def regular_polygon(x: float, y: float, r: float, corners: int, turn: float = 0) -> list[Point]:
    """Return a regular polygon with its corners at radius r, the first at `turn` degrees clockwise from three."""
    step = 360 / corners
    angles = [math.radians(turn + number * step) for number in range(corners)]
    return [on_circle(x, y, r, angle) for angle in angles]
