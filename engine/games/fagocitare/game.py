"""Creating states of Fagocitare: the first one, and from dictionaries.

Fagocitare's last cells, to the end of the game: whether a seat reaches a result, asked for one result at a time.

Few of the last dots matter. A position is known by what can still happen on its lines (`engine.games.fagocitare.game`):
two that differ only elsewhere are the same, cells on which nothing depends any more are as good as each other, and a
lead that cannot be made up for decides.

What can still happen on the rows of a sheet of Fagocitare while its last cells are drawn on.

Rows, columns and diagonals, all called rows here, are looked at one by one: which dots may be captured there at any
time from now on, whatever both sides do, which points matter for that, and where a dot would capture or be lost at
once. On most of them nothing can happen long before the sheet is full, and how one lies comes back often, since few of
its cells are free.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from engine.budget import Budget
from engine.core import Action, Game, GameOptions, Option, Position, State
from engine.facts import Facts
from engine.games.fagocitare.rules import (
    CAPTORS_PER_CAPTIVE,
    SIZES,
    Enclosed,
    FagocitareState,
    Line,
    Pair,
    Sheet,
    find_enclosed_down,
    find_enclosed_up,
    find_enclosing,
    is_crossed,
    judge,
    sheet,
)
from engine.notation import list_marks
from engine.positions import (
    Extra,
    PositionField,
    check_dropped,
    check_fields,
    last_seat,
    options_of,
    settle_outcome,
    to_move_of,
)
from engine.prover import Proof, Prover
from engine.topology import list_indices
from engine.winning import ThreatProver, WinSearch

_Outwards = tuple[int, bool, int]


class Row:
    """A row, column or diagonal, with a cache of what can happen on it."""

    __slots__ = ("cells", "corners", "known", "mask", "paper", "points", "width")

    def __init__(self, paper: Sheet, cells: tuple[int, ...], corners: tuple[int, ...]) -> None:
        """Create a row from its cells upwards and the corner on the way to each of them (`Sheet.rows`)."""
        self.paper = paper
        self.width = len(paper.board)
        self.cells = cells
        self.corners = corners
        self.mask = sum(1 << cell for cell in cells)
        self.points = self.mask | sum(corners)
        self.known: dict[tuple[int, ...], int] = {}

    def what_can_happen(self, red: int, blue: int, free: int, inked: int, ends: int, mortal: int) -> int:
        """Return what can happen here: fields of as many bits as the sheet has cells, 0 if nothing is ever captured.

        They are, from the lowest: the cells in which the first seat may capture a dot sooner or later, drawn or not
        drawn yet; the same of the second; the free cells where a dot of the first would capture; of the second;
        where a dot of the first that captures nothing would be captured; of the second; and all the points that matter,
        in two fields. `mortal` are the dots that may be captured on other rows before; the rest is as in a state.
        """
        mask, points = self.mask, self.points
        red &= mask
        blue &= mask
        key = (red, blue, free & mask, inked & points, ends & mask, mortal & (red | blue))
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = self._find_attacks(*key)
        return known

    def _find_attacks(self, red: int, blue: int, free: int, inked: int, ends: int, mortal: int) -> int:
        if not free:
            return 0
        first, near = self._prey(red, blue, free, inked, ends, mortal)
        second, far = self._prey(blue, red, free, inked, ends, mortal)
        if not first and not second:
            return 0
        captures, falls = [0, 0], [0, 0]
        for cell in list_indices(free):
            bit = 1 << cell
            behind = self.mask & bit - 1
            ahead = self.mask ^ behind ^ bit
            for seat, own, enemy in ((0, red, blue), (1, blue, red)):
                up = find_enclosed_up(cell, ahead, behind, own, enemy, free)
                if up and not is_crossed(self.paper, up, inked, ends):
                    captures[seat] |= bit
                down = find_enclosed_down(cell, behind, ahead, own, enemy, free)
                if down and not is_crossed(self.paper, down, inked, ends):
                    captures[seat] |= bit
                around = find_enclosing(ahead, behind, own, enemy)
                if around and not is_crossed(self.paper, around, inked, ends):
                    falls[seat] |= bit
        result = near | far
        for field in (*falls[::-1], *captures[::-1], second, first):
            result = result << self.width | field
        return result

    def _prey(self, own: int, enemy: int, free: int, inked: int, ends: int, mortal: int) -> tuple[int, int]:
        """Return the dots of the enemy that may be captured on this row some time, and the points that matter for it.

        What is free may become a dot of either side, or a dead one. A capture line needs ends that are live dots of
        its side or may become some, no dot of its side between them that stays live, no earlier line in its way, two
        attackers for each dot that stays live till then, and a cell still free where the dot that makes it is drawn.
        """
        cells, corners = self.cells, self.corners
        own_or_free, enemy_or_free = own | free, enemy | free
        stays, keeps = own & ~mortal, enemy & ~mortal
        barred = inked | ends
        most = len(cells)
        below = self._attacks_outwards(range(most), own_or_free, keeps, free)
        above = self._attacks_outwards(range(most - 1, -1, -1), own_or_free, keeps, free)
        prey = points = 0
        for low in range(most - 2):
            bit = 1 << cells[low]
            if not own_or_free & bit or inked & bit:
                continue
            under, open_under, lowest = below[low]
            caught = sure = 0
            for high in range(low + 1, most):
                if corners[high] & barred:
                    break
                bit = 1 << cells[high]
                if caught and own_or_free & bit and not inked & bit:
                    over, open_over, highest = above[high]
                    if under + over >= CAPTORS_PER_CAPTIVE * max(1, sure) and (
                        open_under or open_over or caught & free
                    ):
                        prey |= caught
                        for place in range(lowest, highest + 1):
                            points |= 1 << cells[place] | corners[place]
                if (stays | barred) & bit:
                    break
                if enemy_or_free & bit:
                    caught |= bit
                    sure += bool(keeps & bit)
        return prey, points

    def _attacks_outwards(self, places: range, own_or_free: int, keeps: int, free: int) -> list[_Outwards]:
        """Return for each index the number of attackers outwards, whether a cell is free there, and the last index.

        The first enemy that stays live ends it; `places` are ordered inwards.
        """
        found: list[_Outwards] = [(0, False, 0)] * len(places)
        count, is_open, end = 0, False, places[0]
        for place in places:
            bit = 1 << self.cells[place]
            if keeps & bit:
                count, is_open, end = 0, False, place
            count += bool(own_or_free & bit)
            is_open = is_open or bool(free & bit)
            found[place] = (count, is_open, end)
        return found


def list_rows(paper: Sheet) -> tuple[Row, ...]:
    """Return all rows, columns and diagonals of a sheet long enough for a capture."""
    return tuple(Row(paper, cells, corners) for cells, corners in paper.rows)


WIN: Final = 1
DRAW: Final = 0
LOSS: Final = -1
_CAPTURE_PRIORITY: Final = 1_000_000
_HINDER_PRIORITY: Final = 500_000


class _Position(NamedTuple):
    """A position with a seat on the move: the parts of a state that matter, and what can still happen.

    `dead` are the dead dots by captor. `open` maps each row on which something can happen to `Row.what_can_happen`;
    `mortal` are the dots that could be captured before the last dot is drawn.
    """

    seat: int
    free: int
    red: int
    blue: int
    dead: Pair
    inked: int
    ends: int
    open: dict[int, int]
    mortal: int


class Rest:
    """A search from one position; its knowledge of positions and rows lives as long as it does."""

    def __init__(self, state: FagocitareState, budget: Budget) -> None:
        """Make it for a state with a seat on the move."""
        self.sheet = state.sheet
        self.rows = list_rows(state.sheet)
        self.width = len(state.sheet.board)
        self.through = tuple(
            tuple(number for number, row in enumerate(self.rows) if row.mask >> cell & 1) for cell in range(self.width)
        )
        """For each cell the numbers of the rows through it."""
        self.budget = budget
        self.is_stopped = False
        self.known: dict[tuple[int | tuple[int, ...], ...], tuple[int, int]] = {}
        """For each position, reduced to what matters, the least and the most that the mover is known to reach."""
        self.helped: dict[int, int] = {}
        """How often a dot has been decisive, by cell and seat; positions with many free cells weigh more."""
        self.start = self._position(state)

    def ordered(self) -> list[int]:
        """Return the cells where the seat on the move may draw: captures, what hinders the other's, the rest."""
        start = self.start
        everything = (1 << self.width) - 1
        fields = 0
        for here in start.open.values():
            fields |= here
        captures, hinders = (fields >> (2 + (seat ^ start.seat)) * self.width & everything for seat in range(2))
        inner = start.free & self.sheet.inner
        cells = inner | captures if inner else start.free
        groups = (captures, cells & hinders & ~captures, cells & ~captures & ~hinders)
        return [cell for group in groups for cell in list_indices(group)]

    def value(self, cell: int, guess: int) -> int:
        """Return the result of the seat on the move after a dot on the cell; undefined once stopped.

        The search is fastest if `guess` is right.
        """
        if guess == LOSS:
            return LOSS if not self._gets(cell, DRAW) else WIN if self._gets(cell, WIN) else DRAW
        return WIN if self._gets(cell, WIN) else DRAW if self._gets(cell, DRAW) else LOSS

    def _gets(self, cell: int, wanted: int) -> bool:
        return self._leads_to(self.start, cell, True, wanted)

    def _position(self, state: FagocitareState) -> _Position:
        red, blue = state.live
        # What may be captured depends on what may be captured before that on other rows: nothing, to begin with.
        mortal, before = 0, -1
        open_: dict[int, int] = {}
        while mortal != before:
            before = mortal
            open_ = self._still_open(range(len(self.rows)), red, blue, state.free, state.inked, state.ends, mortal)
            for here in open_.values():
                mortal |= here | here >> self.width
            mortal &= self.sheet.board.all
        seat = state.to_move or 0
        return _Position(seat, state.free, red, blue, state.dead, state.inked, state.ends, open_, mortal)

    def _still_open(
        self, numbers: Iterable[int], red: int, blue: int, free: int, inked: int, ends: int, mortal: int
    ) -> dict[int, int]:
        """Return the rows on which something can still happen, with what that is."""
        found = {}
        for number in numbers:
            here = self.rows[number].what_can_happen(red, blue, free, inked, ends, mortal)
            if here:
                found[number] = here
        return found

    def _reaches(self, position: _Position, wanted: int) -> bool:
        """Return whether the seat on the move reaches a result; undefined once stopped."""
        seat, free, red, blue, dead, inked, ends, open_, _ = position
        width, everything = self.width, (1 << self.width) - 1
        fields = alive = 0
        for number, here in open_.items():
            fields |= here
            alive |= 1 << number
        # No one can capture more than is there or may still be drawn: is the lead out of reach?
        first, second = fields & everything, fields >> width & everything
        own_prey, enemy_prey = (second, first) if seat else (first, second)
        lead = dead[seat].bit_count() - dead[1 - seat].bit_count()
        live, left = red | blue, free.bit_count()
        if lead + (own_prey & live).bit_count() + min((own_prey & free).bit_count(), left >> 1) < wanted:
            return False
        if lead - (enemy_prey & live).bit_count() - min((enemy_prey & free).bit_count(), left + 1 >> 1) >= wanted:
            return True
        if self.budget.is_over:
            self.is_stopped = True
            return False
        points = fields >> 6 * width
        matter = points & everything
        inner = free & self.sheet.inner
        idle = free & ~matter
        key = (
            free & matter,
            red & matter,
            blue & matter,
            inked & points,
            ends & matter,
            alive,
            (idle.bit_count(), (idle & inner).bit_count(), lead, seat),
        )
        least, most = self.known.get(key, (LOSS, WIN))
        if least >= wanted or most < wanted:
            return least >= wanted
        self.budget.spend()
        captures = fields >> (2 + seat) * width & everything
        hinders = fields >> (3 - seat) * width & everything
        falls = fields >> (4 + seat) * width & everything
        cells = inner | captures if inner else free
        # Of cells on which nothing depends one stands for all.
        idle &= cells
        cells ^= idle & idle - 1
        helped, loud = self.helped, captures | falls
        worth = {
            cell: helped.get(2 * cell + seat, 0)
            + (captures >> cell & 1) * _CAPTURE_PRIORITY
            + ((hinders >> cell & 1) - (falls >> cell & 1)) * _HINDER_PRIORITY
            for cell in list_indices(cells)
        }
        position = _Position(seat, free, red, blue, dead, inked, ends, open_, first | second)
        for cell in sorted(worth, key=lambda cell: -worth[cell]):
            if self._leads_to(position, cell, bool(loud >> cell & 1), wanted):
                if not self.is_stopped:
                    self.known[key] = (wanted, most)
                    helped[2 * cell + seat] = helped.get(2 * cell + seat, 0) + left * left
                return True
        if not self.is_stopped:
            self.known[key] = (least, wanted - 1)
        return False

    def _leads_to(self, position: _Position, cell: int, loud: bool, wanted: int) -> bool:
        """Return whether the seat on the move reaches a result by a dot; `loud` if it may capture or be captured."""
        seat, free, red, blue, dead, inked, ends, open_, mortal = position
        if loud:
            before = FagocitareState(self.sheet, seat, free, (red, blue), dead, ((), ()), inked, ends, 0)
            after = before.advance(self.sheet.actions[cell])
            if after.outcome is not None:
                winner = after.outcome.winner
                return (DRAW if winner is None else WIN if winner == seat else LOSS) >= wanted
            free, (red, blue), dead, inked, ends = after.free, after.live, after.dead, after.inked, after.ends
            open_ = self._still_open(open_, red, blue, free, inked, ends, mortal)
        else:
            bit = 1 << cell
            free ^= bit
            if seat:
                blue |= bit
            else:
                red |= bit
            open_ = open_.copy()
            for number in self.through[cell]:
                if number in open_:
                    here = self.rows[number].what_can_happen(red, blue, free, inked, ends, mortal)
                    if here:
                        open_[number] = here
                    else:
                        del open_[number]
        # What the other must not reach: a draw where the seat wants to win, a win where a draw will do.
        return not self._reaches(_Position(1 - seat, free, red, blue, dead, inked, ends, open_, mortal), 1 - wanted)


