"""Real Queen's picture: the tray from both sides, reserves, queens, every kind of turn."""

from itertools import combinations
from typing import Final

import pytest

from engine import State, games
from engine.topology import square_grid
from render import THEMES, Choices, Target, draw
from render.games.real_queen import TRAYS
from render.theme import CROSS, DEEP, LINE, PALE, SAFFRON, WATER
from tests.games.real_queen.board import load
from tests.render.pixels import RGB, amount, cell_box, changed_mask, check_inks, check_marks, inks, turn
from tests.support.present import present

GAME = games["real-queen"]
GOLD = (0xD9, 0xA4, 0x41)
DOUBLE = load("a4 b3 c2 d2 d3 d4", "c3 c4 c5 g7")


@pytest.mark.parametrize("viewer", [0, 1])
def test_the_spots_are_the_cells_where_the_grid_has_them(viewer: int) -> None:
    spots = draw(GAME.start(), viewer=viewer).spots
    board = square_grid(7, 7)
    assert set(spots) == set(board.names)
    way = -1 if viewer else 1
    (ax, ay, _), (gx, gy, _) = spots["a1"], spots["g7"]
    for name, (x, y) in zip(board.names, board.positions, strict=True):
        assert spots[name][:2] == (ax + (gx - ax) * x / 6, ay + (gy - ay) * y / 6)
    assert (ax < gx, ay > gy) == (way == 1, way == 1)


@pytest.mark.parametrize("theme", THEMES)
def test_one_moved_piece_changes_its_two_hollows_and_nothing_else(theme: str) -> None:
    first, second = (draw(load(f"a1 {at}", "g7"), theme=theme) for at in ("c3", "e5"))
    for cell in first.spots:
        assert (amount(first, second, cell_box(first, cell)) > 2000) == (cell in {"c3", "e5"}), cell
    assert amount(first, second, (0, 950, 900, first.size[1])) == 0


@pytest.mark.parametrize("theme", THEMES)
def test_white_and_black_and_queens_differ_on_the_same_cell(theme: str) -> None:
    drawings = [
        draw(load(*cells, queens=list(queens), reserve=[3, 3]), theme=theme)
        for cells, queens in ((("d4", ""), (None, None)), (("", "d4"), (None, None)), (("", ""), ("d4", None)))
    ]
    for first, second in combinations(drawings, 2):
        assert amount(first, second, cell_box(first, "d4")) > 1000
    assert GOLD in inks(drawings[2], "d4")


def test_the_rails_hold_the_reserves_of_their_sides() -> None:
    below, above = (78, 960, 822, 1014), (78, 114, 822, 168)
    for viewer, own, other in ((0, below, above), (1, above, below)):
        full, fewer = (draw(load("", "", reserve=[count, 5]), viewer=viewer) for count in (5, 4))
        difference = changed_mask(full, fewer)
        assert difference.crop(own).getbbox() is not None
        assert difference.crop(other).getbbox() is None


def test_a_piece_lost_shows_as_a_cross_where_one_on_the_board_is_a_dot() -> None:
    # The last place of White's rail: with 5 in reserve and 15 on the board it is a dot.
    cells = square_grid(7, 7).names
    board, lost = (draw(load(" ".join(cells[:count]), "", reserve=[5, 5])) for count in (15, 14))
    assert present(changed_mask(board, lost).crop((78, 960, 752, 1014)).getbbox())[0] > 630


MARKS: Final[dict[str, tuple[State, str, dict[str, set[RGB]], dict[str, set[RGB]]]]] = {
    # what a turn shows: before it, the turn, which inks are seen on cells and which are not
    "a double alignment shows both runs, captures and returns": (
        DOUBLE,
        "d1 xc5 xc4 xc3 rd1 rc2 rd2",
        {
            "a4 b3 c2 d1 d2 d3 d4": {SAFFRON},
            "c3 c4 c5": {PALE, CROSS, LINE},
            "d1 c2 d2": {LINE},
        },
        {"d1 c2 d2": {CROSS}, "g7": {SAFFRON}},
    ),
    "an unfinished turn shows its actions so far": (DOUBLE, "d1 xc5", {"c5": {PALE, CROSS}}, {"c4": {CROSS}}),
    "a win shows the line and the queen it caught": (
        load("c1 c2 c3", "g1", queens=[None, "d5"]),
        "c4",
        {"d5": {PALE, CROSS}, "c1": {SAFFRON}},
        {},
    ),
}


