"""Gioco dell'Uomo Nero before the first throw of a round: roll-off, the Man's cell, colours."""

from collections import Counter
from itertools import product
from typing import Any, Final

import pytest

from engine.core import CHANCE, IllegalAction, InvalidAction, State
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.engine.playing import CountingChance
from tests.games.uomo_nero.court import begin_round, load, play, rolled_off, texts
from tests.support.present import present, result

FINISH = {f"{column}13" for column in "abcdefgh"}


def test_the_board_has_104_cells_and_steps_are_orthogonal() -> None:
    board = present(UOMO_NERO.start(2).topology)
    assert len(board) == 8 * 13 == 104
    assert [board.names[cell] for cell in board.neighbours[board.index["c5"]]] == ["b5", "c4", "c6", "d5"]


def test_two_to_five_play_and_there_are_no_options() -> None:
    assert (list(UOMO_NERO.seats), UOMO_NERO.options) == ([2, 3, 4, 5], {})


def test_the_first_position() -> None:
    assert UOMO_NERO.start(3).to_json() == {
        "game": "uomo-nero",
        "options": {},
        "seats": 3,
        "to_move": 0,
        "phase": "roll-off",
        "round": 0,
        "order": [],
        "man_seat": None,
        "man": None,
        "attackers": [],
        "colours": {},
        "dice": None,
        "used": None,
        "captured": [],
        "man_turns": 0,
        "attack_scores": [0, 0, 0],
        "man_scores": [None, None, None],
        "dropped": [],
        "outcome": None,
        "extra": {"rollers": [0, 1, 2]},
    }


def test_a_throw_has_21_outcomes_a_double_once_in_36() -> None:
    state = UOMO_NERO.start(2)
    thrown = Counter(f"roll {min(pair)} {max(pair)}" for pair in product(range(1, 7), repeat=2))
    assert len(thrown) == 21
    assert {str(action): round(probability * 36, 9) for action, probability in state.chance_outcomes()} == thrown
    assert [action.value for action in state.legal_actions()][:3] == [(1, 1), (1, 2), (1, 3)]


def test_chance_asks_for_one_number_below_36_a_throw() -> None:
    rng, state = CountingChance(), UOMO_NERO.start(2)
    drawn = Counter(state.sample_chance(rng).text for _ in range(36))
    assert rng.asked == [36] * 36
    assert drawn == {str(action): round(probability * 36) for action, probability in state.chance_outcomes()}


def loaded(state: State, *without: str) -> State:
    """Return the position as it is loaded again, some of its fields left out."""
    return UOMO_NERO.load({name: value for name, value in state.to_json().items() if name not in without})


HALF_ROLLED = play(UOMO_NERO.start(3), "roll 3 4", "roll 1 1")
TIED = ["roll 1 3", "roll 2 2", "roll 5 6", "roll 1 3"]