MAX_FREE_CELLS: Final = 14
"""Maximum number of free cells from which the rest of the game is solved."""


class FagocitareProver(ThreatProver):
    """Solves the last cells, and searches for wins by threats."""

    turns = 3

    def __init__(self, last: int = MAX_FREE_CELLS) -> None:
        """Create the prover; `last` is the number of free cells from which it solves the rest."""
        self.last = last

    def settle(self, state: State, budget: Budget) -> Mapping[Action, Proof]:
        """Return the proofs of all legal actions once few cells are free; empty if the budget is used up."""
        assert isinstance(state, FagocitareState)  # noqa: S101
        seat = state.to_move
        if seat is None or state.free.bit_count() > self.last:
            return {}
        rest = Rest(state, budget)
        found: dict[Action, Proof] = {}
        result = DRAW
        for cell in rest.ordered():
            result = rest.value(cell, result)
            if rest.is_stopped:
                return {}
            value = (1 + result) / 2
            found[state.sheet.actions[cell]] = Proof((1.0 - value, value) if seat else (value, 1.0 - value))
        return found

    def search(self, state: State, turns: int, budget: Budget) -> WinSearch | None:
        """Return the search for wins of the seat on the move, None at the end."""
        return None if state.to_move is None else _Captures(state.to_move, budget)


