"""Repetition: how often the position at the start of a turn has stood there before (docs/rules/README.md).

Each state at the start of a turn holds the `History` that ends with its own position. An irreversible action
starts a new one (`History(key)`), any other prolongs it (`History(key, previous)`), so a history never
grows past the actions that could be taken back by others. In the middle of a turn a state keeps the history
of the turn's start, or None if the turn has done something irreversible already.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from engine.core import InvalidPosition

REPETITIONS_FOR_DRAW: Final = 3
"""How often a position stands at the start of a turn when the game is a draw."""

Key: TypeAlias = "int | tuple[int | str, ...]"
"""What a game tells positions apart by: an int, or a flat tuple of ints and strings (`State.key()` will do)."""

_SLOTS: Final = 4095
"""A mask: with fewer slots, histories of some hundred turns are walked too often for nothing."""
_MAX_HISTORY: Final = 4096
_PLAIN_TYPES: Final = frozenset({int, str})


class History:
    """One position at the start of a turn, linked to the ones before it; `occurrences` counts this position."""

    __slots__ = ("key", "occurrences", "previous", "seen")

    def __init__(self, key: Key, previous: History | None = None) -> None:
        self.key = key
        self.previous = previous
        self.occurrences = 1
        # `seen` has one bit for each earlier position's hash: almost always it answers without a walk.
        slot = 1 << (hash(key) & _SLOTS)
        if previous is None:
            self.seen = slot
            return
        seen = previous.seen
        self.seen = seen | slot
        if seen & slot:
            node: History | None = previous
            while node is not None:
                if node.key == key:
                    self.occurrences = node.occurrences + 1
                    break
                node = node.previous

    @property
    def is_draw(self) -> bool:
        """Whether this position stands for the third time."""
        return self.occurrences >= REPETITIONS_FOR_DRAW


def has_stood_twice(history: History | None) -> bool:
    """Say whether any position of a history stood twice: one that comes again would be a draw."""
    while history is not None:
        if history.occurrences >= REPETITIONS_FOR_DRAW - 1:
            return True
        history = history.previous
    return False


def history_to_json(history: History | None) -> list[int | list[int | str]]:
    """Return the keys of a history as plain data, oldest first; an empty list for None."""
    keys: list[int | list[int | str]] = []
    while history is not None:
        keys.append(history.key if isinstance(history.key, int) else list(history.key))
        history = history.previous
    keys.reverse()
    return keys


def history_from_json(data: object) -> History | None:
    """Return the history that `history_to_json` wrote, None for an empty list; InvalidPosition if it is broken."""
    if not isinstance(data, list) or len(data) > _MAX_HISTORY:
        raise InvalidPosition("wrong-type", field="extra.history", expected="list")
    history = None
    for item in data:
        if type(item) is int:
            history = History(item, history)
        elif isinstance(item, list) and _PLAIN_TYPES.issuperset(map(type, item)):
            history = History(tuple(item), history)
        else:
            raise InvalidPosition("wrong-type", field="extra.history", expected="list")
    return history
