"""Creating states of Real Queen: the first one, and from dictionaries."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.budget import Budget
from engine.core import (
    Action,
    Game,
    GameOptions,
    InvalidPosition,
    Outcome,
    Position,
    State,
    places_with_draw,
    places_with_winner,
)
from engine.facts import Facts
from engine.games.real_queen.rules import (
    BOARD,
    LINES,
    MAX_IDLE_TURNS,
    MOVES,
    NEIGHBOUR_BITS,
    PIECES,
    SIZE,
    Pair,
    RealQueenState,
    compute_payment,
    find_alignments,
    find_completing_cells,
    find_winning_cells,
)
from engine.notation import list_marks
from engine.positions import (
    Extra,
    PositionField,
    check_dropped,
    check_fields,
    has_stood_twice,
    last_seat,
    options_of,
    settle_outcome,
    to_move_of,
)
from engine.prover import Proof, Prover
from engine.topology import list_indices
from engine.winning import ThreatProver, WinSearch

_MAX_TURNS: Final = 10
"""Turns of both seats within which the no-progress rule must not apply."""


class RealQueenProver(ThreatProver):
    """Searches for wins by threats."""

    turns = 2

    def covers(self, state: State) -> bool:
        """Return whether a queen is in play, and neither repetition nor the no-progress rule is near."""
        assert isinstance(state, RealQueenState)  # noqa: S101
        return (
            state.outcome is None
            and bool(state.queens[0] or state.queens[1])
            and state.idle + _MAX_TURNS < MAX_IDLE_TURNS
            and not has_stood_twice(state.history)
        )

    def settle(self, state: State, budget: Budget) -> Mapping[Action, Proof]:
        """Return nothing: games do not end by themselves."""
        return {}

    def search(self, state: State, turns: int, budget: Budget) -> WinSearch | None:
        """Return the search for wins of the seat on the move, None for positions that are not covered."""
        if state.to_move is None or not self.covers(state) or 2 * turns > _MAX_TURNS:
            return None
        return _Alignments(state.to_move, budget)


class _Alignments(WinSearch):
    """The search for an alignment next to the queen of `other`."""

    def wins_now(self, state: State) -> bool:
        assert isinstance(state, RealQueenState)  # noqa: S101
        return bool(_winning_cells(state, self.seat)) or _wins_by_moving(state, self.seat)

    def threatens(self, state: State) -> bool:
        return self.wins_now(state)

    def is_hopeless(self, state: State, turns: int) -> bool:
        """Return whether the other has replies after which nothing wins.

        Placing a piece where it makes no alignment never creates a win for the seat, and keeps a queen out of play.
        """
        assert isinstance(state, RealQueenState)  # noqa: S101
        other = self.other
        if not state.queens[other]:
            replies = turns if state.to_move == other else turns - 1
            return not state.returns and state.reserve[other] >= replies
        if turns > 1 or state.to_move != other or state.returns or not state.reserve[other]:
            return False
        free = state.free
        quiet = free & ~find_completing_cells(state.pieces[other] | state.queens[other])
        return bool(quiet) and not self.wins_now(state)

    def attacks(self, state: State) -> Sequence[Action]:
        """Return all actions, alignments and the creation of alignment cells first."""
        assert isinstance(state, RealQueenState)  # noqa: S101
        actions = state.legal_actions()
        if state.returns:
            return actions
        queen = state.queens[self.other]
        around = NEIGHBOUR_BITS[queen.bit_length() - 1] if queen else 0
        own = state.pieces[self.seat] | state.queens[self.seat]
        free = state.free
        before = find_completing_cells(own) & free
        worth = {
            cell: (find_completing_cells(own | 1 << cell) & free & ~before).bit_count()
            + 4 * (before >> cell & 1)
            + (around >> cell & 1)
            for cell in list_indices(free)
        }
        return sorted(actions, key=lambda action: -worth.get(MOVES[action.text][2], 0))

    def replies(self, state: State) -> Sequence[Action]:
        """Return all actions: wins and alignments, then blocking moves, queen moves, the rest."""
        assert isinstance(state, RealQueenState)  # noqa: S101
        actions = state.legal_actions()
        if state.returns:
            return actions
        other = self.other
        aligning = find_completing_cells(state.pieces[other] | state.queens[other])
        hindering = _winning_cells(state, self.seat)
        queen = state.queens[other].bit_length() - 1

        def rank(action: Action) -> int:
            _, source, target = MOVES[action.text]
            if target < 0:
                return 4
            if aligning >> target & 1:
                return 1
            if hindering >> target & 1:
                return 0
            return 2 if source == queen else 3

        return sorted(actions, key=rank)

    def _begins(self, state: State) -> bool:
        assert isinstance(state, RealQueenState)  # noqa: S101
        return not state.returns


def _winning_cells(state: RealQueenState, seat: int) -> int:
    """Return the free cells where one more piece of the seat would make an alignment next to the enemy queen."""
    result = find_winning_cells(state.pieces[seat] | state.queens[seat], state.free, state.queens[1 - seat])
    # A piece comes from the reserve, or it is the queen; without a reserve other pieces have to move there.
    return result if state.reserve[seat] or not state.queens[seat] else 0


def _wins_by_moving(state: RealQueenState, seat: int) -> bool:
    """Return whether a queen's move or a shift of the seat wins."""
    target, queen = state.queens[1 - seat], state.queens[seat]
    if not target or not queen:
        return False
    free, pieces = state.free, state.pieces[seat]
    if find_winning_cells(pieces, NEIGHBOUR_BITS[queen.bit_length() - 1] & free, target):
        return True
    if not state.may_shift(seat):
        return False
    return any(find_winning_cells((pieces | queen) & ~(1 << source), free, target) for source in list_indices(pieces))


