"""Annuvin: how moves and positions are written and read (docs/rules/annuvin.md, How moves are written and JSON)."""

import json

import pytest

from bot.kernel.texts import Texts
from tests.games.annuvin.board import ANNUVIN, load, play, position, texts

EXAMPLE = ("d5 a1 g7", "c4 c3 a2")


def test_reading_never_adds_an_action() -> None:
    # without `stop` the turn is unfinished and the player is asked on
    state = play(load(*EXAMPLE), "d5xc4")
    assert (state.to_move, state.turn, state.to_json()["moving"]) == (0, 0, {"piece": "c4", "range": 3})


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_short_rules_are_short(language: str) -> None:
    assert 500 < len(Texts().speaker(language).of("annuvin").line("rules.short")) < 2000


def test_json_of_the_start() -> None:
    assert json.loads(json.dumps(ANNUVIN.start().to_json())) == {
        "game": "annuvin",
        "options": {"board": "hexagon", "setup": "classic"},
        "to_move": 0,
        "pieces": [["b1", "c1", "d1", "d2", "e2", "f3"], ["b5", "c6", "d6", "d7", "e7", "f7"]],
        "reserve": [0, 0],
        "lost": [0, 0],
        "moving": None,
        "dropped": [],
        "outcome": None,
        "extra": {},
    }


def test_json_in_the_middle_of_a_turn() -> None:
    shown = play(load(*EXAMPLE), "d5xc4").to_json()
    assert (shown["moving"], ANNUVIN.load(shown).to_json()) == ({"piece": "c4", "range": 3}, shown)
    assert texts(ANNUVIN.load(shown)) == {"xc3", "xa2", "stop"}


def test_json_when_the_game_is_over() -> None:
    shown = play(load(*EXAMPLE), "d5xc4xc3xa2").to_json()
    assert (shown["to_move"], shown["moving"]) == (None, None)
    assert shown["outcome"] == {"reason": "eliminated", "places": [1, 2]}
    assert (shown["pieces"], shown["lost"]) == ([["a1", "a2", "g7"], []], [3, 6])


def test_cells_are_read_in_any_order_and_sorted_by_column_then_by_row() -> None:
    shown = position("a1 a4 d1 d2 g7", "c6 b5")
    shown["pieces"][0].reverse()
    assert ANNUVIN.load(shown).to_json()["pieces"] == [["a1", "a4", "d1", "d2", "g7"], ["b5", "c6"]]


def test_load_fills_in_options() -> None:
    shown = position("a1 g7", "c4") | {"options": {}}
    assert ANNUVIN.load(shown).to_json()["options"] == {"board": "hexagon", "setup": "classic"}


@pytest.mark.parametrize("reason", ["repetition", "no-progress"])
def test_load_believes_a_draw_that_the_position_cannot_show(reason: str) -> None:
    outcome = {"reason": reason, "places": [1, 1]}
    state = ANNUVIN.load(position(*EXAMPLE, None, outcome=outcome))
    assert state.to_move is None
    assert state.to_json()["outcome"] == outcome


def test_load_knows_a_game_that_a_seat_has_left() -> None:
    state = ANNUVIN.load(position(*EXAMPLE, 0, dropped=[1]))
    assert state.to_json()["outcome"] == {"reason": "last-seat", "places": [1, 2]}
    assert state.to_move is None
