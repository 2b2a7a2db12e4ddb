"""Pictures of positions: `draw` and what it takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from engine.core import State
from engine.turn import Turn
from render.games import pictures
from render.hints import put_hint
from render.marks import Choices, Hint, HintStep, Target
from render.scene import Scene
from render.theme import THEMES
from render.tried import STRIP_HEIGHT, tried_png

__all__ = ["THEMES", "Choices", "Drawing", "Hint", "HintStep", "Target", "draw"]


@dataclass(frozen=True)
class Drawing:
    """A finished picture: the PNG file, its size in pixels, and each cell's centre and radius in it."""

    png: bytes
    size: tuple[int, int]
    spots: Mapping[str, tuple[int, int, int]]


def draw(
    state: State,
    *,
    last_turn: Turn | None = None,
    viewer: int | None = None,
    choices: Choices | None = None,
    names: Sequence[str] = (),
    theme: str = "light",
    hint: Hint | None = None,
    wide: bool = False,
    goals_of: int | None = None,
    earlier: Sequence[Turn] = (),
    tried: str = "",
) -> Drawing:
    """Return the picture of a position, 900 pixels wide and at most 1200 high.

    `wide` asks for the shape for places that show pictures low, where the game has one: three players and more then
    stand beside the board in large letters. All other games and positions look as ever. `tried` says that nobody has
    played this: with it the picture is higher by a strip that these words stand on.

    `last_turn` is marked (pale while somebody chooses), and so are `earlier` turns, oldest first, which have led to it,
    more quietly. `viewer` is the seat at the bottom where the board has sides, `goals_of` the seat whose goals stand
    out where each has its own (the viewer's if None), `names` are the players' by seat, as they typed them. `hint` is
    a suggested turn, marked in place of choices. KeyError for a game or theme that does not exist.
    """
    if hint is not None and choices is None:
        choices = Choices(kind=hint.kind)
    scene = Scene.of(state, last_turn, viewer, choices, names, theme, goals_of=goals_of, earlier=earlier)
    picture = pictures[state.game.key]
    paint = picture.paint_wide if wide and state.seats > 2 and picture.paint_wide else picture.paint
    canvas, spots = paint(scene)
    if hint is not None:
        names_again = picture.put_names
        put_hint(canvas, hint, spots, names_again and partial(names_again, canvas, scene))
    if tried:
        moved = {cell: (x, y + STRIP_HEIGHT, r) for cell, (x, y, r) in spots.items()}
        return Drawing(tried_png(canvas, tried), (canvas.size[0], canvas.size[1] + STRIP_HEIGHT), moved)
    return Drawing(canvas.png(), canvas.size, spots)
