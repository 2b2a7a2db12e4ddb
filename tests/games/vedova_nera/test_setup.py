"""La Vedova Nera before the first move: board, deal, colours, and dropping out meanwhile."""

import random
from typing import Any, Final

import pytest

from engine.core import CHANCE, Action, IllegalAction, InvalidAction, State
from engine.games.vedova_nera import GAME as VEDOVA_NERA
from engine.games.vedova_nera.rules import COLOURS, WEB
from engine.turn import extend_turn
from tests.engine.playing import CountingChance
from tests.games.vedova_nera.board import DEAL_FOR_3, play, texts
from tests.support.present import catch_error, result

PIECES = {2: 6, 3: 5, 4: 4, 5: 3}


def dealt(seats: int = 3) -> State:
    state = VEDOVA_NERA.start(seats)
    return play(state, DEAL_FOR_3) if seats == 3 else state.play(state.sample_chance(random.Random(1)))


# --- Board ------------------------------------------------------------------------------------------------------------


def test_it_is_a_game_for_2_to_5_without_options() -> None:
    assert (list(VEDOVA_NERA.seats), VEDOVA_NERA.options) == ([2, 3, 4, 5], {})


def test_the_web_has_8_spokes_and_4_rings_32_nodes_a1_to_h4() -> None:
    assert list(WEB.names) == [f"{spoke}{ring}" for spoke in "abcdefgh" for ring in range(1, 5)]


@pytest.mark.parametrize(
    ("node", "neighbours"), [("c2", "b2 c1 c3 d2"), ("h4", "a4 g4 h3"), ("a1", "a2 b1 h1"), ("a3", "a2 a4 b3 h3")]
)
def test_neighbours_lie_along_the_spoke_and_the_closed_ring_and_there_is_no_centre(node: str, neighbours: str) -> None:
    assert [WEB.names[other] for other in WEB.neighbours[WEB.index[node]]] == neighbours.split()


# --- Setup: the deal --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_marbles_of_five_colours_by_the_number_of_seats_and_a_black_one_fall_into_distinct_hollows(seats: int) -> None:
    for seed in range(20):
        lists = VEDOVA_NERA.start(seats).sample_chance(random.Random(seed)).value
        assert [colour for colour, _ in lists] == ["red", "green", "yellow", "blue", "white", "black"]
        assert [len(cells) for _, cells in lists] == [PIECES[seats]] * 5 + [1]
        cells = [cell for _, cells in lists for cell in cells]
        assert len(cells) == len(set(cells))
        assert all(list(cells) == sorted(cells) for _, cells in lists)


def test_the_deal_is_drawn_by_randrange_alone_each_hollow_left_equally_likely() -> None:
    rng = CountingChance()
    VEDOVA_NERA.start(2).sample_chance(rng)
    assert rng.asked == list(range(32, 1, -1))


def test_every_hollow_gets_every_colour_in_the_long_run() -> None:
    start, rng, seen = VEDOVA_NERA.start(5), random.Random(7), set()
    for _ in range(300):
        seen |= {(colour, cell) for colour, cells in start.sample_chance(rng).value for cell in cells}
    assert len(seen) == 6 * 32


def test_the_deal_is_made_by_chance_before_anybody_may_act() -> None:
    start = VEDOVA_NERA.start(3)
    assert (start.to_move, start.turn, start.to_json()["phase"], start.to_json()["to_move"]) == (CHANCE, 0, "deal", 0)
    assert start.legal_actions() == ()
    assert list(start.chance_outcomes()) == []


@pytest.mark.parametrize(
    "text",
    [
        DEAL_FOR_3.replace("a1,a2", "a2,a1"),
        DEAL_FOR_3.replace("a1,", ""),
        DEAL_FOR_3.replace("a1,", "h3,a1,"),
        DEAL_FOR_3.replace("h4", "a1"),
        DEAL_FOR_3.replace("h4", "i4"),
        DEAL_FOR_3.replace("a1,", ",a1,"),
        DEAL_FOR_3.upper(),
        DEAL_FOR_3 + " ",
        DEAL_FOR_3.replace(" green", "  green"),
        "deal",
        "red",
    ],
)
def test_a_text_that_is_no_deal_for_so_many_seats_is_not_read(text: str) -> None:
    with pytest.raises(InvalidAction):
        VEDOVA_NERA.start(3).read(text)


def test_after_the_deal_no_chance_is_due() -> None:
    with pytest.raises(IllegalAction, match="no-chance-due"):
        dealt().sample_chance(random.Random(1))


# --- Setup: colours ---------------------------------------------------------------------------------------------------


def test_seats_choose_one_after_the_other_among_the_colours_not_yet_taken() -> None:
    state = dealt()
    assert (state.to_move, texts(state)) == (0, list(COLOURS))
    state = play(state, "yellow")
    assert (state.to_move, texts(state)) == (1, ["red", "green", "blue", "white"])
    refused = catch_error(IllegalAction, state.read, "yellow")
    assert (refused.code, refused.params) == ("colour-taken", {"colour": "yellow"})
    state = play(state, "white")
    assert (state.to_move, texts(state), state.turn) == (2, ["red", "green", "blue"], 2)
    assert state.to_json()["colours"] == ["yellow", "white", None]