PROVER: Final = RealQueenProver()


_MAX_STEPS: Final = SIZE - 2
"""Maximum number of captures and of returns: those of a run of 7 with the queen."""


def read_pending(
    field: PositionField, pieces: int, queen: int, enemies: int, free: int
) -> tuple[int, int, tuple[int, ...], int]:
    """Return captures and returns due, the runs' cells not yet returned and the crossing piece, as a state has them.

    InvalidPosition: `impossible-pending`, with the field that no alignment could have led to.
    """
    pending = field.mapping(("captures", "returns", "runs", "crossing"))
    captures = pending["captures"].integer(0, min(_MAX_STEPS, enemies.bit_count()))
    returns = pending["returns"].integer(1, _MAX_STEPS)
    index = pending["crossing"].cell_or_none(BOARD)
    crossing = 0 if index is None else 1 << index
    runs = tuple([run.cells(BOARD) for run in pending["runs"].items()])
    if any(run.bit_count() < 2 or run & ~(pieces | queen) for run in runs) or not runs:
        raise _impossible("runs")
    if crossing & ~pieces:
        raise _impossible("crossing")
    if captures or crossing or (queen and len(runs) > 1 and returns == 3):
        _check_untouched(captures, returns, runs, crossing, pieces, queen)
    else:
        _check_begun(returns, runs, queen, free)
    return captures, returns, runs, crossing


def _check_untouched(
    captures: int, returns: int, runs: tuple[int, ...], crossing: int, pieces: int, queen: int
) -> None:
    """Compare runs of which nothing has been returned yet with the alignments on the board."""
    played = [cell for cell in list_indices(runs[0]) if set(find_alignments(cell, pieces | queen)) == set(runs)]
    if not played or len(set(runs)) < len(runs):
        raise _impossible("runs")
    most, due = compute_payment(list(runs), queen)
    if captures > most:
        raise _impossible("captures")
    if returns != due:
        raise _impossible("returns")
    if crossing != (0 if len(runs) == 1 or queen == 1 << played[0] else 1 << played[0]):
        raise _impossible("crossing")


def _check_begun(returns: int, runs: tuple[int, ...], queen: int, free: int) -> None:
    """Check runs of which some pieces may have been returned: these leave gaps, or ends that cannot be seen."""
    lines = [line for run in runs for line, _ in LINES[list_indices(run)[0]] if not run & ~line]
    if len(lines) < len(runs) or len(set(lines)) < len(lines):
        raise _impossible("runs")
    common = queen | free
    for run, line in zip(runs, lines, strict=True):
        low = run & -run
        inside = line & ((1 << run.bit_length() - 1) - low)
        if inside & ~run & ~free:
            raise _impossible("runs")
        common &= line
    if len(runs) == 1:
        possible = returns == runs[0].bit_count() - 2
    elif common:
        # The crossing piece, which the runs shared, has gone back first, unless it is the queen.
        possible = returns <= 2
    else:
        raise _impossible("runs")
    if not possible:
        raise _impossible("returns")


