"""Counting the turns of Annuvin: after the end, and from the middle of a turn."""

from engine.perft import perft
from tests.games.annuvin.board import ANNUVIN


def test_perft_counts_nothing_after_the_end() -> None:
    state = ANNUVIN.start(options={"board": "square"})
    over = state.play(state.parse("a1a2")[0])
    assert perft(over, 0) == 1
    position = over.to_json() | {"dropped": [0], "to_move": None, "outcome": {"reason": "last-seat", "places": [2, 1]}}
    assert perft(ANNUVIN.load(position), 1) == 0


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
    state = ANNUVIN.load(position)
    assert [action.text for action in state.legal_actions()] == ["xa2", "xc3", "stop"]
    assert perft(state, 1) == 4
