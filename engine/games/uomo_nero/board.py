"""The courtyard: its cells, and walks of an exact number of steps over them (docs/rules/uomo-nero.md, Board).

A step always changes the colour of the cell, so cells are numbered by colour: those where column plus row is
even (a1, a3, b2 ...) from 0, the others from HALF. A set of cells is an int with those bits set. A walk fills
now the one colour, now the other, so that it works on ints of 52 bits, and the edges need no masks: what a
shift carries over an edge lands on the start line, on the finish line or outside, where no field is free.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations_with_replacement, pairwise, permutations
from typing import Final, NamedTuple

from engine.core import PASS, Action, Actions, IllegalAction
from engine.topology import Topology, list_indices, make_bits, nth_index, square_grid

COLUMNS: Final = 8
ROWS: Final = 13
HALF: Final = COLUMNS * ROWS // 2
_LOW_HALF: Final = (1 << HALF) - 1

BOARD: Final[Topology] = square_grid(COLUMNS, ROWS, diagonal=False)
"""The board for other modules; its order of cells (by column, then by row) differs from the numbering here."""

FROM_BOARD: Final = tuple((index >> 1) + HALF * (index & 1) for index in range(len(BOARD)))
"""The number of each cell of BOARD."""

NAMES: Final = tuple(BOARD.names[FROM_BOARD.index(number)] for number in range(COLUMNS * ROWS))
NUMBER: Final = {name: number for number, name in enumerate(NAMES)}
COLUMN: Final = tuple(ord(name[0]) - ord("a") for name in NAMES)
ROW: Final = tuple(int(name[1:]) for name in NAMES)

START: Final = make_bits(cell for cell in range(len(NAMES)) if ROW[cell] == 1)
FINISH: Final = make_bits(cell for cell in range(len(NAMES)) if ROW[cell] == ROWS)
FIELD: Final = (1 << len(NAMES)) - 1 & ~START & ~FINISH
BEFORE_FINISH: Final = make_bits(cell for cell in range(len(NAMES)) if ROW[cell] == ROWS - 1)
IN_PLAY: Final = START | FIELD
"""The cells of attackers in play: all but the finish line."""

ABOVE: Final = tuple(NUMBER.get(f"{name[0]}{int(name[1:]) + 1}", -1) for name in NAMES)
BELOW: Final = tuple(NUMBER.get(f"{name[0]}{int(name[1:]) - 1}", -1) for name in NAMES)
FINISH_OF: Final = tuple(NUMBER[f"{name[0]}{ROWS}"] for name in NAMES)
"""The finish cell of the column of each cell."""

COLOURS: Final = ("red", "yellow", "green", "blue")
START_CELLS: Final = tuple(
    make_bits(NUMBER[f"{column}1"] for column in columns) for columns in ("ab", "cd", "ef", "gh")
)
"""The two start cells of each colour."""

DISTANCE: Final = tuple(
    tuple(abs(COLUMN[a] - COLUMN[b]) + abs(ROW[a] - ROW[b]) for b in range(len(NAMES))) for a in range(len(NAMES))
)
"""Steps between two cells when nothing stands between them.

