"""Reading position dictionaries: what every game's `load` checks, what every `to_json` ends with, and repetition.

All of it raises InvalidPosition. `field` in its params is the path to the value, as `pieces[1]` or
`moving.range`. The codes: not-a-position, wrong-game, missing-field, unknown-field, wrong-type,
out-of-range, not-a-choice, unknown-cell, cell-twice, wrong-length, seat-twice, outcome-differs,
outcome-unfounded, no-outcome; and those of InvalidOption for the options. Lists of cells are read in any
order. A game adds codes of its own for what only it can know.

Each state at the start of a turn holds the `History` that ends with its own position. An irreversible action
starts a new one (`History(key)`), any other prolongs it (`History(key, previous)`), so a history never
grows past the actions that could be taken back by others. In the middle of a turn a state keeps the history
of the turn's start, or None if the turn has done something irreversible already.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from engine.core import (
    CHANCE,
    Game,
    InvalidOption,
    InvalidPosition,
    Json,
    Outcome,
    State,
    places_with_winner,
    shorten_value,
)
from engine.topology import Topology

REPETITIONS_FOR_DRAW: Final = 3
"""Number of occurrences of a position at the start of a turn that make a draw."""

Key: TypeAlias = "int | tuple[int | str, ...]"
"""The key of a position in a history: an int, or a flat tuple of ints and strings (`State.key()` is enough)."""

_SLOTS: Final = 4095
"""A bit mask: with fewer slots, histories of some hundred turns are walked too often in vain."""
_MAX_HISTORY: Final = 4096
_PLAIN_TYPES: Final = frozenset({int, str})


class History:
    """One position at the start of a turn, linked to the ones before it; `occurrences` counts this position."""

    __slots__ = ("_plain", "key", "occurrences", "previous", "seen")

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
        """True if this position occurs for the third time."""
        return self.occurrences >= REPETITIONS_FOR_DRAW

    @property
    def plain(self) -> int | list[int | str]:
        """The key as plain data, made once: each later position has it in its history, too."""
        try:
            return self._plain
        except AttributeError:
            # Not set before it is asked for: a search makes many histories and writes none.
            self._plain: int | list[int | str] = self.key if isinstance(self.key, int) else list(self.key)
            return self._plain


def has_stood_twice(history: History | None) -> bool:
    """Return whether any position of a history has occurred twice: another occurrence would be a draw."""
    while history is not None:
        if history.occurrences >= REPETITIONS_FOR_DRAW - 1:
            return True
        history = history.previous
    return False


def history_to_json(history: History | None) -> list[int | list[int | str]]:
    """Return the keys of a history as plain data, oldest first; an empty list for None."""
    keys: list[int | list[int | str]] = []
    while history is not None:
        keys.append(history.plain)
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


_COMMON: Final = ("game", "options", "to_move")
_OPTIONAL: Final[Json] = {"dropped": (), "outcome": None, "extra": {}}
_NO_OPTIONAL: Final[Json] = {}


class PositionField:
    """A value of a position with the path to it; it is checked as it is read, and what is wrong names the path."""

    __slots__ = ("path", "value")

    def __init__(self, value: Any, path: str = "") -> None:
        self.value = value
        self.path = path

    def wrong(self, code: str, **params: Any) -> InvalidPosition:
        """Return the error that names this path as its `field`."""
        return InvalidPosition(code, field=self.path, **params)

    def mapping(self, names: Collection[str], optional: Json = _NO_OPTIONAL) -> PositionFields:
        """Return the fields of a dictionary with these names and no others; `optional` ones have these defaults."""
        if not isinstance(self.value, Mapping):
            raise self.wrong("wrong-type", expected="dictionary") if self.path else InvalidPosition("not-a-position")
        for name in names:
            if name not in self.value:
                raise self._inside(name, None).wrong("missing-field")
        for name in self.value:
            if name not in names and name not in optional:
                raise self._inside(shorten_value(name), None).wrong("unknown-field")
        return PositionField({**optional, **self.value}, self.path).named()

    def named(self) -> PositionFields:
        """Return the fields of a dictionary with any names."""
        if not isinstance(self.value, Mapping) or not all(isinstance(name, str) for name in self.value):
            raise self.wrong("wrong-type", expected="dictionary")
        return {name: self._inside(name, value) for name, value in self.value.items()}

    def integer(self, least: int, most: int) -> int:
        """Return the int from `least` to `most`."""
        value = self.value
        if type(value) is not int:
            raise self.wrong("wrong-type", expected="integer")
        if not least <= value <= most:
            shown = value if value.bit_length() < 64 else shorten_value(value)
            raise self.wrong("out-of-range", value=shown, least=least, most=most)
        return value

    def choice(self, allowed: Sequence[str]) -> str:
        """Return the string, one of the allowed ones."""
        value = self.value
        if not isinstance(value, str) or value not in allowed:
            raise self.wrong("not-a-choice", value=shorten_value(value), allowed=list(allowed))
        return value

    def items(self, length: int | None = None) -> list[PositionField]:
        """Return the items of the list, of this length if given."""
        return [PositionField(item, f"{self.path}[{number}]") for number, item in enumerate(self._listed(length))]

    def integers(self, length: int | None, least: int, most: int) -> tuple[int, ...]:
        """Return the list of this many ints (None: any number) from `least` to `most`."""
        return tuple([item.integer(least, most) for item in self.items(length)])

    def cell(self, board: Topology) -> int:
        """Return the index of the named cell."""
        if not isinstance(self.value, str):
            raise self.wrong("wrong-type", expected="cell")
        index = board.index.get(self.value)
        if index is None:
            raise self.wrong("unknown-cell", cell=shorten_value(self.value))
        return index

    def cell_or_none(self, board: Topology) -> int | None:
        """Return the index of the named cell, None for null."""
        return None if self.value is None else self.cell(board)

    def cells(self, board: Topology, taken: int = 0) -> int:
        """Return the list of different cells as bits; none of them may be among those `taken`."""
        members = 0
        for item in self._listed():
            bit = 1 << PositionField(item, self.path).cell(board)
            if (members | taken) & bit:
                raise self.wrong("cell-twice", cell=item)
            members |= bit
        return members

    def cell_lists(self, board: Topology, length: int, taken: int = 0) -> tuple[int, ...]:
        """Return a number of lists of cells (usually one per seat) as bits; no cell may be in two of them."""
        result = []
        for item in self.items(length):
            members = item.cells(board, taken)
            taken |= members
            result.append(members)
        return tuple(result)

    def _listed(self, length: int | None = None) -> Sequence[Any]:
        value = self.value
        if not isinstance(value, list | tuple):
            raise self.wrong("wrong-type", expected="list")
        if length is not None and len(value) != length:
            raise self.wrong("wrong-length", length=len(value), expected=length)
        return value

    def _inside(self, name: str, value: Any) -> PositionField:
        return PositionField(value, f"{self.path}.{name}" if self.path else name)


PositionFields: TypeAlias = Mapping[str, PositionField]
"""The fields of a dictionary by name."""


def check_fields(game: Game, position: object, names: Collection[str]) -> PositionFields:
    """Return the fields of a dictionary checked to be of this game and to have all `names` besides the common ones.

    `game`, `options` and `to_move` are required; `dropped`, `outcome` and `extra` are optional; nothing else is
    allowed.
    """
    fields = PositionField(position).mapping((*_COMMON, *names), _OPTIONAL)
    if fields["game"].value != game.key:
        raise InvalidPosition("wrong-game", game=shorten_value(fields["game"].value), expected=game.key)
    return fields


def options_of(game: Game, fields: PositionFields, seats: int = 2) -> dict[str, str | int]:
    """Return the position's options with defaults filled in, for this number of seats."""
    try:
        return game.checked_options(seats, fields["options"].value)
    except InvalidOption as error:
        raise InvalidPosition(error.code, **error.params) from error