SHOWN: Final[dict[str, list[tuple[State, list[str], dict[str, Any]]]]] = {
    # the rule: positions, what is played there, and what the position shows then
    "each player rolls in seat order": [
        (UOMO_NERO.start(3), [], {"phase": "roll-off", "to_move": 0}),
        (UOMO_NERO.start(3), ["roll 1 6"], {"phase": "roll-off", "to_move": 1}),
        (UOMO_NERO.start(3), ["roll 1 6", "roll 2 6"], {"phase": "roll-off", "to_move": 2}),
        (UOMO_NERO.start(3), ["roll 1 6", "roll 2 6", "roll 3 6"], {"phase": "man-start"}),
    ],
    "the lowest sum is number 1 and the others follow clockwise": [
        (
            UOMO_NERO.start(5),
            ["roll 3 4", "roll 5 5", "roll 3 3", "roll 1 1", "roll 1 2"],
            {"order": [3, 4, 0, 1, 2]},
        ),
    ],
    "number 1 is the Man of round 1": [
        (UOMO_NERO.start(3), ["roll 3 4", "roll 1 1", "roll 1 2"], {"round": 1, "man_seat": 1, "to_move": 1}),
    ],
    "players tied for the lowest roll roll again": [
        (UOMO_NERO.start(4), TIED, {"to_move": 0}),
        (UOMO_NERO.start(4), [*TIED, "roll 1 1"], {"to_move": 1}),
        (UOMO_NERO.start(4), [*TIED, "roll 1 1", "roll 4 4"], {"to_move": 3}),
        (UOMO_NERO.start(4), [*TIED, "roll 1 1", "roll 4 4", "roll 1 1"], {"to_move": 0}),
        (UOMO_NERO.start(4), [*TIED, "roll 1 1", "roll 4 4", "roll 1 1", "roll 6 6"], {"to_move": 3}),
        (
            UOMO_NERO.start(4),
            [*TIED, "roll 1 1", "roll 4 4", "roll 1 1", "roll 6 6", "roll 5 6"],
            {"order": [3, 0, 1, 2]},
        ),
    ],
    "a tie above the lowest does not matter": [
        (UOMO_NERO.start(3), ["roll 6 6", "roll 6 6", "roll 1 2"], {"order": [2, 0, 1]}),
    ],
    "loaded without extra it starts again at seat 0": [
        (HALF_ROLLED, [], {"to_move": 2}),
        (loaded(HALF_ROLLED, "extra"), [], {"to_move": 0}),
        (loaded(HALF_ROLLED, "extra"), ["roll 5 5", "roll 6 6", "roll 6 6"], {"order": [0, 1, 2]}),
    ],
    "with extra it goes on where it was": [
        (
            loaded(play(UOMO_NERO.start(4), *TIED, "roll 1 2")),
            ["roll 1 1", "roll 6 6"],
            {"order": [1, 2, 3, 0]},
        ),
    ],
    "one who left is still rolled for, so that the order is known": [
        (UOMO_NERO.start(3), ["drop 1", "roll 3 3"], {"to_move": 1}),
        (
            UOMO_NERO.start(3),
            ["drop 1", "roll 3 3", "roll 1 1", "roll 4 4"],
            {"order": [1, 2, 0], "round": 2, "man_seat": 2},
        ),
    ],
    "the Man picks a cell": [(rolled_off(), ["e13"], {"man": "e13", "phase": "colours"})],
    "with two players there is nothing to pick and all are the attackers": [
        (
            begin_round(2),
            [],
            {
                "phase": "roll",
                "colours": {"red": 1, "yellow": 1, "green": 1, "blue": 1},
                "attackers": [
                    {"seat": 1, "colour": colour, "cell": f"{column}1"}
                    for colour, columns in {"red": "ab", "yellow": "cd", "green": "ef", "blue": "gh"}.items()
                    for column in columns
                ],
            },
        ),
    ],
    "with four players one colour stays out": [
        (
            rolled_off(4),
            ["d13", "green", "red", "blue"],
            {"colours": {"green": 1, "red": 2, "blue": 3}, "phase": "roll"},
        ),
    ],
    "attackers stand on their start cells as soon as their colour is picked": [
        (
            rolled_off(),
            ["d13", colour],
            {"attackers": [{"seat": 1, "colour": colour, "cell": f"{column}1"} for column in columns]},
        )
        for colour, columns in {"red": "ab", "yellow": "cd", "green": "ef", "blue": "gh"}.items()
    ],
    "the man of a later round has another on his left": [
        (UOMO_NERO.start(4), ["roll 6 6", "roll 6 6", "roll 1 1", "roll 6 6", "a13"], {"to_move": 3}),
    ],
    "a player with no attacker left in play is skipped": [
        (load("a5 b5", "c13 d13", "e5 f5", seats=4, dice=(1, 1), to_move=1), ["stay/2"], {"to_move": 3}),
        (load("a5", "", "e13", "", seats=5, dice=(1, 1), to_move=0), ["stay"], {"to_move": 1}),
    ],
    "each player throws two dice each turn": [
        (begin_round(2), [], {"phase": "roll", "to_move": 1}),
        (begin_round(2), ["roll 2 3"], {"phase": "attack", "to_move": 1, "dice": [2, 3]}),
    ],
}


