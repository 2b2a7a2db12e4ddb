"""Fagocitare's picture: the three sheets, dots, frames and lines of both pens, every kind of turn."""

from typing import Any

import pytest

from engine import State, Turn, games
from engine.topology import square_grid
from render import THEMES, Choices, Drawing, Target, draw
from render.games.fagocitare.paper import INKS
from render.palette import MAX_COLOURS
from tests.render.pixels import cell_box, changed_mask, picture

GAME = games["fagocitare"]
LIGHT = INKS["light"]
NONE: list[str] = []
WATER = (0x8C, 0xC0, 0xBE)


def position(red: str, blue: str, size: int = 10, to_move: int = 0, **more: Any) -> State:
    data: dict[str, Any] = {
        "game": "fagocitare",
        "options": {"size": size},
        "to_move": to_move,
        "dots": [red.split(), blue.split()],
        "dead": [[], []],
        "lines": [[], []],
    }
    return GAME.load(data | more)


def turn(state: State, text: str) -> tuple[State, Turn]:
    action = state.read(text)
    return state.play(action), Turn(state.turn + 1, state.to_move or 0, (action,), state)


def inks(drawing: Drawing, cell: str) -> set[tuple[int, int, int]]:
    found = picture(drawing.png).crop(cell_box(drawing, cell)).getcolors(MAX_COLOURS) or []
    return {colour for _, colour in found if isinstance(colour, tuple)}  # type: ignore[misc]


def amount(first: Drawing, second: Drawing, box: tuple[int, int, int, int]) -> int:
    return sum(changed_mask(first, second).crop(box).histogram()[1:])


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
    first, second = (draw(position(f"b2 {at}", "f6", size), theme=theme) for at in ("c3", "e5"))
    for cell in first.spots:
        assert (amount(first, second, cell_box(first, cell)) > 500) == (cell in {"c3", "e5"}), cell
    assert amount(first, second, (0, first.size[1] - 118, 900, first.size[1])) == 0


@pytest.mark.parametrize("theme", THEMES)
def test_red_and_blue_live_and_dead_all_differ(theme: str) -> None:
    states = [
        position("d4", ""),
        position("", "d4"),
        position("", "", dead=[["d4"], []]),
        position("", "", dead=[[], ["d4"]]),
    ]
    drawings = [draw(state, theme=theme) for state in states]
    for index, first in enumerate(drawings):
        for second in drawings[index + 1 :]:
            assert amount(first, second, cell_box(first, "d4")) > 600


def test_shapes_alone_tell_the_pens_apart() -> None:
    """A red dot is filled and a blue one is a ring, a red line is whole and a blue one has gaps."""
    red, blue = (draw(state) for state in (position("d4", ""), position("", "d4")))
    x, y, _ = red.spots["d4"]
    assert picture(red.png).getpixel((x - 9, y - 9)) != LIGHT.sheet
    assert picture(blue.png).getpixel((x, y)) == LIGHT.sheet
    for seat, whole in ((0, True), (1, False)):
        red_dots, blue_dots = ("b4 f4", "") if seat == 0 else ("", "b4 f4")
        lines: list[list[list[str]]] = [[], []]
        lines[seat] = [["b4", "f4"]]
        dead: list[list[str]] = [[], []]
        dead[seat] = ["e4"]
        drawing = draw(position(red_dots, blue_dots, dead=dead, lines=lines))
        (bx, by, _), (dx, _, _) = drawing.spots["b4"], drawing.spots["d4"]
        column = [
            any(picture(drawing.png).getpixel((at, by + off)) == (LIGHT.red, LIGHT.blue)[seat] for off in range(-6, 7))
            for at in range(bx + 30, dx)
        ]
        assert all(column) == whole
        assert any(column)


def test_capture_picture_shows_the_dot_its_victims_and_the_line() -> None:
    after, last = turn(position("b4 c4 f4", "d4 e4"), "g4")
    shown, plain = draw(after, last_turn=last), draw(after)
    assert {LIGHT.highlight, LIGHT.pen} <= inks(shown, "g4")
    for cell in ("d4", "e4"):
        assert {LIGHT.pale, LIGHT.red, LIGHT.blue_dead} <= inks(shown, cell)
        assert LIGHT.pale not in inks(plain, cell)
    assert LIGHT.highlight not in inks(shown, "b4")


def test_a_dot_that_dies_as_it_is_drawn_is_still_the_one_drawn_last() -> None:
    after, last = turn(position("", "b4 d4"), "c4")
    assert {LIGHT.highlight, LIGHT.blue, LIGHT.red_dead} <= inks(draw(after, last_turn=last), "c4")


def test_last_turn_is_pale_during_a_choice() -> None:
    after, last = turn(position("b4", "c4"), "d4")
    shown = draw(after, last_turn=last, choices=Choices())
    assert LIGHT.highlight not in inks(shown, "d4")
    assert LIGHT.pale in inks(shown, "d4")


def test_a_line_passes_under_a_ring_and_leaves_a_dead_dot_free() -> None:
    drawing = draw(position("b4 f4", "d4", dead=[["e4"], []], lines=[[["b4", "f4"]], []]))
    (dx, dy, _), (ex, ey, _) = drawing.spots["d4"], drawing.spots["e4"]
    assert picture(drawing.png).getpixel((dx, dy)) == LIGHT.sheet
    shown, half = picture(drawing.png), 0.4 * 75
    column = [[shown.getpixel((x, ey + off)) == LIGHT.red for off in range(-5, 6)] for x in range(dx, ex + 15)]
    # The line is there up to the frame, and nothing of it within.
    reach = ex - dx
    assert all(any(column[at]) for at in range(28, reach - round(half) - 6))
    assert not any(any(column[at]) for at in range(reach - round(half) + 12, reach + 15))


def test_choices_are_numbered_on_their_cells() -> None:
    shown = draw(position("b4", "c4"), choices=Choices(targets=(Target("d4", label="1"), Target("e5", label="2"))))
    assert WATER in inks(shown, "d4")
    assert WATER in inks(shown, "e5")
    assert WATER not in inks(shown, "f6")


def test_the_footer_shows_captures_and_the_lead() -> None:
    none, one, level = (
        draw(position("", "", dead=[red, blue])) for red, blue in ((NONE, NONE), (["c3"], NONE), (["c3"], ["e5"]))
    )
    height = none.size[1]
    box = (110, height - 55, 240, height - 15)
    assert amount(none, one, box) > 100
    assert amount(none, level, box) == 0
    assert amount(none, level, ((330, height - 118, 440, height))) > 100


def test_the_same_cell_is_always_drawn_the_same() -> None:
    assert draw(position("d4", "e5")).png == draw(position("d4", "e5")).png
    first, second = draw(position("d4 e5", "")), draw(position("d4", ""))
    assert amount(first, second, cell_box(first, "d4")) == 0
