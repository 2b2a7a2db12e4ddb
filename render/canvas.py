"""Canvas: ready-made tiles on a cached background, all in the indices of one palette, and its PNG."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from importlib import import_module
from itertools import count, pairwise
from threading import Lock
from typing import Any, Concatenate, Final, ParamSpec, cast

from cachetools import LRUCache, cached
from PIL import Image

from render.sketch import Sketch
from render.theme import RGB, Palette, Theme, load

P = ParamSpec("P")

_ISAL: Any
try:
    _ISAL = import_module("isal.isal_zlib")
except ImportError:
    # It is built for what most computers have; zlib packs as well, at five times the cost.
    _ISAL = None

_serials: Final = count()
_BAND_ROWS: Final = 64
"""Rows compressed together: most of a picture equals the one before and is not compressed again.

A ground may align the bands with the rows of its board, so that a piece touches as few bands as possible.
"""
_ZLIB_LEVEL: Final = 3
"""Level 1 of zlib is a sixth faster and makes a tenth more; from 4 on it uses lazy matching."""
_FAST_LEVEL: Final = 1
"""ISA-L's own levels: 1 makes a twentieth more than zlib's 3, in a fifth of the time; 2 is no better here."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""
Places = Mapping[str, tuple[int, int]]
"""The middle of each cell."""
Spots = Mapping[str, tuple[int, int, int]]
"""The middle of each cell and how far it reaches."""


class Tile:
    """A small antialiased picture, made once and placed many times; its anchor is the sketch's (0, 0).

    For a finished picture (RGBA), `anchor` is a pixel. One of a single ink is given as its mask (mode L) with that
    `ink`: it takes a quarter of the memory.
    """

    __slots__ = ("_image", "_ink", "height", "left", "serial", "top", "width")

    def __init__(self, sketch: Sketch | Image.Image, anchor: tuple[int, int] = (0, 0), ink: RGB | None = None) -> None:
        if isinstance(sketch, Sketch):
            image, (x, y), (left, top, _, _) = sketch.reduced().convert("RGBA"), sketch.origin, sketch.box_around
            anchor = round(x) - left, round(y) - top
        else:
            image = sketch
        left, top, right, bottom = image.getbbox() or (0, 0, 1, 1)
        self._image = image.crop((left, top, right, bottom))
        self._ink = ink
        self.left = left - anchor[0]
        self.top = top - anchor[1]
        self.width, self.height = self._image.size
        self.serial = next(_serials)

    @property
    def image(self) -> Image.Image:
        """The picture in RGBA."""
        if self._ink is None:
            return self._image
        image = Image.new("RGBA", self._image.size, self._ink)
        image.putalpha(self._image)
        return image

    def paste_onto(self, picture: Image.Image, left: int, top: int) -> None:
        """Paste it onto an RGB picture, with its left and upper edges there."""
        image = self._image if self._ink is None else Image.new("RGB", self._image.size, self._ink)
        picture.paste(image, (left, top), self._image)


def figure(keep: int = 128) -> Callable[[Callable[Concatenate[Sketch, P], None]], Callable[P, Tile]]:
    """Make of a function that draws around (0, 0) one that returns it as a tile; so many of the last ones are kept."""

    def decorate(draw: Callable[Concatenate[Sketch, P], None]) -> Callable[P, Tile]:
        @wraps(draw)
        def make(*args: P.args, **named: P.kwargs) -> Tile:
            sketch = Sketch()
            draw(sketch, *args, **named)
            return Tile(sketch)

        return cast("Callable[P, Tile]", lru_cache(keep)(make))

    return decorate


class Ground:
    """The constant background of a game in one theme: the board, the title, the coordinates.

    `band` is the number of rows compressed together, `top` the start of one of these bands, `level` zlib's compression
    level.
    """

    def __init__(
        self, game: str, theme: Theme, sketch: Sketch, band: int = _BAND_ROWS, top: int = 0, level: int = _ZLIB_LEVEL
    ) -> None:
        self.game = game
        self.level = level
        self.theme = theme
        self.serial = next(_serials)
        self._picture: Image.Image | None = sketch.reduced()
        self._indices: Image.Image | None = None
        self.size = self._picture.size
        height = self.size[1]
        self.bands = list(pairwise(sorted({0, *range(top % band, height, band), height})))

    @property
    def palette(self) -> Palette:
        """The palette that the game and theme share."""
        return load(self.game, self.theme.key)

    @property
    def indices(self) -> Image.Image:
        """The background in the palette's colours (mode P) with a first column of zeros, PNG's filter bytes.

        The RGB picture is let go when this is asked for.
        """
        found = self._indices
        if found is None:
            found = Image.new("P", (self.size[0] + 1, self.size[1]), 0)
            found.putpalette(self.palette.bytes)
            found.paste(self.palette.mapped(self.picture), (1, 0))
            self._indices, self._picture = found, None
        return found

    @property
    def picture(self) -> Image.Image:
        """The background in RGB."""
        cached = self._picture
        return cached if cached is not None else self.part((0, 0, *self.size))

    def part(self, box: Box) -> Image.Image:
        """Return a part of the background in RGB, in the colours of its palette."""
        left, top, right, bottom = box
        return self.indices.crop((left + 1, top, right + 1, bottom)).convert("RGB")