No way round is ever needed on account of the start line and the finish line: a way with as many steps leaves
the one at its first step and enters the other at its last.
"""

FIELD_NEIGHBOURS: Final = tuple(
    make_bits(other for other in range(len(NAMES)) if DISTANCE[cell][other] == 1) & FIELD for cell in range(len(NAMES))
)

_FINISH_LOW, _FINISH_HIGH = FINISH & _LOW_HALF, FINISH >> HALF
_BEFORE_LOW, _BEFORE_HIGH = BEFORE_FINISH & _LOW_HALF, BEFORE_FINISH >> HALF


_PLACE: Final = tuple(COLUMN[cell] * ROWS + ROW[cell] for cell in range(len(NAMES)))


def list_names(cells: int) -> list[str]:
    """Return the names of the cells, sorted as the rules sort them."""
    return [NAMES[cell] for cell in sorted(list_indices(cells), key=_PLACE.__getitem__)]


def find_steps(cell: int, most: int, free: int) -> list[int]:
    """Return the cells where a walk over free cells can be after 0, 1 ... `most` steps.

    Each entry has the bits of one colour only, counted from that colour's first cell.
    """
    low, high = free & FIELD & _LOW_HALF, (free & FIELD) >> HALF
    on_high = cell >= HALF
    reached = 1 << (cell - HALF if on_high else cell)
    result = [reached]
    for _ in range(most):
        if on_high:
            reached = (reached | reached << 1 | reached << 7 | reached >> 6) & low
        else:
            reached = (reached | reached >> 1 | reached << 6 | reached >> 7) & high
        on_high = not on_high
        result.append(reached)
    return result


def find_targets(cell: int, amounts: tuple[int, ...], occupied: int) -> list[int]:
    """Return for each amount, smallest first, the cells where an attacker's move of that many steps can end.

    `occupied` holds all pieces, the attacker itself included (rules, Moving n steps).
    """
    bit = 1 << cell
    free = ~(occupied ^ bit)
    walk = find_steps(cell, amounts[-1], free)
    result = []
    for amount in amounts:
        if (cell >= HALF) ^ (amount & 1):
            ends = walk[amount] | (walk[amount - 1] & _BEFORE_LOW) & free >> HALF & _FINISH_HIGH
            result.append(ends << HALF & ~bit)
        else:
            ends = walk[amount] | (walk[amount - 1] & _BEFORE_HIGH) << 1 & free & _FINISH_LOW
            result.append(ends & ~bit)
    return result


def refuse_distance(source: int, target: int, amount: int) -> IllegalAction | None:
    """Return the error if the amount does not lead to the cell, whatever the way."""
    distance = DISTANCE[source][target]
    if distance > amount:
        return IllegalAction("too-far", cell=NAMES[target], distance=distance, amount=amount)
    if (amount - distance) & 1:
        return IllegalAction("wrong-parity", cell=NAMES[target], distance=distance, amount=amount)
    return None


def shortest_walk(source: int, target: int, occupied: int) -> int | None:
    """Return the length of an attacker's shortest way to a free cell, None if there is no way."""
    targets = find_targets(source, tuple(range(1, COLUMNS * ROWS)), occupied)
    return next((amount for amount, ends in enumerate(targets, start=1) if ends >> target & 1), None)


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


PAIRS: Final = tuple(combinations_with_replacement(range(1, 7), 2))
ROLLS: Final[Table] = {
    index: Action(f"roll {low} {high}", "roll", value=(low, high)) for index, (low, high) in enumerate(PAIRS)
}
PLACINGS: Final[Table] = {cell: Action(NAMES[cell], "place", target=NAMES[cell]) for cell in list_indices(FINISH)}
PICKS: Final[Table] = {index: Action(colour, "pick", value=colour) for index, colour in enumerate(COLOURS)}
STAYS: Final[Table] = {0: Action("stay", "stay")}
PASSES: Final[Table] = {0: PASS}


def move_action(source: int, target: int, amount: int) -> Action:
    """Return the action of a move, whether or not any board allows it."""
    names = NAMES[source], NAMES[target]
    return Action(f"{names[0]}-{names[1]}/{amount}", "move", *names, amount)


def sprint_action(source: int, target: int) -> Action:
    """Return the action of a sprint, whether or not any board allows it."""
    return Action(f"{NAMES[source]}-{NAMES[target]}!", "sprint", NAMES[source], NAMES[target])


def spend_action(amount: int) -> Action:
    """Return the action of spending an amount standing still, whether or not any dice allow it."""
    return Action(f"stay/{amount}", "stay", amount=amount)


def capture_action(cell: int) -> Action:
    """Return the action of naming a capture, whether or not the Man can go there."""
    return Action(f"x{NAMES[cell]}", "capture", target=NAMES[cell])


def land_action(cell: int) -> Action:
    """Return the action that names a cell alone: the Man's landing, or his first cell."""
    return PLACINGS.get(cell) or Action(NAMES[cell], "land", target=NAMES[cell])


SPRINTS: Final[Table] = {cell: sprint_action(cell, FINISH_OF[cell]) for cell in list_indices(START | FIELD)}
SPENDINGS: Final[Table] = {amount: spend_action(amount) for amount in range(2, MAX_STEPS + 1, 2)}
CAPTURES: Final[Table] = {cell: capture_action(cell) for cell in list_indices(FIELD)}
LANDINGS: Final[Table] = {cell: land_action(cell) for cell in list_indices(FIELD)}

