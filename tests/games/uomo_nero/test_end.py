"""Gioco dell'Uomo Nero: ends of a round, points, titles, dropping out."""

from typing import Any, Final

import pytest

from engine.core import CHANCE, Outcome, State
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.games.uomo_nero.court import begin_round, court, load, play, rolled_off, texts
from tests.support.present import present, result


def last_round(state: State) -> dict[str, Any]:
    """Return the round that ended last."""
    rounds: list[dict[str, Any]] = state.to_json()["extra"]["rounds"]
    return rounds[-1]


def finished(state: State) -> Outcome:
    assert state.to_move is None
    return present(state.outcome)


# --- Rounds -----------------------------------------------------------------------------------------------------------

NONE_LEFT, TOTAL_BLOCK, NO_PROGRESS, DROP = "none-left", "total-block", "no-progress", "drop"

ROUNDS: Final[dict[str, list[tuple[State, list[str], str, list[int]]]]] = {
    # the rule: positions, what is played there, and for what reason the round ends by it with which points
    "no attacker is left in play by arriving": [(load("c11 d13", dice=(1, 1)), ["c11-c13/2"], NONE_LEFT, [0, 2])],
    "no attacker is left in play by capture once he has landed": [
        (load("d6", "c13", man="d7", dice=(1, 2), to_move=0), ["xd6", "d4"], NONE_LEFT, [0, 1]),
    ],
    "a total block: the last attacker is blocked on the start line": [
        (load(yellow="d1 c13", man="d4", dice=(1, 1), to_move=0), ["d2"], TOTAL_BLOCK, [0, 1]),
    ],
    "a total block by the attackers' own action": [
        (load("c12", "d1", man="d2", dice=(1, 2)), ["c12-c13/1"], TOTAL_BLOCK, [0, 1]),
    ],
    "the Man may land where he stood and block": [
        (load("e2", "d1", man="d2", dice=(1, 1), to_move=0), ["xe2", "d2"], TOTAL_BLOCK, [0, 0]),
    ],
    "no progress when the Man has finished his 50th turn": [
        (load("d5 c13", man="h7", dice=(1, 3), to_move=0, man_turns=49), ["stay"], NO_PROGRESS, [0, 1]),
    ],
    "a capture of the last comes before no progress": [
        (load("d6", man="d7", dice=(1, 2), to_move=0, man_turns=49), ["xd6", "d4"], NONE_LEFT, [0, 0]),
    ],
    "each attacker that has arrived is worth 1 point to its player": [
        (
            load("c11 a13", "b13 e4", "d13", seats=3, dice=(1, 1), man_turns=49),
            ["c11-c13/2", "roll 1 1", "stay/2", "roll 1 1", "stay"],
            NO_PROGRESS,
            [0, 3, 1],
        ),
    ],
    # Dropping out.
    "attackers of a leaver that have arrived score": [
        (
            load("c5 c13", "d5", seats=3, man="d6", dice=(1, 2), to_move=0),
            ["drop 1", "xd5", "d3"],
            NONE_LEFT,
            [0, 1, 0],
        ),
    ],
    "if the Man leaves, the round ends with 1 point for each attacker in play": [
        (load("c5 c13", "d5", "e1", seats=3, dice=(1, 2)), ["drop 0"], DROP, [0, 3, 1]),
    ],
    "those that he has named are captured": [
        (load("c5", "d5", seats=3, man="c6", dice=(1, 2), to_move=0), ["xc5", "drop 0"], DROP, [0, 0, 1]),
    ],
    "before the first roll of a round they score nothing": [
        (rolled_off(4), ["drop 0"], DROP, [0, 0, 0, 0]),
        (rolled_off(4), ["d13", "drop 0"], DROP, [0, 0, 0, 0]),
        (rolled_off(4), ["d13", "red", "drop 0"], DROP, [0, 0, 0, 0]),
        (begin_round(4), ["drop 0"], DROP, [0, 0, 0, 0]),
        (begin_round(4), ["drop 1", "drop 0"], DROP, [0, 0, 0, 0]),
    ],
    "from the first roll on they do, also when the only one to have rolled has left": [
        (begin_round(4), ["roll 1 1", "drop 0"], DROP, [0, 2, 2, 2]),
        (begin_round(4), ["roll 1 1", "drop 1", "drop 0"], DROP, [0, 0, 2, 2]),
        (UOMO_NERO.load(play(begin_round(4), "roll 1 1", "drop 1").to_json()), ["drop 0"], DROP, [0, 0, 2, 2]),
    ],
    "an end that a drop brings about comes at once": [
        (load("c5 c13", "d13", seats=3, dice=(1, 2)), ["drop 1"], NONE_LEFT, [0, 1, 1]),
        (load("a1", "d5", seats=3, man="a2", dice=(1, 2), to_move=2), ["drop 2"], TOTAL_BLOCK, [0, 0, 0]),
    ],
    "also if the leaver is not on the move": [
        case
        for dice in (None, (1, 2))
        for case in (
            # the Man is to roll, or has rolled and named nobody; the last attackers in play leave
            (load("c5", "d13", seats=3, dice=dice, to_move=0), ["drop 1"], NONE_LEFT, [0, 0, 1]),
            # seat 2 is to roll or has rolled, and its last attacker is blocked as soon as seat 1 has left
            (load("d5 c13", "c1", seats=3, man="c2", dice=dice, to_move=2), ["drop 1"], TOTAL_BLOCK, [0, 1, 0]),
        )
    ],
    "but only when the Man has landed, if he is naming captures": [
        (
            load("d6", "d5", "b4", seats=3, man="d7", dice=(1, 3), to_move=0),
            ["xd6", "xd5", "drop 1", "d3"],
            NONE_LEFT,
            [0, 0, 0],
        ),
    ],
}


