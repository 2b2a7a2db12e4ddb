"""Counts of turns worked out by independent means (docs/rules/README.md, Counts to test against)."""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from engine import games
from engine.perft import perft

FIGURES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "data" / "perft.json").read_text(encoding="utf-8")
)


def cases() -> list[Any]:
    numbered = [
        pytest.param(figure["position"], depth, count, id=f"{key}-{number}-{depth}")
        for key, group in groupby(FIGURES, key=lambda figure: str(figure["position"]["game"]))
        for number, figure in enumerate(group, start=1)
        for depth, count in enumerate(figure["turns"], start=1)
        if key in games
    ]
    assert numbered
    return numbered


@pytest.mark.parametrize(("position", "depth", "count"), cases())
def test_count_of_turns(position: dict[str, Any], depth: int, count: int) -> None:
    assert perft(games[position["game"]].load(position), depth) == count


@pytest.mark.parametrize("key", games)
def test_every_registered_game_has_counts(key: str) -> None:
    assert sum(figure["position"]["game"] == key for figure in FIGURES) >= 3


def test_nothing_is_counted_after_the_end_of_a_game() -> None:
    state = games["annuvin"].start(options={"board": "square"})
    over = state.play(state.parse("a1a2")[0])
    assert perft(over, 0) == 1
    position = over.to_json() | {"dropped": [0], "to_move": None, "outcome": {"reason": "last-seat", "places": [2, 1]}}
    assert perft(games["annuvin"].load(position), 1) == 0


def test_a_turn_under_way_is_counted_to_its_end() -> None:
    position = {
        "game": "annuvin",
        "options": {},
        "to_move": 0,
        "pieces": [["a1", "c4", "g7"], ["a2", "c3"]],
        "reserve": [0, 0],
        "lost": [3, 4],
        "moving": {"piece": "c4", "range": 3},
    }
    # stop; xc3 stop; xc3 xa2; xa2, which leaves 1 where c3 is 2 away
    state = games["annuvin"].load(position)
    assert [action.text for action in state.legal_actions()] == ["xa2", "xc3", "stop"]
    assert perft(state, 1) == 4
