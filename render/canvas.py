"""Canvas: ready-made tiles put on a kept background, all in the indices of one palette; and the PNG of it."""

from __future__ import annotations

import struct
import zlib
from collections import OrderedDict
from itertools import count
from threading import Lock

from PIL import Image

from render import palette
from render.sketch import Sketch
from render.theme import Theme

_serials = count()
_KEPT_PIXELS = 24_000_000


class Tile:
    """A small antialiased picture that is made once and put many times; its anchor is the sketch's (0, 0)."""

    __slots__ = ("height", "image", "left", "serial", "top", "width")

    def __init__(self, sketch: Sketch) -> None:
        image = sketch.reduced().convert("RGBA")
        left, top, right, bottom = image.getbbox() or (0, 0, 1, 1)
        self.image = image.crop((left, top, right, bottom))
        self.left = left - round(sketch.origin[0])
        self.top = top - round(sketch.origin[1])
        self.width, self.height = self.image.size
        self.serial = next(_serials)


class Ground:
    """What never changes under the tiles of a game in one theme: the board, the title, the coordinates."""

    def __init__(self, game: str, theme: Theme, sketch: Sketch) -> None:
        self.game = game
        self.theme = theme
        self.serial = next(_serials)
        self._picture: Image.Image | None = sketch.reduced()
        self._indices: Image.Image | None = None
        self.size = self._picture.size

    @property
    def palette(self) -> palette.Palette:
        """The palette that the game and theme share."""
        return palette.load(self.game, self.theme.key)

    @property
    def indices(self) -> Image.Image:
        """The background as palette indices (mode L); the RGB picture is let go when this is asked for."""
        found = self._indices
        if found is None:
            found = self._indices = self.palette.indices(self.picture)
            self._picture = None
        return found

    @property
    def picture(self) -> Image.Image:
        """The background in RGB."""
        kept = self._picture
        return kept if kept is not None else self.palette.picture(self.indices)


Layer = tuple[Tile, int, int]
Box = tuple[int, int, int, int]


class Canvas:
    """One picture in the making: tiles lie on the ground in the order in which they were put."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.theme = ground.theme
        self._layers: list[Layer] = []

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.ground.size

    def put(self, tile: Tile, x: float, y: float) -> None:
        """Put a tile with its anchor at the pixel nearest to (x, y)."""
        self._layers.append((tile, round(x) + tile.left, round(y) + tile.top))

    def picture(self) -> Image.Image:
        """Return the whole as an RGB picture in all its colours (from which palettes are made)."""
        result = self.ground.picture.copy()
        for tile, left, top in self._layers:
            result.paste(tile.image, (left, top), tile.image)
        return result

    def indices(self) -> Image.Image:
        """Return the whole as palette indices, one column of zeros (PNG's filter bytes) before the first pixel."""
        width, height = self.size
        result = Image.new("L", (width + 1, height), 0)
        result.paste(self.ground.indices, (1, 0))
        for box, members in _groups(self._layers):
            patch = _patch(self.ground, box, [self._layers[member] for member in members])
            result.paste(patch, (box[0] + 1, box[1]))
        return result

    def png(self) -> bytes:
        """Return the whole as a PNG file."""
        return encode(self.indices(), self.ground.palette)


def _groups(layers: list[Layer]) -> list[tuple[Box, list[int]]]:
    """Gather tiles that overlap: boxes that touch no other box, with the numbers of their layers in order."""
    groups: list[tuple[Box, list[int]]] = []
    for number, (tile, left, top) in enumerate(layers):
        right, bottom = left + tile.width, top + tile.height
        members = [number]
        while True:
            hits = [g for g in groups if g[0][0] < right and left < g[0][2] and g[0][1] < bottom and top < g[0][3]]
            if not hits:
                break
            groups = [group for group in groups if group not in hits]
            for box, others in hits:
                left, top = min(left, box[0]), min(top, box[1])
                right, bottom = max(right, box[2]), max(bottom, box[3])
                members += others
        groups.append(((left, top, right, bottom), sorted(members)))
    return groups


_patches: OrderedDict[tuple[int, ...], Image.Image] = OrderedDict()
_patches_lock = Lock()
_patches_pixels = 0


def _patch(ground: Ground, box: Box, layers: list[Layer]) -> Image.Image:
    """Return a piece of the picture with its tiles on it as indices, from the cache if it was made before."""
    global _patches_pixels
    key = (ground.serial, *(value for tile, left, top in layers for value in (tile.serial, left, top)))
    with _patches_lock:
        known = _patches.get(key)
        if known is not None:
            _patches.move_to_end(key)
            return known
    patch = ground.palette.picture(ground.indices.crop(box))
    for tile, left, top in layers:
        patch.paste(tile.image, (left - box[0], top - box[1]), tile.image)
    made = ground.palette.indices(patch)
    with _patches_lock:
        if key not in _patches:
            _patches[key] = made
            _patches_pixels += made.width * made.height
        while _patches_pixels > _KEPT_PIXELS:
            old = _patches.popitem(last=False)[1]
            _patches_pixels -= old.width * old.height
    return made


def encode(indices: Image.Image, colours: palette.Palette) -> bytes:
    """Return the PNG file of palette indices that have a first column of zeros (filter type none on each row)."""
    width, height = indices.size
    header = struct.pack(">IIBBBBB", width - 1, height, 8, 3, 0, 0, 0)
    # Level 1 to 3 of zlib differ by a tenth in time and in size; from 4 on each row is matched at leisure.
    packed = zlib.compress(indices.tobytes(), 2)
    chunks = ((b"IHDR", header), (b"PLTE", colours.bytes), (b"IDAT", packed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
