"""A plain search that knows no tables, and random positions to try it on."""

import random

from engine import State
from engine.games.annuvin.rules import Board
from tests.games.annuvin.board import ANNUVIN, position
from tests.support.present import present

CELLS = {name: Board(name).topology.names for name in ("hexagon", "square")}
MAX_PIECES = 4


def random_position(
    rng: random.Random, board: str = "hexagon", pieces: tuple[int, int] | None = None, to_move: int | None = None
) -> State:
    """Return a random position of up to four pieces a side, on the square often with a reserve."""
    while True:
        counts = pieces or (rng.randint(1, MAX_PIECES), rng.randint(1, MAX_PIECES))
        reserve = (0, 0)
        if board == "square" and pieces is None:
            counts = (rng.randint(0, MAX_PIECES), rng.randint(0, MAX_PIECES))
            first, second = (rng.randint(0, (MAX_PIECES - each) * rng.randrange(2)) for each in counts)
            reserve = (first, second)
        cells = rng.sample(CELLS[board], sum(counts))
        white, black = cells[: counts[0]], cells[counts[0] :]
        if not all(each + reserved for each, reserved in zip(counts, reserve, strict=True)):
            continue
        seat = rng.randrange(2) if to_move is None else to_move
        data = position(" ".join(white), " ".join(black), seat, board=board, reserve=reserve)
        # What is won already is no position to play from.
        if not _is_won(counts, reserve, MAX_PIECES if board == "square" else 6):
            return ANNUVIN.load(data)


def _is_won(counts: tuple[int, ...], reserve: tuple[int, ...], size: int) -> bool:
    have = [count + reserved for count, reserved in zip(counts, reserve, strict=True)]
    return (have[0] == size and have[1] == 1) or (have[1] == size and have[0] == 1)


def expected_value(state: State) -> tuple[float, int | None]:
    """Return the value and the turns for the seat on the move that follow from what is said about each move."""
    seat, oracle = state.to_move or 0, present(ANNUVIN.oracle)
    found: list[tuple[float, int]] = []
    for action in state.legal_actions():
        after = state.advance(action)
        if after.outcome is not None:
            found.append((1.0 if after.outcome.winner == seat else 0.0, 1))
            continue
        verdict = present(oracle.probe(after))
        captured = action.verb == "capture"
        found.append((verdict.values[seat], 1 if captured else 1 + (verdict.turns or 0)))
    value = max(each for each, _ in found)
    turns = [count for each, count in found if each == value]
    return value, None if value == 0.5 else min(turns) if value == 1.0 else max(turns)


def search_value(state: State, seat: int, turns: int) -> float | None:
    """Return 1 if the seat wins for certain within so many turns, 0 if it loses, None if neither is found."""
    if state.outcome is not None:
        return 1.0 if state.outcome.winner == seat else 0.0
    if turns <= 0:
        return None
    own = state.to_move == seat
    best: float | None = 0.0 if own else 1.0
    for action in sorted(state.legal_actions(), key=lambda action: action.verb != "capture"):
        after = state.advance(action)
        value = search_value(after, seat, turns - (after.turn != state.turn))
        if value == (1.0 if own else 0.0):
            return value
        if value is None:
            best = None
    return best
