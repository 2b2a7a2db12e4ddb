"""The legal actions of a position as sets of bits, which can be counted and drawn from without listing."""

from collections.abc import Sequence
from typing import Final

from engine.core import Action
from engine.games.uomo_nero.actions import Meaning, Table
from engine.topology import list_indices

Part = tuple[Table, int]
"""A table of actions and the bits of its legal entries."""


class Options:
    """The legal actions of one position."""

    __slots__ = ("_parts", "count")

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts: Final = parts
        count = 0
        for _, members in parts:
            count += members.bit_count()
        self.count: Final = count

    def listed(self) -> tuple[Action, ...]:
        """Return all of them."""
        return tuple(table[index] for table, members in self._parts for index in list_indices(members))

    def pick(self, number: int) -> Action:
        """Return the action at an index of the list."""
        for table, members in self._parts:
            here = members.bit_count()
            if number < here:
                while number:
                    members &= members - 1
                    number -= 1
                return table[(members & -members).bit_length() - 1]
            number -= here
        raise IndexError(number)

    def has(self, meaning: Meaning) -> bool:
        """Return whether an action with this meaning is legal."""
        return any(table is meaning.table and members >> meaning.place & 1 for table, members in self._parts)
