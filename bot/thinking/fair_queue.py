"""A fair queue of searches: next is the person who was served longest ago, and of theirs the game that was."""

import itertools
from collections import OrderedDict, deque
from collections.abc import Hashable, Iterator, Mapping
from typing import Final, Generic, TypeVar

from cachetools import LRUCache

MAX_REMEMBERED: Final = 4096
"""Maximum number of people, and of games, whose last service is remembered."""

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Waiting searches, by person, then by subject; nobody waits longer for having asked for less."""

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
        """Number of people with waiting searches."""
        return len(self._waiting)

    def add(self, person: Hashable, about: Hashable, piece: T) -> None:
        """Append a search behind the others about the same subject."""
        self._waiting.setdefault(person, OrderedDict()).setdefault(about, deque()).append(piece)

    def pop(self) -> T:
        """Remove and return the next search; KeyError if none waits."""
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
        """Remove all waiting searches."""
        self._waiting.clear()

    def _least_recently_served(self, waiting: Mapping[Hashable, object], within: Hashable) -> Hashable:
        """Return the key served longest ago; of those never served, the first to come."""
        if not waiting:
            raise KeyError
        return min(waiting, key=lambda each: self._served.get((within, each), 0))
