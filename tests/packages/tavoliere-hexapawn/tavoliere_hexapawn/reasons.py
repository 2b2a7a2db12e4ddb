"""Why a turn of Hexapawn is good, beyond what can be said of any game: wins, captures, threats."""

from collections.abc import Iterator
from typing import Final

from bot.kernel.explanations.candidate import OF_PLAN, OF_SAFETY, OF_STEP, Candidate, GameReasons, Reason


def hexapawn(case: Candidate) -> Iterator[Reason]:
    """Yield whether the pawn has broken through, what it stops, and how far it still has to go."""
    _, target = case.path
    if target is None or case.after.outcome is not None:
        return
    rival = 1 - case.seat
    enemies = case.then["pawns"][rival]
    left = _steps_left(case, target)
    if not any(_guards(case, target, enemy) for enemy in enemies):
        yield case.reason("why.breaks-through", OF_PLAN, cell=target, n=left)
    facing = {cell for cell in enemies if _ahead(case, target, cell) == (0, 1)}
    if facing:
        yield case.of_cells("why.halts", OF_SAFETY - 5, facing)
    yield case.reason("why.steps-left", OF_STEP - 5, cell=target, n=left)
    moves = len(case.after.legal_actions())
    if moves == 1:
        yield case.reason("why.one-move", OF_SAFETY, who=case.names[rival], move=case.move(case.after.legal_actions()))


def _ahead(case: Candidate, pawn: str, cell: str) -> tuple[int, int]:
    """Return how far a cell is from a pawn of the seat that acts: to the side, and ahead."""
    rows = int(cell[1:]) - int(pawn[1:])
    return abs(ord(cell[0]) - ord(pawn[0])), -rows if case.seat else rows


def _guards(case: Candidate, pawn: str, enemy: str) -> bool:
    """Say whether an enemy pawn could still stand in the way of a pawn, or capture it."""
    aside, ahead = _ahead(case, pawn, enemy)
    return ahead > 0 and aside <= 1


def _steps_left(case: Candidate, pawn: str) -> int:
    size = int(case.then["options"]["board"][0])
    row = int(pawn[1:])
    return row - 1 if case.seat else size - row


REASONS: Final = GameReasons(hexapawn)