class _Captures(WinSearch):
    """The search for a lead of three."""

    def wins_now(self, state: State) -> bool:
        assert isinstance(state, FagocitareState)  # noqa: S101
        cells = state.free if state.free.bit_count() == 1 else state.capturing(self.seat, state.free)
        for cell in list_indices(cells):
            outcome = state.advance(state.sheet.actions[cell]).outcome
            if outcome is not None and outcome.winner == self.seat:
                return True
        return False

    def threatens(self, state: State) -> bool:
        assert isinstance(state, FagocitareState)  # noqa: S101
        return bool(state.capturing(self.seat, state.free))

    def attacks(self, state: State) -> Sequence[Action]:
        """Return all actions, captures first."""
        assert isinstance(state, FagocitareState)  # noqa: S101
        cells = state.open_cells(self.seat)
        captures = state.capturing(self.seat, cells)
        return _actions(state, captures, cells & ~captures)

    def replies(self, state: State) -> Sequence[Action]:
        """Return all actions: those that hinder the seat's captures, the other's own captures, then the rest."""
        assert isinstance(state, FagocitareState)  # noqa: S101
        cells = state.open_cells(self.other)
        hindering = state.capturing(self.seat, cells)
        captures = state.capturing(self.other, cells) & ~hindering
        return _actions(state, hindering, captures, cells & ~hindering & ~captures)


