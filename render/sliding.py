"""Tiles that slide from one position of a game to the next."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PIL import Image

from render.canvas import Canvas, Layer, Tile
from render.palette import Palette

_OVERHANG: Final = 40
"""Pixels by which pieces may extend beyond the cells of the board."""


@dataclass(frozen=True)
class Slide:
    """A tile that moves from one place to another, both given as upper left corners in the picture."""

    tile: Tile
    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True)
class Bare:
    """A position without marks: its canvas, and the box around its board."""

    canvas: Canvas
    board: tuple[int, int, int, int]

    @classmethod
    def of(cls, canvas: Canvas, spots: Mapping[str, tuple[int, int, int]]) -> Bare:
        """Return a painted position."""
        lefts, tops, rights, bottoms = zip(*((x - r, y - r, x + r, y + r) for x, y, r in spots.values()), strict=True)
        board = min(lefts) - _OVERHANG, min(tops) - _OVERHANG, max(rights) + _OVERHANG, max(bottoms) + _OVERHANG
        return cls(canvas, board)

    def holds(self, layer: Layer) -> bool:
        """Return whether a tile lies on the board."""
        tile, left, top = layer
        x, y = left + tile.width / 2, top + tile.height / 2
        return self.board[0] < x < self.board[2] and self.board[1] < y < self.board[3]


def list_slides(before: Bare, after: Bare) -> list[Slide]:
    """Return the slides from one position to the next, from bottom to top: each tile to the nearest place."""
    if before.canvas.ground is not after.canvas.ground:
        return []
    gone = Counter(before.canvas.layers) - Counter(after.canvas.layers)
    come = Counter(after.canvas.layers) - Counter(before.canvas.layers)
    found = []
    for layer in before.canvas.layers:
        if not gone[layer] or not before.holds(layer):
            continue
        tile, left, top = layer
        ends = [each for each in come if come[each] and each[0] is tile and after.holds(each)]
        if ends:
            end = min(ends, key=lambda each: math.hypot(each[1] - left, each[2] - top))
            gone[layer] -= 1
            come[end] -= 1
            found.append(Slide(tile, (left, top), (end[1], end[2])))
    return found


class Slider:
    """Draws the frames between two positions at the size of the film."""

    def __init__(self, before: Bare, moved: list[Slide], last: Image.Image, palette: Palette) -> None:
        """`last` is the frame (palette indices) shown before; what lies around the board stays as it is there."""
        canvas = Canvas(before.canvas.ground)
        canvas.take(before.canvas, [(slide.tile, *slide.start) for slide in moved])
        self._palette = palette
        self._scale = last.width / canvas.size[0]
        whole = palette.picture(canvas.indices())
        self._bare = whole.reduce(2) if 2 * last.width == whole.width else whole.resize(last.size, Image.Resampling.BOX)
        self._frame = last.copy()
        left, top, right, bottom = (round(each * self._scale) for each in before.board)
        box = max(0, left), max(0, top), min(last.width, right), min(last.height, bottom)
        self._frame.paste(palette.indices(self._bare.crop(box)), box[:2])
        self._moved = [(slide, self._small(slide.tile)) for slide in moved]

    def _small(self, tile: Tile) -> Image.Image:
        size = max(1, round(tile.width * self._scale)), max(1, round(tile.height * self._scale))
        # Alpha must not bleed: colours are weighted with it while the tile is made smaller.
        return tile.image.convert("RGBa").resize(size, Image.Resampling.BOX).convert("RGBA")

    def at(self, part: float) -> Image.Image:
        """Return the frame at a fraction of the way (0 to 1)."""
        frame = self._frame.copy()
        places = []
        for slide, image in self._moved:
            x = (slide.start[0] + (slide.end[0] - slide.start[0]) * part) * self._scale
            y = (slide.start[1] + (slide.end[1] - slide.start[1]) * part) * self._scale
            places.append((round(x), round(y), image))
        left, top = min(x for x, _, _ in places), min(y for _, y, _ in places)
        right = max(x + image.width for x, _, image in places)
        bottom = max(y + image.height for _, y, image in places)
        box = max(0, left), max(0, top), min(frame.width, right), min(frame.height, bottom)
        shown = self._bare.crop(box)
        for x, y, image in places:
            shown.paste(image, (x - box[0], y - box[1]), image)
        frame.paste(self._palette.indices(shown), box[:2])
        return frame