_MEANINGS: Final[dict[str, Meaning]] = {}


def _note_meanings(kind: int, table: Table) -> None:
    for place, action in table.items():
        source, target = NUMBER.get(action.source or "", -1), NUMBER.get(action.target or "", -1)
        _MEANINGS[action.text] = Meaning(kind, table, place, source, target, action.amount or -1)


for _kind, _table in (
    (ROLL, ROLLS), (PLACE, PLACINGS), (PICK, PICKS), (SPRINT, SPRINTS), (SPEND, SPENDINGS), (CAPTURE, CAPTURES),
    (LAND, LANDINGS), (STAY, STAYS), (PASSING, PASSES),
):  # fmt: skip
    _note_meanings(_kind, _table)


@cache
def moves(source: int, amount: int) -> Table:
    """Return an attacker's moves of a number of steps by target, as on an empty board."""
    table: Table = {}
    for target in list_indices((FIELD | FINISH) & ~(1 << source)):
        distance = DISTANCE[source][target]
        if distance <= amount and not (amount - distance) & 1:
            table[target] = move_action(source, target, amount)
    _note_meanings(MOVE, table)
    return table


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


_TABLE_CACHE_SIZE: Final = 1024

CELLS_WITHIN: Final = tuple(
    tuple(sum(1 << other for other, distance in enumerate(row) if distance <= amount) & FIELD for amount in range(13))
    for row in DISTANCE
)
"""For each cell and n, the field cells that the Man can enter within n steps, attackers or not."""


def can_name(man: int, attackers: int, captured: int, amount: int) -> int:
    """Return the attackers that some walk of `amount` steps captures together with all named before.

    `attackers` are the cells of those still on the board, `captured` the cells of those named.
    """
    if not captured:
        # No one hinders the Man, and steps that are left over can be spent to and fro.
        return attackers & CELLS_WITHIN[man][amount]
    found = 0
    for members in find_walks(man, (attackers | captured) & FIELD, amount):
        if not captured & ~members:
            found |= members
    return found & ~captured


def find_landings(man: int, attackers: int, captured: int, amount: int) -> int:
    """Return where a walk of `amount` steps can end that enters exactly the captured attackers' cells."""
    if captured:
        return find_walks(man, (attackers | captured) & FIELD, amount).get(captured, 0)
    ends = find_steps(man, amount, ~attackers)[amount]
    return ends << HALF if (man >= HALF) ^ (amount & 1) else ends


@lru_cache(maxsize=_TABLE_CACHE_SIZE)
def find_walks(man: int, attackers: int, amount: int) -> Mapping[int, int]:
    """Return for each set of attackers that a walk of `amount` steps can capture the cells where it can end.

    All walks are followed at once: after each step there is, for each set captured so far, the set of cells where a
    walk may be.
    """
    around = FIELD & _LOW_HALF, FIELD >> HALF
    goals = attackers & _LOW_HALF, attackers >> HALF
    high = int(man >= HALF)
    found = {0: 1 << (man - HALF if high else man)}
    for _ in range(amount):
        high = 1 - high
        field, goals_here, shift = around[high], goals[high], HALF * high
        after: dict[int, int] = {}
        for captured, reached in found.items():
            if high:
                reached = (reached | reached >> 1 | reached << 6 | reached >> 7) & field
            else:
                reached = (reached | reached << 1 | reached << 7 | reached >> 6) & field
            fresh = reached & goals_here & ~(captured >> shift)
            if reached != fresh:
                after[captured] = after.get(captured, 0) | reached ^ fresh
            while fresh:
                goal = fresh & -fresh
                fresh ^= goal
                more = captured | goal << shift
                after[more] = after.get(more, 0) | goal
        found = after
    return {captured: ends << HALF if high else ends for captured, ends in found.items()}


