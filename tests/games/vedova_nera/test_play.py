"""La Vedova Nera on the web: every sentence about turns, stable pawns, captures and bans, as tables of positions."""

from typing import Any

import pytest

from engine.core import IllegalAction, State
from tests.games.vedova_nera.board import load, pawns, play, stable, texts
from tests.support.present import catch_error

SIX = "a4 b4 c4 d4 e4 f4"  # goals out of the way


# --- Stable pawns -----------------------------------------------------------------------------------------------------

ALL_COVERED = ["a1 b2 c3 d4 e4 f4"]
LOOSE = load("a1 b2 c3 g4", "", counsellor="h4", goals=ALL_COVERED)
EXAMPLE_4 = load("c1 d3", "", "", "", "", goals=["c1 f1 d3"], to_move=1)
STABLE: dict[str, tuple[State, str]] = {
    "example 4: a goal is not stable while one further in is open": (EXAMPLE_4, "c1"),
    "those in the innermost ring with an open goal are, those further out are not": (
        load("c1 c2 f3 g4", "", goals=["c1 c2 e2 f3 g4 h4"]),
        "c1 c2",
    ),
    "a pawn on no own goal never is": (load("c1 d1", "e1", goals=["c1 f2", "d1"], to_move=1), "c1"),
    "all if only an outermost goal is open": (load("a1 b2 c3 d4 e4 g4", "", goals=ALL_COVERED), "a1 b2 c3 d4 e4"),
    "moving one away takes stability from it and from all further out": (play(LOOSE, "a1-h1"), ""),
    "which of two in one ring is covered first does not matter, a": (load("a1", "", goals=["a1 b1 c2"]), "a1"),
    "which of two in one ring is covered first does not matter, b": (load("b1", "", goals=["a1 b1 c2"]), "b1"),
}


@pytest.mark.parametrize("rule", STABLE)
def test_stable_pawns(rule: str) -> None:
    state, expected = STABLE[rule]
    assert stable(state, 0) == expected


def test_a_pawn_is_stable_on_own_goals_only() -> None:
    assert stable(load("c1 d1", "e1", goals=["c1 f2", "d1"], to_move=1), 1) == ""


def test_example_4_reaching_the_last_goal_makes_all_stable_at_once_and_that_is_the_win() -> None:
    state = play(load("c1 d3 g1", "", "", "", "", goals=["c1 f1 d3"]), "g1-f1")
    assert (stable(state, 0), state.outcome and state.outcome.reason) == ("c1 d3 f1", "complete")


# --- Steps, slides and entries ----------------------------------------------------------------------------------------

STEPPING = load("c2 c3", "d2", counsellor="b2", goals=[SIX])
ENTERING = load("a4 b3", "c4", counsellor="h4", goals=["d3 e3 f3 g3 h3 a3"])
SLIDING = load("a3", "b4", counsellor="e2", goals=[SIX])
LEGAL: dict[str, tuple[State, str, str]] = {
    "a step goes to a free neighbouring node": (STEPPING, "step", "c2-c1 c3-b3 c3-c4 c3-d3"),
    "the ring is closed": (load("h3", "", goals=[SIX]), "step", "h3-a3 h3-g3 h3-h2 h3-h4"),
    "the Counsellor slides along its spoke or its ring either way round": (
        SLIDING,
        "counsellor",
        "Ka2 Kb2 Kc2 Kd2 Kf2 Kg2 Kh2 Ke1 Ke3 Ke4",
    ),
    "every node it passes must be free and the last one too": (
        load("c2", "g2 e4", counsellor="e2", goals=[SIX]),
        "counsellor",
        "Kd2 Kf2 Ke1 Ke3",
    ),
    "pawns off the board enter on any free node of ring 4": (ENTERING, "enter", "+b4 +d4 +e4 +f4 +g4"),
    "a player with all pawns on the board enters nothing": (load("a3 b3 c3 d3 e3 f3", "c2", goals=[SIX]), "enter", ""),
}


@pytest.mark.parametrize("rule", LEGAL)
def test_legal_actions(rule: str) -> None:
    state, verb, expected = LEGAL[rule]
    assert texts(state, verb) == expected.split()