SHOWN: Final[dict[str, list[tuple[list[str], dict[str, Any]]]]] = {
    # the rule: what three play, and what the position shows then
    "the choice of colours starts with all marbles in the tray and an empty web": [
        (
            [DEAL_FOR_3, "yellow"],
            {
                "marbles": dealt().to_json()["marbles"],
                "pawns": [[], [], []],
                "off": [0, 0, 0],
                "counsellor": None,
            },
        ),
    ],
    "marbles of unchosen colours are removed": [
        (
            [DEAL_FOR_3, "yellow", "white", "red"],
            {
                "marbles": {
                    "yellow": ["c3", "c4", "d1", "d2", "d3"],
                    "white": ["f1", "f2", "f3", "f4", "g1"],
                    "red": ["a1", "a2", "a3", "a4", "b1"],
                }
            },
        ),
    ],
    "the Counsellor goes to the node of the black marble": [
        ([DEAL_FOR_3, "yellow", "white", "red"], {"counsellor": "h4"}),
    ],
    "worked example 1: each seat's pawns stand on the goals of the previous seat": [
        (
            [DEAL_FOR_3, "yellow", "white", "red"],
            {
                "pawns": [
                    ["a1", "a2", "a3", "a4", "b1"],
                    ["c3", "c4", "d1", "d2", "d3"],
                    ["f1", "f2", "f3", "f4", "g1"],
                ]
            },
        ),
    ],
    "a drop is taken during the deal and takes no turn": [
        (["drop 1"], {"phase": "deal", "dropped": [1], "extra": {}}),
    ],
    "a seat that left before choosing gets the first colour left when its turn comes, without an action": [
        (["drop 1", DEAL_FOR_3], {"to_move": 0, "colours": [None, None, None]}),
        (["drop 1", DEAL_FOR_3, "red"], {"to_move": 2, "colours": ["red", "green", None]}),
        (["drop 1", DEAL_FOR_3, "red", "blue"], {"colours": ["red", "green", "blue"]}),
    ],
    "a seat that drops when it should choose gets its colour at once and its turn counts": [
        ([DEAL_FOR_3, "drop 0"], {"to_move": 1, "colours": ["red", None, None], "extra": {"turn": 1}}),
    ],
    "a seat that drops out of turn leaves the turn alone": [
        ([DEAL_FOR_3, "drop 2"], {"to_move": 0, "colours": [None, None, None], "extra": {}}),
        (
            [DEAL_FOR_3, "drop 2", "green", "red"],
            {"phase": "play", "to_move": 0, "colours": ["green", "red", "yellow"]},
        ),
    ],
    "a seat that left after choosing keeps its colour and its first turn is skipped": [
        (
            [DEAL_FOR_3, "white", "drop 0", "red", "green"],
            {"to_move": 1, "colours": ["white", "red", "green"], "dropped": [0]},
        ),
    ],
}


@pytest.mark.parametrize("rule", SHOWN)
def test_what_an_action_changes(rule: str) -> None:
    for line, expected in SHOWN[rule]:
        shown = play(VEDOVA_NERA.start(3), *line).to_json()
        assert {name: shown[name] for name in expected} == expected, line


def test_seat_0_moves_first_then_clockwise() -> None:
    state = play(dealt(), "yellow", "white", "red")
    assert state.to_move == 0
    order: list[int | None] = []
    for _ in range(4):
        order.append(state.to_move)
        state = state.play(state.legal_actions()[0])
    assert order == [0, 1, 2, 0]


# --- Dropping out before play -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "leavers", "phase", "places"),
    [
        ((), "1 2", "deal", (1, 3, 2)),
        ((DEAL_FOR_3,), "0 1", "colours", (3, 2, 1)),
        ((DEAL_FOR_3, "red"), "2 0", "colours", (2, 1, 3)),
    ],
)
def test_the_last_seat_left_wins_before_play_too(
    before: tuple[str, ...], leavers: str, phase: str, places: tuple[int, ...]
) -> None:
    state = play(VEDOVA_NERA.start(3), *before, *(f"drop {seat}" for seat in leavers.split()))
    assert result(state) == ("last-seat", places)
    assert (state.to_json()["phase"], state.to_json()["to_move"], state.legal_actions()) == (phase, None, ())


def test_a_drop_by_the_seat_that_waits_belongs_to_the_turn_under_way() -> None:
    state = VEDOVA_NERA.start(3)
    deal, drop = state.read(DEAL_FOR_3), Action.drop(2)
    turn = extend_turn(extend_turn(None, state, deal), dealt(), drop)
    assert (turn.seat, turn.actions) == (2, (deal, drop))
    left = dealt().play(drop)
    assert extend_turn(turn, left, left.legal_actions()[0]).seat == 0
