"""Fagocitare from the empty sheet to its end: turns, the rim, leads, the full sheet, dropping out, dictionaries."""

from typing import Final

import pytest

from engine.core import Action, InvalidOption
from engine.games.fagocitare import GAME as FAGOCITARE
from engine.games.fagocitare.rules import FagocitareState
from engine.topology import square_grid
from tests.games.fagocitare.sheet import all_cells_but, describe_dots, draw, load, texts
from tests.support.present import result


def rim(size: int) -> list[str]:
    inner = all_cells_but(size).split()
    return [name for name in square_grid(size, size).names if name not in inner]


# --- Board ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [7, 10, 12])
def test_the_sheet_is_empty_at_the_start_and_red_begins_off_the_rim(size: int) -> None:
    start = FAGOCITARE.start(2, {"size": size})
    assert start.to_json() == {
        "game": "fagocitare",
        "options": {"size": size},
        "to_move": 0,
        "dots": [[], []],
        "dead": [[], []],
        "lines": [[], []],
        "dropped": [],
        "outcome": None,
        "extra": {},
    }
    inner = all_cells_but(size).split()
    assert (texts(start), len(inner)) == (inner, (size - 2) ** 2)


def test_ten_by_ten_is_the_default_and_other_sizes_are_refused() -> None:
    assert FAGOCITARE.start().to_json()["options"] == {"size": 10}
    assert list(FAGOCITARE.seats) == [2]
    for size in (8, 0, "10"):
        with pytest.raises(InvalidOption):
            FAGOCITARE.start(2, {"size": size})


def test_a_turn_is_one_dot_and_the_other_player_goes_on() -> None:
    state = draw(FAGOCITARE.start(), "d4 e5")
    assert describe_dots(state) == {"red": ["d4"], "blue": ["e5"], "dead": [[], []], "lines": [[], []]}
    assert (state.to_move, state.turn) == (0, 2)
    assert "d4" not in texts(state)


# --- The rim ----------------------------------------------------------------------------------------------------------


def test_a_cell_of_the_rim_may_be_used_only_if_the_dot_captures() -> None:
    state = load("c4", "b4 b2")
    assert [cell for cell in texts(state) if cell in rim(7)] == ["a4"]
    after = draw(state, "a4")
    assert describe_dots(after) == {"red": ["a4", "c4"], "blue": ["b2"], "dead": [["b4"], []], "lines": [["a4-c4"], []]}
    # Along the rim itself too: a4 is blue's, and red's a3 captures with a5.
    assert "a3" in texts(load("a5", "a4"))


def test_the_rim_opens_when_no_free_cell_off_it_is_left() -> None:
    assert (texts(load(all_cells_but(7, free="d4"))), texts(load(all_cells_but(7)))) == (["d4"], rim(7))
    assert texts(load("", all_cells_but(7))) == rim(7)


# --- End --------------------------------------------------------------------------------------------------------------


ENDS: Final[dict[str, list[tuple[FagocitareState, str, tuple[str, tuple[int, int]] | None]]]] = {
    # the rule: positions, the dot that is drawn there, and how the game ends by it, None where it goes on
    "a lead of three wins at once": [(load("b4", "c4", ("a1 a2", "")), "d4", ("lead-of-three", (1, 2)))],
    "it is the lead that counts, not the number": [
        (load("b4", "c4", ("a1 a2", "a3")), "d4", None),
        (load("b4", "c4", ("a1 a2 a3", "a5")), "d4", ("lead-of-three", (1, 2))),
    ],
    "the lead is looked at again after the suicide": [
        (load("", "b4 d4", ("", "a1 a2")), "c4", ("lead-of-three", (2, 1))),
    ],
    "an own capture may save from the lead that the suicide gives": [
        (load("c6 c4", "c5 b3 d3", ("", "a1 a2")), "c3", None),
    ],
    "on a full sheet more captured dots win and equal is a draw": [
        (load(all_cells_but(7, "a1", rim=True)), "a1", ("count", (1, 1))),
        (load(all_cells_but(7, "a1 g1", rim=True), "", ("", "g1")), "a1", ("count", (2, 1))),
    ],
}


@pytest.mark.parametrize("rule", ENDS)
def test_ends(rule: str) -> None:
    for state, cell, end in ENDS[rule]:
        after = draw(state, cell)
        assert (result(after) if after.outcome else None) == end, describe_dots(after)


def test_a_lead_of_three_by_the_dot_that_fills_the_sheet_is_a_lead_of_three() -> None:
    red = " ".join(cell for cell in all_cells_but(7, "c4", rim=True).split() if cell not in ("d4", "a1", "a2"))
    over = draw(load(red, "d4", ("a1 a2", "")), "c4")
    assert result(over) == ("lead-of-three", (1, 2))
    assert sum(map(len, describe_dots(over)["dead"])) + len(describe_dots(over)["red"]) == 49


@pytest.mark.parametrize(("seat", "places"), [(0, (2, 1)), (1, (1, 2))])
def test_a_seat_that_drops_leaves_the_game_to_the_other(seat: int, places: tuple[int, int]) -> None:
    state = draw(load("b4", "c4"), "d4")
    over = state.play(Action.drop(seat))
    assert (result(over), over.dropped) == (("last-seat", places), (seat,))
    assert (over.turn, describe_dots(over)) == ((2 if seat == 1 else 1), describe_dots(state))
    assert FAGOCITARE.load(over.to_json()) == over
