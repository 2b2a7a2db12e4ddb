"""What drawing holds at once: of the largest pictures one at a time, and of none more than is needed."""

import weakref
from typing import Any

import pytest
from PIL import Image

from engine import games
from render import pieces
from render.animation import select_key_positions
from render.canvas import Tile, merge_tiles
from render.games import pictures
from render.scene import Scene
from render.sketch import SUPERSAMPLING, Sketch
from render.theme import Palette
from tests.render.test_animation import game

NARROW = 100


def test_a_sheet_holds_one_board_in_all_its_size_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[weakref.ref[Image.Image]] = []
    most = 0
    real = Palette.picture

    def picture(self: Palette, indices: Image.Image) -> Image.Image:
        nonlocal most
        result = real(self, indices)
        seen.append(weakref.ref(result))
        most = max(most, sum(each() is not None for each in seen))
        return result

    monkeypatch.setattr(Palette, "picture", picture)
    made = select_key_positions(*game(next(iter(games)), longest=40))
    assert len(seen) == len(made.numbers) > 2
    assert most <= 2  # the one that is drawn, and the one before until it has a name no more


def test_a_drawing_is_made_small_in_parts_and_looks_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = Sketch(150, 301, (3, 5))
    sketch.disc(70, 140, 60.3, (200, 30, 90, 128))
    sketch.line([(0, 0), (140, 290)], (10, 120, 30), 7)
    drawn = sketch.drawn()
    whole = drawn.reduce(SUPERSAMPLING)
    copied: list[int] = []
    real = Image.Image.convert

    def convert(self: Image.Image, mode: str | None = None, *rest: Any, **more: Any) -> Image.Image:
        copied.append(self.width * self.height)
        return real(self, mode, *rest, **more)

    monkeypatch.setattr(Image.Image, "convert", convert)
    assert sketch.reduced().tobytes() == whole.tobytes()
    assert max(copied) < drawn.width * drawn.height / 3


def test_a_line_far_from_its_anchor_is_drawn_no_larger_than_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    real = Image.new

    def new(mode: str, size: tuple[int, int], *rest: Any, **more: Any) -> Image.Image:
        made.append(max(size))
        return real(mode, size, *rest, **more)

    monkeypatch.setattr(Image, "new", new)
    near = pieces.make_path(((0.0, 0.0), (40.0, 30.0)), (1, 2, 3), 9)
    far = pieces.make_path(((400.0, 600.0), (440.0, 630.0)), (1, 2, 3), 9)
    assert max(made) < NARROW * SUPERSAMPLING
    assert far.image.tobytes() == near.image.tobytes()
    assert (far.left, far.top) == (near.left + 400, near.top + 600)


def test_a_tile_of_one_ink_is_the_picture_that_its_mask_and_ink_make() -> None:
    """A label is kept as its mask; what it looks like, and where it lies, is that of the whole picture."""
    mask = Image.linear_gradient("L").resize((40, 20))
    whole = Image.new("RGBA", mask.size, (200, 30, 90))
    whole.putalpha(mask)
    label, tile = Tile(mask, (7, 9), (200, 30, 90)), Tile(whole, (7, 9))
    assert label.image.tobytes() == tile.image.tobytes()
    assert (label.left, label.top, label.width, label.height) == (tile.left, tile.top, tile.width, tile.height)
    painted = [Image.new("RGB", (60, 40), (240, 220, 10)) for _ in range(2)]
    for each, picture in zip((label, tile), painted, strict=True):
        each.paste_onto(picture, 5, 6)
    assert painted[0].tobytes() == painted[1].tobytes() != Image.new("RGB", (60, 40), (240, 220, 10)).tobytes()


def test_a_patch_that_is_too_large_takes_the_place_of_nothing_else() -> None:
    key = next(iter(pictures))
    ground = pictures[key].paint(Scene.of(games[key].start()))[0].ground
    merge_tiles.cache.clear()  # earlier tests may have filled it
    for size, cached in (((30, 40), 1), (ground.size, 0), ((31, 40), 1)):
        layer, before = (Tile(Image.new("RGBA", size, (1, 2, 3))), 0, 0), len(merge_tiles.cache)
        patches = [merge_tiles(ground, (0, 0, *size), [layer]) for _ in range(2)]
        assert len(merge_tiles.cache) == before + cached
        assert (patches[0] is patches[1]) == bool(cached)
