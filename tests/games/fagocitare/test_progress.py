"""Hints of Fagocitare lead to an end: a safe dot that takes no safe cell from the other is none where another does."""

from random import Random

from engine import games
from engine.games.fagocitare.rules import FagocitareState
from engine.search import players
from engine.search.progress import list_aimless_actions

GAME, POLICY = games["fagocitare"], players["fagocitare"].policy


def late_positions(seed: int, size: int = 7) -> list[FagocitareState]:
    rng, state, found = Random(seed), GAME.start(2, {"size": size}), list[FagocitareState]()
    while state.to_move is not None:
        assert isinstance(state, FagocitareState)
        found.append(state)
        state = state.play(state.random_action(rng))
    return found


def safe_texts(state: FagocitareState, seat: int) -> set[str]:
    """Return the cells where a dot of a seat, if it were to move, loses none and lets the other capture nowhere new."""
    moved = GAME.load({**state.to_json(), "to_move": seat})
    assert isinstance(moved, FagocitareState)
    dead, threats = state.dead[1 - seat], captures_of(state, 1 - seat)
    found = set()
    for action in moved.legal_actions():
        after = moved.play(action)
        assert isinstance(after, FagocitareState)
        if after.dead[1 - seat] == dead and captures_of(after, 1 - seat) <= threats:
            found.add(action.text)
    return found


def captures_of(state: FagocitareState, seat: int) -> set[str]:
    taking = state.capturing(seat, state.free)
    return {action.text for cell, action in enumerate(state.sheet.actions) if taking >> cell & 1}


def test_a_dot_waits_that_takes_no_safe_cell_where_another_does() -> None:
    waited = 0
    for seed in range(3):
        for state in late_positions(seed):
            seat = state.to_move or 0
            waits = {action.text for action in state.legal_actions() if POLICY.is_waiting(state, action)}
            if state.turn < 6:
                assert not waits
                continue
            theirs, taking = safe_texts(state, 1 - seat), set()
            quiet = safe_texts(state, seat) - captures_of(state, seat)
            for text in quiet:
                after = state.play(state.read(text))
                assert isinstance(after, FagocitareState)
                if after.outcome is not None or theirs - safe_texts(after, 1 - seat):
                    taking.add(text)
            assert waits == (quiet - taking if taking else set())
            assert waits - list_aimless_actions(state, POLICY, []) == set() or len(waits) == len(state.legal_actions())
            waited += bool(waits)
    assert waited > 2
