"""Pictures of positions: `draw` and what it takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.core import State
from engine.turn import Turn
from render.games import pictures
from render.hints import put_hint
from render.marks import Choices, Hint, HintStep, Target
from render.scene import Scene
from render.theme import THEMES

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
) -> Drawing:
    """Return the picture of a position, 900 pixels wide and at most 1200 high.

    `last_turn` is marked (pale while `choices` are shown), `viewer` is the seat at the bottom where the board has
    sides, `names` are the players' by seat, as they typed them. `hint` is a suggested turn, marked in place of
    choices. KeyError for a game or theme that does not exist.
    """
    if hint is not None and choices is None:
        choices = Choices(kind=hint.kind)
    scene = Scene.of(state, last_turn, viewer, choices, names, theme)
    canvas, spots = pictures[state.game.key].paint(scene)
    if hint is not None:
        put_hint(canvas, hint, spots)
    return Drawing(canvas.png(), canvas.size, spots)