def _actions(state: FagocitareState, *groups: int) -> list[Action]:
    return [state.sheet.actions[cell] for group in groups for cell in list_indices(group)]


PROVER: Final = FagocitareProver()


class Fagocitare(Game):
    """Fagocitare, a game for two with paper and pens."""

    key = "fagocitare"
    order = 3
    seats = range(2, 3)
    rules_version = 1
    options: Mapping[str, Option] = {"size": Option(10, SIZES)}
    prover: Prover | None = PROVER
    facts = Facts(traps=frozenset({"draw"}))
    words: Mapping[str, str] = list_marks("", "draw dot disegna disegno pallino punto")

    def symbols(self, position: Position) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        lists = [*position["dots"], *position["dead"]]
        return {cell: symbol for cells, symbol in zip(lists, "●○■□", strict=True) for cell in cells}

    def start(self, seats: int = 2, options: GameOptions | None = None) -> FagocitareState:
        paper = sheet(int(self.checked_options(seats, options)["size"]))
        return FagocitareState(paper, 0, paper.board.all, (0, 0), (0, 0), ((), ()), 0, 0, 0)

    def load(self, position: Position) -> FagocitareState:
        fields = check_fields(self, position, ("dots", "dead", "lines"))
        paper = sheet(int(options_of(self, fields)["size"]))
        dropped = check_dropped(fields, 2)
        seat = to_move_of(fields, 2, dropped)
        first, second = fields["dots"].cell_lists(paper.board, 2)
        third, fourth = fields["dead"].cell_lists(paper.board, 2, first | second)
        live, dead = (first, second), (third, fourth)
        free = paper.board.all & ~(first | second | third | fourth)
        lines, inked, ends = _lines(fields["lines"], paper, live, dead)
        found = last_seat(2, dropped) or judge(dead, free)
        outcome = settle_outcome(fields, 2, found)
        turn = Extra(fields).integer("turn")
        seat = None if outcome else seat
        return FagocitareState(paper, seat, free, live, dead, lines, inked, ends, turn, outcome, dropped)