@pytest.mark.parametrize("rule", ROUNDS)
def test_ends_of_a_round(rule: str) -> None:
    for state, line, reason, points in ROUNDS[rule]:
        before = play(state, *line[:-1])
        assert before.to_json()["round"] == state.to_json()["round"]
        after = play(before, line[-1])
        assert last_round(after) == {"man": 0, "points": points, "reason": reason}, line
        assert after.turn == before.turn + 1


GOES_ON: Final[dict[str, list[tuple[State, list[str]]]]] = {
    # the rule: positions, and what is played there without an end of the round
    "two are left": [(load("", "c1 d1", man="e3", dice=(1, 1), to_move=0), ["d2"])],
    "two are left, one of them in the field": [(load("b5", "d1", man="e3", dice=(1, 1), to_move=0), ["d2"])],
    "the last one is not on the start line": [(load("", "d3", man="e3", dice=(1, 1), to_move=0), ["d2"])],
    "the Man is not before it": [(load("", "d1", man="e3", dice=(1, 1), to_move=0), ["d4"])],
    "the Man is before another cell": [(load("", "c1", man="e3", dice=(1, 1), to_move=0), ["d2"])],
    "there is no total block while captures are being named": [
        (load("e3", "d1", man="d2", dice=(1, 1), to_move=0), ["xe3"]),
        (load("e3", "d1", man="d2", dice=(1, 1), to_move=0), ["xe3", "e3"]),
    ],
    "no end by capture before he has landed": [(load("d6", "c13", man="d7", dice=(1, 2), to_move=0), ["xd6"])],
    "49 turns of the Man": [(load("d5 c13", man="h7", dice=(1, 3), to_move=0, man_turns=48), ["stay"])],
}


@pytest.mark.parametrize("rule", GOES_ON)
def test_a_round_goes_on(rule: str) -> None:
    for state, line in GOES_ON[rule]:
        assert play(state, *line).to_json()["round"] == 1


def test_the_attacker_of_a_total_block_is_captured() -> None:
    # in the last round the board shows it
    state = play(load("b13", "d1", man="d4", dice=(1, 1), to_move=0, scores="3 0  - 3"), "d2")
    assert finished(state).reason == "score"
    assert [one["cell"] for one in state.to_json()["attackers"]] == ["b13"]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_there_are_as_many_rounds_as_players(seats: int) -> None:
    state = begin_round(seats)
    men = [0]
    while state.outcome is None:
        shown = state.to_json()
        if shown["round"] > len(men):
            men.append(shown["man_seat"])
        # the attackers stay, and 50 turns of the Man end each round
        state = play(state, "roll 1 1" if state.to_move == CHANCE else state.legal_actions()[-1].text)
    assert men == list(range(seats))


