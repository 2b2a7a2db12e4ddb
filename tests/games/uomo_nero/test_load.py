"""Gioco dell'Uomo Nero: positions as dictionaries, and those that play never leads to."""

from typing import Any

from engine.core import CHANCE, State
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.games.uomo_nero.court import begin_round, court, drop, load, play, rolled_off
from tests.support.present import result

Json = dict[str, Any]
OVER = play(load("c11 a13", seats=3, dice=(1, 1), scores="2 3 4  - 4 5"), "c11-c13/2").to_json()


def bare(state: State) -> Json:
    return {name: value for name, value in state.to_json().items() if name != "extra"}


class TestEveryPhase:
    def states(self) -> list[State]:
        placing = rolled_off()
        picking = play(placing, "d13", "red")
        return [
            UOMO_NERO.start(3),
            placing,
            picking,
            begin_round(3),
            play(begin_round(3), "roll 2 4"),
            play(begin_round(3), "roll 2 4", "stay/2"),
            play(begin_round(3), "roll 2 4", "a1-a3/2"),
            load("c5", "d5", seats=3, man="c7", dice=(1, 3), to_move=0),
            play(load("c5", "d5", seats=3, man="c7", dice=(1, 3), to_move=0), "xc5"),
            drop(begin_round(3), 1, 2),
            drop(placing, 0, 1),
            UOMO_NERO.load(OVER),
        ]

    def test_through_the_dictionary_and_back(self) -> None:
        phases = set()
        for state in self.states():
            shown = state.to_json()
            phases.add(shown["phase"])
            again = UOMO_NERO.load(shown)
            assert (again.to_json(), again, hash(again)) == (shown, state, hash(state))
            assert (again.legal_actions(), UOMO_NERO.load(bare(state))) == (state.legal_actions(), state)
        assert phases == {"roll-off", "man-start", "colours", "roll", "attack", "man", "over"}

    def test_extra_does_not_matter_for_equality(self) -> None:
        state = load("c5", "d5", seats=3)
        other = UOMO_NERO.load(state.to_json() | {"extra": {"turn": 77, "rolled": 1}})
        assert (other, other.turn) == (state, 77)

    def test_the_colours_a_throw_and_the_die_used_do(self) -> None:
        states = [load("c5 e5", dice=dice) for dice in ((1, 2), (1, 3))]
        other = [play(states[0], "stay/2"), play(load("c5 e4", dice=(1, 2)), "e4-e5/1")]
        states += [load("c5", "e5", dice=(1, 2)), *other]
        assert len(set(states)) == len(states)

    def test_to_move_is_the_seat_also_while_chance_rolls(self) -> None:
        state = load("c5", "d5", seats=3, to_move=2)
        assert (state.to_move, state.to_json()["to_move"]) == (CHANCE, 2)

    def test_cells_are_sorted_by_column_then_by_row(self) -> None:
        assert [one["cell"] for one in load("b10 b2", "a9 c3").to_json()["attackers"]] == ["a9", "b2", "b10", "c3"]

    def test_a_position_that_all_but_one_have_left_is_a_finished_game(self) -> None:
        assert result(UOMO_NERO.load(court("c5", to_move=1, dropped=[0]))) == ("last-seat", (2, 1))


class TestNothingElseIsAsked:
    def test_used_by_one_that_could_only_come_from_the_start_line(self) -> None:
        position = court("a2 d5", "b2", seats=3, dice=(1, 2), used={"die": 1, "attacker": "a2"}, man="a3")
        assert UOMO_NERO.load(position).to_move == 1
        taken = court("a2", "b2 a3", "e1 f1", seats=3, dice=(1, 2), used={"die": 1, "attacker": "a2"})
        assert UOMO_NERO.load(taken).to_move == 1
