"""Values that must be there."""

from typing import Any, TypeVar

from engine import State

T = TypeVar("T")


def present(value: T | None) -> T:
    """Return a value that is not None; fail the test if it is."""
    assert value is not None
    return value


def result(state: State) -> tuple[str, tuple[int, ...]]:
    """Return for what reason a game that is over has ended, and the places."""
    outcome: Any = present(state.outcome)
    return outcome.reason, outcome.places
