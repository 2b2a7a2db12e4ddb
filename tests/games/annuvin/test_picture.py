"""Annuvin's picture: hexagons and squares, both sides, every kind of turn."""

from typing import Any

import pytest

from engine import State, Turn, games
from engine.topology import hexagon, square_grid
from render import THEMES, Drawing, Hint, HintStep, draw
from render.palette import MAX_COLOURS
from tests.render.pixels import cell_box, changed_mask, colours, picture
from tests.support.comparing import TOLERANCE, difference, shrink_picture

GAME = games["annuvin"]
SAFFRON, PALE, CROSS = (0xF2, 0xB6, 0x32), (0xF6, 0xD5, 0x8C), (0xB5, 0x34, 0x2B)


def position(white: list[str], black: list[str], to_move: int = 0, board: str = "hexagon") -> State:
    whole = 4 if board == "square" else 6
    data: dict[str, Any] = {
        "game": "annuvin",
        "options": {"board": board, "setup": "classic"},
        "to_move": to_move,
        "pieces": [white, black],
        "reserve": [0, 0],
        "lost": [whole - len(white), whole - len(black)],
        "moving": None,
    }
    return GAME.load(data)


def turn(state: State, text: str) -> tuple[State, Turn]:
    actions = state.parse(text)
    after = state
    for action in actions:
        after = after.play(action)
    return after, Turn(state.turn + 1, state.to_move or 0, actions, state)


def inks(drawing: Drawing, cell: str) -> set[tuple[int, int, int]]:
    found = picture(drawing.png).crop(cell_box(drawing, cell)).getcolors(MAX_COLOURS) or []
    return {colour for _, colour in found if isinstance(colour, tuple)}  # type: ignore[misc]


@pytest.mark.parametrize(("board", "topology"), [("hexagon", hexagon(4)), ("square", square_grid(4, 4))])
def test_the_spots_are_the_cells_where_the_topology_has_them(board: str, topology: Any) -> None:
    for viewer in (0, 1):
        drawing = draw(GAME.start(2, {"board": board}), viewer=viewer)
        assert set(drawing.spots) == set(topology.names)
        way = -1 if viewer else 1
        for a, (ax, ay) in zip(topology.names, topology.positions, strict=True):
            for b, (bx, by) in zip(topology.names, topology.positions, strict=True):
                (px, py, _), (qx, qy, _) = drawing.spots[a], drawing.spots[b]
                if abs(ax - bx) > 0.1:
                    assert (px < qx) == ((ax < bx) == (way == 1))
                if abs(ay - by) > 0.1:
                    assert (py > qy) == ((ay < by) == (way == 1))


def test_the_viewers_side_is_below() -> None:
    start = GAME.start()
    spots = draw(start).spots
    assert draw(start, viewer=0).spots == spots
    assert spots["d1"][1] > spots["d7"][1]
    turned = draw(start, viewer=1).spots
    assert turned["d1"][1] < turned["d7"][1]
    assert turned["a1"][0] > turned["g4"][0]


@pytest.mark.parametrize("board", ["hexagon", "square"])
def test_one_moved_piece_changes_its_two_cells_and_nothing_else_on_the_board(board: str) -> None:
    black = ["a4", "b4"]
    first = draw(position(["a1", "b1", "c1"], black, board=board))
    difference = changed_mask(first, draw(position(["a1", "b1", "d2"], black, board=board)))
    for cell, (x, y, _) in first.spots.items():
        count = sum(difference.crop((x - 35, y - 35, x + 35, y + 35)).histogram()[1:])
        assert (count > 1500) == (cell in {"c1", "d2"}), cell
    assert difference.crop((0, first.size[1] - 118, 900, first.size[1])).getbbox() is None


def test_a_capture_chain_shows_from_path_captures_and_the_one_under_the_mover() -> None:
    after, last = turn(position(["a1", "d5", "g7"], ["a2", "c3", "c4", "g6"]), "d5xc4xc3xa2")
    plain, shown = draw(after), draw(after, last_turn=last)
    assert SAFFRON in inks(shown, "d5")
    assert not {SAFFRON, PALE} & inks(plain, "d5")
    for cell in ("c4", "c3"):
        assert {PALE, CROSS} <= inks(shown, cell)
    assert {SAFFRON, CROSS} <= inks(shown, "a2")
    assert changed_mask(plain, shown).crop(cell_box(plain, "b2")).getbbox() is not None


def test_a_move_shows_from_and_to() -> None:
    after, last = turn(GAME.start(), "b1-b2")
    shown = draw(after, last_turn=last)
    assert SAFFRON in inks(shown, "b1")
    assert SAFFRON in inks(shown, "b2")
    assert CROSS not in colours(shown.png)


def test_a_placement_shows_its_cell_and_the_reserve_shrinks() -> None:
    start = GAME.start(2, {"setup": "empty"})
    after, last = turn(start, "d4")
    shown = draw(after, last_turn=last)
    assert SAFFRON in inks(shown, "d4")
    footer = changed_mask(draw(start, viewer=0), draw(after)).crop((110, shown.size[1] - 60, 300, shown.size[1]))
    assert footer.getbbox() is not None


def test_in_the_middle_of_a_turn_the_range_that_is_left_is_shown() -> None:
    start = position(["a1", "d5", "g7"], ["a2", "c3", "c4", "g6"])
    middle = start.play(start.parse("d5xc4")[0])
    assert middle.to_move == 0
    fresh = position(["a1", "c4", "g7"], ["a2", "c3", "g6"])
    box = (330, 1075, 430, 1180)
    assert changed_mask(draw(middle), draw(fresh)).crop(box).getbbox() is not None


@pytest.mark.parametrize("theme", THEMES)
def test_moved_piece_changes_the_picture_visibly(theme: str) -> None:
    start = GAME.start()
    pieces = start.to_json()["pieces"]
    moved = GAME.load(start.to_json() | {"pieces": [sorted([*pieces[0][1:], "b2"]), pieces[1]]})
    assert difference(*([shrink_picture(draw(state, theme=theme).png) for state in (start, moved)])) > TOLERANCE


def test_the_arrow_of_a_hint_strikes_out_no_name() -> None:
    state = position(["e4", "d1"], ["f5", "d6"])
    plain = draw(state)
    hint = draw(state, hint=Hint((HintStep("f5", "e4", capture=True), HintStep("d6", "f5", capture=True))))
    x, y, _ = plain.spots["e6"]
    name, again = (picture(each.png).crop((x - 20, y + 24, x + 20, y + 50)) for each in (plain, hint))
    ink = (0x50, 0x20, 0x0F)
    whole, still = ({c: n for n, c in each.getcolors(9999) or []}.get(ink, 0) for each in (name, again))
    assert still == whole > 50
