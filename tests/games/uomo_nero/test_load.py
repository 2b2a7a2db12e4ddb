"""Gioco dell'Uomo Nero: positions as dictionaries, and those that play never leads to."""

import pytest

from engine.core import State
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.games.uomo_nero.court import begin_round, court, load, play, rolled_off
from tests.support.present import result

THROWN = play(begin_round(3), "roll 2 4")
NAMING = play(load("c5", "d5", seats=3, man="c7", dice=(1, 3), to_move=0), "xc5")


@pytest.mark.parametrize(
    "state",
    [
        play(rolled_off(), "d13", "red"),
        THROWN,
        play(THROWN, "stay/2"),
        play(THROWN, "a1-a3/2"),
        NAMING,
        play(begin_round(3), "drop 1", "drop 2"),
        play(rolled_off(), "drop 0", "drop 1"),
        play(load("c11 a13", seats=3, dice=(1, 1), scores="2 3 4  - 4 5"), "c11-c13/2"),
    ],
)
def test_a_position_goes_through_the_dictionary_and_back_without_extra_too(state: State) -> None:
    shown = state.to_json()
    again = UOMO_NERO.load(shown)
    assert (again.to_json(), again, again.legal_actions()) == (shown, state, state.legal_actions())
    assert UOMO_NERO.load({name: value for name, value in shown.items() if name != "extra"}) == state


def test_extra_does_not_matter_for_equality() -> None:
    state = load("c5", "d5", seats=3)
    other = UOMO_NERO.load(state.to_json() | {"extra": {"turn": 77, "rolled": 1}})
    assert (other, other.turn) == (state, 77)


def test_the_colours_a_throw_and_the_die_used_do() -> None:
    states = [load("c5 e5", dice=dice) for dice in ((1, 2), (1, 3))]
    other = [play(states[0], "stay/2"), play(load("c5 e4", dice=(1, 2)), "e4-e5/1")]
    states += [load("c5", "e5", dice=(1, 2)), *other]
    assert len(set(states)) == len(states)


def test_cells_are_sorted_by_column_then_by_row() -> None:
    assert [one["cell"] for one in load("b10 b2", "a9 c3").to_json()["attackers"]] == ["a9", "b2", "b10", "c3"]


def test_a_position_that_all_but_one_have_left_is_a_finished_game() -> None:
    assert result(UOMO_NERO.load(court("c5", to_move=1, dropped=[0]))) == ("last-seat", (2, 1))


@pytest.mark.parametrize(
    ("reds", "yellows", "man", "greens"), [("a2 d5", "b2", "a3", ""), ("a2", "b2 a3", "h7", "e1 f1")]
)
def test_it_is_not_asked_whether_one_could_only_come_from_the_start_line(
    reds: str, yellows: str, man: str, greens: str
) -> None:
    used = {"die": 1, "attacker": "a2"}
    assert load(reds, yellows, greens, seats=3, dice=(1, 2), used=used, man=man).to_move == 1
