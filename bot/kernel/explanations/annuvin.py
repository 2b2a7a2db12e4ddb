"""Reasons for turns of Annuvin."""

from collections.abc import Iterator
from typing import Final

from bot.kernel.explanations.candidate import OF_PLAN, OF_SAFETY, OF_STEP, Candidate, GameReasons, Reason
from bot.kernel.texts import Text


def explain_annuvin(case: Candidate) -> Iterator[Reason]:
    """Yield how many pieces a capture leaves, how close a move comes, and the use of a reserve."""
    rival = 1 - case.seat
    if case.taken and case.after.outcome is None:
        left = len(case.then["pieces"][rival]) + case.then["reserve"][rival]
        yield case.reason("why.leaves", OF_SAFETY, who=case.names[rival], n=left)
    _, target = case.path
    if target is None:
        yield case.reason("why.stops", OF_STEP - 5, cell=case.position["moving"]["piece"])
        return
    exposed = case.left[rival].from_seat(case.seat) - {target} if rival in case.left else set()
    backed = {cell for cell in exposed if _can_recapture(case, target, cell)}
    if backed and backed == exposed:
        yield case.of_cells("why.backs", OF_PLAN - 5, backed)
    distances = [case.distance(target, cell) for cell in case.then["pieces"][rival]]
    if distances and not case.taken:
        yield case.reason("why.near", OF_STEP - 5, cell=target, who=case.names[rival], n=min(distances))


def _can_recapture(case: Candidate, target: str, cell: str) -> bool:
    """Return True if the piece on `target` could recapture on `cell` after the rival has captured there."""
    distance, seat = case.distance(target, cell), case.seat
    if case.then["reserve"][seat]:
        return distance <= 1
    left = len(case.then["pieces"][seat])
    size: int = left + case.then["lost"][seat]
    return distance <= size + 1 - (left - 1)


def range_conceded(case: Candidate) -> Iterator[Text]:
    """Yield how far the rival's pieces reach after losing some (rules, *A turn*: fewer pieces reach farther)."""
    rival = 1 - case.seat
    left = len(case.then["pieces"][rival])
    if case.taken and case.after.outcome is None and left and not case.then["reserve"][rival]:
        reach = case.then["lost"][rival] + 1
        yield case.say("why.concedes-range", who=case.names[rival], n=left, reach=reach)


REASONS: Final = GameReasons(explain_annuvin, concedes=range_conceded)
