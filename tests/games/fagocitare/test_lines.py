"""Fagocitare: what happens along one line, the same whichever of the eight ways it is laid on the sheet.

A line is written as ten cells: `R` and `B` are live dots of red and of blue, `r` and `b` dead ones by captor, `.` is
free, `*` the cell where red draws.
"""

import pytest

from engine.topology import square_grid
from tests.games.fagocitare.sheet import describe_dots, draw, load

SIZE = 10
NAMES = square_grid(SIZE, SIZE).names
WAYS = {
    "north": lambda step: (4, step),
    "south": lambda step: (4, SIZE - 1 - step),
    "east": lambda step: (step, 4),
    "west": lambda step: (SIZE - 1 - step, 4),
    "north-east": lambda step: (step, step),
    "south-west": lambda step: (SIZE - 1 - step, SIZE - 1 - step),
    "south-east": lambda step: (step, SIZE - 1 - step),
    "north-west": lambda step: (SIZE - 1 - step, step),
}
LINES = {
    "attackers on the near side count across gaps to the edge": ("R...*BBRR.", "R...RrrRR.", "4-7", ""),
    "attackers on the near side stop at the first enemy (it dies between two)": ("RBB*BBRR..", "RBBbBBRR..", "", "2-4"),
    "attackers on the far side count across gaps": ("..*BBR.R.R", "..RrrR.R.R", "2-5", ""),
    "attackers on the far side stop at the first enemy": (".R*BBRBR..", ".RRBBRBR..", "", ""),
    "attackers on the near side count across dead dots": ("Rrb.*BBRR.", "Rrb.RrrRR.", "4-7", ""),
    "Q is the nearest to the group of several own dots": ("..*RRB.R..", "..RRRr.R..", "4-7", ""),
    "Q is the nearest across a dead dot": ("..*RrB.R..", "..RRrr.R..", "3-7", ""),
    "A is the first own dot beyond the group": ("..*BB..RRR", "..Rrr..RRR", "2-7", ""),
    "closeness: a free cell before the group": ("..*.BRR...", "..R.BRR...", "", ""),
    "closeness: a free cell behind an own dot": ("..*R.BRR..", "..RR.BRR..", "", ""),
    "closeness is not asked beyond the first enemy": ("..*B.B.RRR", "..Rr.r.RRR", "2-7", ""),
    "a row of three needs six": (".R*BBBRRR.", ".RRBBBRRR.", "", ""),
    "a row of three with six": ("RR*BBBRRR.", "RRRrrrRRR.", "2-6", ""),
    "suicide counts blue's attackers outward on both sides": (".BBB*RB...", ".BBBbbB...", "", "3-6"),
    "blue's attackers stop at the first red dot": ("BRBB*RB...", "BRBBRRB...", "", ""),
    "suicide takes the row on either side of the dot": ("BBBR*RBBB.", "BBBbbbBBB.", "", "2-6"),
    "suicide of three needs six": ("BBBR*RBB..", "BBBRRRBB..", "", ""),
    "suicide passes over free and dead cells": ("..B.*.r.B.", "..B.b.r.B.", "", "2-8"),
    "one enemy beside the dot is no suicide": ("BBB*......", "BBBR......", "", ""),
}


def ends(line: str, cells: list[str]) -> list[str]:
    """Return a line from its steps (`2-5`) as the names of its ends (`c5-f5`), as the sheet writes it."""
    return ["-".join(sorted((cells[int(step)] for step in line.split("-")), key=NAMES.index))] if line else []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rule", LINES)
def test_along_a_line(rule: str, way: str) -> None:
    before, after, red_line, blue_line = LINES[rule]
    cells = [NAMES[x * SIZE + y] for x, y in map(WAYS[way], range(SIZE))]

    def found(kind: str, line: str) -> list[str]:
        return sorted((cell for cell, each in zip(cells, line, strict=True) if each == kind), key=NAMES.index)

    dead = (" ".join(found("r", before)), " ".join(found("b", before)))
    state = load(" ".join(found("R", before)), " ".join(found("B", before)), dead, size=SIZE)
    (cell,) = found("*", before)
    assert describe_dots(draw(state, cell)) == {
        "red": found("R", after),
        "blue": found("B", after),
        "dead": [found("r", after), found("b", after)],
        "lines": [ends(red_line, cells), ends(blue_line, cells)],
    }