def test_a_turn_is_exactly_one_action() -> None:
    state = play(STEPPING, "c3-d3")
    assert (state.to_move, state.turn, pawns(state)) == (1, 1, ["c2 d3", "d2"])
    after = play(ENTERING, "+d4")
    assert (pawns(after), after.to_json()["off"]) == (["a4 b3 d4", "c4"], [3, 5])


# --- The Counsellor ---------------------------------------------------------------------------------------------------


def test_one_way_round_the_ring_may_be_open_where_the_other_is_not() -> None:
    assert "Kg2" in texts(load("f2", "", counsellor="e2", goals=[SIX]), "counsellor")


def test_the_counsellor_never_slides_to_its_own_node_not_even_once_round_an_empty_ring() -> None:
    state = load("a4", "b4", counsellor="e1", goals=["c4"])
    assert "Ke1" not in texts(state)
    assert catch_error(IllegalAction, state.read, "Ke1").code == "counsellor-stays-put"


BETWEEN = load("a4", "b4", counsellor="e2", goals=["c4"])


def test_the_counsellor_may_not_go_straight_back_not_even_the_other_way_round() -> None:
    state = play(BETWEEN, "Ke4")
    assert state.to_json()["counsellor_ban"] == "e2"
    assert catch_error(IllegalAction, state.read, "Ke2").code == "counsellor-straight-back"
    assert {"Ke1", "Ke3"} <= set(texts(state))
    assert "Ke2" not in texts(play(BETWEEN, "Kg2"))


def test_the_counsellor_may_go_back_after_another_action_or_by_another_node() -> None:
    state = play(BETWEEN, "Ke4", "b4-b3")
    assert (state.to_json()["counsellor_ban"], "Ke2" in texts(state)) == (None, True)
    state = play(BETWEEN, "Ke4", "Ke3")
    assert (state.to_json()["counsellor_ban"], "Ke2" in texts(state), "Ke4" in texts(state)) == ("e4", True, False)


@pytest.mark.parametrize("action", ["a1-a2", "+f4", "Me4-e3"])
def test_any_action_but_a_slide_lifts_the_ban_of_the_counsellor(action: str) -> None:
    goals = ["a1 b1 c1 d1 e4 f3", "a4 b4 c4 d4 g4 h4"]
    state = play(load("a1 b1 c1 d1", "g3", goals=goals, counsellor="h2", ban="h4"), action)
    assert state.to_json()["counsellor_ban"] is None
    assert "Kh4" in texts(state, "counsellor")


def test_a_drop_lifts_no_ban() -> None:
    state: State = load("a4", "b4", "c4", counsellor="e2", goals=["d4"])
    assert play(state, "Ke4", "drop 0").to_json()["counsellor_ban"] == "e2"
    state = play(state, "Ke4", "drop 1")
    assert (state.to_move, state.to_json()["counsellor_ban"], "Ke2" in texts(state)) == (2, "e2", False)
    # With one of two players left nobody heeds them, but the position stays as the last action left it.
    assert play(load("a4", "b3", to_move=0, entry_ban=["f4", None]), "drop 1").to_json()["entry_ban"] == ["f4", None]
    assert play(load("a4", "f4", to_move=0, last_entry="f4"), "drop 1").to_json()["last_entry"] == "f4"


# --- Entering ---------------------------------------------------------------------------------------------------------

ENTRY: dict[str, Any] = {"counsellor": "h1", "goals": ["e3 f3 g3 h3 a3 b3", "e2 f2 g2 h2 a2 b2"]}


def test_with_two_players_a_pawn_removed_at_once_may_not_enter_on_the_same_node_in_the_following_turn() -> None:
    state = play(load("a1", "b4 d3", **ENTRY), "+c4")
    assert state.to_json()["last_entry"] == "c4"
    state = play(state, "d3-d4")
    shown = state.to_json()
    assert (shown["off"], shown["last_entry"], shown["entry_ban"]) == ([5, 4], None, ["c4", None])
    assert catch_error(IllegalAction, state.read, "+c4").code == "entry-ban"
    assert "+e4" in texts(state)
    # It is the second player's ban, too.
    state = play(load("b4 d3", "a1", **ENTRY, to_move=1), "+c4", "d3-d4")
    assert (state.to_json()["entry_ban"], "+c4" in texts(state)) == ([None, "c4"], False)


