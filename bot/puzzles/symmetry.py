"""Identifies positions that are equal under a symmetry of the board or an exchange of the seats."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from engine import State, games
from engine.topology import Topology

_ANGLES: Final = [math.radians(15 * step) for step in range(24)]
_LEFT_OUT: Final = frozenset({"extra", "outcome", "game"})


@lru_cache
def images(topology: Topology) -> tuple[Mapping[str, str], ...]:
    """Return the rotations and reflections of a board, as mappings of cell names."""
    points = topology.positions
    middle = [sum(axis) / len(points) for axis in zip(*points, strict=True)]
    at = {_rounded(x - middle[0], y - middle[1]): index for index, (x, y) in enumerate(points)}
    found: dict[tuple[int, ...], None] = {}
    for turned, mirrored in ((angle, sign) for sign in (1, -1) for angle in _ANGLES):
        image = []
        for x, y in points:
            across, up = (x - middle[0]) * mirrored, y - middle[1]
            there = _rounded(
                across * math.cos(turned) - up * math.sin(turned), across * math.sin(turned) + up * math.cos(turned)
            )
            image.append(at.get(there, -1))
        near = topology.neighbours
        if min(image) >= 0 and all(
            sorted(image[each] for each in near[cell]) == list(near[image[cell]]) for cell in range(len(image))
        ):
            found[tuple(image)] = None
    names = topology.names
    return tuple({names[cell]: names[there] for cell, there in enumerate(image)} for image in found)


def _rounded(x: float, y: float) -> tuple[float, float]:
    return round(x, 3) + 0.0, round(y, 3) + 0.0


def canonical(state: State) -> str:
    """Return the same text for positions equal under symmetry, the seat on the move counted as the first."""
    position = {name: value for name, value in state.to_json().items() if name not in _LEFT_OUT}
    seats, mover = state.seats, state.to_move or 0
    if seats == 2 and mover == 1:
        position = {
            name: value[::-1] if isinstance(value, list) and len(value) == seats and name != "dice" else value
            for name, value in position.items()
        } | {"to_move": 0}
    return min(
        json.dumps({name: _turned(value, image, 0) for name, value in position.items()}, sort_keys=True)
        for image in images(state.topology)
    )


def id_of(state: State) -> str:
    """Return the id of the puzzle at a position: its game, and a hash that symmetry does not change."""
    return f"{state.game.key}-{hashlib.sha256(canonical(state).encode()).hexdigest()[:10]}"


def bare(state: State) -> State:
    """Return the position without its history."""
    position = {name: value for name, value in state.to_json().items() if name != "extra"}
    return games[state.game.key].load(position)


def _turned(value: Any, image: Mapping[str, str], depth: int) -> Any:
    if isinstance(value, str):
        return image.get(value, value)
    if isinstance(value, dict):
        return {image.get(name, name): _turned(each, image, depth) for name, each in sorted(value.items())}
    if not isinstance(value, list):
        return value
    items = list(_each(value, image, depth))
    # What stands at the top is counted by seats, unless it is a list of cells or of pieces.
    counted = depth == 0 and not all(isinstance(each, dict) for each in value)
    return items if counted and not all(isinstance(each, str) for each in value) else sorted(items, key=json.dumps)


def _each(value: list[Any], image: Mapping[str, str], depth: int) -> Iterator[Any]:
    for each in value:
        yield _turned(each, image, depth + 1)
