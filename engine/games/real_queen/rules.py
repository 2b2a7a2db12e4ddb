"""Positions of Real Queen and their legal actions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any, Final

from engine.core import (
    PASS,
    Action,
    GameOver,
    IllegalAction,
    Json,
    Outcome,
    Random,
    RefusingState,
    Seats,
    make_immutable,
    places_with_draw,
    places_with_winner,
)
from engine.positions import History, cell_lists_to_json, ending_fields, last_seat
from engine.topology import Topology, list_indices, make_bits, nth_index, square_grid

SIZE: Final = 7
PIECES: Final = 20
"""Normal pieces of each seat (rules, Board and pieces)."""
MIN_ALIGNMENT: Final = 4
"""Minimum number of own pieces in a straight unbroken run that make an alignment."""
MAX_IDLE_TURNS: Final = 100
"""Turns in a row without an alignment that make a draw."""

BOARD: Final = square_grid(SIZE, SIZE)
NEIGHBOUR_BITS: Final = BOARD.neighbour_bits

PLACE, CROWN, STEP, SHIFT, PASSING, CAPTURE, RETURN = range(7)
"""The kinds of action; those from CAPTURE on follow an alignment."""

_ALL: Final = range(len(BOARD))
_NAMES: Final = BOARD.names

PLACES: Final = tuple(Action(name, "place", target=name) for name in _NAMES)
CROWNS: Final = tuple(Action(f"Q{name}", "crown", target=name) for name in _NAMES)
STEPS: Final = tuple(
    {b: Action(f"Q{_NAMES[a]}-{_NAMES[b]}", "step", source=_NAMES[a], target=_NAMES[b]) for b in _ALL} for a in _ALL
)
SHIFTS: Final = tuple(
    {b: Action(f"{_NAMES[a]}-{_NAMES[b]}", "shift", source=_NAMES[a], target=_NAMES[b]) for b in _ALL} for a in _ALL
)
CAPTURES: Final = tuple(Action(f"x{name}", "capture", target=name) for name in _NAMES)
RETURNS: Final = tuple(Action(f"r{name}", "return", target=name) for name in _NAMES)

MOVES: Final[dict[str, tuple[int, int, int]]] = {PASS.text: (PASSING, -1, -1)}
"""The kind, source cell index (or -1) and target cell index of each action, by text."""
for _kind, _actions in ((PLACE, PLACES), (CROWN, CROWNS), (CAPTURE, CAPTURES), (RETURN, RETURNS)):
    MOVES.update({action.text: (_kind, -1, cell) for cell, action in enumerate(_actions)})
for _kind, _table in ((STEP, STEPS), (SHIFT, SHIFTS)):
    MOVES.update({action.text: (_kind, a, b) for a in _ALL for b, action in _table[a].items()})


_WAYS: Final = ((1, 0, 1), (SIZE, 1, 0), (SIZE + 1, 1, 1), (SIZE - 1, 1, -1))
"""The directions: the index step from cell to cell, and the step in coordinates."""


def _stretch(cell: int, dx: int, dy: int, steps: range) -> list[int]:
    """Return the cells so many steps from a cell in one direction, as far as they are on the board."""
    x, y = divmod(cell, SIZE)
    places = [(x + n * dx, y + n * dy) for n in steps]
    return [i * SIZE + j for i, j in places if 0 <= i < SIZE and 0 <= j < SIZE]


def _lines_through(cell: int) -> list[list[int]]:
    """Return the cells of the 4 lines through a cell, from end to end."""
    return [_stretch(cell, dx, dy, range(1 - SIZE, SIZE)) for _, dx, dy in _WAYS]


def _run(line: list[int], cell: int, own: int) -> int:
    """Return the unbroken run of own cells on a line that contains the cell, as bits."""
    run = 1 << cell
    for way in (line[line.index(cell) + 1 :], line[: line.index(cell)][::-1]):
        for other in way:
            if not own >> other & 1:
                break
            run |= 1 << other
    return run


def _alignments(line: list[int], cell: int) -> dict[int, int]:
    """Return the alignment through the cell for every set of own cells on the line that holds one."""
    found = {}
    whole = own = make_bits(line)
    while own:
        if own >> cell & 1 and (run := _run(line, cell, own)).bit_count() >= MIN_ALIGNMENT:
            found[own] = run
        own = own - 1 & whole
    return found


LINES: Final = tuple(
    tuple((make_bits(line), _alignments(line, cell)) for line in _lines_through(cell) if len(line) >= MIN_ALIGNMENT)
    for cell in _ALL
)
"""For each cell its lines of at least 4 cells, as bits, and the alignment through the cell for each set of own
cells on the line."""


def find_alignments(cell: int, own: int) -> list[int]:
    """Return the alignments that contain the cell, `own` being all cells of one seat, the queen's too."""
    return [run for line, found in LINES[cell] if (run := found.get(own & line))]


