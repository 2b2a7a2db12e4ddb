"""Counting positions that come back."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from engine import InvalidPosition
from engine.positions import History, Key, history_from_json, history_to_json
from tests.support.present import present

# -1 and -2 have the same hash, and 1 << 61 that of 1: the count must not rest on hashes
keys = st.sampled_from([-1, -2, 1, 1 << 61, (1 << 61) - 1, 0, ("a", 1), ("a", 2)]) | st.integers(0, 5000)


def line(sequence: list[Key]) -> list[History]:
    nodes: list[History] = []
    for key in sequence:
        nodes.append(History(key, nodes[-1] if nodes else None))
    return nodes


@given(st.lists(keys, max_size=200))
def test_occurrences_are_counted(sequence: list[Key]) -> None:
    for number, node in enumerate(line(sequence)):
        assert node.occurrences == sequence[: number + 1].count(sequence[number])
        assert node.is_draw == (node.occurrences >= 3)


def test_repetition_distinguishes_many_positions() -> None:
    sequence: list[Key] = [*range(3000), 7, *range(3000, 3100), 7]
    nodes = line(sequence)
    assert [node.occurrences for node in nodes if node.key == 7] == [1, 2, 3]
    assert sum(node.occurrences > 1 for node in nodes) == 2


def test_a_history_branches() -> None:
    first = History(1)
    left, right = History(2, first), History(3, first)
    assert (History(2, left).occurrences, History(2, right).occurrences) == (2, 1)


@given(st.lists(keys, min_size=1, max_size=50))
def test_a_history_goes_through_json(sequence: list[Key]) -> None:
    node = line(sequence)[-1]
    again = present(history_from_json(json.loads(json.dumps(history_to_json(node)))))
    assert (again.key, again.occurrences) == (node.key, node.occurrences)
    assert history_to_json(again) == history_to_json(node)
    assert History(sequence[0], again).occurrences == sequence.count(sequence[0]) + 1


def test_no_history() -> None:
    assert history_to_json(None) == []
    assert history_from_json([]) is None


@pytest.mark.parametrize("broken", [None, 3, "x", {}, [None], [True], [1.5], ["x"], [[None]], [[[1]]], [1] * 5000])
def test_a_broken_history_is_refused(broken: Any) -> None:
    with pytest.raises(InvalidPosition):
        history_from_json(broken)
