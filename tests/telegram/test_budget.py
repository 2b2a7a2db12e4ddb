"""The budget of calls: to a chat, to a group, in all; what matters most goes first, and processes share."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.requests import TryLater
from bot.telegram.budget import OVERALL, Budget, Kind
from tests.bot.party import Clock


def filled(budget: Budget, kind: Kind) -> int:
    """Call another chat each time until it has to wait; return how often that went well."""
    for number in range(100):
        try:
            budget.take(1000 + number, kind)
        except TryLater:
            return number
    return 100


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("processes", [1, 3])
def test_in_all_chats_together(kind: Kind, processes: int) -> None:
    clock = Clock()
    budget = Budget(clock, lambda: processes)
    assert filled(budget, kind) == OVERALL[kind] // processes
    assert OVERALL[kind] < 30
    assert 0 < budget.wait(1, kind) <= 1.1
    clock.now += timedelta(seconds=budget.wait(1, kind))
    assert budget.wait(1, kind) == 0


def test_the_last_calls_are_kept_for_boards() -> None:
    budget = Budget(Clock())
    assert filled(budget, Kind.NOTE) == OVERALL[Kind.NOTE]
    assert budget.wait(1, Kind.NOTE) > 0
    assert budget.wait(1, Kind.BOARD) == 0
