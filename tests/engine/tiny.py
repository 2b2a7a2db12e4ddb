"""Tiny: a game made up for tests that need some game, and no more of it than its moves, its captures and its end.

Two seats have a row of pieces each. A piece goes one step along a row or a column, or takes an enemy there; who has
taken one may go on taking with the same piece (`xc3`) or `stop`. Who has none left has lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from engine import Action, Game, IllegalAction, Option, Outcome, State, games
from engine.core import PASS, places_with_winner
from engine.positions import check_fields, ending_fields, last_seat, options_of
from engine.topology import Topology, square_grid

BOARDS: Final = {"small": square_grid(4, 4, diagonal=False), "large": square_grid(5, 5, diagonal=False)}
STOP: Final = Action("stop", "stop")


class TinyState(State):
    """A position of Tiny; `moving` is the cell of the piece that has taken one in this turn."""

    def __init__(self, board: str, owners: Mapping[str, int], to_move: int, turn: int = 0, **more: Any) -> None:
        self.board, self.owners, self.turn = board, dict(owners), turn
        self.seats = 2
        self.moving: str | None = more.get("moving")
        self.dropped = tuple(more.get("dropped", ()))
        left = set(owners.values())
        self.outcome = last_seat(2, self.dropped)
        if self.outcome is None and len(left) == 1:
            self.outcome = Outcome("eliminated", places_with_winner(2, left.pop()))
        self.to_move = None if self.outcome else to_move

    @property
    def topology(self) -> Topology:
        return BOARDS[self.board]

    def legal_actions(self) -> Sequence[Action]:
        if self.to_move is None:
            return ()
        if self.moving is not None:
            return (*self._captures(self.moving, ""), STOP)
        own = sorted(cell for cell, owner in self.owners.items() if owner == self.to_move)
        found = [action for cell in own for action in (*self._steps(cell), *self._captures(cell, cell))]
        return found or (PASS,)

    def _near(self, cell: str) -> Iterator[str]:
        board = self.topology
        yield from (board.names[other] for other in board.neighbours[board.index[cell]])

    def _steps(self, cell: str) -> list[Action]:
        return [Action(f"{cell}-{to}", "move", cell, to) for to in self._near(cell) if to not in self.owners]

    def _captures(self, cell: str, shown: str) -> list[Action]:
        enemies = [to for to in self._near(cell) if self.owners.get(to) == 1 - (self.to_move or 0)]
        return [Action(f"{shown}x{to}", "capture", cell, to) for to in enemies]

    def advance(self, action: Action) -> TinyState:
        seat, owners = self.to_move or 0, dict(self.owners)
        if action.verb == "drop":
            return TinyState(self.board, owners, seat, self.turn, dropped=(*self.dropped, action.value))
        if action.source is not None and action.target is not None:
            del owners[action.source]
            owners[action.target] = seat
        if action.verb == "capture":
            taken = TinyState(self.board, owners, seat, self.turn, moving=action.target)
            if taken.outcome is None and len(taken.legal_actions()) > 1:
                return taken
        return TinyState(self.board, owners, 1 - seat, self.turn + 1)

    def refusal(self, action: Action) -> IllegalAction:
        if action.verb == "drop":
            return IllegalAction("no-such-seat", seat=action.value)
        if action.source not in self.owners:
            return IllegalAction("no-piece-there", cell=action.source)
        return IllegalAction("too-far", cell=action.target)

    def well_formed(self, text: str) -> Iterable[Action]:
        found = re.match(r"([a-e][1-5])[-x]([a-e][1-5])", text)
        return [Action(found[0], "move", found[1], found[2])] if found else []

    def key(self) -> tuple[Any, ...]:
        return (self.board, *sorted(self.owners.items()), self.to_move, self.moving, self.dropped)

    def to_json(self) -> dict[str, Any]:
        rows = [sorted(cell for cell, owner in self.owners.items() if owner == seat) for seat in (0, 1)]
        position = {"game": "tiny", "options": {"board": self.board}, "to_move": self.to_move}
        return position | {"pieces": rows, "moving": self.moving} | ending_fields(self, None)


class Tiny(Game):
    """The rules of Tiny."""

    key = "tiny"
    seats = range(2, 3)
    rules_version = 1
    options = MappingProxyType({"board": Option("small", ("small", "large"))})

    def start(self, seats: int = 2, options: Mapping[str, Any] | None = None) -> TinyState:
        board = str(self.checked_options(seats, options)["board"])
        side = 4 if board == "small" else 5
        owners = {f"{'abcde'[column]}{row}": seat for column in range(side) for seat, row in ((0, 1), (1, side))}
        return TinyState(board, owners, 0)

    def load(self, position: Mapping[str, Any]) -> TinyState:
        fields = check_fields(self, position, ("pieces", "moving"))
        board = str(options_of(self, fields)["board"])
        owners = {cell: seat for seat, cells in enumerate(fields["pieces"].items(2)) for cell in cells.value}
        turn = fields["extra"].value.get("turn", 0)
        more = {"moving": fields["moving"].value, "dropped": fields["dropped"].value}
        return TinyState(board, owners, fields["to_move"].value or 0, turn, **more)

    def symbols(self, position: Mapping[str, Any]) -> dict[str, str]:
        return {cell: "○●"[seat] for seat, cells in enumerate(position["pieces"]) for cell in cells}


TINY: Final = Tiny()
TinyState.game = TINY
WITH_TINY: Final = MappingProxyType({**games, "tiny": TINY})
"""All games and this one, for what looks games up by their keys."""
