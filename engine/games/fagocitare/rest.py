"""Fagocitare's last cells, to the end of the game: whether a seat reaches a result, asked for one result at a time.

Few of the last dots matter. A position is known by what can still happen on its lines (`engine.games.fagocitare.rows`):
two that differ only elsewhere are the same, cells on which nothing depends any more are as good as each other, and a
lead that cannot be made up for decides.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from engine.budget import Budget
from engine.games.fagocitare.rows import Rows
from engine.games.fagocitare.state import FagocitareState, Pair
from engine.topology import list_indices

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
        self.rows = Rows(state.sheet)
        self.width = self.rows.width
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
            open_ = self._still_open(range(len(self.rows.all)), red, blue, state.free, state.inked, state.ends, mortal)
            for here in open_.values():
                mortal |= here | here >> self.width
            mortal &= self.sheet.board.all
        seat = state.to_move or 0
        return _Position(seat, state.free, red, blue, state.dead, state.inked, state.ends, open_, mortal)

    def _still_open(
        self, numbers: Iterable[int], red: int, blue: int, free: int, inked: int, ends: int, mortal: int
    ) -> dict[int, int]:
        """Return the rows on which something can still happen, with what that is."""
        rows = self.rows.all
        found = {}
        for number in numbers:
            here = rows[number].what_can_happen(red, blue, free, inked, ends, mortal)
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
        # Nobody can capture more than is there or may still be drawn: is the lead out of reach?
        first, second = fields & everything, fields >> width & everything
        mine, theirs = (second, first) if seat else (first, second)
        lead = dead[seat].bit_count() - dead[1 - seat].bit_count()
        live, left = red | blue, free.bit_count()
        if lead + (mine & live).bit_count() + min((mine & free).bit_count(), left >> 1) < wanted:
            return False
        if lead - (theirs & live).bit_count() - min((theirs & free).bit_count(), left + 1 >> 1) >= wanted:
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
            for number in self.rows.through[cell]:
                if number in open_:
                    here = self.rows.all[number].what_can_happen(red, blue, free, inked, ends, mortal)
                    if here:
                        open_[number] = here
                    else:
                        del open_[number]
        # What the other must not reach: a draw where the seat wants to win, a win where a draw will do.
        return not self._reaches(_Position(1 - seat, free, red, blue, dead, inked, ends, open_, mortal), 1 - wanted)
