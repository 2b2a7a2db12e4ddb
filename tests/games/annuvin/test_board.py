"""Annuvin: the boards and the setups (docs/rules/annuvin.md, Board and Setup)."""

from itertools import product
from math import dist, isclose, sqrt

import pytest

from engine.topology import hexagon, square_grid
from tests.games.annuvin.board import ANNUVIN, place_of

HEXAGON = hexagon(4)
SQUARE = square_grid(4, 4)


def test_the_hexagon_has_37_cells_of_these_names() -> None:
    columns = {"a": (1, 4), "b": (1, 5), "c": (1, 6), "d": (1, 7), "e": (2, 7), "f": (3, 7), "g": (4, 7)}
    names = [f"{column}{row}" for column, (low, high) in columns.items() for row in range(low, high + 1)]
    assert (list(HEXAGON.names), len(names)) == (names, 37)
    assert all(abs(x - y) <= 3 for x, y in map(place_of, names))


def test_neighbours_on_the_hexagon() -> None:
    for number, name in enumerate(HEXAGON.names):
        x, y = place_of(name)
        near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y + 1), (x - 1, y - 1)}
        expected = {other for other in HEXAGON.names if place_of(other) in near}
        assert {HEXAGON.names[other] for other in HEXAGON.neighbours[number]} == expected


def test_distance_on_the_hexagon() -> None:
    for (i, a), (j, b) in product(enumerate(HEXAGON.names), repeat=2):
        dx, dy = place_of(a)[0] - place_of(b)[0], place_of(a)[1] - place_of(b)[1]
        assert HEXAGON.distances[i][j] == max(abs(dx), abs(dy), abs(dx - dy))


def test_the_hexagon_is_drawn_with_upright_columns_d1_at_the_bottom_and_d7_at_the_top() -> None:
    at = dict(zip(HEXAGON.names, HEXAGON.positions, strict=True))
    assert (min(at, key=lambda name: at[name][1]), max(at, key=lambda name: at[name][1])) == ("d1", "d7")
    for name, (x, y) in at.items():
        assert isclose(x, at[f"{name[0]}{HEXAGON.names[0][1] if name[0] < 'e' else 4}"][0])
        # flat-topped cells: neighbours in a column are one unit apart, so is every other neighbour
        for near in HEXAGON.neighbours[HEXAGON.index[name]]:
            assert isclose(dist((x, y), HEXAGON.positions[near]), 1)
    assert isclose(at["b1"][0] - at["a1"][0], sqrt(3) / 2)


def test_the_square_has_16_cells_and_a_kings_step() -> None:
    assert list(SQUARE.names) == [f"{column}{row}" for column in "abcd" for row in "1234"]
    for (i, a), (j, b) in product(enumerate(SQUARE.names), repeat=2):
        dx, dy = place_of(a)[0] - place_of(b)[0], place_of(a)[1] - place_of(b)[1]
        assert SQUARE.distances[i][j] == max(abs(dx), abs(dy))
    assert len(SQUARE.neighbours[SQUARE.index["b2"]]) == 8


def test_annuvin_is_for_two_and_has_options_with_defaults() -> None:
    assert list(ANNUVIN.seats) == [2]
    assert ANNUVIN.start(options={"board": "square"}).to_json()["options"] == {"board": "square", "setup": "classic"}
    found = {name: option.values for name, option in ANNUVIN.options.items()}
    assert found == {"board": ("hexagon", "square"), "setup": ("classic", "empty")}


def test_setup_on_the_square() -> None:
    shown = ANNUVIN.start(options={"board": "square"}).to_json()
    assert shown["pieces"] == [["a1", "b1", "c1", "d1"], ["a4", "b4", "c4", "d4"]]
    assert (shown["reserve"], shown["lost"], shown["to_move"]) == ([0, 0], [0, 0], 0)


@pytest.mark.parametrize(("board", "size"), [("hexagon", 6), ("square", 4)])
def test_setup_empty_has_all_pieces_in_reserve(board: str, size: int) -> None:
    shown = ANNUVIN.start(options={"board": board, "setup": "empty"}).to_json()
    assert (shown["pieces"], shown["reserve"], shown["lost"]) == ([[], []], [size, size], [0, 0])
    assert shown["to_move"] == 0
