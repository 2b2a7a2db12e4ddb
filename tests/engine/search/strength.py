"""Positions with a right answer, and whether a turn is one: found by trying all turns, not by the searches."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from engine import CHANCE, Action, State, games

PAGE: Final = Path(__file__).resolve().parents[2] / "data" / "strength.json"
LATER: Final = {"annuvin", "uomo-nero"}
"""Games in which an action that goes on with a turn can still win it."""


@cache
def entries() -> dict[str, list[dict[str, Any]]]:
    """Return the positions by game, as tools/make_strength.py wrote them."""
    result: dict[str, list[dict[str, Any]]] = json.loads(PAGE.read_text(encoding="utf-8"))
    return result


def loaded(entry: dict[str, Any]) -> State:
    """Return the state of an entry."""
    return games[entry["position"]["game"]].load(entry["position"])


def can_win(state: State) -> bool:
    """Say whether the seat on the move has a turn that wins."""
    if state.to_move in (None, CHANCE):
        return False
    return any(_wins(state, action) for action in state.legal_actions())


def _wins(state: State, action: Action) -> bool:
    after = state.advance(action)
    if after.outcome is not None:
        return after.outcome.winner == state.to_move
    same = after.to_move == state.to_move and after.turn == state.turn
    return state.game.key in LATER and same and can_win(after)
