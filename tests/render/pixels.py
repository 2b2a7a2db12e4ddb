"""Reading pictures back, strictly, and what the tests of pictures share."""

import io
import struct
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from PIL import Image, ImageChops

from engine import State, Turn, games
from render import THEMES, Choices, Drawing, draw
from render.charts import WIDTH, Chart
from render.games import pictures
from render.theme import MAX_COLOURS, SAFFRON
from tests.support.present import present
from tests.support.samples import list_variants, random_playout

RGB = tuple[int, int, int]
Box = tuple[int, int, int, int]

KEYS = [key for key in games if key in pictures]
EVERY = [(key, theme) for key in KEYS for theme in THEMES]


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunks of a PNG file, their checksums checked."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        data = png[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack_from(">I", png, at + 8 + length)
        assert zlib.crc32(kind + data) == checksum
        yield kind, data
        at += 12 + length


def rows(png: bytes) -> bytes:
    """Return the unpacked rows of a PNG file; zlib checks the stream's own checksum."""
    return zlib.decompress(b"".join(data for kind, data in chunks(png) if kind == b"IDAT"))


def count_colours(image: Image.Image) -> dict[RGB, int]:
    """Return the colours that a picture uses, no more than a palette holds, each with its number of pixels."""
    found: Any = present(image.getcolors(MAX_COLOURS))
    return {colour: count for count, colour in found}


def colours(png: bytes) -> set[RGB]:
    return set(count_colours(picture(png)))


@lru_cache(maxsize=8)
def picture(png: bytes) -> Image.Image:
    """Return a PNG file as an RGB image, which nobody changes: it is unpacked once."""
    return Image.open(io.BytesIO(png)).convert("RGB")


def changed_mask(first: Drawing, second: Drawing) -> Image.Image:
    """Return a mask of the pixels that differ visibly in some channel."""
    return _changed_mask(first.png, second.png)


@lru_cache(maxsize=8)
def _changed_mask(first: bytes, second: bytes) -> Image.Image:
    return _differences(picture(first), picture(second))


def _differences(first: Image.Image, second: Image.Image) -> Image.Image:
    red, green, blue = ImageChops.difference(first, second).split()
    strongest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return strongest.point([0] * 25 + [255] * 231)


def cell_box(drawing: Drawing, cell: str, reach: int = 0) -> Box:
    """Return the box around a cell's spot, as far as the spot reaches unless another reach is given."""
    x, y, r = drawing.spots[cell]
    return box_around((x, y), reach or r)


def box_around(point: tuple[int, int], reach: int) -> Box:
    x, y = point
    return x - reach, y - reach, x + reach, y + reach


def inks(drawing: Drawing, cell: str, reach: int = 0) -> set[RGB]:
    """Return the colours that a picture uses on a cell."""
    return inks_within(drawing, cell_box(drawing, cell, reach))


def inks_within(drawing: Drawing, box: Box) -> set[RGB]:
    """Return the colours that a picture uses in a box."""
    return set(count_colours(picture(drawing.png).crop(box)))


def count_marked(mask: Image.Image, drawing: Drawing, cell: str, wide: float = 1.0) -> int:
    """Return how many pixels of a mask are set around a cell, as far as its spot reaches or so many times as far."""
    _, _, r = drawing.spots[cell]
    return sum(mask.crop(cell_box(drawing, cell, round(r * wide))).histogram()[1:])


def amount(first: Drawing, second: Drawing, box: Box) -> int:
    """Return how many pixels of a box differ between two pictures."""
    mask = _differences(picture(first.png).crop(box), picture(second.png).crop(box))
    return sum(mask.histogram()[1:])


def turn(state: State, text: str) -> tuple[State, Turn]:
    """Play a turn, or its first actions; return the state after it, and the turn as pictures show it."""
    after, actions = state, state.parse(text)
    for action in actions:
        after = after.play(action)
    return after, Turn(state.turn + 1, state.to_move or 0, actions, state)


def check_inks(drawing: Drawing, seen: Mapping[str, set[RGB]], unseen: Mapping[str, set[RGB]], reach: int = 0) -> None:
    """Check which inks a picture has on cells (several in one text) and which it has not."""
    for cells, expected in seen.items():
        for cell in cells.split():
            assert expected <= inks(drawing, cell, reach), cell
    for cells, missing in unseen.items():
        for cell in cells.split():
            assert not missing & inks(drawing, cell, reach), cell


def check_marks(
    state: State,
    text: str,
    seen: Mapping[str, set[RGB]],
    unseen: Mapping[str, set[RGB]],
    reach: int = 0,
    choices: Choices | None = None,
) -> None:
    """Check which inks a picture has on cells after a turn, perhaps during a choice; saffron is the turn's alone."""
    after, last = turn(state, text)
    check_inks(draw(after, last_turn=last, choices=choices), seen, unseen, reach)
    check_inks(draw(after), {}, {cells: expected & {SAFFRON} for cells, expected in seen.items()}, reach)


@lru_cache(maxsize=32)
def sample_states(key: str) -> tuple[tuple[State, Turn | None], ...]:
    """Return states of seeded games in all variants of a game, thinned out to some hundred."""
    found: list[tuple[State, Turn | None]] = []
    each = list_variants(games[key])
    for number, (seats, options) in enumerate(each):
        shown = 0
        for seed in range(100 + number, 100_000, 1000):
            line = list(random_playout(games[key], seed, seats, options))
            step = max(1, len(line) * len(each) // 110)
            found += line[::step]
            found += line[-2:]
            shown += len(line)
            if shown * len(each) >= 110:
                break  # short games take several
    return tuple(found)


def lines_in(key: str, theme: str, step: int) -> tuple[tuple[State, Turn | None], ...]:
    """Return every so many-th of these states, each for one theme: what differs between themes is only the colours."""
    return sample_states(key)[list(THEMES).index(theme) * step :: len(THEMES) * step]


def board_of(drawing: Drawing) -> Box:
    """Return the box around all cells of a picture."""
    left, top, right, bottom = zip(*[cell_box(drawing, cell) for cell in drawing.spots], strict=True)
    return min(left), min(top), max(right), max(bottom)


def opened(chart: Chart) -> Image.Image:
    """Return the picture of a chart, whose sizes are those that it says."""
    with Image.open(io.BytesIO(chart.png)) as image:
        assert (image.format, image.size, chart.size[0]) == ("PNG", chart.size, WIDTH)
    return picture(chart.png)


def differ(one: Chart, other: Chart) -> bool:
    return one.size != other.size or ImageChops.difference(opened(one), opened(other)).getbbox() is not None
