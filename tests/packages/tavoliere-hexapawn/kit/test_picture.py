"""Hexapawn's picture: what is only its own."""

import pytest

from engine import games
from render import draw
from tests.render.pixels import box_around, picture

HEXAPAWN = games["hexapawn"]


@pytest.mark.parametrize("board", ["3x3", "4x4", "5x5"])
def test_a_board_of_every_size_fills_the_same_place(board: str) -> None:
    spots = draw(HEXAPAWN.start(options={"board": board})).spots
    size = int(board[0])
    assert len(spots) == size * size
    left, right = spots["a1"], spots[f"{'abcde'[size - 1]}{size}"]
    assert abs(((right[0] - left[0]) // (size - 1)) * size - 700) <= size
    assert left[1] - right[1] == right[0] - left[0]


def test_black_sees_the_board_from_the_other_side() -> None:
    start = HEXAPAWN.start()
    white, black = draw(start, viewer=0).spots, draw(start, viewer=1).spots
    assert [black[cell] for cell in ("a1", "b1", "d4")] == [white[cell] for cell in ("d4", "c4", "a1")]


def test_the_rail_shows_who_wants_to_get_where() -> None:
    start = HEXAPAWN.start()
    x = draw(start).spots["a1"][0]
    pictures = [picture(draw(start, viewer=viewer).png) for viewer in (0, 1)]
    (ring, dot), turned = ([each.crop(box_around((x, y), 12)) for y in (125, 859)] for each in pictures)
    assert ring.tobytes() != dot.tobytes()
    # In the middle of a ring is the rail, in that of a dot the inlay.
    assert ring.getpixel((12, 12)) != dot.getpixel((12, 12))
    assert turned[0].getpixel((12, 12)) == dot.getpixel((12, 12))