@pytest.mark.parametrize("rule", SHOWN)
def test_what_an_action_changes(rule: str) -> None:
    for state, line, expected in SHOWN[rule]:
        shown = play(state, *line).to_json()
        assert {name: shown[name] for name in expected} == expected, line


@pytest.mark.parametrize(
    ("state", "line", "turn"),
    [
        # The roll-off is no turn, also if some leave meanwhile; the Man's cell and each pick are one.
        (UOMO_NERO.start(2), ["roll 1 3", "roll 1 3", "roll 1 2", "roll 6 6"], 0),
        (UOMO_NERO.start(3), ["drop 1", "roll 3 3"], 0),
        (UOMO_NERO.start(3), ["drop 1", "drop 0"], 0),
        (UOMO_NERO.start(3), ["roll 1 2", "drop 2", "drop 1"], 0),
        (begin_round(2), [], 1),
        (rolled_off(), ["d13", "red"], 2),
        (rolled_off(), ["d13", "red", "blue"], 3),
        # Two picks in a row of one seat are one turn.
        (rolled_off(), ["d13", "drop 1"], 2),
        (rolled_off(), ["d13", "drop 1", "red"], 2),
        (rolled_off(), ["d13", "drop 1", "red", "blue"], 3),
    ],
)
def test_what_is_a_turn(state: State, line: list[str], turn: int) -> None:
    assert play(state, *line).turn == turn


def test_when_one_seat_is_left_it_wins() -> None:
    state = play(UOMO_NERO.start(3), "roll 1 2", "drop 0", "drop 2")
    assert result(state) == ("last-seat", (3, 1, 2))
    assert UOMO_NERO.load(state.to_json()) == state


def test_the_man_begins_on_any_cell_of_row_13_and_one_colour_of_those_left_is_picked() -> None:
    assert texts(rolled_off()) == FINISH
    state = play(rolled_off(4), "d13")
    assert texts(state) == {"red", "yellow", "green", "blue"}
    assert texts(play(state, "green", "red")) == {"yellow", "blue"}


@pytest.mark.parametrize(("seats", "order", "own"), [(3, [1, 2, 1, 2], 4), (4, [1, 2, 3], 2), (5, [1, 2, 3, 4], 2)])
def test_attackers_pick_clockwise_from_the_mans_left_and_the_man_does_not(
    seats: int, order: list[int], own: int
) -> None:
    state = play(rolled_off(seats), "d13")
    picked = []
    while state.to_json()["phase"] == "colours":
        picked.append(state.to_move)
        state = state.play(state.legal_actions()[-1])
    assert picked == order
    attackers = Counter(attacker["seat"] for attacker in state.to_json()["attackers"])
    assert attackers == dict.fromkeys(range(1, seats), own)


def test_the_player_to_the_mans_left_begins_and_the_man_is_last_again_and_again() -> None:
    state = begin_round(4)
    movers = []
    for _ in range(8):
        movers.append(state.to_json()["to_move"])
        state = play(state, "roll 1 1", "stay" if state.to_json()["to_move"] == 0 else "stay/2")
    assert movers == [1, 2, 3, 0, 1, 2, 3, 0]


def test_no_action_but_a_throw_while_dice_are_due() -> None:
    state = begin_round(2)
    assert state.to_move == CHANCE
    with pytest.raises(InvalidAction, match="chance-to-move"):
        state.parse("a1-a2")
    with pytest.raises(IllegalAction):
        state.play(play(state, "roll 1 2").legal_actions()[0])