def check_dropped(fields: PositionFields, seats: int) -> tuple[int, ...]:
    """Return the seats that left, at most all but one."""
    dropped = fields["dropped"]
    result: list[int] = []
    for item in dropped.items():
        seat = item.integer(0, seats - 1)
        if seat in result:
            raise dropped.wrong("seat-twice", seat=seat)
        result.append(seat)
    if len(result) >= seats:
        raise dropped.wrong("wrong-length", length=len(result), expected=seats - 1)
    return tuple(result)


def to_move_of(fields: PositionFields, seats: int, dropped: Collection[int] = ()) -> int | None:
    """Return the seat to move, one that has not left, or None where the position says null."""
    to_move = fields["to_move"]
    if to_move.value is None:
        return None
    seat = to_move.integer(0, seats - 1)
    if seat in dropped and len(dropped) < seats - 1:
        raise to_move.wrong("out-of-range", value=seat, least=0, most=seats - 1)
    return seat


def last_seat(seats: int, dropped: Sequence[int]) -> Outcome | None:
    """Return the outcome of a game that all seats but one have left, else None."""
    if len(dropped) != seats - 1:
        return None
    winner = next(seat for seat in range(seats) if seat not in dropped)
    return Outcome("last-seat", places_with_winner(seats, winner, dropped))