AFTER: Final[dict[str, list[tuple[State, list[str], dict[str, Any]]]]] = {
    # the rule: positions, what is played there, and what the position shows then
    "each round another player is the Man and the court is empty": [
        (
            load("c11 d13", dice=(1, 1)),
            ["c11-c13/2"],
            {
                "round": 2,
                "phase": "man-start",
                "to_move": 1,
                "man_seat": 1,
                "man": None,
                "attackers": [],
                "colours": {},
                "man_turns": 0,
                "dice": None,
                "used": None,
            },
        ),
    ],
    "the total is the Man's score": [
        (load("c11 a13", "b13", "d13", seats=3, dice=(1, 1)), ["c11-c13/2"], {"man_scores": [4, None, None]}),
        (
            load("c5 c13", "d5", "e1", seats=3, dice=(1, 2)),
            ["drop 0"],
            {"man_scores": [4, None, None], "phase": "man-start", "to_move": 1},
        ),
    ],
    "scores change when a round ends": [
        (load("c12 d4", dice=(1, 2)), ["c12-c13/1"], {"attack_scores": [0, 0]}),
        (
            load("c11 a13", "b13", "d13", seats=3, dice=(1, 1)),
            ["c11-c13/2"],
            {"attack_scores": [0, 3, 1]},
        ),
    ],
    "the attack score is the sum over the rounds": [
        (
            load("c11 d13", dice=(1, 1), seats=3, scores="2 3 0  - 1 4"),
            ["c11-c13/2"],
            {"attack_scores": [2, 5, 0]},
        ),
    ],
    "everything stays as the last action left it": [
        (
            load("c11 a13", "b13", seats=3, dice=(1, 1), scores="2 3 4  - 4 5", man="f6"),
            ["c11-c13/2"],
            {
                "phase": "over",
                "to_move": None,
                "dice": None,
                "round": 3,
                "man": "f6",
                "man_turns": 20,
                "attack_scores": [2, 5, 5],
                "attackers": court("c13 a13", "b13", seats=3)["attackers"],
            },
        ),
    ],
    # Dropping out.
    "the attackers in play are taken off and those that arrived stay": [
        (
            load("c5 c13", "d5", "e1", seats=3, dice=(1, 2), to_move=2),
            ["drop 1"],
            {"to_move": 2, "attackers": court("c13", "d5", seats=3)["attackers"]},
        ),
    ],
    "a seat on the move ends its turn": [
        (
            load("c5 c6", "d5", seats=3, dice=(1, 2)),
            ["drop 1"],
            {"phase": "roll", "to_move": 2, "extra": {"turn": 1, "rolled": 1}},
        ),
        (
            load("c5 c6", "d5", seats=3, dice=(1, 2)),
            ["c5-c4/1", "drop 1"],
            {"phase": "roll", "to_move": 2, "extra": {"turn": 1, "rolled": 1}},
        ),
        (load("c5 c6", "d5", seats=3), ["drop 1"], {"phase": "roll", "to_move": 2, "extra": {"turn": 1, "rolled": 1}}),
    ],
    "a seat not on the move leaves the turn as it is": [
        (
            load("c5 c6", "d5", seats=3, dice=(1, 2)),
            ["c5-c4/1", "drop 2"],
            {"phase": "attack", "to_move": 1, "used": {"die": 1, "attacker": "c4"}, "extra": {"rolled": 1}},
        ),
    ],
    "its turns are skipped": [(begin_round(4), ["drop 2", "roll 1 1", "stay/2"], {"to_move": 3})],
    "its later rounds as the Man are not played": [
        (
            load("c12 d13", "d5", seats=4, man="d6", dice=(1, 2)),
            ["drop 1", "drop 2"],
            {"round": 4, "man_seat": 3},
        ),
    ],
    "it picks no colours any more, they stay out": [
        (
            rolled_off(4),
            ["d13", "drop 2", "red", "blue"],
            {"phase": "roll", "colours": {"red": 1, "blue": 3}},
        ),
    ],
    "the colours of a leaver stay taken": [
        (
            rolled_off(4),
            ["d13", "red", "drop 1"],
            {"to_move": 2, "attackers": [], "colours": {"red": 1}},
        ),
    ],
    "a picker that leaves ends its turn": [
        (rolled_off(4), ["d13", "red", "blue", "drop 3"], {"phase": "roll", "to_move": 1}),
    ],
    "when one seat is left the game is over at once and no round is closed": [
        (
            load("c5 c13", dice=(1, 2)),
            [f"drop {seat}"],
            {
                "phase": "over",
                "attack_scores": [0, 0],
                "man_scores": [None, None],
                "outcome": {"reason": "last-seat", "places": places},
            },
        )
        for seat, places in ((0, [2, 1]), (1, [1, 2]))
    ],
    "it places last among those still playing": [
        (
            begin_round(5),
            ["drop 3", "drop 1", "drop 0", "drop 4"],
            {"outcome": {"reason": "last-seat", "places": [3, 4, 1, 5, 2]}},
        ),
    ],
}


