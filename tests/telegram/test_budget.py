"""The budget of calls: to a chat, to a group, in all; what matters most goes first, and processes share."""

from datetime import timedelta

import pytest

from bot.kernel.requests import TryLater
from bot.platforms.telegram.calls import (
    BURST_WINDOW_SECONDS,
    IDLE_GROUP_SECONDS,
    MAX_CHATS_TRACKED,
    MAX_PER_BURST,
    MAX_PER_MINUTE,
    MAX_PER_SECOND_OVERALL,
    MINUTE_WINDOW,
    WARN_BELOW_CALLS,
    WARNED_SECONDS,
    CallBudget,
    CallKind,
    Chat,
)
from tests.bot.party import Clock

GROUP, PRIVATE = -1001, 1001
WANTED = [kind for kind in CallKind if kind is not CallKind.SPARE]


@pytest.fixture
def budget(clock: Clock) -> CallBudget:
    """A budget by the clock that tests turn."""
    return CallBudget(clock.monotonic)


def filled(budget: CallBudget, kind: CallKind) -> int:
    """Call another chat each time until it has to wait; return how often that went well."""
    for number in range(100):
        try:
            budget.acquire(1000 + number, kind)
        except TryLater:
            return number
    return 100


@pytest.mark.parametrize("kind", CallKind)
@pytest.mark.parametrize("processes", [1, 3])
def test_in_all_chats_together(clock: Clock, kind: CallKind, processes: int) -> None:
    budget = CallBudget(clock.monotonic, lambda: processes)
    assert filled(budget, kind) == MAX_PER_SECOND_OVERALL[kind] // processes
    assert MAX_PER_SECOND_OVERALL[kind] < 30
    assert 0 < budget.seconds_to_wait(1, kind) <= 1.1
    clock.now += timedelta(seconds=budget.seconds_to_wait(1, kind))
    assert budget.seconds_to_wait(1, kind) == 0


def calls(budget: CallBudget, clock: Clock, chat: Chat, kind: CallKind, *, apart: float, seconds: float) -> int:
    """Call a chat every `apart` seconds for so long, where it does not have to wait; return how often that was."""
    made, end = 0, clock.now + timedelta(seconds=seconds)
    while clock.now < end:
        if budget.seconds_to_wait(chat, kind) == 0:
            budget.acquire(chat, kind)
            made += 1
        clock.turn(seconds=apart)
    return made


@pytest.mark.parametrize("kind", WANTED)
@pytest.mark.parametrize("chat", [GROUP, PRIVATE], ids=["group", "private"])
def test_burst_to_one_chat_ends_after_a_few_calls(chat: int, kind: CallKind, clock: Clock, budget: CallBudget) -> None:
    for _ in range(MAX_PER_BURST[kind]):
        assert budget.seconds_to_wait(chat, kind) == 0
        budget.acquire(chat, kind)
        clock.turn(seconds=0.1)
    with pytest.raises(TryLater) as refused:
        budget.acquire(chat, kind)
    assert refused.value.seconds == pytest.approx(BURST_WINDOW_SECONDS - 0.1 * MAX_PER_BURST[kind], abs=0.1)
    # Other chats do not wait for it.
    assert budget.seconds_to_wait(chat - 1, kind) == 0
    clock.turn(seconds=budget.seconds_to_wait(chat, kind))
    assert budget.seconds_to_wait(chat, kind) == 0


@pytest.mark.parametrize("kind", WANTED)
def test_calls_are_limited_per_group_and_minute(kind: CallKind, clock: Clock, budget: CallBudget) -> None:
    # Slow enough for no burst.
    assert calls(budget, clock, GROUP, kind, apart=2.0, seconds=50) == MAX_PER_MINUTE[kind]
    assert MAX_PER_MINUTE[kind] <= 20
    assert budget.seconds_to_wait(GROUP, kind) == pytest.approx(MINUTE_WINDOW - 50, abs=0.1)
    clock.turn(seconds=budget.seconds_to_wait(GROUP, kind))
    assert budget.seconds_to_wait(GROUP, kind) == 0


def test_spare_calls_wait_for_an_idle_group_only(clock: Clock, budget: CallBudget) -> None:
    for chat in (GROUP, PRIVATE):
        budget.acquire(chat, CallKind.BOARD)
    assert budget.seconds_to_wait(PRIVATE, CallKind.SPARE) == 0
    assert budget.seconds_to_wait(GROUP, CallKind.SPARE) == pytest.approx(IDLE_GROUP_SECONDS)
    # At one tap in three seconds there is never time for it, however many taps a board takes.
    for _ in range(60):
        clock.turn(seconds=6)
        assert budget.seconds_to_wait(GROUP, CallKind.SPARE) > 0
        budget.acquire(GROUP, CallKind.BOARD)
    clock.turn(seconds=IDLE_GROUP_SECONDS)
    budget.acquire(GROUP, CallKind.SPARE)
    # What nobody waits for does not put off more of its kind.
    assert budget.seconds_to_wait(GROUP, CallKind.SPARE) == 0


