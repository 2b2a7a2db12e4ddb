"""Reading stored JSON that another version of the program may have written, or that is damaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from storage.columns import BROKEN_JSON

T = TypeVar("T")
U = TypeVar("U")


class JsonReader:
    """A JSON object that is being read; what is not known, or of another kind than it should be, is left."""

    def __init__(self, stored: object) -> None:
        self.left: dict[str, Any] = dict(stored if isinstance(stored, dict) else BROKEN_JSON)

    def take(self, name: str, read: Callable[[Any], T | None], usual: U) -> T | U:
        """Return the value of a name, the usual one where there is none or it cannot be read."""
        if self.left.get(name) is None:
            self.left.pop(name, None)
            return usual
        value = read(self.left[name])
        if value is None:
            return usual
        del self.left[name]
        return value


def read_flag(value: object) -> bool | None:
    """Return a truth value, None for anything else."""
    return value if isinstance(value, bool) else None


def read_text(value: object) -> str | None:
    """Return a text, None for anything else."""
    return value if isinstance(value, str) else None


def read_integer(value: object) -> int | None:
    """Return a whole number, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def read_integers(value: object) -> tuple[int, ...] | None:
    """Return a list of whole numbers, None for anything else."""
    read = [read_integer(each) for each in value] if isinstance(value, list) else [None]
    return tuple(each for each in read if each is not None) if None not in read else None


def read_pair(value: object) -> tuple[int, int] | None:
    """Return two whole numbers, None for anything else."""
    return (read[0], read[1]) if (read := read_integers(value)) is not None and len(read) == 2 else None


def read_by_seat(read: Callable[[object], T | None], value: object) -> dict[int, T] | None:
    """Return what stands under the numbers of seats, None where some of it cannot be read."""
    if not isinstance(value, dict) or not all(isinstance(seat, str) and seat.isdecimal() for seat in value):
        return None
    found = {int(seat): read(each) for seat, each in value.items()}
    found_values = {seat: each for seat, each in found.items() if each is not None}
    return found_values if len(found_values) == len(found) else None
