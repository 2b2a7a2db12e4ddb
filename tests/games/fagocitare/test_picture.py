"""Fagocitare's picture: the three sheets, dots, frames and lines of both pens, every kind of turn."""

from functools import partial
from itertools import combinations

import pytest

from engine import games
from engine.topology import square_grid
from render import THEMES, Choices, Target, draw
from render.animation import select_key_positions
from render.games.fagocitare import INKS
from render.theme import WATER
from tests.games.fagocitare.sheet import load
from tests.render.pixels import amount, cell_box, check_inks, check_marks, inks, picture
from tests.render.test_animation import game

GAME = games["fagocitare"]
LIGHT = INKS["light"]
position = partial(load, size=10)


@pytest.mark.parametrize("size", [7, 10, 12])
def test_the_spots_are_the_cells_where_the_grid_has_them_whoever_looks(size: int) -> None:
    drawing = draw(GAME.start(2, {"size": size}))
    board = square_grid(size, size)
    assert set(drawing.spots) == set(board.names)
    (ax, ay, _), (zx, zy, _) = drawing.spots["a1"], drawing.spots[board.names[-1]]
    for name, (x, y) in zip(board.names, board.positions, strict=True):
        px, py, r = drawing.spots[name]
        assert abs(px - (ax + (zx - ax) * x / (size - 1))) <= 1
        assert abs(py - (ay + (zy - ay) * y / (size - 1))) <= 1
        assert r * 2 <= (zx - ax) / (size - 1)
    assert ax < zx
    assert ay > zy
    assert draw(GAME.start(2, {"size": size}), viewer=1).spots == drawing.spots


@pytest.mark.parametrize(("size", "theme"), list(zip([7, 10, 12], THEMES, strict=True)))
def test_one_moved_dot_changes_its_two_cells_and_nothing_else(size: int, theme: str) -> None:
    first, second = (draw(position(f"b2 {at}", "f6", size=size), theme=theme) for at in ("c3", "e5"))
    for cell in first.spots:
        assert (amount(first, second, cell_box(first, cell)) > 500) == (cell in {"c3", "e5"}), cell
    assert amount(first, second, (0, first.size[1] - 118, 900, first.size[1])) == 0


@pytest.mark.parametrize("theme", THEMES)
def test_red_and_blue_live_and_dead_all_differ(theme: str) -> None:
    states = [position("d4", ""), position("", "d4"), position(dead=("d4", "")), position(dead=("", "d4"))]
    drawings = [draw(state, theme=theme) for state in states]
    for first, second in combinations(drawings, 2):
        assert amount(first, second, cell_box(first, "d4")) > 600


def test_shapes_alone_tell_the_pens_apart() -> None:
    """A red dot is filled and a blue one is a ring, a red line is whole and a blue one has gaps."""
    red, blue = (draw(state) for state in (position("d4", ""), position("", "d4")))
    x, y, _ = red.spots["d4"]
    assert picture(red.png).getpixel((x - 9, y - 9)) != LIGHT.sheet
    assert picture(blue.png).getpixel((x, y)) == LIGHT.sheet
    whole = position("b4 f4", "", dead=("e4", ""), lines=("b4-f4", ""))
    broken = position("", "b4 f4", dead=("", "e4"), lines=("", "b4-f4"))
    for state, ink, is_whole in ((whole, LIGHT.red, True), (broken, LIGHT.blue, False)):
        drawing = draw(state)
        (bx, by, _), (dx, _, _) = drawing.spots["b4"], drawing.spots["d4"]
        column = [
            any(picture(drawing.png).getpixel((at, by + off)) == ink for off in range(-6, 7))
            for at in range(bx + 30, dx)
        ]
        assert all(column) == is_whole
        assert any(column)


def test_capture_picture_shows_the_dot_its_victims_and_the_line() -> None:
    state, victims = position("b4 c4 f4", "d4 e4"), {LIGHT.pale, LIGHT.red, LIGHT.blue_dead}
    check_marks(state, "g4", {"g4": {LIGHT.highlight, LIGHT.pen}, "d4 e4": victims}, {"b4": {LIGHT.highlight}})
    check_inks(draw(state.play(state.read("g4"))), {}, {"d4 e4": {LIGHT.pale}})


def test_a_dot_that_dies_as_it_is_drawn_is_still_the_one_drawn_last() -> None:
    check_marks(position("", "b4 d4"), "c4", {"c4": {LIGHT.highlight, LIGHT.blue, LIGHT.red_dead}}, {})


def test_last_turn_is_pale_during_a_choice() -> None:
    state = position("b4", "c4")
    check_marks(state, "d4", {"d4": {LIGHT.pale}}, {"d4": {LIGHT.highlight}}, choices=Choices())


def test_a_line_passes_under_a_ring_and_ends_at_the_frame_of_a_dead_dot() -> None:
    drawing = draw(position("b4 f4", "d4", dead=("e4", ""), lines=("b4-f4", "")))
    (dx, dy, _), (ex, ey, _) = drawing.spots["d4"], drawing.spots["e4"]
    assert picture(drawing.png).getpixel((dx, dy)) == LIGHT.sheet
    shown, half = picture(drawing.png), 0.4 * 75
    column = [[shown.getpixel((x, ey + off)) == LIGHT.red for off in range(-5, 6)] for x in range(dx, ex + 15)]
    # The line is there up to the frame, and nothing of it between the frame and the strokes that cross the dot out.
    reach = ex - dx
    assert all(any(column[at]) for at in range(28, reach - round(half) - 6))
    assert not any(any(column[at]) for at in range(reach - round(half) + 8, reach - 14))


@pytest.mark.parametrize("theme", THEMES)
def test_a_dead_dot_is_crossed_out_by_its_captors_pen(theme: str) -> None:
    for captor, dead in enumerate((("e4", ""), ("", "e4"))):
        drawing = draw(position(dead=dead), theme=theme)
        (x, y, _), shown = drawing.spots["e4"], picture(drawing.png)
        ink = (INKS[theme].red, INKS[theme].blue)[captor]
        for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1), (0, 0)):
            around = [shown.getpixel((x + 18 * dx + i, y + 18 * dy + j)) for i in (-2, 0, 2) for j in (-2, 0, 2)]
            assert ink in around


def test_choices_are_numbered_on_their_cells() -> None:
    shown = draw(position("b4", "c4"), choices=Choices(targets=(Target("d4", label="1"), Target("e5", label="2"))))
    assert [cell for cell in ("d4", "e5", "f6") if WATER in inks(shown, cell)] == ["d4", "e5"]


def test_the_footer_shows_captures_and_the_lead() -> None:
    none, one, level = (draw(position(dead=dead)) for dead in (("", ""), ("c3", ""), ("c3", "e5")))
    height = none.size[1]
    box = (110, height - 55, 240, height - 15)
    assert amount(none, one, box) > 100
    assert amount(none, level, box) == 0
    assert amount(none, level, ((330, height - 118, 440, height))) > 100


def test_the_same_cell_is_always_drawn_the_same() -> None:
    assert draw(position("d4", "e5")).png == draw(position("d4", "e5")).png
    first, second = draw(position("d4 e5", "")), draw(position("d4", ""))
    assert amount(first, second, cell_box(first, "d4")) == 0


def test_captures_are_key_turns_of_a_film() -> None:
    start, turns = game("fagocitare", 3)
    captures = {turn.number for turn in turns if turn.before.to_json()["dead"] != turn.after.to_json()["dead"]}
    assert len(captures & set(select_key_positions(start, turns).numbers)) >= min(len(captures), 4)
