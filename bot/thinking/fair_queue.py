"""Who is next to be thought for: the person who was served longest ago, of theirs the game that was."""

from __future__ import annotations

import itertools
from collections import OrderedDict, deque
from collections.abc import Hashable, Iterator, Mapping
from typing import Final, Generic, TypeVar

from cachetools import LRUCache

MAX_REMEMBERED: Final = 4096
"""Of how many people, and of how many games, it is remembered when they were served last."""

T = TypeVar("T")


class FairQueue(Generic[T]):
    """What waits, by person, then by what it is about; nobody waits longer for having asked for less."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[Hashable, OrderedDict[Hashable, deque[T]]] = OrderedDict()
        self._served: LRUCache[Hashable, int] = LRUCache(MAX_REMEMBERED)
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return sum(len(pieces) for abouts in self._waiting.values() for pieces in abouts.values())

    def __iter__(self) -> Iterator[T]:
        for abouts in self._waiting.values():
            for pieces in abouts.values():
                yield from pieces

    @property
    def people_count(self) -> int:
        """How many people something waits for."""
        return len(self._waiting)

    def add(self, person: Hashable, about: Hashable, piece: T) -> None:
        """Have a piece wait behind the others about the same."""
        self._waiting.setdefault(person, OrderedDict()).setdefault(about, deque()).append(piece)

    def pop(self) -> T:
        """Take out whose turn it is; KeyError if nothing waits."""
        person = self._least_recently_served(self._waiting, None)
        abouts = self._waiting[person]
        about = self._least_recently_served(abouts, person)
        pieces = abouts[about]
        piece = pieces.popleft()
        self._served[None, person] = self._served[person, about] = next(self._numbers)
        if not pieces:
            del abouts[about]
        if not abouts:
            del self._waiting[person]
        return piece

    def clear(self) -> None:
        """Forget all that waits."""
        self._waiting.clear()

    def _least_recently_served(self, waiting: Mapping[Hashable, object], within: Hashable) -> Hashable:
        """Return whose turn it is: of those who have never been served, the first to come."""
        if not waiting:
            raise KeyError
        return min(waiting, key=lambda each: self._served.get((within, each), 0))