GAME: Final = Fagocitare()
FagocitareState.game = GAME


def _lines(
    field: PositionField, paper: Sheet, live: Pair, dead: Pair
) -> tuple[tuple[tuple[Line, ...], tuple[Line, ...]], int, int]:
    """Return the capture lines by captor, with the points between their ends and the cells they end in."""
    result: list[tuple[Line, ...]] = []
    inked = ends = 0
    for captor, item in enumerate(field.items(2)):
        lines = []
        for pair in item.items():
            line = _line(pair, paper)
            points, tips = paper.segments[line], 1 << line[0] | 1 << line[1]
            # An end may have been captured since, but it was a dot of the captor.
            if tips & ~(live[captor] | dead[1 - captor]):
                raise pair.wrong("line-without-attackers")
            if not points & dead[captor]:
                raise pair.wrong("line-without-captives")
            if is_crossed(paper, Enclosed(*line, 0, 0), inked, ends):
                raise pair.wrong("lines-cross")
            inked |= points
            ends |= tips
            lines.append(line)
        result.append(tuple(sorted(lines)))
    return (result[0], result[1]), inked, ends


def _line(pair: PositionField, paper: Sheet) -> Line:
    low, high = sorted(end.cell(paper.board) for end in pair.items(2))
    if (low, high) not in paper.segments:
        raise pair.wrong("no-line")
    return low, high
