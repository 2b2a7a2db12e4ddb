"""Reading position dictionaries: what every game's `load` checks, what every `to_json` ends with, and repetition.

All functions raise InvalidPosition. `field` in its params is the path to the value, as `pieces[1]` or
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
    Position,
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
_OPTIONAL: Final = ("dropped", "outcome", "extra")


def check_fields(game: Game, position: object, names: Collection[str]) -> Position:
    """Return a dictionary checked to be of this game and to have all `names` besides the common fields.

    `game`, `options` and `to_move` are required; `dropped`, `outcome` and `extra` are optional; nothing else is
    allowed.
    """
    position = mapping(position, "", (*_COMMON, *names), optional=_OPTIONAL)
    if position["game"] != game.key:
        raise InvalidPosition("wrong-game", game=shorten_value(position["game"]), expected=game.key)
    return position


def options_of(game: Game, position: Position, seats: int = 2) -> dict[str, str | int]:
    """Return the position's options with defaults filled in, for this number of seats."""
    try:
        return game.checked_options(seats, position["options"])
    except InvalidOption as error:
        raise InvalidPosition(error.code, **error.params) from error


def mapping(value: object, field: str, names: Collection[str], optional: Collection[str] = ()) -> Position:
    """Return a value checked to be a dictionary with these names and no others."""
    if not isinstance(value, Mapping):
        if not field:
            raise InvalidPosition("not-a-position")
        raise InvalidPosition("wrong-type", field=field, expected="dictionary")
    for name in names:
        if name not in value:
            raise InvalidPosition("missing-field", field=_inside(field, name))
    for name in value:
        if name not in names and name not in optional:
            raise InvalidPosition("unknown-field", field=_inside(field, shorten_value(name)))
    return value


def check_integer(value: object, field: str, least: int, most: int) -> int:
    """Return a value checked to be an int from `least` to `most`."""
    if type(value) is not int:
        raise InvalidPosition("wrong-type", field=field, expected="integer")
    if not least <= value <= most:
        raise InvalidPosition(
            "out-of-range",
            field=field,
            value=value if value.bit_length() < 64 else shorten_value(value),
            least=least,
            most=most,
        )
    return value


