"""Positions of Fagocitare for the tests, written shortly."""

from typing import Any

from engine.core import State
from engine.games.fagocitare import GAME as FAGOCITARE
from engine.games.fagocitare.rules import FagocitareState
from engine.topology import square_grid


def position(
    red: str = "",
    blue: str = "",
    dead: tuple[str, str] = ("", ""),
    lines: tuple[str, str] = ("", ""),
    to_move: int | None = 0,
    size: int = 7,
    **more: Any,
) -> dict[str, Any]:
    """Return the dictionary of a position; cells are separated by spaces, lines written as `b4-d4`."""
    return {
        "game": "fagocitare",
        "options": {"size": size},
        "to_move": to_move,
        "dots": [red.split(), blue.split()],
        "dead": [cells.split() for cells in dead],
        "lines": [[line.split("-") for line in each.split()] for each in lines],
        **more,
    }


def load(*args: Any, **kwargs: Any) -> FagocitareState:
    """Return the state of the position that `position` makes of the same arguments."""
    return FAGOCITARE.load(position(*args, **kwargs))


def draw(state: State, cells: str) -> State:
    """Return the state after dots on the cells, each checked."""
    for cell in cells.split():
        state = state.play(state.read(cell))
    return state


def describe_dots(state: State) -> dict[str, Any]:
    """Return what the dots have come to: live and dead dots, and the lines as `b4-d4`."""
    json = state.to_json()
    lines = [["-".join(line) for line in each] for each in json["lines"]]
    return {"red": json["dots"][0], "blue": json["dots"][1], "dead": json["dead"], "lines": lines}


def texts(state: State) -> list[str]:
    return [action.text for action in state.legal_actions()]


def all_cells_but(size: int, free: str = "", rim: bool = False) -> str:
    """Return every cell off the rim (or every cell) but the free ones, for dots of one colour: nothing to capture."""
    last = size - 1
    return " ".join(
        name
        for index, name in enumerate(square_grid(size, size).names)
        if name not in free.split() and (rim or not {0, last} & {index // size, index % size})
    )
