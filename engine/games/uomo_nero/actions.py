"""The cached actions of the game, and the meaning of texts (docs/rules/uomo-nero.md, How moves are written)."""

import re
from functools import cache
from typing import Final, NamedTuple

from engine.core import PASS, Action
from engine.games.uomo_nero.board import COLOURS, DISTANCE, FIELD, FINISH, FINISH_OF, NAMES, NUMBER, START
from engine.topology import list_indices

ROLL, PLACE, PICK, MOVE, SPRINT, SPEND, CAPTURE, LAND, STAY, PASSING = range(10)
"""Kinds of action: dice, the Man's first cell, a colour; an attacker's move, sprint, amount spent standing still;
the Man's capture, landing, standing still; passing."""

MAX_STEPS: Final = 12
"""Maximum number of steps that two dice give."""

Table = dict[int, Action]
"""Actions of one kind by what distinguishes them: a cell, a colour, an amount."""


class Meaning(NamedTuple):
    """The meaning of an action: its index `place` in its `table`; the other fields are -1 where they do not apply."""

    kind: int
    table: Table
    place: int
    source: int = -1
    target: int = -1
    amount: int = -1


PAIRS: Final = tuple((low, high) for low in range(1, 7) for high in range(low, 7))
ROLLS: Final[Table] = {
    index: Action(f"roll {low} {high}", "roll", value=(low, high)) for index, (low, high) in enumerate(PAIRS)
}
PLACINGS: Final[Table] = {cell: Action(NAMES[cell], "place", target=NAMES[cell]) for cell in list_indices(FINISH)}
PICKS: Final[Table] = {index: Action(colour, "pick", value=colour) for index, colour in enumerate(COLOURS)}
SPRINTS: Final[Table] = {
    cell: Action(f"{NAMES[cell]}-{NAMES[FINISH_OF[cell]]}!", "sprint", NAMES[cell], NAMES[FINISH_OF[cell]])
    for cell in list_indices(START | FIELD)
}
SPENDINGS: Final[Table] = {
    amount: Action(f"stay/{amount}", "stay", amount=amount) for amount in range(2, MAX_STEPS + 1, 2)
}
CAPTURES: Final[Table] = {
    cell: Action(f"x{NAMES[cell]}", "capture", target=NAMES[cell]) for cell in list_indices(FIELD)
}
LANDINGS: Final[Table] = {cell: Action(NAMES[cell], "land", target=NAMES[cell]) for cell in list_indices(FIELD)}
STAYS: Final[Table] = {0: Action("stay", "stay")}
PASSES: Final[Table] = {0: PASS}

_MEANINGS: Final[dict[str, Meaning]] = {}


for _kind, _table in ((ROLL, ROLLS), (PICK, PICKS), (STAY, STAYS), (PASSING, PASSES)):
    for _place, _action in _table.items():
        _MEANINGS[_action.text] = Meaning(_kind, _table, _place)
for _cell, _action in PLACINGS.items():
    _MEANINGS[_action.text] = Meaning(PLACE, PLACINGS, _cell, target=_cell)
for _cell, _action in SPRINTS.items():
    _MEANINGS[_action.text] = Meaning(SPRINT, SPRINTS, _cell, _cell, FINISH_OF[_cell])
for _amount, _action in SPENDINGS.items():
    _MEANINGS[_action.text] = Meaning(SPEND, SPENDINGS, _amount, amount=_amount)
for _cell in list_indices(FIELD):
    _MEANINGS[CAPTURES[_cell].text] = Meaning(CAPTURE, CAPTURES, _cell, target=_cell)
    _MEANINGS[LANDINGS[_cell].text] = Meaning(LAND, LANDINGS, _cell, target=_cell)


@cache
def moves(source: int, amount: int) -> Table:
    """Return an attacker's moves of a number of steps by target, as on an empty board."""
    table: Table = {}
    for target in list_indices((FIELD | FINISH) & ~(1 << source)):
        distance = DISTANCE[source][target]
        if distance <= amount and not (amount - distance) & 1:
            action = move_action(source, target, amount)
            table[target] = action
            _MEANINGS[action.text] = Meaning(MOVE, table, target, source, target, amount)
    return table


def move_action(source: int, target: int, amount: int) -> Action:
    """Return the action of a move, whether or not any board allows it."""
    names = NAMES[source], NAMES[target]
    return Action(f"{names[0]}-{names[1]}/{amount}", "move", *names, amount)


def sprint_action(source: int, target: int) -> Action:
    """Return the action of a sprint, whether or not any board allows it."""
    return Action(f"{NAMES[source]}-{NAMES[target]}!", "sprint", NAMES[source], NAMES[target])


def spend_action(amount: int) -> Action:
    """Return the action of spending an amount standing still, whether or not any dice allow it."""
    return SPENDINGS.get(amount) or Action(f"stay/{amount}", "stay", amount=amount)


def capture_action(cell: int) -> Action:
    """Return the action of naming a capture, whether or not the Man can go there."""
    return CAPTURES.get(cell) or Action(f"x{NAMES[cell]}", "capture", target=NAMES[cell])


def land_action(cell: int) -> Action:
    """Return the action that names a cell alone: the Man's landing, or his first cell."""
    return LANDINGS.get(cell) or PLACINGS.get(cell) or Action(NAMES[cell], "land", target=NAMES[cell])


_MOVE: Final = re.compile(r"([a-h]\d+)-([a-h]\d+)(?:/([1-9]\d?)|!)")
_SPEND: Final = re.compile(r"stay/([1-9]\d?)")
_CELL: Final = re.compile(r"(x?)([a-h]\d+)")
_DICE: Final = re.compile(r"roll \d \d")
_NO_TABLE: Final[Table] = {}


def parse_action(action: Action) -> Meaning | None:
    """Return the meaning of an action's text, None for an unknown form; illegal ones have an empty table."""
    known = _MEANINGS.get(action.text)
    return known if known is not None else _decoded(action.text)


def _decoded(text: str) -> Meaning | None:
    if (match := _MOVE.fullmatch(text)) and match[1] in NUMBER and match[2] in NUMBER:
        source, target = NUMBER[match[1]], NUMBER[match[2]]
        if match[3] is None:
            return Meaning(SPRINT, _NO_TABLE, target, source, target)
        amount = int(match[3])
        if source in SPRINTS and amount <= MAX_STEPS:
            moves(source, amount)
        return _MEANINGS.get(text) or Meaning(MOVE, _NO_TABLE, target, source, target, amount)
    if match := _SPEND.fullmatch(text):
        return Meaning(SPEND, _NO_TABLE, int(match[1]), amount=int(match[1]))
    if (match := _CELL.fullmatch(text)) and match[2] in NUMBER:
        cell = NUMBER[match[2]]
        return Meaning(CAPTURE if match[1] else LAND, _NO_TABLE, cell, target=cell)
    if _DICE.fullmatch(text):
        return Meaning(ROLL, _NO_TABLE, -1)
    return None