def check_choice(value: object, field: str, allowed: Sequence[str]) -> str:
    """Return a value checked to be one of the allowed strings."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidPosition("not-a-choice", field=field, value=shorten_value(value), allowed=list(allowed))
    return value


def check_items(value: object, field: str, length: int | None = None) -> Sequence[Any]:
    """Return a value checked to be a list, of this length if given."""
    if not isinstance(value, list | tuple):
        raise InvalidPosition("wrong-type", field=field, expected="list")
    if length is not None and len(value) != length:
        raise InvalidPosition("wrong-length", field=field, length=len(value), expected=length)
    return value


def check_integers(value: object, field: str, length: int | None, least: int, most: int) -> tuple[int, ...]:
    """Return the value as a tuple of this many ints (None: any number) from `least` to `most`."""
    return tuple(
        check_integer(item, f"{field}[{number}]", least, most)
        for number, item in enumerate(check_items(value, field, length))
    )


def check_cell(value: object, field: str, board: Topology) -> int:
    """Return the index of the cell that the value names."""
    if not isinstance(value, str):
        raise InvalidPosition("wrong-type", field=field, expected="cell")
    index = board.index.get(value)
    if index is None:
        raise InvalidPosition("unknown-cell", field=field, cell=shorten_value(value))
    return index


def cell_or_none(value: object, field: str, board: Topology) -> int | None:
    """Return the index of the cell that the value names, None for null."""
    return None if value is None else check_cell(value, field, board)


def check_cells(value: object, field: str, board: Topology, taken: int = 0) -> int:
    """Return a list of different cells as bits; none of them may be among those `taken`."""
    members = 0
    for item in check_items(value, field):
        bit = 1 << check_cell(item, field, board)
        if (members | taken) & bit:
            raise InvalidPosition("cell-twice", field=field, cell=item)
        members |= bit
    return members


def cell_lists(value: object, field: str, board: Topology, length: int, taken: int = 0) -> tuple[int, ...]:
    """Return a number of lists of cells (usually one per seat) as bits; no cell may be in two of them."""
    result = []
    for number, item in enumerate(check_items(value, field, length)):
        members = check_cells(item, f"{field}[{number}]", board, taken)
        taken |= members
        result.append(members)
    return tuple(result)


def check_dropped(position: Position, seats: int) -> tuple[int, ...]:
    """Return the seats that left, at most all but one."""
    result: list[int] = []
    for number, item in enumerate(check_items(position.get("dropped", []), "dropped")):
        seat = check_integer(item, f"dropped[{number}]", 0, seats - 1)
        if seat in result:
            raise InvalidPosition("seat-twice", field="dropped", seat=seat)
        result.append(seat)
    if len(result) >= seats:
        raise InvalidPosition("wrong-length", field="dropped", length=len(result), expected=seats - 1)
    return tuple(result)


def to_move_of(position: Position, seats: int, dropped: Collection[int] = ()) -> int | None:
    """Return the seat to move, one that has not left, or None where the position says null."""
    value = position["to_move"]
    if value is None:
        return None
    seat = check_integer(value, "to_move", 0, seats - 1)
    if seat in dropped and len(dropped) < seats - 1:
        raise InvalidPosition("out-of-range", field="to_move", value=seat, least=0, most=seats - 1)
    return seat


def last_seat(seats: int, dropped: Sequence[int]) -> Outcome | None:
    """Return the outcome of a game that all seats but one have left, else None."""
    if len(dropped) != seats - 1:
        return None
    winner = next(seat for seat in range(seats) if seat not in dropped)
    return Outcome("last-seat", places_with_winner(seats, winner, dropped))


def check_outcome(position: Position, seats: int) -> Outcome | None:
    """Return the outcome in the dictionary, its form checked but not its truth; None if there is none."""
    value = position.get("outcome")
    if value is None:
        return None
    value = mapping(value, "outcome", ("reason", "places"), optional=("details",))
    if not isinstance(value["reason"], str):
        raise InvalidPosition("wrong-type", field="outcome.reason", expected="string")
    places = check_integers(value["places"], "outcome.places", seats, 1, seats)
    return Outcome(value["reason"], places, mapping_of_names(value.get("details", {}), "outcome.details"))


def settle_outcome(
    position: Position, seats: int, found: Outcome | None, unseen: Callable[[Outcome], bool] = lambda _: False
) -> Outcome | None:
    """Return the outcome of a loaded position, None if the game goes on.

    `found` is what the position alone shows (`last_seat` included). Another outcome, such as a draw by repetition, is
    accepted if the game is said to be over and `unseen(outcome)` finds it possible.
    """
    given = check_outcome(position, seats)
    if found is not None:
        if given is not None and given != found:
            raise InvalidPosition("outcome-differs", reason=shorten_value(given.reason), found=found.reason)
        return found
    if given is None:
        if position["to_move"] is None:
            raise InvalidPosition("no-outcome")
        return None
    if position["to_move"] is not None or not unseen(given):
        raise InvalidPosition("outcome-unfounded", reason=shorten_value(given.reason))
    return given


class Extra:
    """A position's `extra`; unknown keys are ignored."""

    def __init__(self, position: Position) -> None:
        self._extra = mapping_of_names(position.get("extra", {}), "extra")

    def integer(self, name: str, least: int = 0, most: int = 10**9) -> int:
        """Return a counter, 0 if it is not there."""
        return check_integer(self._extra.get(name, 0), f"extra.{name}", least, most)

    def history(self) -> History | None:
        """Return the repetition history under `history`, None if there is none."""
        return history_from_json(self._extra.get("history", []))

    def get(self, name: str) -> Any:
        """Return any other value unchecked, None if it is missing."""
        return self._extra.get(name)


def mapping_of_names(value: object, field: str) -> Position:
    """Return a value checked to be a dictionary with string keys."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InvalidPosition("wrong-type", field=field, expected="dictionary")
    return value


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


def _inside(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name