def _impossible(field: str) -> InvalidPosition:
    return InvalidPosition("impossible-pending", field=f"pending.{field}")


class RealQueen(Game):
    """Real Queen, a game for two (Leonardo Catano, 2021)."""

    key = "real-queen"
    order = 2
    seats = range(2, 3)
    rules_version = 1
    prover: Prover | None = PROVER
    facts = Facts(captures=frozenset({"capture"}), weighty=frozenset({"crown", "step"}), grand=frozenset({"royal"}))
    words: Mapping[str, str] = {
        **list_marks("q", "queen regina donna"),
        **list_marks("r", "return returns rientra rientro torna ritorna riprendo"),
        **list_marks("", "posa poso sposto sposta shift step"),
    }

    def symbols(self, position: Position) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        found = {cell: symbol for cells, symbol in zip(position["pieces"], "○●", strict=True) for cell in cells}
        return found | {queen: symbol for queen, symbol in zip(position["queens"], "♕♛", strict=True) if queen}

    def start(self, seats: int = 2, options: GameOptions | None = None) -> RealQueenState:
        self.checked_options(seats, options)
        return RealQueenState(0, (0, 0), (0, 0), (PIECES, PIECES))

    def load(self, position: Position) -> RealQueenState:
        fields = check_fields(self, position, ("pieces", "queens", "reserve", "pending"))
        options_of(self, fields)
        dropped = check_dropped(fields, 2)
        seat = to_move_of(fields, 2, dropped)
        white, black = fields["pieces"].cell_lists(BOARD, 2)
        pieces = (white, black)
        queens = _queens(fields["queens"], white | black)
        first, second = fields["reserve"].integers(2, 0, PIECES)
        reserve = (first, second)
        for owner, (cells, left) in enumerate(zip(pieces, reserve, strict=True)):
            count = cells.bit_count()
            if count + left > PIECES:
                raise InvalidPosition("too-many-pieces", seat=owner, board=count, reserve=left, most=PIECES)
        extra = Extra(fields)
        idle, turn = extra.integer("idle", most=MAX_IDLE_TURNS), extra.integer("turn")
        outcome = settle_outcome(fields, 2, last_seat(2, dropped), lambda given: _is_possible(given, pieces, queens))
        if outcome or seat is None:
            return RealQueenState(None, pieces, queens, reserve, idle=idle, turn=turn, outcome=outcome, dropped=dropped)
        if idle == MAX_IDLE_TURNS:
            raise InvalidPosition("out-of-range", field="extra.idle", value=idle, least=0, most=MAX_IDLE_TURNS - 1)
        history = extra.history()
        if fields["pending"].value is None:
            state = RealQueenState(seat, pieces, queens, reserve, idle=idle, turn=turn, history=history)
            if history and history.key != state.repetition_key():
                raise InvalidPosition("history-differs")
            return state
        free = BOARD.all & ~(white | black | queens[0] | queens[1])
        captures, returns, runs, crossing = read_pending(
            fields["pending"], pieces[seat], queens[seat], pieces[1 - seat], free
        )
        return RealQueenState(seat, pieces, queens, reserve, captures, returns, runs, crossing, 0, turn, history)


GAME: Final = RealQueen()
RealQueenState.game = GAME


def _queens(field: PositionField, taken: int) -> Pair:
    result = []
    for item in field.items(2):
        index = item.cell_or_none(BOARD)
        queen = 0 if index is None else 1 << index
        if queen & taken:
            raise item.wrong("cell-twice", cell=item.value)
        taken |= queen
        result.append(queen)
    return result[0], result[1]


def _is_possible(outcome: Outcome, pieces: Pair, queens: Pair) -> bool:
    """Return whether a position may have this outcome: a winner's alignment must still be there."""
    if outcome.reason in ("repetition", "no-progress"):
        return outcome.places == places_with_draw(2)
    winner = outcome.winner
    if outcome.reason not in ("plain", "royal") or winner is None:
        return False
    queen, enemy_queen = queens[winner], queens[1 - winner]
    near = NEIGHBOUR_BITS[enemy_queen.bit_length() - 1] if enemy_queen else 0
    own = pieces[winner] | queen
    runs = [run for index in list_indices(own) for run in find_alignments(index, own) if run & near]
    if outcome.reason == "royal":
        runs = [run for run in runs if run & queen]
    return bool(runs) and outcome.places == places_with_winner(2, winner)
