"""Game Key's picture."""

# New game: this draws plain squares and the discs that games share. docs/pictures.md tells how a picture is made well:
# a ground, tiles made once, the marks of the last turn and of what can be chosen, three themes.

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from render import frame, pieces
from render.canvas import Canvas, Ground
from render.scene import GamePicture, Scene
from render.sketch import Sketch
from render.theme import RGB, Theme

from .rules import BOARD

_KEY: Final = "game-key"
_TITLE: Final = "game key"
_SETS: Final = ("light", "dark")
_CELL: Final = 220
_HEIGHT: Final = 980


def _inks(theme: Theme) -> tuple[RGB, RGB]:
    """Return the inks of a cell and of its edge."""
    return theme.sets["green"].tint, theme.sets["green"].wall


def _colours(theme: Theme) -> Iterable[RGB]:
    yield from _inks(theme)
    for name in _SETS:
        yield from theme.sets[name].disc


def _centres() -> dict[str, tuple[int, int]]:
    """Return where the cells lie."""
    return {
        name: (round(450 + (x - 1) * _CELL), round(445 - (y - 1) * _CELL))
        for name, (x, y) in zip(BOARD.names, BOARD.positions, strict=True)
    }


def _draw_emblem(sketch: Sketch, theme: Theme, _ground: RGB) -> None:
    """Draw the game's emblem around (0, 0), 48 high."""
    sketch.plate(0, 0, 22, 22, _inks(theme)[1], 6)


@lru_cache(maxsize=8)
def _ground(theme: Theme) -> Ground:
    sketch = Sketch(frame.WIDTH, _HEIGHT, paper=theme.paper)
    cell, edge = _inks(theme)
    frame.draw_title(sketch, theme, _TITLE, _draw_emblem)
    for name, (x, y) in _centres().items():
        sketch.box(x - 106, y - 106, x + 106, y + 106, edge, 12)
        sketch.box(x - 102, y - 102, x + 102, y + 102, cell, 9)
        if name.endswith("1"):
            sketch.text(x, y + 150, name[0], 34, theme.ink, "bold", "centre")
        if name.startswith("a"):
            sketch.centred(x - 140, y, name[1:], 34, theme.ink)
    return Ground(_KEY, theme, sketch)


def _paint(scene: Scene) -> tuple[Canvas, Mapping[str, tuple[int, int, int]]]:
    canvas = Canvas(_ground(scene.theme), _centres())
    last = [action.target for action in scene.actions if action.target]
    for seat, cells in enumerate(scene.position["pieces"]):
        for cell in cells:
            canvas.put_on(pieces.make_disc(scene.theme, _SETS[seat], 70), cell)
            if cell in last:
                canvas.put_on(pieces.make_ring(84, scene.theme.ink, 8), cell)
    for target in scene.targets:
        if target.cell in canvas.places and not target.capture:
            canvas.put_on(pieces.move_target(target.label), target.cell)
    pieces.put_captures(canvas, scene, 57)
    frame.put_header(canvas, scene, _TITLE, frame.format_notation(last))
    for column in frame.put_footer(canvas, scene):
        frame.put_emblem(canvas, scene, column, _SETS[column.seat], column.left + 66, column.top + 59, 34)
        frame.put_name(canvas, scene, column, column.left + 122, column.top + 72, 270)
    return canvas, canvas.spots(100)


PICTURE: Final = GamePicture(_KEY, _colours, _paint, sets=lambda _state: _SETS, draw_emblem=_draw_emblem)
