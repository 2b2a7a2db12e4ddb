"""Values that must be there, and errors that must come."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from engine import State

T = TypeVar("T")
AnyError = TypeVar("AnyError", bound=Exception)


def present(value: T | None) -> T:
    """Return a value that is not None; fail the test if it is."""
    assert value is not None
    return value


def result(state: State) -> tuple[str, tuple[int, ...]]:
    """Return for what reason a game that is over has ended, and the places; nobody is on the move in it."""
    assert state.to_move is None
    outcome: Any = present(state.outcome)
    return outcome.reason, outcome.places


def catch_error(kind: type[AnyError], call: Callable[..., object], *arguments: Any) -> AnyError:
    """Return the error of a kind that a call raises; fail the test if it raises none."""
    with pytest.raises(kind) as caught:
        call(*arguments)
    return caught.value
