"""Why a turn of Annuvin is good."""

from __future__ import annotations

from collections.abc import Iterator

from bot.why.case import OF_SAFETY, OF_STEP, Case, Reason


def annuvin(case: Case) -> Iterator[Reason]:
    """Yield how many pieces a capture leaves, how near a move comes, what a reserve is good for."""
    rival = 1 - case.seat
    if case.taken and case.after.outcome is None:
        left = len(case.then["pieces"][rival]) + case.then["reserve"][rival]
        yield case.reason("why.leaves", OF_SAFETY, who=case.names[rival], n=left)
    _, target = case.path
    if target is None:
        yield case.reason("why.stops", OF_STEP - 5, cell=case.position["moving"]["piece"])
        return
    topology = case.before.topology
    row = topology.distances[topology.index[target]]
    away = [row[topology.index[cell]] for cell in case.then["pieces"][rival]]
    if away and not case.taken:
        yield case.reason("why.near", OF_STEP - 5, cell=target, who=case.names[rival], n=min(away))
