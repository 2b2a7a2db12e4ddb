"""Positions of Annuvin for the tests, written shortly."""

from collections.abc import Iterable
from typing import Any

from engine import State, games

ANNUVIN = games["annuvin"]


def place_of(cell: str) -> tuple[int, int]:
    """Return the x and y of a cell, as the rules number them."""
    return "abcdefg".index(cell[0]) + 1, int(cell[1:])


def position(
    white: str,
    black: str,
    to_move: int | None = 0,
    *,
    board: str = "hexagon",
    reserve: tuple[int, int] = (0, 0),
    moving: tuple[str, int] | None = None,
    **rest: Any,
) -> dict[str, Any]:
    """Return a position's JSON; pieces that are nowhere are lost."""
    pieces = [sorted(cells.split(), key=place_of) for cells in (white, black)]
    size = 6 if board == "hexagon" else 4
    return {
        "game": "annuvin",
        "options": {"board": board, "setup": "empty" if any(reserve) else "classic"},
        "to_move": to_move,
        "pieces": pieces,
        "reserve": list(reserve),
        "lost": [size - len(pieces[seat]) - reserve[seat] for seat in (0, 1)],
        "moving": {"piece": moving[0], "range": moving[1]} if moving else None,
        **rest,
    }


def load(white: str, black: str, to_move: int | None = 0, **rest: Any) -> State:
    return ANNUVIN.load(position(white, black, to_move, **rest))


def texts(state: State) -> set[str]:
    return {action.text for action in state.legal_actions()}


def play(state: State, *typed: str) -> State:
    """Play texts, each of them any number of actions."""
    for text in typed:
        for action in state.parse(text):
            state = state.play(action)
    return state


def turns(state: State) -> Iterable[tuple[str, ...]]:
    """Yield all whole turns as sequences of canonical texts."""
    for action in state.legal_actions():
        after = state.play(action)
        if after.to_move is None or after.turn != state.turn:
            yield (action.text,)
        else:
            yield from ((action.text, *rest) for rest in turns(after))