Layer = tuple[Tile, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """Tiles merged with the background under them, in the palette's colours (mode P)."""

    image: Image.Image
    serial: int


@dataclass(frozen=True, slots=True, eq=False)
class _Band:
    """Some rows of a picture, compressed, with the checksum of their uncompressed bytes."""

    packed: bytes
    checksum: int


_PATCH_CACHE_PIXELS: Final = 40_000_000
_BAND_CACHE_BYTES: Final = 24_000_000
_MAX_CACHED_PIXELS: Final = 131_072
"""Larger patches are of marks all over a board: hardly any comes again, and each takes the place of many others."""


class Canvas:
    """A picture under construction: tiles lie on the ground in the order in which they were placed.

    `origin` is the origin of all coordinates; moving it moves the board. `places` are the middles of the cells.
    """

    def __init__(self, ground: Ground, places: Places | None = None, origin: tuple[int, int] = (0, 0)) -> None:
        self.ground = ground
        self.theme = ground.theme
        self.places = places or {}
        self.origin = origin
        self._laid: list[Layer] = []
        self._layers: list[Layer] = []

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.ground.size

    def put(self, tile: Tile, x: float, y: float) -> None:
        """Place a tile with its anchor at the pixel nearest to (x, y)."""
        self._layers.append((tile, self.origin[0] + round(x) + tile.left, self.origin[1] + round(y) + tile.top))

    def put_on(self, tile: Tile, cell: str, dx: float = 0, dy: float = 0) -> None:
        """Place a tile on a cell, so far from its middle."""
        x, y = self.places[cell]
        self.put(tile, x + dx, y + dy)

    def spots(self, reach: int) -> Spots:
        """Return the middle of each cell in the picture and how far it reaches."""
        left, top = self.origin
        return {cell: (x + left, y + top, reach) for cell, (x, y) in self.places.items()}

    def lay(self, tile: Tile, x: float, y: float) -> None:
        """Place an opaque tile directly on the ground, below all others; such tiles may not overlap."""
        self._laid.append((tile, self.origin[0] + round(x) + tile.left, self.origin[1] + round(y) + tile.top))

    @property
    def layers(self) -> Sequence[Layer]:
        """The placed tiles from bottom to top, with their left and upper edges."""
        return tuple(self._layers)

    def take(self, other: Canvas, but: Iterable[Layer]) -> None:
        """Copy all layers but some from another canvas of the same ground."""
        left_out = set(but)
        self._laid = list(other._laid)
        self._layers = [layer for layer in other._layers if layer not in left_out]

    def picture(self) -> Image.Image:
        """Return the whole as an RGB picture in all its colours (from which palettes are made)."""
        result = self.ground.picture.copy()
        for tile, left, top in (*self._laid, *self._layers):
            tile.paste_onto(result, left, top)
        return result

    def indices(self) -> Image.Image:
        """Return the whole as palette indices (mode L)."""
        width, height = self.size
        result = self.ground.indices.crop((1, 0, width + 1, height))
        for (left, top, _, _), patch in self.patches():
            result.paste(patch.image, (left, top))
        return Image.frombytes("L", result.size, result.tobytes())

    def png(self) -> bytes:
        """Return the whole as a PNG file."""
        return self.encode(self.patches())

    def patches(self) -> list[tuple[Box, Patch]]:
        """Return the tiles on the ground, then the other tiles merged where they overlap, with their places."""
        found, laid = [], []
        for layer in self._laid:
            tile, left, top = layer
            box = left, top, left + tile.width, top + tile.height
            found.append((box, merge_tiles(self.ground, box, [layer])))
            laid.append((*box, layer))
        for box, members in _groups(self._layers):
            x0, y0, x1, y1 = box
            # Written out: asked hundreds of times for a picture.
            under = [
                layer
                for left, top, right, bottom, layer in laid
                if left < x1 and x0 < right and top < y1 and y0 < bottom
            ]
            found.append((box, merge_tiles(self.ground, box, under + [self._layers[member] for member in members])))
        return found

    def encode(self, patches: list[tuple[Box, Patch]]) -> bytes:
        """Return the PNG file of the ground with the patches on it."""
        ground = self.ground
        width, height = self.size
        checksum, stream = 1, [b"\x78\x01"]
        for top, bottom in ground.bands:
            within = [(box, patch) for box, patch in patches if box[1] < bottom and top < box[3]]
            band = pack_band(ground, top, bottom, within)
            stream.append(band.packed)
            checksum = _joined(checksum, band.checksum, (width + 1) * (bottom - top))
        stream.append(b"\x03\x00" + struct.pack(">I", checksum))
        header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
        chunks = ((b"IHDR", header), (b"PLTE", ground.palette.bytes), (b"IDAT", b"".join(stream)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in chunks
        )


def _weigh_patch(patch: Patch) -> int:
    """Return the pixels of a patch; one that is not to be cached weighs more than the cache holds."""
    pixels = patch.image.width * patch.image.height
    return pixels if pixels <= _MAX_CACHED_PIXELS else _PATCH_CACHE_PIXELS + 1


@cached(
    LRUCache(_PATCH_CACHE_PIXELS, _weigh_patch),
    lambda ground, _, layers: (ground.serial, *(part for tile, *place in layers for part in (tile.serial, *place))),
    Lock(),
)
def merge_tiles(ground: Ground, box: Box, layers: Sequence[Layer]) -> Patch:
    """Return overlapping tiles merged with the ground under them."""
    image = ground.part(box)
    for tile, left, top in layers:
        tile.paste_onto(image, left - box[0], top - box[1])
    return Patch(ground.palette.mapped(image), next(_serials))


@cached(
    LRUCache(_BAND_CACHE_BYTES, lambda band: len(band.packed)),
    lambda ground, top, _, within: (
        ground.serial,
        top,
        *(part for box, patch in within for part in (patch.serial, *box[:2])),
    ),
    Lock(),
)
def pack_band(ground: Ground, top: int, bottom: int, within: Sequence[tuple[Box, Patch]]) -> _Band:
    """Return some rows of the ground, with what lies within them, compressed."""
    rows = ground.indices.crop((0, top, ground.size[0] + 1, bottom))
    for box, patch in within:
        rows.paste(patch.image, (box[0] + 1, box[1] - top))
    return _deflate(rows.tobytes(), ground.level)


def _groups(layers: list[Layer]) -> list[tuple[Box, list[int]]]:
    """Group overlapping tiles: boxes that touch no other box, with the numbers of their layers in order."""
    # Flat, since nothing else is done as often: left, top, right, bottom, members.
    groups: list[tuple[int, int, int, int, list[int]]] = []
    for number, (tile, left, top) in enumerate(layers):
        right, bottom = left + tile.width, top + tile.height
        members = [number]
        while hits := [g for g in groups if g[0] < right and left < g[2] and g[1] < bottom and top < g[3]]:
            for group in hits:
                groups.remove(group)
                left, top = min(left, group[0]), min(top, group[1])
                right, bottom = max(right, group[2]), max(bottom, group[3])
                members += group[4]
        groups.append((left, top, right, bottom, members))
    return [((left, top, right, bottom), sorted(members)) for left, top, right, bottom, members in groups]


def _deflate(rows: bytes, level: int) -> _Band:
    """Compress rows so that they can be concatenated: a raw stream that ends at a byte boundary and stays open."""
    packer: Any
    if _ISAL is None:
        packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    else:
        packer = _ISAL.compressobj(_FAST_LEVEL, zlib.DEFLATED, -15)
    return _Band(packer.compress(rows) + packer.flush(zlib.Z_SYNC_FLUSH), (_ISAL or zlib).adler32(rows))


def _joined(first: int, second: int, length: int) -> int:
    """Return the Adler-32 checksum of two pieces concatenated, from their checksums and the second's length."""
    base = 65521
    total = ((first & 0xFFFF) + (second & 0xFFFF) - 1) % base
    sums = ((first >> 16) + (second >> 16) + length * ((first & 0xFFFF) - 1)) % base
    return sums << 16 | total
