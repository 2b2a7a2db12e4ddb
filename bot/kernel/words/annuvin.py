"""Annuvin in words."""

from collections.abc import Iterator, Sequence
from typing import Final

from bot.kernel.words.teller import GameWords, PositionTeller, captures_from_opponent
from engine import Action, State


def _seat(teller: PositionTeller, seat: int) -> Iterator[str]:
    position = teller.position
    yield from teller.cells("position.pieces", position["pieces"][seat])
    yield from teller.count("position.reserve", position["reserve"][seat])
    yield from teller.count("position.lost", position["lost"][seat])


def _common(teller: PositionTeller) -> Iterator[str]:
    moving = teller.position["moving"]
    if moving:
        yield teller.line("position.moving", cell=moving["piece"], n=moving["range"])


def _cells(teller: PositionTeller) -> dict[str, str]:
    return teller.owned("cell", teller.position["pieces"])


def _order_actions(state: State) -> Sequence[Action]:
    """Return captures first, then moves sorted by distance to the other side's pieces, shortest steps first."""
    position, board = state.to_json(), state.topology
    enemies = position["pieces"][1 - position["to_move"]]
    far = board.distances

    def from_enemies(cell: str | None) -> int:
        return min((far[board.index[cell]][board.index[enemy]] for enemy in enemies), default=0) if cell else 0

    def rank(action: Action) -> tuple[bool, int, int]:
        there = from_enemies(action.target)
        return action.verb != "capture", there - from_enemies(action.source), there

    return sorted(state.legal_actions(), key=rank)


WORDS: Final = GameWords(_seat, captures_from_opponent, _common, ordered=_order_actions, cells=_cells)
