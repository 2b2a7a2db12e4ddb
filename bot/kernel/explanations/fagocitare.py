"""Reasons for turns of Fagocitare."""

from collections.abc import Iterator
from typing import Final

from bot.kernel.explanations.candidate import OF_SAFETY, OF_STEP, Candidate, GameReasons, Reason


def explain_fagocitare(case: Candidate) -> Iterator[Reason]:
    """Yield the lead that a capture gives, and the dots that a quiet move joins."""
    seat = case.seat
    if case.taken.get(1 - seat) and case.after.outcome is None:
        lead = len(case.then["dead"][seat]) - len(case.then["dead"][1 - seat])
        if lead > 0:
            yield case.reason("why.leads", OF_SAFETY, n=lead)
    _, target = case.path
    if target is None or case.taken.get(seat):
        return
    topology = case.before.topology
    near = {topology.names[cell] for cell in topology.neighbours[topology.index[target]]}
    own, enemy = (near & set(case.position["dots"][owner]) for owner in (seat, 1 - seat))
    if enemy:
        yield case.of_cells("why.besets", OF_STEP - 3, enemy)
    if own:
        yield case.of_cells("why.joins", OF_STEP - 5, own)
        return
    lined = {cell for cell in case.position["dots"][seat] if _is_in_line(cell, target)}
    if lined:
        yield case.of_cells("why.lines-up", OF_STEP - 6, lined)


def _is_in_line(one: str, other: str) -> bool:
    """Return True if two cells lie in one row, column or diagonal."""
    across, up = abs(ord(one[0]) - ord(other[0])), abs(int(one[1:]) - int(other[1:]))
    return across in (0, up) or up == 0


REASONS: Final = GameReasons(explain_fagocitare)
