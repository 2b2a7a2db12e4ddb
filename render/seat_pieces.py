"""The pieces that each seat has in a position, as signs beside its name in previews and charts."""

from collections.abc import Sequence
from typing import Final

from engine.core import State
from render import pieces
from render.games import pictures
from render.sketch import Sketch
from render.theme import RGB, Theme

SeatPieces = Sequence[Sequence[str]]
"""For each seat the kinds of its pieces: names of the theme's sets, or kinds of the game's own."""

_EMPTY_PLACE_WIDTH: Final = 4


def pieces_of(state: State) -> SeatPieces:
    """Return the kinds of pieces that each seat has in a position; none for a seat without pieces."""
    picture = pictures.get(state.game.key)
    if picture is None:
        return ((),) * state.seats
    return tuple((kinds,) if isinstance(kinds, str) else tuple(kinds) for kinds in picture.sets(state))


def draw_piece(
    sketch: Sketch, theme: Theme, game: str, kind: str, x: float, y: float, r: float, ground: RGB | None = None
) -> None:
    """Draw a piece as it is on the board, its middle at (x, y), on a ground (the theme's paper if None)."""
    draw_own = pictures[game].draw_own_piece if game in pictures else None
    if kind in theme.sets:
        pieces.draw_disc(sketch, x, y, r, theme.sets[kind], theme)
    elif draw_own is not None:
        draw_own(sketch, kind, x, y, r, theme.paper if ground is None else ground)
    else:
        raise KeyError(kind)


def draw_empty_place(sketch: Sketch, x: float, y: float, r: float, ink: RGB) -> None:
    """Draw the place of a seat's piece where the seat has none."""
    sketch.dashed_ring(x, y, r - _EMPTY_PLACE_WIDTH / 2, ink, _EMPTY_PLACE_WIDTH, 8, 8)
