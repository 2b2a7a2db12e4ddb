"""What memory knows to be due: nothing is lost, nothing kept for ever, and busy chats hold no other up."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from bot.outbox import worker
from bot.outbox.worker import DuePosts
from storage import DuePost
from tests.support.stores import time_after


def board(post: int, minutes: float, channel: str = "room") -> DuePost:
    return DuePost(post, "web", channel, time_after(minutes=minutes))


def taken(boards: DuePosts, minutes: float, *busy: str) -> list[int]:
    """Return which posts are due by a time, besides in busy channels."""
    found = boards.take(time_after(minutes=minutes), {("web", channel) for channel in busy})
    return [each.post for listed in found.values() for each in listed]


def test_due_boards_are_taken_once_and_oldest_first() -> None:
    boards = DuePosts()
    for post, minutes in ((1, 3.0), (2, 1.0), (3, 9.0)):
        boards.put(board(post, minutes))
    assert boards.next_due(()) == time_after(minutes=1)
    assert taken(boards, 5) == [2, 1]
    assert taken(boards, 5) == []
    assert boards.next_due(()) == time_after(minutes=9)
    assert len(boards) == 1


def test_board_that_was_tried_stays_so_until_it_is_taken() -> None:
    boards = DuePosts()
    boards.put(replace(board(1, 2), first=False))
    boards.put(board(1, 1))
    ((found,),) = boards.take(time_after(minutes=1), ()).values()
    assert not found.first


def test_number_of_due_boards_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MAX_KEPT", 2)
    boards = DuePosts()
    boards.is_incomplete = False
    for post in (1, 2, 1):
        boards.put(board(post, 1))
        assert not boards.is_incomplete
    boards.put(board(3, 1))
    assert boards.is_incomplete
    assert taken(boards, 1) == [1, 2]


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 6), st.sampled_from("ab"), st.booleans()), max_size=60))
def test_due_boards_are_never_lost(steps: list[tuple[int, int, str, bool]]) -> None:
    boards = DuePosts()
    due: dict[int, int] = {}
    for post, minutes, busy, puts in steps:
        channel = "a" if post % 2 else "b"
        if puts:
            boards.put(board(post, minutes, channel=channel))
            due[post] = minutes
        else:
            found = taken(boards, minutes, busy)
            expected = {each for each, at in due.items() if at <= minutes and (each % 2 == 1) != (busy == "a")}
            assert sorted(found) == sorted(expected)
            for each in found:
                del due[each]
        assert boards.next_due(()) == (time_after(minutes=min(due.values())) if due else None)
        free = [at for each, at in due.items() if (each % 2 == 1) != (busy == "a")]
        assert boards.next_due({("web", busy)}) == (time_after(minutes=min(free)) if free else None)
    assert sorted(taken(boards, 9)) == sorted(due)
    assert len(boards) == 0