def shortest_way(man: int, cells: int, landing: int | None = None) -> int:
    """Return the steps of the shortest way from the Man past all of some cells, to the landing cell if one is given."""
    end = () if landing is None else (landing,)
    ways: Iterator[list[int]] = ([man, *order, *end] for order in permutations(list_indices(cells)))
    return min(sum(DISTANCE[one][other] for one, other in pairwise(way)) for way in ways)


def fewest_more(man: int, attackers: int, captured: int, landing: int, amount: int) -> int:
    """Return a smallest set of further attackers whose capture would let a walk of `amount` steps end there.

    There is one wherever the shortest way past those named is short enough and of the right parity.
    """
    sets = find_walks(man, (attackers | captured) & FIELD, amount)
    more = [members & ~captured for members, ends in sets.items() if not captured & ~members and ends >> landing & 1]
    return min(more, key=lambda members: (members.bit_count(), members), default=0)


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

    def listed(self) -> Actions:
        """Return all of them."""
        return tuple(table[index] for table, members in self._parts for index in list_indices(members))

    def pick(self, number: int) -> Action:
        """Return the action at an index of the list."""
        for table, members in self._parts:
            here = members.bit_count()
            if number < here:
                return table[nth_index(members, number)]
            number -= here
        raise IndexError(number)

    def has(self, meaning: Meaning) -> bool:
        """Return whether an action with this meaning is legal."""
        return any(table is meaning.table and members >> meaning.place & 1 for table, members in self._parts)


ALL_CELLS: Final = -1
_SPRINT_DICE: Final = (6, 6)

Reach = dict[int, dict[int, int]]
"""For each attacker and amount, the cells where a move can end."""