def test_the_ban_on_entering_holds_for_one_turn() -> None:
    state = play(load("a1", "b4 d3", **ENTRY), "+c4", "d3-d4", "a1-a2", "d4-d3")
    assert (state.to_json()["entry_ban"], "+c4" in texts(state)) == ([None, None], True)


def test_no_entry_ban_follows_the_removal_of_another_or_older_pawn() -> None:
    state = play(load("a1 f3", "e3 g2", goals=["a4", "b4"]), "+c4", "g2-g3")
    assert (pawns(state)[0], state.to_json()["entry_ban"]) == ("a1 c4", [None, None])
    state = play(load("a1", "b4 d3", **ENTRY), "+c4", "b4-b3", "a1-a2", "b3-b4", "a2-a1", "d3-d4")
    assert (state.to_json()["off"][0], "+c4" in texts(state)) == (5, True)


def test_with_three_players_there_is_no_ban_on_entering() -> None:
    state = play(load("a1", "b4 d3", "f1", counsellor="h1", goals=["a3", "b3", "c3"]), "+c4")
    assert state.to_json()["last_entry"] is None
    state = play(state, "d3-d4", "f1-f2")
    assert (state.to_json()["entry_ban"], "+c4" in texts(state)) == ([None, None, None], True)


# --- Marbles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "needed"), [(2, 4), (3, 3), (4, 2), (5, 2)])
def test_marbles_move_with_enough_stable_pawns_for_the_number_of_players(seats: int, needed: int) -> None:
    goals = " ".join(f"{spoke}1" for spoke in "abcdefgh"[: {2: 6, 3: 5, 4: 4, 5: 3}[seats]])
    rest = [""] * (seats - 1)
    enough = load(" ".join(goals.split()[:needed]), *rest, goals=[goals])
    too_few = load(" ".join(goals.split()[: needed - 1]), *rest, goals=[goals])
    assert texts(enough, "marble")
    assert not texts(too_few, "marble")
    error = catch_error(IllegalAction, too_few.read, "Ma1-a2")
    assert (error.code, error.params) == ("too-few-stable", {"n": needed - 1, "needed": needed})


def test_a_marble_moves_to_a_free_neighbouring_hollow_and_the_goal_with_it() -> None:
    state = load("a1 b1", "", "", "", goals=["a1 b1 d2 h4", "d3"])
    assert [text for text in texts(state, "marble") if text.startswith("Md2")] == ["Md2-c2", "Md2-d1", "Md2-e2"]
    after = play(state, "Md2-c2")
    assert (after.to_json()["marbles"]["red"], pawns(after)[0]) == (["a1", "b1", "c2", "h4"], "a1 b1")


def test_pawns_do_not_block_marbles() -> None:
    assert {"Md2-c2", "Md2-d1"} <= set(texts(load("a1 b1", "c2", "", "", counsellor="d1", goals=["a1 b1 d2 h4"])))


def test_the_right_to_move_marbles_is_tested_each_time() -> None:
    assert not texts(play(load("a1 b1", "", "", "", goals=["a1 b1 d2 h4"]), "b1-b2", "+a4", "+b4", "+c4"), "marble")


def test_moving_a_marble_changes_which_pawns_are_stable() -> None:
    state = load("a2 b2 c3", "", "", "", goals=["a2 b2 c3 d2", "e1", "f1", "g1"])
    assert (stable(state, 0), stable(play(state, "Md2-d3"), 0)) == ("a2 b2", "a2 b2 c3")
    assert stable(play(state, "Ma2-a1"), 0) == ""


# --- Captures ---------------------------------------------------------------------------------------------------------