@pytest.mark.parametrize("what", MARKS)
def test_a_turn_is_shown(what: str) -> None:
    check_marks(*MARKS[what])


def test_a_shift_and_a_step_show_from_and_to() -> None:
    start = load("a1 b7", "g7", queens=["d4", None], reserve=[0, 5])
    for text, source, target in (("a1-f2", "a1", "f2"), ("Qd4-e4", "d4", "e4")):
        after, last = turn(start, text)
        shown, plain = draw(after, last_turn=last), draw(after)
        assert {SAFFRON, LINE} <= inks(shown, source)
        x, y, _ = plain.spots[target]
        assert amount(shown, plain, (x - 64, y - 64, x + 64, y + 64)) > 600
        assert SAFFRON not in inks(shown, "b7")


def test_last_turn_is_pale_during_a_choice() -> None:
    check_marks(DOUBLE, "d1", {"a4": {PALE}}, {"a4": {SAFFRON}}, choices=Choices())


def test_choices_mark_movable_chosen_targets_and_captures() -> None:
    state = load("a1 b7", "g7", queens=["d4", None], reserve=[0, 5])
    marks = Choices(("a1", "d4"), "d4", (Target("e4", label="1"), Target("g7", capture=True, label="2")))
    shown = draw(state, choices=marks)
    check_inks(shown, {"a1": {DEEP}, "e4": {WATER}, "g7": {CROSS}}, {"b7": {DEEP}, "g7": {WATER}})


def test_the_footer_shows_whether_the_queen_is_in_hand() -> None:
    box = (330, 1064, 440, 1182)
    hand, board = draw(load("a1", "")), draw(load("a1", "", queens=["d4", None]))
    assert amount(hand, board, box) > 1000
    assert amount(hand, board, (780, 1064, 890, 1182)) == 0


@pytest.mark.parametrize("theme", THEMES)
def test_cells_beside_a_queen_are_tinted(theme: str) -> None:
    plain = draw(load("", "", reserve=[20, 20]), theme=theme)
    shown = draw(load("", "", ("c3", "g7"), reserve=[20, 20]), theme=theme)
    near = TRAYS[theme].near
    tinted = {cell for cell in shown.spots if near in inks(shown, cell)}
    assert tinted >= {f"{column}{row}" for column in "bcd" for row in (2, 3, 4)} - {"c3"}
    assert tinted >= {"f6", "f7", "g6"}
    assert not tinted & {"a1", "a5", "e3", "e5", "f5", "g1", "d7"}
    assert not any(near in inks(plain, cell) for cell in plain.spots)


@pytest.mark.parametrize("theme", THEMES)
def test_the_reserve_is_told_by_its_rail_alone(theme: str) -> None:
    full, fewer = (draw(load("", "", reserve=[count, 5]), theme=theme) for count in (5, 4))
    difference = changed_mask(full, fewer)
    assert difference.crop((752, 960, 840, 1014)).getbbox() is not None
    assert difference.crop((0, full.size[1] - 118, 900, full.size[1])).getbbox() is None


@pytest.mark.parametrize("theme", THEMES)
def test_a_cell_that_completes_a_line_has_the_red_mark_on_its_water(theme: str) -> None:
    state = load("a1 a2 a3", "g7 g6")
    targets = tuple(
        Target(action.target or "", action in state.find_captures((action,)), str(number))
        for number, action in enumerate(state.parse("a4") + state.parse("e5"), 1)
    )
    shown = draw(state, choices=Choices(targets=targets, kind="place"), theme=theme)
    check_inks(shown, {"a4": {CROSS, WATER}, "e5": {WATER}}, {"e5": {CROSS}})
