"""Boards: the names, neighbours, distances and drawing coordinates of their cells."""

import cmath
import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product, starmap

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Topology:
    """A set of named cells in the order of the rules (by column, then by row number).

    A cell's index is its place in that order; sets of cells are ints with bit `index` set.
    `position` gives drawing coordinates in units of one cell, x to the right and y upwards.
    """

    def __init__(
        self,
        names: Sequence[str],
        neighbours: Sequence[Sequence[int]],
        positions: Sequence[tuple[float, float]],
    ) -> None:
        self.names = tuple(names)
        self.index = {name: index for index, name in enumerate(self.names)}
        self.neighbours = tuple(tuple(sorted(cells)) for cells in neighbours)
        self.neighbour_bits = tuple(make_bits(cells) for cells in self.neighbours)
        """For each cell its neighbours as bits."""
        self.positions = tuple(positions)
        self.all = (1 << len(self.names)) - 1
        """All cells as bits."""
        # Worked out when they are first asked for; a cached_property would not be cached where mypyc compiles this.
        self._distances: tuple[tuple[int, ...], ...] = ()
        self._within: tuple[tuple[int, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @property
    def distances(self) -> tuple[tuple[int, ...], ...]:
        """For each pair of cells the number of steps between them on an empty board."""
        if not self._distances:
            self._distances = tuple(self._steps_from(cell) for cell in range(len(self.names)))
        return self._distances

    @property
    def within(self) -> tuple[tuple[int, ...], ...]:
        """For each cell and n = 0, 1, 2 ... the other cells at distance 1..n, as bits."""
        if not self._within:
            distances = self.distances
            farthest = max(max(row) for row in distances)
            self._within = tuple(
                tuple(make_bits([b for b, d in enumerate(row) if 1 <= d <= reach]) for reach in range(farthest + 1))
                for row in distances
            )
        return self._within

    def cells(self, members: int) -> list[str]:
        """Return the names of the cells in a set of bits, sorted as the rules sort them."""
        return [self.names[index] for index in list_indices(members)]

    def bits(self, cells: Iterable[str]) -> int:
        """Return the cells as bits; KeyError for a name that is no cell."""
        return make_bits(self.index[cell] for cell in cells)

    def _steps_from(self, start: int) -> tuple[int, ...]:
        steps = {start: 0}
        queue = [start]
        for cell in queue:
            for neighbour in self.neighbours[cell]:
                if neighbour not in steps:
                    steps[neighbour] = steps[cell] + 1
                    queue.append(neighbour)
        return tuple(steps[cell] for cell in range(len(self.names)))


def make_bits(members: Iterable[int]) -> int:
    """Return a set of indices as an int with those bits set."""
    result = 0
    for index in members:
        result |= 1 << index
    return result


# For each byte of a set of at most 256 bits, and each value of that byte, the indices of its set bits.
_OF_BYTES = tuple(
    tuple(tuple(base + bit for bit in range(8) if byte >> bit & 1) for byte in range(256)) for base in range(0, 256, 8)
)
_COUNTS = tuple(byte.bit_count() for byte in range(256))


def list_indices(members: int) -> list[int]:
    """Return the indices of the set bits, lowest first."""
    result: list[int] = []
    if members.bit_count() > 4 and members.bit_length() <= 256:
        for row, byte in zip(_OF_BYTES, members.to_bytes((members.bit_length() + 7) >> 3, "little"), strict=False):
            result += row[byte]
        return result
    while members:
        low = members & -members
        result.append(low.bit_length() - 1)
        members ^= low
    return result


def nth_index(members: int, n: int) -> int:
    """Return the index of the set bit that has n set bits below it, `indices(members)[n]`."""
    for row, byte in zip(_OF_BYTES, members.to_bytes((members.bit_length() + 7) >> 3, "little"), strict=False):
        count = _COUNTS[byte]
        if n < count:
            return row[byte][n]
        n -= count
    raise IndexError(n)


def _build(
    cells: Sequence[tuple[int, int]],
    near: Callable[[int, int, int, int], bool],
    positions: Sequence[tuple[float, float]],
) -> Topology:
    """Return a board whose cells are pairs: of a letter's and of a number's index, neighbours where `near` says so."""
    return Topology(
        [f"{LETTERS[x]}{y + 1}" for x, y in cells],
        [[j for j, other in enumerate(cells) if near(*cell, *other)] for cell in cells],
        positions,
    )


@lru_cache
def square_grid(columns: int, rows: int, diagonal: bool = True) -> Topology:
    """Return a grid of columns a, b ... and rows 1, 2 ... with 8 neighbours a cell, or 4."""
    cells = [(x, y) for x in range(columns) for y in range(rows)]

    def near(x: int, y: int, other_x: int, other_y: int) -> bool:
        dx, dy = abs(x - other_x), abs(y - other_y)
        return (max(dx, dy) if diagonal else dx + dy) == 1

    return _build(cells, near, [(float(x), float(y)) for x, y in cells])


@lru_cache
def hexagon(side: int) -> Topology:
    """Return a hexagon of hexagonal cells with flat tops, columns upright, a1 at its lower left side.

    Neighbours of (x, y): (x±1, y), (x, y±1), (x+1, y+1), (x-1, y-1) (docs/rules/annuvin.md, Board).
    """
    size = 2 * side - 1
    cells = [(x, y) for x in range(size) for y in range(size) if abs(x - y) < side]

    def near(x: int, y: int, other_x: int, other_y: int) -> bool:
        dx, dy = other_x - x, other_y - y
        return max(abs(dx), abs(dy), abs(dx - dy)) == 1

    return _build(cells, near, [(x * math.sqrt(3) / 2, y - x / 2) for x, y in cells])


@lru_cache
def web(spokes: int, rings: int) -> Topology:
    """Return a web: spokes a, b ... clockwise with a pointing up, rings 1 (innermost) outwards, each closed.

    Positions are those of a unit web whose ring r has radius r (docs/rules/vedova-nera.md, Board).
    """
    cells = [(s, r) for s in range(spokes) for r in range(rings)]
    angles = [2 * math.pi * s / spokes for s in range(spokes)]

    def near(spoke: int, ring: int, other_spoke: int, other_ring: int) -> bool:
        if spoke == other_spoke:
            return abs(ring - other_ring) == 1
        return ring == other_ring and (spoke - other_spoke) % spokes in (1, spokes - 1)

    return _build(cells, near, [((r + 1) * math.sin(angles[s]), (r + 1) * math.cos(angles[s])) for s, r in cells])


_ANGLES = [math.radians(15 * step) for step in range(24)]


def list_symmetries(topology: Topology) -> list[tuple[int, ...]]:
    """Return the rotations and reflections of a board, each with the image of every cell; the identity comes first."""
    middle = sum(starmap(complex, topology.positions)) / len(topology.positions)
    points = [complex(*point) - middle for point in topology.positions]
    at = {_rounded(point): index for index, point in enumerate(points)}
    near, found = topology.neighbours, []
    for mirrored, angle in product((False, True), _ANGLES):
        seen = [point.conjugate() if mirrored else point for point in points]
        image = [at.get(_rounded(point * cmath.rect(1, angle)), -1) for point in seen]
        if min(image) >= 0 and all(
            sorted(image[each] for each in near[cell]) == list(near[there]) for cell, there in enumerate(image)
        ):
            found.append(tuple(image))
    return found


def _rounded(point: complex) -> tuple[float, float]:
    return round(point.real, 3) + 0.0, round(point.imag, 3) + 0.0