H4, FAR, NONE = ["h4"], ["f4", "g4", "h4"], ["a4"]
THREE, FROM_C4 = {"counsellor": "c1", "goals": FAR}, {"counsellor": "c4", "goals": FAR}
CAPTURES: dict[str, tuple[State, str, str]] = {
    # the rule: the position, the actions, and the pawns that are left to each seat
    "example 2: between two of the mover": (load("c1 d3", "c2", goals=[SIX]), "d3-c3", "c1 c3 | "),
    "example 2: a stable one is not": (load("c1 d3", "c2", goals=[SIX, "c2 g4"]), "d3-c3", "c1 c3 | c2"),
    "example 2: stepping into a trap": (load("c1 c3", "d2", goals=[SIX], to_move=1), "d2-c2", "c1 c3 | c2"),
    "example 3: with the Counsellor, by its owner": (load("b2", "a2", "e3", **THREE, to_move=0), "Kc2", "b2 | a2 | e3"),
    "example 3: by the owner of the other": (load("b2", "a2", "e3", **THREE, to_move=1), "Kc2", " | a2 | e3"),
    "example 3: by a third one": (load("b2", "a2", "e3", **THREE, to_move=2), "Kc2", " | a2 | e3"),
    "the Counsellor and the victim's fellow": (load("e3", "a2 b2", counsellor="c1", goals=[SIX]), "Kc2", "e3 | a2 b2"),
    "the Counsellor and a pawn that comes": (load("b3", "c2", counsellor="d2", goals=[SIX]), "b3-b2", "b2 | "),
    "a third player's pawn makes no pair": (load("b3", "c2", "d2", goals=["e4", "f4", "g4"]), "b3-b2", "b2 | c2 | d2"),
    "along the spoke": (load("c3 e4", "d3", goals=NONE), "e4-e3", "c3 e3 | "),
    "along the ring": (load("d4 e2", "d3", goals=NONE), "e2-d2", "d2 d4 | "),
    "not round a corner": (load("c3 e2", "d3", goals=NONE), "e2-d2", "c3 d2 | d3"),
    "nothing lies beyond ring 4": (load("a2 h3", "a4", goals=["c4"]), "h3-a3", "a2 a3 | a4"),
    "the middle joins nothing": (load("e1 b2", "a1", counsellor="h2", goals=["c4"]), "b2-a2", "a2 e1 | a1"),
    "over the seam between h and a": (load("g1 b1 b2", "h1", counsellor="e4", goals=["c4"]), "b1-a1", "a1 b2 g1 | "),
    "by entering": (load("c2", "c3", goals=NONE), "+c4", "c2 c4 | "),
    "all that are caught at once": (
        load("a3 e3 c1 d4", "b3 d3 c2", counsellor="g2", goals=H4),
        "d4-c4 b3-b2 c4-d4 b2-b3 d4-c4 +h4 c4-c3",
        "a3 c1 c3 e3 | h4",
    ),
    "removals are independent": (load("e2", "b2", "a2 d2", **FROM_C4), "Kc2", "e2 |  | a2"),
    "removals are independent, two of one colour": (load("f1", "b2 d2", "a2 e2", **FROM_C4), "Kc2", "f1 |  | a2 e2"),
    "a removal traps nobody": (load("b1 d1 e4", "c1", "c2", counsellor="c3", goals=FAR), "e4-e3", "b1 d1 e3 | c1 | c2"),
    "only the piece just moved traps": (load("b2 d2 f3", "c2", goals=H4), "f3-f2", "b2 d2 f2 | c2"),
    "never own pawns, by the Counsellor": (load("b2", "a2", counsellor="c1", goals=["f4", "g4"]), "Kc2", "b2 | a2"),
    "never own pawns, by a step": (load("b3", "a2 c2", goals=["f4", "g4"]), "b3-b2", "b2 | a2 c2"),
    "a stable pawn traps": (load("c1 d3", "c2", goals=["c1 a4"]), "d3-c3", "c1 c3 | "),
    "stability counts after the move": (load("c1 d3", "c2 e1", goals=[SIX, "c2 e1"]), "d3-c3", "c1 c3 | c2 e1"),
    "a marble traps nobody": (
        load("a1 b1 c2", "c3", "", "", goals=["a1 b1 d3 h4"], counsellor="g3"),
        "Md3-d2 +a4 +b4 +d4 Md2-c2",
        "a1 b1 c2 | a4 c3 | b4 | d4",
    ),
}


@pytest.mark.parametrize("rule", CAPTURES)
def test_captures(rule: str) -> None:
    state, actions, expected = CAPTURES[rule]
    after = play(state, *actions.split())
    assert " | ".join(pawns(after)) == expected
    whole = [len(own.split()) + off for own, off in zip(pawns(after), after.to_json()["off"], strict=True)]
    assert len(set(whole)) == 1, "what is removed is off the board"