def longest_run(cell: int, own: int) -> int:
    """Return the length of the longest run that a piece on the cell would belong to."""
    return max(_run(line, cell, own).bit_count() for line in _lines_through(cell))


_STEPS: Final = tuple(
    (shift, make_bits(cell for cell in _ALL if _stretch(cell, dx, dy, range(1, 2)))) for shift, dx, dy in _WAYS
)


def find_completing_cells(own: int) -> int:
    """Return as bits the cells where one more own piece would make an alignment (own cells among them)."""
    result = 0
    for shift, inside in _STEPS:
        # The cells with one, two, three own cells in a row just before them (below) and just after them (above).
        below1 = (own & inside) << shift
        below2 = (own & inside & below1) << shift
        above1 = own >> shift & inside
        above2 = (own & above1) >> shift & inside
        result |= below2 & above1 | below1 & above2
        result |= (own & inside & below2) << shift | (own & above2) >> shift & inside
    return result


def find_winning_cells(own: int, free: int, target: int) -> int:
    """Return, as bits, the free cells where one more own piece would make an alignment next to the enemy queen's cell.

    0 for a queen that is in hand.
    """
    result = 0
    if target:
        near = NEIGHBOUR_BITS[target.bit_length() - 1]
        for cell in list_indices(find_completing_cells(own) & free):
            if any(run & near for run in find_alignments(cell, own | 1 << cell)):
                result |= 1 << cell
    return result


def _stretches(dx: int, dy: int) -> dict[int, int]:
    """Return the stretches of 4 cells in one direction, as bits, by their first cells."""
    stretches = {cell: _stretch(cell, dx, dy, range(MIN_ALIGNMENT)) for cell in _ALL}
    return {cell: make_bits(cells) for cell, cells in stretches.items() if len(cells) == MIN_ALIGNMENT}


_STRETCHES: Final = tuple(_stretches(dx, dy) for _, dx, dy in _WAYS)
STRETCHES: Final = tuple(
    (shift, make_bits(stretches)) for (shift, _, _), stretches in zip(_WAYS, _STRETCHES, strict=True)
)
"""For each direction the step from cell to cell, and the first cells of all stretches of 4 cells, as bits."""
STRETCHES_BESIDE: Final = tuple(
    tuple(
        make_bits(cell for cell, cells in stretches.items() if cells & near and not cells >> target & 1)
        for stretches in _STRETCHES
    )
    for target, near in enumerate(NEIGHBOUR_BITS)
)
"""For each cell and direction the first cells of the stretches that lead past the cell next to it."""


def compute_payment(runs: list[int], queen: int) -> tuple[int, int]:
    """Return how many pieces the alignments capture and how many are returned (rules, the table).

    `queen` is the own queen as a bit, 0 in hand.
    """
    with_queen = any(run & queen for run in runs)
    if len(runs) > 1:
        return (4 if with_queen else 3), 3
    length = runs[0].bit_count()
    return length - (2 if with_queen else 3), length - 2


def _name_cell(cell: int) -> str:
    return BOARD.names[cell.bit_length() - 1]


_CELL: Final = r"([a-g][1-7])(?!\d)"
_PASS: Final = re.compile(r"pass(?![a-z])")
_SHAPE: Final = re.compile(rf"([qxr]?)[\s,;:\-]*{_CELL}([\s,;:\-x]*)(?:{_CELL})?")


def _queen(first: int, second: int | None) -> Iterator[Action]:
    if second is not None:
        yield STEPS[first][second]
    yield CROWNS[first]


Pair = tuple[int, int]