@pytest.mark.parametrize("rule", AFTER)
def test_what_an_action_changes(rule: str) -> None:
    for state, line, expected in AFTER[rule]:
        shown = play(state, *line).to_json()
        assert {name: shown[name] for name in expected} == expected, line


# --- After the last round ---------------------------------------------------------------------------------------------


def end(scores: str, seats: int = 3, **changes: Any) -> Outcome:
    """Return the outcome where seat 1 makes the one point of the last round, in which seat 0 is the Man."""
    return finished(play(load("c11", seats=seats, dice=(1, 1), scores=scores, **changes), "c11-c13/2"))


def test_reason_and_details() -> None:
    outcome = end("2 2 4  - 5 3")
    assert outcome.reason == "score"
    assert outcome.to_json()["details"] == {
        "best_attacker": [2],
        "best_man": [0],
        "rounds": [{"man": 0, "points": [0, 1, 0], "reason": "none-left"}],
    }


@pytest.mark.parametrize(
    ("scores", "places", "attackers", "men"),
    [
        # the highest attack score wins: attack 2 3 4, Man 1 5 3
        ("2 2 4  - 5 3", (3, 2, 1), [2], [0]),
        # a tie goes to the lower Man score: attack 2 4 4, Man 1 4 5
        ("2 3 4  - 4 5", (3, 1, 2), [1], [0]),
        # still tied, a shared place: attack 1 4 4, Man 1 4 4
        ("1 3 4  - 4 4", (3, 1, 1), [1, 2], [0]),
        # best Man, a tie goes to the higher attack score: attack 0 3 1, Man 1 1 2
        ("0 2 1  - 1 2", (3, 1, 2), [1], [1]),
        # all tied, all shared: attack 1 1 1, Man 1 1 1
        ("1 0 1  - 1 1", (1, 1, 1), [0, 1, 2], [0, 1, 2]),
    ],
)
def test_titles(scores: str, places: tuple[int, ...], attackers: list[int], men: list[int]) -> None:
    outcome = end(scores)
    assert outcome.places == places
    assert (outcome.details["best_attacker"], outcome.details["best_man"]) == (attackers, men)


@pytest.mark.parametrize(("scores", "places"), [("1 0  - 1", (1, 1)), ("2 0  - 2", (1, 2)), ("0 0  - 0", (2, 1))])
def test_with_two_players_the_higher_attack_score_wins_and_equal_ones_are_a_draw(
    scores: str, places: tuple[int, ...]
) -> None:
    outcome = end(scores, seats=2)
    assert (outcome.places, outcome.details["best_man"]) == (places, [])


def test_rounds_before_a_load_without_extra_are_missing() -> None:
    state = play(load("c11 a13", seats=3, dice=(1, 1), scores="2 3 4  - 4 5"), "c11-c13/2")
    assert [round_["man"] for round_ in finished(state).details["rounds"]] == [0]
    position = state.to_json()
    del position["extra"]
    again = UOMO_NERO.load(position)
    assert (again, finished(again).details["rounds"]) == (state, [])


# --- Dropping out -----------------------------------------------------------------------------------------------------


def test_numbers_that_depend_on_the_players_stay_those_of_the_start() -> None:
    # of three players two are left: the attacker still has four attackers
    state = play(UOMO_NERO.start(3), "drop 1", "roll 1 1", "roll 6 6", "roll 6 6", "d13", "red", "blue")
    assert len(state.to_json()["attackers"]) == 4


def test_an_attacker_that_a_drop_takes_off_is_no_longer_in_the_mans_way() -> None:
    state = load("a12", "d6", "b4", seats=4, man="d7", dice=(1, 1), to_move=0)
    assert "d5" not in texts(state)
    assert "d5" in texts(play(state, "drop 2"))


def test_it_takes_no_title() -> None:
    # seat 2 has most points and the lowest Man score, but has left
    outcome = end("0 0 4  - 4 0", dropped=[2])
    assert outcome.places == (2, 1, 3)
    assert (outcome.details["best_attacker"], outcome.details["best_man"]) == ([1], [0])


def test_the_last_man_that_leaves_ends_the_game_by_score() -> None:
    over = play(load("c5 c13", "d5", seats=3, dice=(1, 2), scores="2 3 4  - 4 5"), "drop 0")
    assert result(over) == ("score", (3, 1, 2))
    assert (over.to_json()["attack_scores"], UOMO_NERO.load(over.to_json())) == ([2, 5, 5], over)