@dataclass(frozen=True, slots=True)
class Throw:
    """The dice that an attacking player still has to use.

    `own` are the player's attackers in play, `occupied` the cells of all pieces; `used` is the die already used, 0 for
    none, and `mover` the bit of the attacker that moved by it, 0 after standing still.
    """

    own: int
    occupied: int
    dice: tuple[int, int]
    used: int = 0
    mover: int = 0

    @property
    def sum(self) -> int:
        """The sum of both dice."""
        return self.dice[0] + self.dice[1]

    @property
    def left(self) -> int:
        """The die left after one has been used."""
        return self.sum - self.used

    @property
    def can_split(self) -> bool:
        """True if there are two attackers for the two dice."""
        return self.own.bit_count() > 1

    def options(self) -> Options:
        """Return the legal actions; none only where play never leads (a die used that leaves nothing)."""
        if self.used:
            return Options(self._second())
        reach = self._reach()
        parts = self._full(reach)
        if any(members for _, members in parts):
            return Options(parts)
        parts = [(moves(cell, die), ends[die]) for cell, ends in reach.items() for die in self.dice]
        return Options(parts if any(members for _, members in parts) else [(PASSES, 1)])

    def can_finish(self) -> bool:
        """Return whether the other die can be used as well, after one has been."""
        if not self.left & 1:
            return True
        others = self.own & ~self.mover
        return any(_only_ways_out(cell, self.left, ~(self.occupied ^ 1 << cell)) >= 0 for cell in list_indices(others))

    def has_full_use(self) -> bool:
        """Return whether both dice can be used, before one is."""
        return any(members for _, members in self._full(self._reach()))

    def hinders(self, cell: int, die: int) -> int:
        """Return where the attacker on `cell` must not go, lest no other can move by the odd `die` afterwards.

        An odd number of steps is possible as soon as the first is: the others go to and fro. So a piece put on
        one cell stands in an attacker's way only if that cell is the one way out.
        """
        occupied = self.occupied ^ 1 << cell
        hindering = ALL_CELLS
        for other in list_indices(self.own ^ 1 << cell):
            hindering &= _only_ways_out(other, die, ~(occupied ^ 1 << other))
            if not hindering:
                break
        return hindering

    def refuse_amount(self, amount: int) -> IllegalAction | None:
        """Return the error if the dice do not give the amount."""
        low, high = self.dice
        if amount not in (low, high, low + high):
            return IllegalAction("not-on-dice", amount=amount, dice=list(self.dice), sum=self.sum)
        if self.used:
            if amount != self.left:
                return IllegalAction("die-used", used=self.used, amount=amount, left=self.left)
        elif amount != self.sum and not self.can_split and self.has_full_use():
            return IllegalAction("split-needs-two", amount=amount, sum=self.sum)
        return None

    def refuse_spending(self, amount: int) -> IllegalAction:
        """Return the error for an amount on the dice that cannot be spent standing still."""
        if amount & 1:
            return IllegalAction("stay-needs-even", amount=amount)
        if self.has_full_use():
            return IllegalAction("other-die-lost", amount=amount, die=self.sum - amount)
        must_pass = self.options().listed() == (PASS,)
        return IllegalAction("must-pass" if must_pass else "one-die-moves", amount=amount)

    def refuse_walk(self, source: int, target: int, amount: int) -> IllegalAction | None:
        """Return the error if no walk leads to the cell in exactly this number of steps."""
        blocked = self.occupied ^ 1 << source
        if 1 << source & START and blocked >> ABOVE[source] & 1:
            return IllegalAction("way-out-blocked", cell=NAMES[source], front=NAMES[ABOVE[source]])
        if 1 << target & FINISH and blocked >> BELOW[target] & 1:
            return IllegalAction("finish-blocked", cell=NAMES[target], front=NAMES[BELOW[target]])
        steps = shortest_walk(source, target, self.occupied)
        if steps is None:
            return IllegalAction("walled-off", cell=NAMES[target])
        if steps > amount:
            return IllegalAction("detour-too-long", cell=NAMES[target], steps=steps, amount=amount)
        if find_targets(source, (amount,), self.occupied)[0] >> target & 1:
            return None
        return IllegalAction("no-room-to-turn", cell=NAMES[target], steps=steps, amount=amount)

    def _reach(self) -> Reach:
        low, high = self.dice
        amounts = (low, low + high) if low == high else (low, high, low + high)
        return {
            cell: dict(zip(amounts, find_targets(cell, amounts, self.occupied), strict=True))
            for cell in list_indices(self.own)
        }

    def _second(self) -> list[Part]:
        left = self.left
        others = list_indices(self.own & ~self.mover)
        parts: list[Part] = [(moves(cell, left), find_targets(cell, (left,), self.occupied)[0]) for cell in others]
        if not left & 1:
            parts.append((SPENDINGS, 1 << left))
        return parts

    def _full(self, reach: Reach) -> list[Part]:
        """Return the first actions of all uses of both dice."""
        low, high = self.dice
        both = low + high
        parts: list[Part] = []
        if self.can_split:
            parts += self._split(reach, low, high)
            if low != high:
                parts += self._split(reach, high, low)
        parts += [(moves(cell, both), ends[both]) for cell, ends in reach.items()]
        if self.dice == _SPRINT_DICE:
            free = [cell for cell in reach if not self.occupied >> FINISH_OF[cell] & 1]
            parts.append((SPRINTS, sum(1 << cell for cell in free)))
        if not both & 1:
            parts.append((SPENDINGS, 1 << both))
        return parts

    def _split(self, reach: Reach, die: int, other: int) -> list[Part]:
        """Return the uses of one die that leave a use for the other."""
        if other & 1:
            parts: list[Part] = [
                (moves(cell, die), ends[die] & ~self.hinders(cell, other)) for cell, ends in reach.items() if ends[die]
            ]
        else:
            parts = [(moves(cell, die), ends[die]) for cell, ends in reach.items()]
        if not die & 1 and (not other & 1 or any(ends[other] for ends in reach.values())):
            parts.append((SPENDINGS, 1 << die))
        return parts


def _only_ways_out(cell: int, die: int, free: int) -> int:
    """Return the cells each of which every odd move from `cell` needs; ALL_CELLS if no odd move is possible."""
    ways = FIELD_NEIGHBOURS[cell] & free
    if die == 1:
        if BEFORE_FINISH >> cell & 1:
            ways |= free & 1 << ABOVE[cell]
    elif ways and START >> cell & 1:
        # There is no way back to the start line: to and fro goes between the cell in front and one next to it.
        return ways | _only(FIELD_NEIGHBOURS[ABOVE[cell]] & free)
    return _only(ways)


def _only(ways: int) -> int:
    if not ways:
        return ALL_CELLS
    return 0 if ways & (ways - 1) else ways