class RealQueenState(RefusingState):
    """A position of Real Queen; sets of cells are bits by `BOARD`'s index, pairs have one entry per seat.

    `queens` are bits (0: still in hand). In the middle of a turn `captures` and `returns` say what is still
    due, `runs` are the alignments' cells not yet returned and `crossing` is the piece that must go back first.
    `idle` counts the turns in a row without an alignment. `history` is None where nothing before this
    position can come again.
    """

    __slots__ = (
        "captures",
        "crossing",
        "dropped",
        "history",
        "idle",
        "outcome",
        "pieces",
        "queens",
        "reserve",
        "returns",
        "runs",
        "to_move",
        "turn",
    )

    seats = 2

    def __init__(
        self,
        to_move: int | None,
        pieces: Pair,
        queens: Pair,
        reserve: Pair,
        captures: int = 0,
        returns: int = 0,
        runs: tuple[int, ...] = (),
        crossing: int = 0,
        idle: int = 0,
        turn: int = 0,
        history: History | None = None,
        outcome: Outcome | None = None,
        dropped: Seats = (),
    ) -> None:
        self.to_move = to_move
        self.pieces = pieces
        self.queens = queens
        self.reserve = reserve
        self.captures = captures
        self.returns = returns
        self.runs = runs
        self.crossing = crossing
        self.idle = idle
        self.turn = turn
        self.history = history
        self.outcome = outcome
        self.dropped = dropped
        self.__class__ = _Sealed

    @property
    def topology(self) -> Topology:
        return BOARD

    @property
    def free(self) -> int:
        """The free cells."""
        pieces, queens = self.pieces, self.queens
        return BOARD.all & ~(pieces[0] | pieces[1] | queens[0] | queens[1])

    def due(self) -> int:
        """Return the pieces of which one must be captured or returned now, 0 if none is due."""
        seat = self.to_move
        if seat is None:
            return 0
        if self.captures:
            return self.pieces[1 - seat]
        if self.crossing:
            return self.crossing
        members = 0
        for run in self.runs:
            members |= run
        return members & self.pieces[seat]

    def queen_targets(self, seat: int, free: int) -> int:
        """Return the free cells where the queen may enter, or move once she is in play."""
        queen = self.queens[seat]
        if queen:
            return NEIGHBOUR_BITS[queen.bit_length() - 1] & free
        return find_completing_cells(self.pieces[seat]) & free if self.reserve[seat] else free

    def may_shift(self, seat: int) -> bool:
        """Return whether the seat's normal pieces on the board may move."""
        return bool(self.queens[seat]) and not self.reserve[seat]

    def legal_actions(self) -> Sequence[Action]:
        seat = self.to_move
        if seat is None:
            return ()
        if self.returns:
            table = CAPTURES if self.captures else RETURNS
            return [table[cell] for cell in list_indices(self.due())]
        free = self.free
        cells = list_indices(free)
        actions = [PLACES[cell] for cell in cells] if self.reserve[seat] else []
        queen = self.queens[seat]
        crowning = STEPS[queen.bit_length() - 1] if queen else CROWNS
        actions += [crowning[cell] for cell in list_indices(self.queen_targets(seat, free))]
        if self.may_shift(seat):
            for source in list_indices(self.pieces[seat]):
                row = SHIFTS[source]
                actions += [row[cell] for cell in cells]
        return actions or [PASS]

    def random_action(self, rng: Random) -> Action:
        """Draw one legal action uniformly: the one at a random index of `legal_actions`."""
        seat = self.to_move
        if seat is None:
            raise GameOver
        if self.returns:
            due = self.due()
            cell = nth_index(due, rng.randrange(due.bit_count()))
            return (CAPTURES if self.captures else RETURNS)[cell]
        free = self.free
        queen = self.queens[seat]
        targets = self.queen_targets(seat, free)
        width = free.bit_count()
        places = width if self.reserve[seat] else 0
        moves = targets.bit_count()
        shifts = width * self.pieces[seat].bit_count() if queen and not places else 0
        if not places + moves + shifts:
            return PASS
        number = rng.randrange(places + moves + shifts)
        if number < places:
            return PLACES[nth_index(free, number)]
        number -= places
        if number < moves:
            cell = nth_index(targets, number)
            return STEPS[queen.bit_length() - 1][cell] if queen else CROWNS[cell]
        source, target = divmod(number - moves, width)
        return SHIFTS[nth_index(self.pieces[seat], source)][nth_index(free, target)]

    def find_hindrance(self, action: Action) -> IllegalAction | None:
        """Return the rule that forbids an action in an unfinished game, None if it is legal.

        In the params `n` is the number for the plural: pieces still due or in reserve.
        """
        move = MOVES.get(action.text)
        seat = self.to_move
        if move is None or seat is None:
            return self.refuse_unknown(action)
        kind, source, target = move
        if self.captures and kind != CAPTURE:
            return IllegalAction("captures-first", n=self.captures)
        if self.returns and kind not in (CAPTURE, RETURN):
            return IllegalAction("returns-first", n=self.returns)
        if kind == CAPTURE:
            return self._refuse_capture(seat, target)
        if kind == RETURN:
            return self._refuse_return(seat, target)
        if kind == PASSING:
            return None if PASS in self.legal_actions() else IllegalAction("must-act")
        if kind == PLACE and not self.reserve[seat]:
            return IllegalAction("reserve-empty")
        if kind == SHIFT and (refused := self._refuse_shift(seat, source, target)):
            return refused
        if kind == STEP and (refused := self._refuse_step(seat, source, target)):
            return refused
        if kind == CROWN and self.queens[seat]:
            return IllegalAction("queen-in-play", queen=_name_cell(self.queens[seat]))
        if not self.free >> target & 1:
            return IllegalAction("occupied", cell=BOARD.names[target])
        if kind == CROWN and not self.queen_targets(seat, self.free) >> target & 1:
            return IllegalAction(
                "needs-alignment",
                cell=BOARD.names[target],
                longest=longest_run(target, self.pieces[seat]),
                least=MIN_ALIGNMENT,
                n=self.reserve[seat],
            )
        return None

    def _refuse_capture(self, seat: int, target: int) -> IllegalAction | None:
        cell = BOARD.names[target]
        if self.queens[1 - seat] >> target & 1:
            return IllegalAction("queen-never-captured", cell=cell)
        if not self.returns:
            return IllegalAction("nothing-to-capture", least=MIN_ALIGNMENT)
        if not self.captures:
            return IllegalAction("all-captured", n=self.returns)
        if self.pieces[1 - seat] >> target & 1:
            return None
        if self.free >> target & 1:
            return IllegalAction("no-piece-there", cell=cell)
        return IllegalAction("own-piece", cell=cell)

    def _refuse_return(self, seat: int, target: int) -> IllegalAction | None:
        cell = BOARD.names[target]
        if not self.returns:
            return IllegalAction("nothing-to-return", least=MIN_ALIGNMENT)
        if self.due() >> target & 1:
            return None
        if self.queens[seat] >> target & 1:
            return IllegalAction("queen-never-returned", cell=cell)
        if self.free >> target & 1:
            return IllegalAction("no-piece-there", cell=cell)
        if not self.pieces[seat] >> target & 1:
            return IllegalAction("not-your-piece", cell=cell)
        if any(run >> target & 1 for run in self.runs):
            return IllegalAction("crossing-first", cell=_name_cell(self.crossing))
        members = reduce(or_, self.runs) & self.pieces[seat]
        return IllegalAction("not-in-alignment", cell=cell, cells=BOARD.cells(members))

    def _refuse_shift(self, seat: int, source: int, target: int) -> IllegalAction | None:
        cell = BOARD.names[source]
        if self.free >> source & 1:
            return IllegalAction("no-piece-there", cell=cell)
        if self.queens[seat] >> source & 1:
            return IllegalAction("queen-steps", cell=cell)
        if not self.pieces[seat] >> source & 1:
            return IllegalAction("not-your-piece", cell=cell)
        if self.reserve[seat]:
            return IllegalAction("shift-needs-empty-reserve", n=self.reserve[seat])
        if not self.queens[seat]:
            return IllegalAction("shift-needs-queen")
        return IllegalAction("stays-put", cell=cell) if source == target else None

    def _refuse_step(self, seat: int, source: int, target: int) -> IllegalAction | None:
        queen = self.queens[seat]
        if not queen:
            return IllegalAction("queen-in-hand")
        if queen != 1 << source:
            return IllegalAction("queen-elsewhere", cell=BOARD.names[source], queen=_name_cell(queen))
        distance = BOARD.distances[source][target]
        if not distance:
            return IllegalAction("stays-put", cell=BOARD.names[source])
        if distance > 1:
            return IllegalAction("too-far", cell=BOARD.names[target], distance=distance, range=1)
        return None

    def refusal_after(self, action: Action, text: str) -> IllegalAction:
        if self.returns or action.target is None or self.advance(action).outcome:
            return super().refusal_after(action, text)
        return IllegalAction("makes-no-line", cell=action.target, least=MIN_ALIGNMENT)

    def advance(self, action: Action) -> RealQueenState:
        move = MOVES.get(action.text)
        if move is None:
            return self._without(action.value)
        kind, source, target = move
        if kind >= CAPTURE:
            return self._capture(1 << target) if kind == CAPTURE else self._return(1 << target)
        seat = 0 if self.to_move == 0 else 1
        own, enemy = self.pieces[seat], self.pieces[1 - seat]
        queen, reserve = self.queens[seat], self.reserve[seat]
        lasting = False
        if kind == PLACE:
            own |= 1 << target
            reserve -= 1
            # Back to the reserve without a capture on the way: only while the enemy has no piece to capture.
            lasting = enemy != 0
        elif kind == CROWN:
            queen = 1 << target
            lasting = True
        elif kind == STEP:
            queen = 1 << target
        elif kind == SHIFT:
            own ^= 1 << source | 1 << target
        runs = [] if kind == PASSING else find_alignments(target, own | queen)
        if seat:
            pieces, queens, reserves = (enemy, own), (self.queens[0], queen), (self.reserve[0], reserve)
        else:
            pieces, queens, reserves = (own, enemy), (queen, self.queens[1]), (reserve, self.reserve[1])
        history = None if lasting else self.history or History(self.repetition_key())
        if not runs:
            return _next_turn(seat, pieces, queens, reserves, self.idle + 1, self.turn + 1, history)
        reason = _winning(runs, queen, queens[1 - seat])
        if reason:
            outcome = Outcome(reason, places_with_winner(2, seat))
            return RealQueenState(None, pieces, queens, reserves, turn=self.turn + 1, outcome=outcome)
        captures, returns = compute_payment(runs, queen)
        crossing = 1 << target if len(runs) > 1 and queen != 1 << target else 0
        captures = min(captures, enemy.bit_count())
        return RealQueenState(
            seat, pieces, queens, reserves, captures, returns, tuple(runs), crossing, 0, self.turn, history
        )

    def find_captures(self, actions: Iterable[Action]) -> frozenset[Action]:
        """Return the captures, and what makes an alignment that captures or that wins next to the enemy queen."""
        if self.returns:
            return super().find_captures(actions)
        return frozenset(action for action in actions if self._takes(action))

    def _takes(self, action: Action) -> bool:
        after = self.advance(action)
        return after.captures > 0 or (after.outcome is not None and after.outcome.winner is not None)

    def _capture(self, cell: int) -> RealQueenState:
        white, black = self.pieces
        pieces = (white ^ cell, black) if self.to_move else (white, black ^ cell)
        return RealQueenState(
            self.to_move,
            pieces,
            self.queens,
            self.reserve,
            self.captures - 1,
            self.returns,
            self.runs,
            self.crossing,
            0,
            self.turn,
        )

    def _return(self, cell: int) -> RealQueenState:
        (white, black), (first, second) = self.pieces, self.reserve
        if self.to_move:
            pieces, reserve = (white, black ^ cell), (first, second + 1)
        else:
            pieces, reserve = (white ^ cell, black), (first + 1, second)
        if self.returns == 1:
            return _next_turn(self.to_move or 0, pieces, self.queens, reserve, 0, self.turn + 1, self.history)
        runs = tuple([run & ~cell for run in self.runs])
        return RealQueenState(
            self.to_move, pieces, self.queens, reserve, 0, self.returns - 1, runs, 0, 0, self.turn, self.history
        )

    def _without(self, seat: int) -> RealQueenState:
        turn = self.turn + (seat == self.to_move)
        return RealQueenState(
            None, self.pieces, self.queens, self.reserve,
            idle=self.idle, turn=turn, outcome=last_seat(2, (seat,)), dropped=(seat,),
        )  # fmt: skip

    def readings(self, action: Action) -> Iterable[str]:
        """Return the texts of an action: captures and returns also as their cell alone, the queen's move without Q.

        R also means the queen (Italian regina) where nothing is to be returned.
        """
        if action.verb in ("capture", "return"):
            return action.text, action.target or ""
        if action.verb == "step":
            return action.text, action.text[1:], f"R{action.text[1:]}"
        if action.verb == "crown":
            return action.text, f"R{action.target}"
        return (action.text,)

    def well_formed(self, text: str) -> Iterable[Action]:
        """Return the actions that the beginning of a text may mean, likeliest first."""
        if _PASS.match(text):
            return [PASS]
        shape = _SHAPE.match(text)
        if shape is None:
            return ()
        letter, name, between, second = shape.groups()
        first = BOARD.index[name]
        if letter == "x":
            return [CAPTURES[first]]
        if letter == "r" and (self.returns or (second is None and self.pieces[self.to_move or 0] >> first & 1)):
            return [RETURNS[first]]
        if not letter and second is not None and "x" in between:
            return [CAPTURES[BOARD.index[second]]]
        other = None if second is None else BOARD.index[second]
        if letter == "r":
            return [*_queen(first, other), RETURNS[first]]
        return _queen(first, other) if letter else self._read_bare_cells(first, other, "-" in between)

    def _read_bare_cells(self, first: int, second: int | None, dash: bool) -> Iterator[Action]:
        """Yield the meanings of a cell without a letter, which depend on what is due and on the piece there."""
        seat = self.to_move or 0
        if second is not None and (dash or not self.free >> first & 1):
            yield (STEPS if self.queens[seat] >> first & 1 else SHIFTS)[first][second]
        if self.returns and not self.free >> first & 1:
            yield (CAPTURES if self.captures else RETURNS)[first]
        yield PLACES[first]
        if second is not None:
            yield SHIFTS[first][second]

    def repetition_key(self) -> int:
        """Return the key that distinguishes the positions of one history.

        Captured pieces, and so reserves, are constant.
        """
        return _repetition_key(self.to_move or 0, self.pieces, self.queens)

    def key(self) -> tuple[Any, ...]:
        board = (*self.pieces, *self.queens, *self.reserve)
        if self.outcome:
            return (*board, -1, self.outcome.reason, *self.outcome.places, *self.dropped)
        return (*board, self.to_move, self.captures, self.returns, self.crossing, *sorted(self.runs))

    def to_json(self) -> Json:
        pending = None
        if self.returns:
            pending = {
                "captures": self.captures,
                "returns": self.returns,
                "runs": sorted(cell_lists_to_json(BOARD, self.runs), key=_in_board_order),
                "crossing": _name(self.crossing),
            }
        return {
            "game": self.game.key,
            "options": {},
            "to_move": self.to_move,
            "pieces": cell_lists_to_json(BOARD, self.pieces),
            "queens": [_name(queen) for queen in self.queens],
            "reserve": list(self.reserve),
            "pending": pending,
            **ending_fields(self, self.history, idle=self.idle),
        }


