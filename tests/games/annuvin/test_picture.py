"""Annuvin's picture and its film: hexagons and squares, both sides, every kind of turn."""

import io
import itertools
from typing import Any, Final

import pytest
from PIL import Image, ImageSequence

from engine import State, games
from engine.topology import hexagon, square_grid
from engine.turn import group_turns
from render import THEMES, Hint, HintStep, draw
from render.animation import animate, list_moments
from render.theme import CROSS, PALE, SAFFRON
from tests.games.annuvin.board import load
from tests.render.pixels import RGB, amount, cell_box, changed_mask, check_marks, inks_within, picture, turn
from tests.support.comparing import TOLERANCE, difference, shrink_picture

GAME = games["annuvin"]


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
    first, second = (draw(load(f"a1 b1 {at}", "a4 b4", board=board)) for at in ("c1", "d2"))
    for cell in first.spots:
        assert (amount(first, second, cell_box(first, cell, 35)) > 1500) == (cell in {"c1", "d2"}), cell
    assert amount(first, second, (0, first.size[1] - 118, 900, first.size[1])) == 0


MARKS: Final[dict[str, tuple[State, str, dict[str, set[RGB]], dict[str, set[RGB]]]]] = {
    # what a turn shows: before it, the turn, which inks are seen on cells and which are not
    "a chain of captures, one of them under the mover": (
        load("a1 d5 g7", "a2 c3 c4 g6"),
        "d5xc4xc3xa2",
        {"d5": {SAFFRON}, "c4 c3": {PALE, CROSS}, "a2": {SAFFRON, CROSS}},
        {"g6": {CROSS, SAFFRON}},
    ),
    "a move": (GAME.start(), "b1-b2", {"b1 b2": {SAFFRON}}, {" ".join(hexagon(4).names): {CROSS}}),
    "a placement": (GAME.start(2, {"setup": "empty"}), "d4", {"d4": {SAFFRON}}, {}),
}


@pytest.mark.parametrize("what", MARKS)
def test_a_turn_is_shown(what: str) -> None:
    check_marks(*MARKS[what])


def test_the_path_of_a_chain_is_drawn_over_the_cells_that_it_passes() -> None:
    after, last = turn(load("a1 d5 g7", "a2 c3 c4 g6"), "d5xc4xc3xa2")
    plain, shown = draw(after), draw(after, last_turn=last)
    assert changed_mask(plain, shown).crop(cell_box(plain, "b2")).getbbox() is not None


def test_the_reserve_shrinks_with_a_placement() -> None:
    start = GAME.start(2, {"setup": "empty"})
    before, after = draw(start, viewer=0), draw(start.play(start.parse("d4")[0]))
    assert changed_mask(before, after).crop((110, after.size[1] - 60, 300, after.size[1])).getbbox() is not None


def test_in_the_middle_of_a_turn_the_range_that_is_left_is_shown() -> None:
    start = load("a1 d5 g7", "a2 c3 c4 g6")
    middle = start.play(start.parse("d5xc4")[0])
    assert middle.to_move == 0
    fresh = load("a1 c4 g7", "a2 c3 g6")
    assert changed_mask(draw(middle), draw(fresh)).crop((330, 1075, 430, 1180)).getbbox() is not None


@pytest.mark.parametrize("theme", THEMES)
def test_moved_piece_changes_the_picture_visibly(theme: str) -> None:
    start = GAME.start()
    pieces = start.to_json()["pieces"]
    moved = GAME.load(start.to_json() | {"pieces": [sorted([*pieces[0][1:], "b2"]), pieces[1]]})
    assert difference(*([shrink_picture(draw(state, theme=theme).png) for state in (start, moved)])) > TOLERANCE


def test_the_arrow_of_a_hint_strikes_out_no_name() -> None:
    state = load("e4 d1", "f5 d6")
    plain = draw(state)
    hint = draw(state, hint=Hint((HintStep("f5", "e4", capture=True), HintStep("d6", "f5", capture=True))))
    x, y, _ = plain.spots["e6"]
    name, again = (picture(each.png).crop((x - 20, y + 24, x + 20, y + 50)) for each in (plain, hint))
    ink = (0x50, 0x20, 0x0F)
    whole, still = ({c: n for n, c in each.getcolors(9999) or []}.get(ink, 0) for each in (name, again))
    assert still == whole > 50


def test_turns_in_several_steps_are_shown_step_by_step() -> None:
    start = load("d5 a1 g7", "c4 c3 a2 e7")
    turns = list(group_turns(start, start.parse("d5xc4xc3xa2")))
    shown = list_moments(start, turns)
    assert [len(still.turn.actions) if still.turn else 0 for still in shown] == [0, 1, 2, 3]
    assert shown[1].shown < 1000 < shown[-1].shown
    with Image.open(io.BytesIO(animate(start, turns).gif)) as film:
        frames = [(frame.info["duration"], frame.convert("RGB").tobytes()) for frame in ImageSequence.Iterator(film)]
    # Pieces slide in frames of 40 ms; what stands longer than that is a position.
    stand = [pixels for lasts, pixels in frames if lasts > 40]
    assert len(stand) == len(set(stand)) == 4
    assert len(frames) > 4


@pytest.mark.parametrize("board", ["hexagon", "square"])
@pytest.mark.parametrize("theme", THEMES)
def test_what_the_enemy_reaches_is_marked_on_request(board: str, theme: str) -> None:
    state = load("a1", "d4 c4", board=board)
    reach = sorted(state.find_reach(1))
    plain, shown = draw(state, theme=theme), draw(state, theme=theme, reach=reach)
    assert 0 < len(reach) < len(plain.spots)
    for cell in plain.spots:
        x, y, r = plain.spots[cell]
        edge = (x - 8, y - r - 3, x + 8, y - r + 12)
        assert (CROSS in inks_within(shown, edge)) == (cell in reach), cell
        assert CROSS not in inks_within(plain, edge)


@pytest.mark.parametrize("board", ["hexagon", "square"])
def test_pieces_on_the_board_in_reserve_and_lost_have_signs_of_their_own(board: str) -> None:
    states = [
        load("a1 a2", "d4", board=board, reserve=(1, 0)),
        load("a1 a2", "d4", board=board, reserve=(0, 1)),
        load("a1 a2 a3", "d4", board=board, reserve=(0, 1)),
    ]
    drawings = [draw(state) for state in states]
    height = drawings[0].size[1]
    third = (132 + 58 - 14, height - 118 + 85 - 14, 132 + 58 + 14, height - 118 + 85 + 14)
    for one, other in itertools.combinations(drawings, 2):
        assert amount(one, other, third) > 60


def test_cacciatori_fills_its_picture() -> None:
    shown = draw(GAME.start(2, {"board": "square"}))
    xs = [x for x, _, _ in shown.spots.values()]
    assert max(xs) - min(xs) >= 600
