"""Positions with a right answer, and whether a turn is one: found by trying all turns, not by the searches."""

from typing import Any, Final

from engine import CHANCE, Action, State, games
from tests.support import kits

EFFORT: Final = 0.5
"""How much of level 3's iterations the games against random play get, where the kit does not say it."""


def entries(key: str) -> list[dict[str, Any]]:
    """Return the positions of a game, as tools/make_strength.py wrote them."""
    found: list[dict[str, Any]] = (kits.data(key, "strength.json") or {}).get("positions", [])
    return found


def effort(key: str) -> float:
    """Return how much of level 3's iterations the games against random play get: enough to win, and fast."""
    return float((kits.data(key, "strength.json") or {}).get("effort", EFFORT))


def loaded(entry: dict[str, Any]) -> State:
    return games[entry["position"]["game"]].load(entry["position"])


def can_win(state: State) -> bool:
    """Say whether the seat on the move has a turn that wins; all its turns are tried, to their ends."""
    return state.to_move not in (None, CHANCE) and any(leads(state, action) for action in state.legal_actions())


def leads(state: State, action: Action) -> bool:
    """Say whether a turn that begins with the action wins."""
    after = state.advance(action)
    if after.outcome is not None:
        return after.outcome.winner == state.to_move
    return after.to_move == state.to_move and after.turn == state.turn and can_win(after)