_Sealed = make_immutable(RealQueenState)


def _next_turn(
    seat: int, pieces: Pair, queens: Pair, reserve: Pair, idle: int, turn: int, history: History | None
) -> RealQueenState:
    """Return the state after a turn that did not win; `history` is the one before it."""
    reason = ""
    if history is not None:
        history = History(_repetition_key(1 - seat, pieces, queens), history)
        if history.is_draw:
            reason = "repetition"
    if idle >= MAX_IDLE_TURNS and not reason:
        reason = "no-progress"
    if reason:
        outcome = Outcome(reason, places_with_draw(2))
        return RealQueenState(None, pieces, queens, reserve, idle=idle, turn=turn, outcome=outcome)
    return RealQueenState(1 - seat, pieces, queens, reserve, 0, 0, (), 0, idle, turn, history)


def _winning(runs: list[int], queen: int, enemy_queen: int) -> str:
    """Return the reason for which the alignments win (rules, End), empty if they do not."""
    if not enemy_queen:
        return ""
    near = NEIGHBOUR_BITS[enemy_queen.bit_length() - 1]
    winning = [run for run in runs if run & near]
    if not winning:
        return ""
    return "royal" if any(run & queen for run in winning) else "plain"


def _repetition_key(to_move: int, pieces: Pair, queens: Pair) -> int:
    width = len(BOARD)
    key = pieces[0] << width | pieces[1]
    return (key << 6 | queens[0].bit_length()) << 7 | queens[1].bit_length() << 1 | to_move


def _name(cell: int) -> str | None:
    return _name_cell(cell) if cell else None


def _in_board_order(cells: list[str]) -> list[int]:
    return [BOARD.index[cell] for cell in cells]
