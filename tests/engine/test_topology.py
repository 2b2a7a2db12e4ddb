"""Boards: cells, neighbours, distances, sets of cells."""

from math import dist, hypot, isclose

import pytest
from hypothesis import given, strategies as st

from engine.topology import Topology, hexagon, list_indices, make_bits, nth_index, square_grid, web

BOARDS = {
    "hexagon": hexagon(4),
    "square": square_grid(4, 4),
    "orthogonal": square_grid(8, 13, diagonal=False),
    "large": square_grid(12, 12),
    "web": web(8, 4),
}
EVERY_BOARD = pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)


@EVERY_BOARD
def test_names_are_sorted_by_column_then_by_number(board: Topology) -> None:
    assert list(board.names) == sorted(board.names, key=lambda name: (name[0], int(name[1:])))
    assert [board.index[name] for name in board.names] == list(range(len(board)))
    assert board.all.bit_count() == len(board)


@EVERY_BOARD
def test_neighbours_are_mutual_and_one_step_away(board: Topology) -> None:
    for cell, near in enumerate(board.neighbours):
        assert list(near) == sorted(set(near))
        assert cell not in near
        assert all(cell in board.neighbours[other] for other in near)
        assert board.neighbour_bits[cell] == make_bits(near)
        assert near == tuple(other for other, steps in enumerate(board.distances[cell]) if steps == 1)


@EVERY_BOARD
def test_distances_are_those_of_a_walk(board: Topology) -> None:
    for cell, row in enumerate(board.distances):
        assert row[cell] == 0
        for other, steps in enumerate(row):
            assert board.distances[other][cell] == steps
            if steps:
                assert min(row[near] for near in board.neighbours[other]) == steps - 1


@EVERY_BOARD
def test_within_is_everything_up_to_a_distance_but_the_cell_itself(board: Topology) -> None:
    for cell, row in enumerate(board.within):
        assert row[0] == 0
        assert row[-1].bit_count() <= len(board) - 1
        for reach, members in enumerate(row):
            near = [other for other, steps in enumerate(board.distances[cell]) if 1 <= steps <= reach]
            assert list_indices(members) == near


@EVERY_BOARD
def test_cells_and_bits(board: Topology) -> None:
    some = board.names[::3]
    assert board.cells(board.bits(reversed(some))) == list(some)
    with pytest.raises(KeyError):
        board.bits(["z99"])


def test_the_corner_of_a_grid_has_three_neighbours_or_two() -> None:
    assert (len(BOARDS["square"].neighbours[0]), len(BOARDS["orthogonal"].neighbours[0])) == (3, 2)


def test_row_10_comes_after_row_9() -> None:
    names = BOARDS["large"].names
    assert names[names.index("a9") + 1 : names.index("a9") + 3] == ("a10", "a11")


def test_the_web_has_closed_rings_and_no_middle() -> None:
    board = BOARDS["web"]
    near = {name: {board.names[other] for other in board.neighbours[board.index[name]]} for name in board.names}
    assert (near["a1"], near["a4"]) == ({"a2", "b1", "h1"}, {"a3", "b4", "h4"})
    assert near["c2"] == {"c1", "c3", "b2", "d2"}


def test_the_web_is_drawn_clockwise_with_a_pointing_up() -> None:
    at = dict(zip(BOARDS["web"].names, BOARDS["web"].positions, strict=True))
    assert isclose(at["a4"][0], 0, abs_tol=1e-9)
    assert at["a4"][1] > at["a1"][1] > 0
    assert at["c1"][0] > 0.99
    assert at["g1"][0] < -0.99
    assert all(isclose(hypot(x, y), int(name[1:])) for name, (x, y) in at.items())


def test_grids_are_drawn_a_unit_apart() -> None:
    board = BOARDS["orthogonal"]
    for cell, near in enumerate(board.neighbours):
        assert all(isclose(dist(board.positions[cell], board.positions[other]), 1) for other in near)


@given(st.sets(st.integers(0, 300)))
def test_indices_and_nth_index_take_a_set_apart(members: set[int]) -> None:
    assert list_indices(make_bits(members)) == sorted(members)
    small = {member for member in members if member < 256}
    assert [nth_index(make_bits(small), n) for n in range(len(small))] == sorted(small)
