"""Real Queen: alpha-beta over the likeliest moves, with alignments followed to their end.

Evaluation: captured pieces never come back, so the balance of all normal pieces (board and reserve) comes first;
then the cells where one more piece would make an alignment, which are captures to come; then, once a queen is in
play, those of them whose alignment would stand next to her, for they win the game. Levels 4 and 5 and analyses see more
(`appraise`): a queen in play is a danger whatever she does, pieces on the board are worth more than in reserve, and
stretches of four cells without enemies count from two own pieces on. The numbers are a logistic regression on the
results of 10,653 positions of self-play by level 4 (2026-11-23). Which pieces to capture or to
return is decided by what they were worth for alignments: those moves are searched with few alternatives.
"""

from collections.abc import Sequence
from typing import Final

from engine.core import PASS, Action
from engine.games.real_queen.rules import (
    BOARD,
    CAPTURES,
    CROWNS,
    MAX_IDLE_TURNS,
    MOVES,
    NEIGHBOUR_BITS,
    PLACES,
    RETURNS,
    SHIFTS,
    SIZE,
    STEPS,
    STRETCHES,
    STRETCHES_BESIDE,
    RealQueenState,
    find_completing_cells,
    find_winning_cells,
)
from engine.positions import has_stood_twice
from engine.search.policy import Level, Policy, Values, compute_pair
from engine.topology import list_indices

_PIECE_WEIGHT: Final = 0.45
"""Log odds for each piece more than the other has."""
_THREAT_WEIGHT: Final = 0.3
_MAX_THREATS: Final = 3
"""Number of alignment cells beyond which more are no better: one turn uses one."""
_ROYAL_WEIGHT: Final = 1.2
"""Log odds for a cell whose alignment would win."""
_TEMPO_WEIGHT: Final = 0.15

_ON_BOARD: Final = 0.66
"""Log odds for a piece on the board, and for one in reserve."""
_IN_RESERVE: Final = 0.31
_IN_PLAY: Final = -0.67
"""Log odds for the own queen in play, because only there she can be lost."""
_PAIR_WEIGHT: Final = 0.07
"""Log odds for each stretch of 4 cells with two own pieces and no enemy, and with three."""
_THREE_WEIGHT: Final = 0.22
_PAIR_BESIDE: Final = 0.19
"""Log odds for such a pair whose stretch leads past the enemy queen."""
_WINNING_WEIGHT: Final = 0.47
"""Log odds for one cell whose alignment would win, and for more."""
_WINNING_TWICE: Final = 1.86
_TO_MOVE: Final = 0.36

_CAPTURES_TRIED: Final = 3
_RETURNS_TRIED: Final = 2
_PROOF_HORIZON_TURNS: Final = 40
"""Turns, more than any search looks ahead, within which the limit of idle turns must not apply for a proof."""

