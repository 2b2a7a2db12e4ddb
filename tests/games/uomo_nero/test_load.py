"""Gioco dell'Uomo Nero: positions as dictionaries, and those that play never leads to."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import CHANCE, InvalidPosition, State
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.games.uomo_nero.court import begun, court, drop, load, play

Json = dict[str, Any]
PICKING = play(UOMO_NERO.start(4), "roll 1 1", *["roll 6 6"] * 3, "d13").to_json()
OVER = play(load("c11 a13", seats=3, dice=(1, 1), scores="2 3 4  - 4 5"), "c11-c13/2").to_json()


def bare(state: State) -> Json:
    return {name: value for name, value in state.to_json().items() if name != "extra"}


def attacker(seat: int, colour: str, cell: str) -> Json:
    return {"seat": seat, "colour": colour, "cell": cell}


class TestEveryPhase:
    def states(self) -> list[State]:
        placing = play(UOMO_NERO.start(3), "roll 1 1", "roll 6 6", "roll 6 6")
        picking = play(placing, "d13", "red")
        return [
            UOMO_NERO.start(3),
            placing,
            picking,
            begun(3),
            play(begun(3), "roll 2 4"),
            play(begun(3), "roll 2 4", "stay/2"),
            play(begun(3), "roll 2 4", "a1-a3/2"),
            load("c5", "d5", seats=3, man="c7", dice=(1, 3), to_move=0),
            play(load("c5", "d5", seats=3, man="c7", dice=(1, 3), to_move=0), "xc5"),
            drop(begun(3), 1, 2),
            drop(placing, 0, 1),
            UOMO_NERO.load(OVER),
        ]

    def test_through_the_dictionary_and_back(self) -> None:
        phases = set()
        for state in self.states():
            shown = state.to_json()
            phases.add(shown["phase"])
            again = UOMO_NERO.load(shown)
            assert again.to_json() == shown
            assert again == state
            assert hash(again) == hash(state)
            assert again.legal_actions() == state.legal_actions()
            assert UOMO_NERO.load(bare(state)) == state
        assert phases == {"roll-off", "man-start", "colours", "roll", "attack", "man", "over"}

    def test_extra_does_not_matter_for_equality(self) -> None:
        state = load("c5", "d5", seats=3)
        other = UOMO_NERO.load(state.to_json() | {"extra": {"turn": 77, "rolled": 1}})
        assert other == state
        assert other.turn == 77

    def test_the_colours_a_throw_and_the_die_used_do(self) -> None:
        states = [load("c5 e5", dice=dice) for dice in ((1, 2), (1, 3))]
        states += [
            load("c5", "e5", dice=(1, 2)),
            play(states[0], "stay/2"),
            play(load("c5 e4", dice=(1, 2)), "e4-e5/1"),
        ]
        assert len(set(states)) == len(states)

    def test_to_move_is_the_seat_also_while_chance_rolls(self) -> None:
        state = load("c5", "d5", seats=3, to_move=2)
        assert (state.to_move, state.to_json()["to_move"]) == (CHANCE, 2)

    def test_cells_are_sorted_by_column_then_by_row(self) -> None:
        shown = load("b10 b2", "a9 c3").to_json()
        assert [one["cell"] for one in shown["attackers"]] == ["a9", "b2", "b10", "c3"]

    def test_a_position_that_all_but_one_have_left_is_a_finished_game(self) -> None:
        state = UOMO_NERO.load(court("c5", to_move=1, dropped=[0]))
        assert state.outcome is not None
        assert (state.outcome.reason, state.outcome.places) == ("last-seat", (2, 1))


WRONG: list[tuple[str, str, Json]] = [
    # code, why, position
    ("out-of-range", "six seats", court("c5", seats=2) | {"seats": 6}),
    ("not-a-choice", "no such phase", court("c5") | {"phase": "siesta"}),
    ("unknown-option", "no options here", court("c5") | {"options": {"size": 7}}),
    ("unknown-cell", "no such cell", court("c5") | {"man": "d14"}),
    ("wrong-type", "no cell", court("c5") | {"man": 5}),
    # the order
    ("round-order", "not clockwise", court("c5", seats=3) | {"order": [0, 2, 1]}),
    ("wrong-length", "too short", court("c5", seats=3) | {"order": [0, 1]}),
    ("round-order", "another's round", court("c5", seats=3) | {"man_seat": 1}),
    ("round-order", "true is no seat", court("c5", seats=3) | {"man_seat": False}),
    ("round-order", "no round but a phase", court("c5", seats=3) | {"round": 0, "order": [], "man_seat": None}),
    ("not-empty", "an order in the roll-off", UOMO_NERO.start(2).to_json() | {"order": [0, 1]}),
    ("round-order", "a round in the roll-off", court(man=None, man_turns=0, colours={}, phase="roll-off")),
    ("not-empty", "an attacker in the roll-off", UOMO_NERO.start(2).to_json() | {"colours": {"red": 1}}),
    ("round-order", "a Man that left", court("c5", seats=3, dropped=[0])),
    ("wrong-mover", "another is rolled for", play(UOMO_NERO.start(3), "roll 1 2").to_json() | {"to_move": 2}),
    ("extra-differs", "one roller", UOMO_NERO.start(3).to_json() | {"extra": {"rollers": [1]}}),
    ("extra-differs", "all have rolled", UOMO_NERO.start(2).to_json() | {"extra": {"rollers": [0, 1], "sums": [3, 4]}}),
    ("out-of-range", "no such sum", UOMO_NERO.start(2).to_json() | {"extra": {"rollers": [0, 1], "sums": [13]}}),
    # the points
    ("points", "points from nowhere", court("c5", attack_scores=[1, 0])),
    ("points", "more than there were attackers", court("c5", scores="0 4 5  - 4 5", seats=3)),
    ("points", "made as the Man", court("c5", scores="0 0 3  - 0 3", seats=3)),
    (
        "missing",
        "an earlier Man without a score",
        court("c5", seats=3, scores="2 3 4  - 4 5") | {"man_scores": [None, 4, None]},
    ),
    ("not-empty", "a later Man with a score", court("c5", seats=3, man_scores=[None, 0, None])),
    (
        "extra-differs",
        "another sum",
        court("c5", scores="1 0  - 1", extra={"rounds": [{"man": 1, "points": [0, 0], "reason": "none-left"}]}),
    ),
    (
        "extra-differs",
        "points of the Man",
        court("c5", scores="1 0  - 1", extra={"rounds": [{"man": 1, "points": [0, 1], "reason": "none-left"}]}),
    ),
    (
        "not-a-choice",
        "no such reason",
        court("c5", scores="1 0  - 1", extra={"rounds": [{"man": 1, "points": [1, 0], "reason": "rain"}]}),
    ),
    # the picks
    (
        "picks",
        "the Man's colour",
        court("c5", colours={"red": 0, "yellow": 1, "green": 1, "blue": 1}) | {"attackers": []},
    ),
    ("picks", "a colour too few", court("c5", seats=4, colours={"red": 1, "yellow": 2})),
    ("picks", "a colour too many", court("c5", seats=4, colours={"red": 1, "yellow": 2, "green": 3, "blue": 3})),
    ("wrong-mover", "not its turn to pick", PICKING | {"to_move": 2}),
    (
        "picks",
        "out of turn",
        PICKING | {"colours": {"red": 2}, "attackers": [attacker(2, "red", "a1"), attacker(2, "red", "b1")]},
    ),
    (
        "wrong-cell",
        "an attacker that has moved",
        PICKING
        | {"colours": {"red": 1}, "to_move": 2, "attackers": [attacker(1, "red", "a1"), attacker(1, "red", "b2")]},
    ),
    (
        "nobody-captured-yet",
        "one is missing",
        PICKING | {"colours": {"red": 1}, "to_move": 2, "attackers": [attacker(1, "red", "a1")]},
    ),
    ("wrong-cell", "the Man in the field", PICKING | {"man": "d12"}),
    ("missing", "no Man", PICKING | {"man": None}),
    ("not-empty", "a throw", PICKING | {"dice": [1, 2]}),
    ("not-empty", "a throw has been", PICKING | {"extra": {"rolled": 1}}),
    ("picks", "nothing to pick for two", begun(2).to_json() | {"phase": "colours", "attackers": [], "colours": {}}),
    # before the Man has his cell
    ("not-empty", "the Man has one", play(UOMO_NERO.start(2), "roll 1 1", "roll 6 6").to_json() | {"man": "d13"}),
    ("not-empty", "turns of the Man", play(UOMO_NERO.start(2), "roll 1 1", "roll 6 6").to_json() | {"man_turns": 1}),
    ("wrong-mover", "another picks it", play(UOMO_NERO.start(2), "roll 1 1", "roll 6 6").to_json() | {"to_move": 1}),
    # the pieces
    ("cell-twice", "two on a cell", court("c5", "c5")),
    ("wrong-cell", "on the Man", court("c5 h7")),
    ("wrong-cell", "the Man on the start line", court("c5", man="h1")),
    ("wrong-cell", "another colour's start cell", court("c1 d5")),
    ("too-many-attackers", "three of a colour", court("c5 d5 e5")),
    ("wrong-owner", "another's colour", court("c5", seats=3) | {"attackers": [attacker(2, "red", "c5")]}),
    ("wrong-owner", "nobody's colour", court("c5", seats=4) | {"attackers": [attacker(1, "blue", "c5")]}),
    ("not-a-choice", "no such colour", court("c5") | {"attackers": [attacker(1, "white", "c5")]}),
    ("wrong-cell", "a leaver's attacker in play", court("c5", "d5", "e5", seats=4, dropped=[2])),
    ("nobody-captured-yet", "captures from the finish line", court("c5", man="h13")),
    ("nobody-captured-yet", "captures without a turn", court("a1 b1", "c1 d1", "e1 f1", "g1", man="h13", man_turns=0)),
    (
        "wrong-cell",
        "the Man has walked without a turn",
        court("a1 b1", "c1 d1", "e1 f1", "g1 h1", man="h12", man_turns=0),
    ),
    (
        "too-many-steps",
        "attackers that have walked without a turn",
        court("a1 b4", "c1 d1", "e1 f1", "g1 h1", man="h13", man_turns=0),
    ),
    ("too-many-steps", "farther than their turns", court("a13 b13", "c12 d13", man_turns=3)),
    ("out-of-range", "a 51st turn of the Man", court("c5", man_turns=50)),
    ("round-is-over", "none is left", court("c13", to_move=0)),
    ("round-is-over", "a total block", court(yellow="d1", man="d2")),
    # the turn at hand
    ("wrong-mover", "nothing to move", court("c5", seats=3, to_move=2)),
    ("out-of-range", "has left", court("c5", "", "e5", seats=4, to_move=2, dropped=[2])),
    ("no-outcome", "nobody's turn", court("c5", to_move=None)),
    ("wrong-mover", "the Man attacks", court("c5", dice=(1, 2), to_move=0, phase="attack")),
    ("wrong-mover", "an attacker hunts", court("c5", dice=(1, 2), phase="man")),
    ("wrong-type", "no dice", court("c5", phase="attack")),
    ("not-empty", "dice to come", court("c5", dice=(1, 2), phase="roll")),
    ("dice-order", "the larger first", court("c5", dice=(2, 1))),
    ("out-of-range", "a seven", court("c5", dice=(2, 7))),
    ("wrong-length", "three dice", court("c5", dice=(2, 3)) | {"dice": [1, 2, 3]}),
    ("used-impossible", "not on the dice", court("c5 d5", dice=(2, 3), used={"die": 4, "attacker": "c5"})),
    ("used-impossible", "an odd stay", court("c5 d5", dice=(1, 3), used={"die": 1, "attacker": None})),
    ("used-impossible", "one attacker", court("c5", dice=(1, 2), used={"die": 1, "attacker": "c5"})),
    ("used-impossible", "nobody there", court("c5 d5", dice=(1, 2), used={"die": 1, "attacker": "c6"})),
    ("used-impossible", "another's", court("c5 d5", "e5", seats=3, dice=(1, 2), used={"die": 1, "attacker": "e5"})),
    ("used-impossible", "still on the start line", court("a1 d5", dice=(1, 2), used={"die": 1, "attacker": "a1"})),
    (
        "used-impossible",
        "it cannot have come there",
        court("a2 d5", "a3 b2", seats=3, dice=(2, 3), used={"die": 3, "attacker": "a2"}, man="c3"),
    ),
    (
        "used-impossible",
        "nothing is left for the other die",
        court("c5", "d1", dice=(1, 2), man="d2", used={"die": 2, "attacker": "c5"}),
    ),
    ("not-empty", "the Man splits", court("c5", dice=(1, 2), to_move=0, used={"die": 1, "attacker": None})),
    ("not-empty", "captures in an attack", court("c5", dice=(1, 2), captured=["c6"])),
    ("captures-impossible", "named twice as it were", court("c5", dice=(1, 2), man="c7", to_move=0, captured=["c5"])),
    ("captures-impossible", "on the finish line", court("c5", dice=(1, 2), man="c12", to_move=0, captured=["c13"])),
    ("captures-impossible", "too far", court("c5", dice=(1, 2), man="c7", to_move=0, captured=["c11"])),
    (
        "captures-impossible",
        "too far together",
        court("c5", dice=(1, 3), man="c7", to_move=0, captured=["c8", "c6", "a7"]),
    ),
    (
        "captures-impossible",
        "more than are missing",
        court("c5 d5", "e5 f5", "g5 h5", "a9", man="c9", dice=(1, 3), to_move=0, captured=["c8", "c7"]),
    ),
    # the end
    ("outcome-unfounded", "not over", court("c5", outcome={"reason": "score", "places": [1, 2]})),
    ("outcome-differs", "other places", OVER | {"outcome": {"reason": "score", "places": [1, 2, 3]}}),
    ("not-empty", "over, but somebody's turn", OVER | {"to_move": 1}),
    (
        "missing",
        "attackers still in play",
        OVER | {"attackers": [attacker(1, "red", "a13"), attacker(1, "red", "c12")]},
    ),
    ("points", "not what the board shows", OVER | {"attack_scores": [2, 4, 5], "outcome": None}),
    ("points", "more on the board than scored", OVER | {"attackers": [attacker(1, "red", "a13")]}),
    (
        "round-order",
        "rounds to come",
        OVER
        | {"order": [0, 1, 2], "round": 1, "man_seat": 0, "man_scores": [2, None, None], "attack_scores": [0, 2, 0]},
    ),
]


@pytest.mark.parametrize(
    ("code", "position"), [(code, position) for code, _, position in WRONG], ids=[why for _, why, _ in WRONG]
)
def test_what_play_never_leads_to_is_refused(code: str, position: Json) -> None:
    with pytest.raises(InvalidPosition) as error:
        UOMO_NERO.load(position)
    assert error.value.code == code


RIGHT: list[tuple[str, Json]] = [
    (
        "captures without a turn, being named",
        court(
            "a1 b1",
            "c1 d1",
            "e1 f1",
            "g1",
            man="h13",
            man_turns=0,
            dice=(5, 6),
            to_move=0,
            captured=["h3"],
        ),
    ),
    ("a leaver's attackers are missing", court("c5 d5", "d13", "e1 f1", seats=4, man="h13", dropped=[2])),
    (
        "the last one is named and the Man stands before it",
        court(yellow="d1", man="d2", dice=(1, 3), to_move=0, captured=["d4"]),
    ),
    ("all are named", court(man="d2", dice=(1, 3), to_move=0, captured=["d4"])),
    ("a die used by one that has arrived", court("c13 d5", dice=(1, 2), used={"die": 1, "attacker": "c13"})),
    ("twelve steps in the first turn", court("a13 b1", "c1 d1", "e1 f1", "g1 h1", man="h13", man_turns=0, to_move=0)),
    ("a Man that stays on the finish line", court("a13 b1", "c1 d1", "e1 f1", "g1 h1", man="h13", man_turns=30)),
    (
        "a first Man that left before his round",
        court("c5", seats=3, scores="0 0 0  - - -", dropped=[1])
        | {
            "round": 2,
            "order": [1, 2, 0],
            "man_seat": 2,
            "to_move": 0,
            "colours": {"red": 0, "blue": 0},
            "attackers": [attacker(0, "red", "c5")],
        },
    ),
]


@pytest.mark.parametrize("position", [position for _, position in RIGHT], ids=[why for why, _ in RIGHT])
def test_what_play_can_lead_to_is_loaded(position: Json) -> None:
    state = UOMO_NERO.load(position)
    shown = state.to_json()
    assert {name: shown[name] for name in position if name != "extra"} == position


class TestNothingElseIsAsked:
    def test_used_by_one_that_could_only_come_from_the_start_line(self) -> None:
        position = court("a2 d5", "b2", seats=3, dice=(1, 2), used={"die": 1, "attacker": "a2"}, man="a3")
        assert UOMO_NERO.load(position).to_move == 1
        taken = court("a2", "b2 a3", "e1 f1", seats=3, dice=(1, 2), used={"die": 1, "attacker": "a2"})
        assert UOMO_NERO.load(taken).to_move == 1
