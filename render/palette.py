"""One fixed palette for each game and theme, so that cached tiles and backgrounds share their indices."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from PIL import Image

from engine.discovery import file_of
from engine.games import games
from render.theme import RGB

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

    def nearest(self, colour: RGB) -> RGB:
        """Return the palette's nearest colour."""
        index = self.indices(Image.new("RGB", (1, 1), colour)).getpixel((0, 0))
        return self.colours[int(index)] if isinstance(index, (int, float)) else self.colours[0]

    def picture(self, indices: Image.Image) -> Image.Image:
        """Return the RGB picture that the indices stand for."""
        result = Image.frombytes("P", indices.size, indices.tobytes())
        result.putpalette(self.bytes)
        return result.convert("RGB")


@lru_cache
def load(game: str, theme: str) -> Palette:
    """Return the palette of a game in a theme; FileNotFoundError if `tools/make_palettes.py` made none, or KeyError."""
    name = f"palettes/{game}-{theme}.bin"
    file = file_of(games.source(game), "render", name, name)
    if file is None:
        raise FileNotFoundError(name)
    data = file.read_bytes()
    return Palette([(data[at], data[at + 1], data[at + 2]) for at in range(0, len(data), 3)])


def share_bucket(a: RGB, b: RGB) -> bool:
    """Return whether Pillow's look-up cannot distinguish two colours."""
    return all(x >> 2 == y >> 2 for x, y in zip(a, b, strict=True))


def remove_duplicates(colours: Iterable[RGB]) -> list[RGB]:
    """Return the colours without duplicates, in order."""
    return list(dict.fromkeys(colours))
