"""Positions of Real Queen for the tests, written shortly."""

from typing import Any

from engine.core import State
from engine.games.real_queen import GAME as REAL_QUEEN

RUN = "a1 a2 a3 a4"


def position(
    white: str = "",
    black: str = "",
    queens: tuple[str | None, str | None] = (None, None),
    reserve: tuple[int, int] = (5, 5),
    to_move: int | None = 0,
    pending: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return the dictionary of a position; cells are separated by spaces."""
    return {
        "game": "real-queen",
        "options": {},
        "to_move": to_move,
        "pieces": [white.split(), black.split()],
        "queens": list(queens),
        "reserve": list(reserve),
        "pending": pending,
        **more,
    }


def pending_parts(captures: int, returns: int, *runs: str, crossing: str | None = None) -> dict[str, Any]:
    """Return what stands under `pending`."""
    return {"captures": captures, "returns": returns, "runs": [run.split() for run in runs], "crossing": crossing}


def load(*args: Any, **kwargs: Any) -> State:
    """Return the state of the position that `position` makes of the same arguments."""
    return REAL_QUEEN.load(position(*args, **kwargs))


def play(state: State, texts: str) -> State:
    """Return the state after actions in canonical text, each checked."""
    for text in texts.split():
        state = state.play(state.read(text))
    return state


def texts(state: State, verb: str | None = None) -> list[str]:
    """Return the legal actions as texts, those of one verb if it is given."""
    return [action.text for action in state.legal_actions() if verb in (None, action.verb)]