_CENTRAL: Final = tuple(SIZE - abs(cell // SIZE - SIZE // 2) - abs(cell % SIZE - SIZE // 2) for cell in range(SIZE**2))


class RealQueenPolicy(Policy[RealQueenState]):
    """What the searches know about Real Queen."""

    key = "real-queen"
    method = "alpha-beta"
    window = 14
    levels: Sequence[Level] = (
        Level(20, 0.2),
        Level(40, 0.03),
        Level(700, 0.004),
        Level(8000, 0.004),
        Level(300_000, 0.004),
    )

    def evaluate(self, state: RealQueenState) -> Values:
        """Return the values by pieces, alignments to come, and queens in danger."""
        free = state.free
        seat = state.to_move or 0
        odds = _PIECE_WEIGHT * (_pieces(state, 0) - _pieces(state, 1))
        odds += _prospects(state, 0, free) - _prospects(state, 1, free)
        odds += -_TEMPO_WEIGHT if seat else _TEMPO_WEIGHT
        return compute_pair(odds, 0)

    def appraise(self, state: RealQueenState) -> Values:
        """Return the values by what a regression found in positions of self-play, above all by queens in danger."""
        seat = state.to_move or 0
        return compute_pair(_TO_MOVE + _chances(state, seat, 1 - seat) - _chances(state, 1 - seat, seat), seat)

    def candidates(self, state: RealQueenState) -> Sequence[Action]:
        """Return alignments, then what hinders the enemy's, then moves near other pieces; few captures and returns."""
        seat = state.to_move or 0
        if state.returns:
            return self._payments(state, seat)
        own = state.pieces[seat] | state.queens[seat]
        enemy = state.pieces[1 - seat] | state.queens[1 - seat]
        free = state.free
        making, hindering = find_completing_cells(own) & free, find_completing_cells(enemy) & free
        worth = {}
        for cell in list_indices(free):
            around = NEIGHBOUR_BITS[cell]
            near = 3 * (around & own).bit_count() + 2 * (around & enemy).bit_count()
            worth[cell] = _CENTRAL[cell] + near + (200 * (making >> cell & 1)) + (60 * (hindering >> cell & 1))
        queen = state.queens[seat]
        scored: list[tuple[float, Action]] = []
        if state.reserve[seat]:
            scored += [(value, PLACES[cell]) for cell, value in worth.items()]
        crowning = STEPS[queen.bit_length() - 1] if queen else CROWNS
        for cell in list_indices(state.queen_targets(seat, free)):
            # The queen is a target as soon as she is on the board: she comes in for an alignment, or late.
            scored.append((worth[cell] - (10 if queen else 40), crowning[cell]))
        if state.may_shift(seat):
            scored += self._shifts(state, seat, own, worth)
        scored.sort(key=lambda pair: -pair[0])
        return [action for _, action in scored] or [PASS]

    @staticmethod
    def _shifts(state: RealQueenState, seat: int, own: int, worth: dict[int, int]) -> list[tuple[float, Action]]:
        """Return the shifts; of those that make no alignment only the ones to the best cells."""
        best = sorted(worth, key=lambda cell: -worth[cell])[:8]
        scored: list[tuple[float, Action]] = []
        for source in list_indices(state.pieces[seat]):
            rest = own & ~(1 << source)
            makes = find_completing_cells(rest)
            loose = -2 * (NEIGHBOUR_BITS[source] & own).bit_count()
            for cell in {*best, *list_indices(makes & state.free)}:
                # A piece does not align with the place it leaves: what `worth` says about that is worked out again.
                bonus = 200 if makes >> cell & 1 else 0
                scored.append((worth[cell] % 200 + loose + bonus, SHIFTS[source][cell]))
        scored.sort(key=lambda pair: (-pair[0], pair[1].text))
        return scored

    @staticmethod
    def _payments(state: RealQueenState, seat: int) -> Sequence[Action]:
        """Return the captures that cost the enemy the most alignments, or the returns that cost the mover least."""
        queens = state.queens
        if state.captures:
            enemy = state.pieces[1 - seat]
            whole = enemy | queens[1 - seat]
            cells = sorted(list_indices(enemy), key=lambda cell: _remaining(whole, cell, enemy))
            return [CAPTURES[cell] for cell in cells[:_CAPTURES_TRIED]]
        whole = state.pieces[seat] | queens[seat]
        cells = sorted(list_indices(state.due()), key=lambda cell: -_remaining(whole, cell, whole))
        return [RETURNS[cell] for cell in cells[:_RETURNS_TRIED]]

    def forcing(self, state: RealQueenState) -> Sequence[Action]:
        """Return the moves that make an alignment, placements first."""
        seat = state.to_move or 0
        own = state.pieces[seat] | state.queens[seat]
        free = state.free
        making = find_completing_cells(own) & free
        if not making:
            return ()
        if state.reserve[seat]:
            return [PLACES[cell] for cell in list_indices(making)]
        return [each for each in self.candidates(state)[: self.window] if _aligns(state, seat, each)]

    def is_burdened(self, state: RealQueenState) -> bool:
        """Return whether a draw by repetition or for lack of alignments may be near."""
        return state.idle + _PROOF_HORIZON_TURNS > MAX_IDLE_TURNS or has_stood_twice(state.history)

    def is_unfinished(self, state: RealQueenState) -> bool:
        """Return whether captures or returns are due."""
        return bool(state.returns)


def _pieces(state: RealQueenState, seat: int) -> int:
    return state.pieces[seat].bit_count() + state.reserve[seat]


def _prospects(state: RealQueenState, seat: int, free: int) -> float:
    """Return the log odds of the seat's possible alignments."""
    own = state.pieces[seat] | state.queens[seat]
    cells = find_completing_cells(own) & free
    if not cells:
        return 0.0
    odds = _THREAT_WEIGHT * min(_MAX_THREATS, cells.bit_count())
    if find_winning_cells(own, free, state.queens[1 - seat]):
        odds += _ROYAL_WEIGHT
    return odds


def _chances(state: RealQueenState, seat: int, other: int) -> float:
    """Return the log odds of one seat from the regression."""
    pieces, queen, target = state.pieces[seat], state.queens[seat], state.queens[other]
    own, enemy = pieces | queen, state.pieces[other] | target
    odds = _ON_BOARD * pieces.bit_count() + _IN_RESERVE * state.reserve[seat]
    if queen:
        odds += _IN_PLAY
    place = target.bit_length() - 1
    pairs = threes = beside_pairs = beside_threes = 0
    for way, (shift, starts) in enumerate(STRETCHES):
        far = 2 * shift
        end = 3 * shift
        free = starts & ~(enemy | enemy >> shift | enemy >> far | enemy >> end)
        second, third, fourth = own >> shift, own >> far, own >> end
        one, both = own ^ second, own & second
        other_one, other_both = third ^ fourth, third & fourth
        odd = (one ^ other_one) & free
        many = both ^ other_both ^ (one & other_one)
        two, three = free & many & ~odd, odd & many
        pairs += two.bit_count()
        threes += three.bit_count()
        if target:
            beside = STRETCHES_BESIDE[place][way]
            beside_pairs += (two & beside).bit_count()
            beside_threes += (three & beside).bit_count()
    odds += _PAIR_WEIGHT * pairs + _THREE_WEIGHT * threes + _PAIR_BESIDE * beside_pairs
    if beside_threes:
        winning = find_winning_cells(own, state.free, target)
        if winning:
            odds += _WINNING_TWICE if winning & winning - 1 else _WINNING_WEIGHT
    return odds


def _remaining(whole: int, cell: int, pieces: int) -> int:
    """Return a sorting score: how good a side's pieces are at aligning without the one on the cell."""
    rest = whole & ~(1 << cell)
    return (
        8 * (find_completing_cells(rest) & ~rest & BOARD.all).bit_count() - (NEIGHBOUR_BITS[cell] & pieces).bit_count()
    )


def _aligns(state: RealQueenState, seat: int, action: Action) -> bool:
    _, source, target = MOVES[action.text]
    own = state.pieces[seat] | state.queens[seat]
    if source >= 0:
        own &= ~(1 << source)
    return bool(find_completing_cells(own) >> target & 1)


POLICY: Final = RealQueenPolicy()