@pytest.mark.parametrize("kind", CallKind)
def test_a_private_chat_has_no_limit_a_minute(kind: CallKind, clock: Clock, budget: CallBudget) -> None:
    assert calls(budget, clock, PRIVATE, kind, apart=2.0, seconds=58) == 29


def test_a_chat_that_telegram_stops_waits_as_long_as_it_says(clock: Clock, budget: CallBudget) -> None:
    budget.pause(GROUP, 7)
    assert budget.seconds_to_wait(GROUP, CallKind.BOARD) == pytest.approx(7, abs=0.1)
    assert budget.seconds_to_wait(PRIVATE, CallKind.BOARD) == 0
    clock.turn(seconds=budget.seconds_to_wait(GROUP, CallKind.BOARD))
    budget.acquire(GROUP, CallKind.BOARD)


def test_aliases_of_one_chat_share_a_limit(clock: Clock, budget: CallBudget) -> None:
    for message in ("inline:one", "inline:two"):
        for _ in range(MAX_PER_BURST[CallKind.BOARD] - 1):
            budget.acquire(message, CallKind.BOARD)
        assert budget.seconds_to_wait(message, CallKind.BOARD) == 0
    budget.pause("inline:two", 30)
    # A press tells that both stand in the same chat; a third message is known by a call, and that chat by a press.
    for name, other in (("inline:one", "instance"), ("inline:two", "instance"), ("inline:three", "guest")):
        budget.alias(name, other)
    assert budget.seconds_to_wait("inline:one", CallKind.BOARD) == pytest.approx(30, abs=0.1)
    assert budget.seconds_to_wait("inline:three", CallKind.BOARD) == 0
    for _ in range(2):
        budget.alias("inline:three", "instance")
    assert budget.seconds_to_wait("guest", CallKind.BOARD) == pytest.approx(30, abs=0.1)
    clock.turn(seconds=31)
    more = MAX_PER_MINUTE[CallKind.BOARD] - 2 * (MAX_PER_BURST[CallKind.BOARD] - 1)
    assert calls(budget, clock, "guest", CallKind.BOARD, apart=2.0, seconds=28) == more
    assert all(
        budget.seconds_to_wait(name, CallKind.BOARD) > 0 for name in ("inline:one", "inline:two", "inline:three")
    )


def test_a_pause_outlasts_calls_to_as_many_chats_as_are_tracked(clock: Clock, budget: CallBudget) -> None:
    budget.pause("inline:flooded", 2 * MAX_CHATS_TRACKED)
    for number in range(MAX_CHATS_TRACKED - 1):
        budget.acquire(f"inline:{number}", CallKind.BOARD)
        clock.turn(seconds=1)
    left = MAX_CHATS_TRACKED + 1
    assert budget.seconds_to_wait("inline:flooded", CallKind.BOARD) == pytest.approx(left, abs=0.1)


def test_notes_leave_room_for_boards_in_a_group_and_in_all(clock: Clock, budget: CallBudget) -> None:
    assert filled(budget, CallKind.NOTE) == MAX_PER_SECOND_OVERALL[CallKind.NOTE]
    assert budget.seconds_to_wait(1, CallKind.NOTE) > 0
    assert budget.seconds_to_wait(1, CallKind.BOARD) == 0
    clock.turn(seconds=2)
    assert calls(budget, clock, GROUP, CallKind.NOTE, apart=2.0, seconds=40) == MAX_PER_MINUTE[CallKind.NOTE]
    assert budget.seconds_to_wait(GROUP, CallKind.NOTE) > 0
    assert budget.seconds_to_wait(GROUP, CallKind.BOARD) == 0


def test_group_is_warned_once_when_its_limit_is_nearly_reached(clock: Clock, budget: CallBudget) -> None:
    for number in range(MAX_PER_MINUTE[CallKind.BOARD] - WARN_BELOW_CALLS):
        assert not budget.is_low(GROUP), number
        for chat in (GROUP, PRIVATE):
            budget.count(chat)
        clock.turn(seconds=1)
    assert budget.is_low(GROUP)
    assert not budget.is_low(PRIVATE)
    budget.note_warned(GROUP)
    assert not budget.is_low(GROUP)
    clock.turn(seconds=WARNED_SECONDS)
    assert not budget.is_low(GROUP), "it has been quiet since"
    for _ in range(MAX_PER_MINUTE[CallKind.BOARD]):
        budget.count(GROUP)
    assert budget.is_low(GROUP)
