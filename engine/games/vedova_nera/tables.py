"""The web of La Vedova Nera as numbers: lines, traps, and every action of the game ready made.

A node, and the hollow of the same name, is an index into `WEB` (spoke * 4 + ring - 1); sets are 32 bits.
"""

from collections.abc import Iterable
from typing import Final

from engine.core import PASS, Action
from engine.topology import list_indices, make_bits, web

COLOURS: Final = ("red", "green", "yellow", "blue", "white")
BLACK: Final = "black"
PAWNS_BY_SEATS: Final = {2: 6, 3: 5, 4: 4, 5: 3}
"""Number of pawns, and of marbles, of each colour, by number of seats."""
STABLE_PAWNS_FOR_MARBLE: Final = {2: 4, 3: 3, 4: 2, 5: 2}
"""Number of stable pawns that a player needs to move a marble, by number of seats."""
MAX_TURNS: Final = 500
"""Turns of the phase `play` after which the game is a draw."""

SPOKES: Final = 8
RINGS: Final = 4
WEB: Final = web(SPOKES, RINGS)
ALL_NODES: Final = WEB.all
NO_NODE: Final = -1
"""No node: no ban, no entry."""

RING: Final = tuple(make_bits(spoke * RINGS + ring for spoke in range(SPOKES)) for ring in range(RINGS))
"""The nodes of each ring, innermost first."""
OUTERMOST: Final = RING[-1]
UP_TO: Final = (RING[0], RING[0] | RING[1], RING[0] | RING[1] | RING[2], ALL_NODES)
"""The nodes of each ring and of all rings inside it."""


def node_index(spoke: int, ring: int) -> int:
    """Return the index of a node; spokes are cyclic, rings count from 0."""
    return spoke % SPOKES * RINGS + ring


def _rays(start: int) -> tuple[tuple[int, ...], ...]:
    """Return the nodes that a slide from `start` passes: both ways round its ring, inwards, outwards."""
    spoke, ring = divmod(start, RINGS)
    return (
        tuple(node_index(spoke + step, ring) for step in range(1, SPOKES)),
        tuple(node_index(spoke - step, ring) for step in range(1, SPOKES)),
        tuple(node_index(spoke, inner) for inner in reversed(range(ring))),
        tuple(node_index(spoke, outer) for outer in range(ring + 1, RINGS)),
    )


RAYS: Final = tuple(_rays(start) for start in range(len(WEB)))
"""For each node the four ways along its ring and its spoke, nearest node first."""

TRAPS: Final = tuple(tuple((1 << ray[0], 1 << ray[1]) for ray in rays if len(ray) > 1) for rays in RAYS)
"""For each node that a piece arrives on, the neighbours it can trap with the node of the other piece."""
NEXT_TO_TRAP: Final = tuple(sum(caught for caught, _ in traps) for traps in TRAPS)
"""For each node, all neighbours that a piece arriving on it can trap."""

Actions = tuple[Action, ...]
ByFree = dict[int, Actions]

CHOOSE: Final = {colour: Action(colour, "colour", value=colour) for colour in COLOURS}
STEP, COUNSELLOR, ENTER, MARBLE, NO_ACTION = range(5)
CODES: Final[dict[str, tuple[int, int, int]]] = {PASS.text: (NO_ACTION, NO_NODE, NO_NODE)}
"""The kind, start node (or NONE) and end node of each action of the phase `play`, by text."""


def _action(kind: int, start: int, end: int) -> Action:
    """Return the one Action object for a kind and its nodes."""
    target = WEB.names[end]
    source = None if start == NO_NODE else WEB.names[start]
    action = {
        STEP: lambda: Action(f"{source}-{target}", "step", source, target),
        COUNSELLOR: lambda: Action(f"K{target}", "counsellor", source, target),
        ENTER: lambda: Action(f"+{target}", "enter", None, target),
        MARBLE: lambda: Action(f"M{source}-{target}", "marble", source, target),
    }[kind]()
    CODES[action.text] = (kind, NO_NODE if kind == COUNSELLOR else start, end)
    return action


def _subsets(members: int) -> Iterable[int]:
    """Yield every set of some of the members, the empty one last."""
    part = members
    while part:
        yield part
        part = (part - 1) & members
    yield 0


def _by_free(actions: dict[int, Action]) -> tuple[int, ByFree]:
    """Return the ends of the actions as bits, and for every set of free ends the actions to them."""
    ends = make_bits(actions)
    return ends, {free: tuple(actions[end] for end in list_indices(free)) for free in _subsets(ends)}


def _to_neighbours(kind: int) -> dict[int, tuple[int, ByFree]]:
    return {
        1 << start: _by_free({end: _action(kind, start, end) for end in WEB.neighbours[start]})
        for start in range(len(WEB))
    }


STEPS: Final = _to_neighbours(STEP)
"""For each node as a bit: its neighbours, and the steps to those of them that are free."""
MARBLES: Final = _to_neighbours(MARBLE)
"""The same for marbles and hollows."""
ENTRIES: Final[ByFree] = _by_free({end: _action(ENTER, NO_NODE, end) for end in list_indices(OUTERMOST)})[1]
"""For every set of free nodes of the outermost ring the entries to them."""
SLIDE: Final = tuple(
    {end: _action(COUNSELLOR, start, end) for end in sorted({*rays[0], *rays[2], *rays[3]})}
    for start, rays in enumerate(RAYS)
)
"""For each node of the Counsellor and each other node in line with it the slide there."""


def open_ray(ray: tuple[int, ...], occupied: int) -> Iterable[int]:
    """Yield the nodes of a ray up to the first occupied one."""
    for end in ray:
        if occupied >> end & 1:
            return
        yield end


def _slides(start: int, rays: tuple[tuple[int, ...], ...]) -> tuple[int, ByFree]:
    """Return the nodes of a line, and for every set of occupied ones the slides that are open."""
    line = make_bits(end for ray in rays for end in ray)
    table = {}
    for occupied in _subsets(line):
        ends = make_bits(end for ray in rays for end in open_ray(ray, occupied))
        table[occupied] = tuple(SLIDE[start][end] for end in list_indices(ends))
    return line, table


RING_SLIDES: Final = tuple(_slides(start, rays[:2]) for start, rays in enumerate(RAYS))
"""For each node: the other nodes of its ring, and for every set of occupied ones the Counsellor's slides."""
SPOKE_SLIDES: Final = tuple(_slides(start, rays[2:]) for start, rays in enumerate(RAYS))
"""The same along its spoke."""


def find_stable_pawns(goals: int, pawns: int) -> int:
    """Return the stable pawns of a colour: on goals up to the innermost ring with an open goal.

    Source: rules, Stable pawns.
    """
    uncovered = goals & ~pawns
    if not uncovered:
        return goals
    covered = goals & pawns
    for ring in UP_TO:
        if uncovered & ring:
            return covered & ring
    return covered
