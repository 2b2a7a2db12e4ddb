"""The position as a dictionary (docs/rules/uomo-nero.md, JSON)."""

# Not compiled: searches do not come here.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.games.uomo_nero.board import COLOURS, NAMES, list_names
from engine.games.uomo_nero.match import MAN, OVER, PHASES
from engine.positions import ending_fields

if TYPE_CHECKING:
    from engine.games.uomo_nero.state import UomoNeroState


def to_json(state: UomoNeroState) -> dict[str, Any]:
    """Return the position as the rules write it; under `extra` the turn, the rounds played and the rolls so far."""
    match = state.match
    over = state.phase == OVER
    return {
        "game": state.game.key,
        "options": {},
        "seats": state.seats,
        "to_move": None if over else state.mover,
        "phase": PHASES[state.phase],
        "round": match.round,
        "order": list(match.order),
        "man_seat": match.man_seat if match.round else None,
        "man": NAMES[state.man] if state.man >= 0 else None,
        "attackers": _attackers(state),
        "colours": {COLOURS[colour]: owner for colour, owner in enumerate(match.owners) if owner >= 0},
        "dice": list(state.dice) if state.dice[0] else None,
        "used": _used(state),
        "captured": list_names(state.captured) if state.phase == MAN else [],
        "man_turns": state.man_turns,
        "attack_scores": list(match.attack_scores),
        "man_scores": list(match.man_scores),
        **ending_fields(
            state,
            rolled=int(match.rolled),
            rounds=[round_.to_json() for round_ in match.rounds],
            rollers=list(match.rollers),
            sums=list(match.sums),
        ),
    }


def _attackers(state: UomoNeroState) -> list[dict[str, Any]]:
    colour_at = {name: colour for colour, cells in enumerate(state.pieces) for name in list_names(cells)}
    return [
        {"seat": state.match.owners[colour_at[name]], "colour": COLOURS[colour_at[name]], "cell": name}
        for name in list_names(state.all_pieces)
    ]


def _used(state: UomoNeroState) -> dict[str, Any] | None:
    if not state.used:
        return None
    return {"die": state.used, "attacker": NAMES[state.used_by.bit_length() - 1] if state.used_by else None}
