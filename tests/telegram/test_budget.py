"""The budget of calls: to a chat, to a group, in all; what matters most goes first, and processes share."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.interface.requests import TryLater
from bot.telegram.budget import (
    A_BURST,
    A_MINUTE,
    BURST,
    MINUTE,
    MOST_COUNTED,
    OVERALL,
    QUIET,
    CallBudget,
    Chat,
    Kind,
)
from tests.bot.party import Clock

GROUP, PRIVATE = -1001, 1001
WANTED = [kind for kind in Kind if kind is not Kind.SPARE]


def filled(budget: CallBudget, kind: Kind) -> int:
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
    budget = CallBudget(clock, lambda: processes)
    assert filled(budget, kind) == OVERALL[kind] // processes
    assert OVERALL[kind] < 30
    assert 0 < budget.wait(1, kind) <= 1.1
    clock.now += timedelta(seconds=budget.wait(1, kind))
    assert budget.wait(1, kind) == 0


def test_the_last_calls_are_kept_for_boards() -> None:
    budget = CallBudget(Clock())
    assert filled(budget, Kind.NOTE) == OVERALL[Kind.NOTE]
    assert budget.wait(1, Kind.NOTE) > 0
    assert budget.wait(1, Kind.BOARD) == 0


def calls(budget: CallBudget, clock: Clock, chat: Chat, kind: Kind, *, apart: float, seconds: float) -> int:
    """Call a chat every `apart` seconds for so long, where it does not have to wait; return how often that was."""
    made, end = 0, clock.now + timedelta(seconds=seconds)
    while clock.now < end:
        if budget.wait(chat, kind) == 0:
            budget.take(chat, kind)
            made += 1
        clock.turn(seconds=apart)
    return made


@pytest.mark.parametrize("kind", WANTED)
@pytest.mark.parametrize("chat", [GROUP, PRIVATE], ids=["group", "private"])
def test_a_burst_to_one_chat_ends_after_a_few_calls(chat: int, kind: Kind) -> None:
    clock = Clock()
    budget = CallBudget(clock)
    for _ in range(A_BURST[kind]):
        assert budget.wait(chat, kind) == 0
        budget.take(chat, kind)
        clock.turn(seconds=0.1)
    with pytest.raises(TryLater) as refused:
        budget.take(chat, kind)
    assert refused.value.seconds == pytest.approx(BURST - 0.1 * A_BURST[kind], abs=0.1)
    # Other chats do not wait for it.
    assert budget.wait(chat - 1, kind) == 0
    clock.turn(seconds=budget.wait(chat, kind))
    assert budget.wait(chat, kind) == 0


@pytest.mark.parametrize("kind", WANTED)
def test_a_group_has_so_many_calls_a_minute(kind: Kind) -> None:
    clock = Clock()
    budget = CallBudget(clock)
    # Slow enough for no burst.
    assert calls(budget, clock, GROUP, kind, apart=2.0, seconds=50) == A_MINUTE[kind]
    assert A_MINUTE[kind] <= 20
    assert budget.wait(GROUP, kind) == pytest.approx(MINUTE - 50, abs=0.1)
    clock.turn(seconds=budget.wait(GROUP, kind))
    assert budget.wait(GROUP, kind) == 0


def test_what_nobody_waits_for_is_done_in_a_group_that_is_quiet_and_anywhere_else_at_once() -> None:
    clock = Clock()
    budget = CallBudget(clock)
    for chat in (GROUP, PRIVATE):
        budget.take(chat, Kind.BOARD)
    assert budget.wait(PRIVATE, Kind.SPARE) == 0
    assert budget.wait(GROUP, Kind.SPARE) == pytest.approx(QUIET)
    # At one tap in three seconds there is never time for it, however many taps a board takes.
    for _ in range(60):
        clock.turn(seconds=6)
        assert budget.wait(GROUP, Kind.SPARE) > 0
        budget.take(GROUP, Kind.BOARD)
    clock.turn(seconds=QUIET)
    budget.take(GROUP, Kind.SPARE)
    # What nobody waits for does not put off more of its kind.
    assert budget.wait(GROUP, Kind.SPARE) == 0


@pytest.mark.parametrize("kind", Kind)
def test_a_private_chat_has_no_limit_a_minute(kind: Kind) -> None:
    clock = Clock()
    assert calls(CallBudget(clock), clock, PRIVATE, kind, apart=2.0, seconds=58) == 29


def test_a_chat_that_telegram_stops_waits_as_long_as_it_says() -> None:
    clock = Clock()
    budget = CallBudget(clock)
    budget.flood(GROUP, 7)
    assert budget.wait(GROUP, Kind.BOARD) == pytest.approx(7, abs=0.1)
    assert budget.wait(PRIVATE, Kind.BOARD) == 0
    clock.turn(seconds=budget.wait(GROUP, Kind.BOARD))
    budget.take(GROUP, Kind.BOARD)


def test_what_is_called_by_two_names_has_one_limit() -> None:
    clock = Clock()
    budget = CallBudget(clock)
    for message in ("inline:one", "inline:two"):
        for _ in range(A_BURST[Kind.BOARD] - 1):
            budget.take(message, Kind.BOARD)
        assert budget.wait(message, Kind.BOARD) == 0
    budget.flood("inline:two", 30)
    # A press tells that both stand in the same chat; a third message is known by a call, and that chat by a press.
    for name, other in (("inline:one", "instance"), ("inline:two", "instance"), ("inline:three", "guest")):
        budget.same(name, other)
    assert budget.wait("inline:one", Kind.BOARD) == pytest.approx(30, abs=0.1)
    assert budget.wait("inline:three", Kind.BOARD) == 0
    for _ in range(2):
        budget.same("inline:three", "instance")
    assert budget.wait("guest", Kind.BOARD) == pytest.approx(30, abs=0.1)
    clock.turn(seconds=31)
    more = A_MINUTE[Kind.BOARD] - 2 * (A_BURST[Kind.BOARD] - 1)
    assert calls(budget, clock, "guest", Kind.BOARD, apart=2.0, seconds=28) == more
    assert all(budget.wait(name, Kind.BOARD) > 0 for name in ("inline:one", "inline:two", "inline:three"))


def test_chats_that_were_left_alone_are_forgotten() -> None:
    clock = Clock()
    budget = CallBudget(clock)
    for number in range(MOST_COUNTED):
        budget.take(f"inline:{number}", Kind.BOARD)
        clock.turn(seconds=1)
    budget.flood("inline:flooded", 3600)
    budget.take("inline:new", Kind.BOARD)
    assert len(budget) < MOST_COUNTED / 10
    assert budget.wait("inline:flooded", Kind.BOARD) == pytest.approx(3600, abs=0.1)


def test_nothing_overtakes_what_a_group_needs_for_its_boards() -> None:
    clock = Clock()
    budget = CallBudget(clock)
    spent = calls(budget, clock, GROUP, Kind.NOTE, apart=2.0, seconds=40)
    assert spent == A_MINUTE[Kind.NOTE]
    assert budget.wait(GROUP, Kind.NOTE) > 0
    assert budget.wait(GROUP, Kind.BOARD) == 0