def check_outcome(fields: PositionFields, seats: int) -> Outcome | None:
    """Return the outcome in the dictionary, its form checked but not its truth; None if there is none."""
    if fields["outcome"].value is None:
        return None
    given = fields["outcome"].mapping(("reason", "places"), {"details": {}})
    reason, details = given["reason"], given["details"]
    if not isinstance(reason.value, str):
        raise reason.wrong("wrong-type", expected="string")
    details.named()
    return Outcome(reason.value, given["places"].integers(seats, 1, seats), details.value)


def settle_outcome(
    fields: PositionFields, seats: int, found: Outcome | None, unseen: Callable[[Outcome], bool] = lambda _: False
) -> Outcome | None:
    """Return the outcome of a loaded position, None if the game goes on.

    `found` is what the position alone shows (`last_seat` included). Another outcome, such as a draw by repetition, is
    accepted if the game is said to be over and `unseen(outcome)` finds it possible.
    """
    given = check_outcome(fields, seats)
    if found is not None:
        if given is not None and given != found:
            raise InvalidPosition("outcome-differs", reason=shorten_value(given.reason), found=found.reason)
        return found
    if given is None:
        if fields["to_move"].value is None:
            raise InvalidPosition("no-outcome")
        return None
    if fields["to_move"].value is not None or not unseen(given):
        raise InvalidPosition("outcome-unfounded", reason=shorten_value(given.reason))
    return given


class Extra:
    """A position's `extra`; unknown keys are ignored."""

    def __init__(self, fields: PositionFields) -> None:
        self._extra = fields["extra"].named()

    def integer(self, name: str, least: int = 0, most: int = 10**9) -> int:
        """Return a counter, 0 if it is not there."""
        return self._extra[name].integer(least, most) if name in self._extra else 0

    def history(self) -> History | None:
        """Return the repetition history under `history`, None if there is none."""
        return history_from_json(self._extra["history"].value) if "history" in self._extra else None

    def get(self, name: str) -> PositionField | None:
        """Return any other field unchecked, None if it is missing or null."""
        field = self._extra.get(name)
        return None if field is None or field.value is None else field


def ending_fields(state: State, history: History | None = None, **extra: Any) -> Json:
    """Return the fields with which every position ends: `dropped`, `outcome` and `extra`.

    `extra` has the turn number, the history and the given counters, except those that are 0, None or empty.
    """
    values = {"turn": state.turn, **extra, "history": history_to_json(history)}
    return {
        "dropped": list(state.dropped),
        "outcome": state.outcome.to_json() if state.outcome else None,
        "extra": {name: value for name, value in values.items() if value not in (0, None, [])},
    }


def seat_to_move(state: State) -> int | None:
    """Return `to_move` for JSON when chance moves for no particular seat: seat 0."""
    return 0 if state.to_move == CHANCE else state.to_move


def cell_lists_to_json(board: Topology, sets: Iterable[int]) -> list[list[str]]:
    """Return sets of cells, given as bits, as lists of names."""
    return [board.cells(members) for members in sets]
