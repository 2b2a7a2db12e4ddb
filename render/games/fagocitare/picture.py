"""Painting a position of Fagocitare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from render import frame, pieces
from render.canvas import Canvas, Tile
from render.frame import Column
from render.games.fagocitare import pens
from render.games.fagocitare.paper import INKS, KEY, PaperLayout, ground, plan
from render.marks import Target
from render.scene import Contrast, GamePicture, Scene
from render.sketch import Sketch
from render.theme import LINE, RGB, WATER, Theme

_NEEDED: Final = 3
"""The lead that wins, and so the number of boxes in the footer."""


def _colours(theme: Theme) -> Iterable[RGB]:
    return INKS[theme.key].all()


def _contrasts(theme: Theme) -> Iterable[Contrast]:
    inks = INKS[theme.key]
    yield Contrast("a coordinate", (inks.text,), inks.sheet, text=True)
    yield Contrast("a number of captured dots", (inks.figure,), inks.sheet, text=True)
    for ground_ink in (inks.sheet, inks.rim, inks.pale):
        for name, ink in (("red", inks.red), ("blue", inks.blue), ("the pen's", inks.pen)):
            yield Contrast(f"{name} ink", (ink,), ground_ink)
    # The dot drawn last is circled by the pen.
    for name, ink in (("red", inks.red), ("blue", inks.blue)):
        yield Contrast(f"{name} dot drawn last", (ink, inks.pen), inks.highlight)
    yield Contrast("a choice", (LINE,), WATER)


def _paint(scene: Scene) -> tuple[Canvas, Mapping[str, tuple[int, int, int]]]:
    position = scene.position
    layout = plan(int(position["options"]["size"]))
    canvas = Canvas(ground(scene.theme, layout.size))
    drawn = next((action.target for action in scene.actions if action.verb == "draw"), None)
    grounds = _put_highlights(canvas, scene, layout, drawn)
    half = 0.4 * layout.cell
    for captor, cells in enumerate(position["dead"]):
        for cell in cells:
            canvas.put(pens.dead(scene.theme, 1 - captor, layout.dot, half, pens.hand(cell)), *layout.centres[cell])
    for captor, lines in enumerate(position["lines"]):
        for one, other in lines:
            start, end = layout.centres[one], layout.centres[other]
            seed = pens.hand(one)
            for tile, at in pens.line(scene.theme, captor, start, end, layout.dot * 0.8, layout.line, seed):
                canvas.put(tile, *at)
    for seat, cells in enumerate(position["dots"]):
        for cell in cells:
            tile = pens.dot(scene.theme, seat, layout.dot, pens.hand(cell), grounds[cell])
            canvas.put(tile, *layout.centres[cell])
    if drawn and not scene.choosing:
        circle = pens.circled(scene.theme, 0.41 * layout.cell, 5 if layout.cell < 100 else 6, pens.hand(drawn))
        canvas.put(circle, *layout.centres[drawn])
    for target in _targets(scene, layout):
        if target.capture:
            tile = pieces.capture_target(target.label, 0.47 * layout.cell, 0.3 * layout.cell)
        else:
            tile = pieces.move_target(target.label, min(27, 0.39 * layout.cell))
        canvas.put(tile, *layout.centres[target.cell])
    frame.put_header(canvas, scene, KEY, _notation(scene, drawn))
    for column in frame.put_footer(canvas, scene):
        _put_column(canvas, scene, column, position)
    return canvas, {cell: (x, y, layout.cell // 2) for cell, (x, y) in layout.centres.items()}


def _put_highlights(canvas: Canvas, scene: Scene, layout: PaperLayout, drawn: str | None) -> dict[str, RGB]:
    """Mark the dot drawn last and what died by it, and return what colour each cell has."""
    inks = INKS[scene.theme.key]
    grounds = {cell: inks.rim if layout.is_rim(cell) else inks.sheet for cell in layout.centres}
    marked = {} if scene.choosing else dict.fromkeys(_died(scene), True)
    if drawn:
        # A dot captured in the turn that it was drawn in is still the one drawn last.
        marked[drawn] = scene.choosing
    for cell, pale in marked.items():
        canvas.put(pens.highlight(scene.theme, layout.cell / 2 - 2, pale, pens.hand(cell)), *layout.centres[cell])
        grounds[cell] = inks.pale if pale else inks.highlight
    for target in _targets(scene, layout):
        canvas.put(_water(layout.cell), *layout.centres[target.cell])
    return grounds


def _targets(scene: Scene, layout: PaperLayout) -> list[Target]:
    """Return the cells of the sheet that can be chosen."""
    return [each for each in scene.choices.targets if each.cell in layout.centres] if scene.choices else []


def _died(scene: Scene, captor: int | None = None) -> list[str]:
    """Return the dots captured in the last turn, by one seat or by both."""
    if scene.before is None:
        return []
    captors = range(2) if captor is None else (captor,)
    earlier = {cell for cells in scene.before["dead"] for cell in cells}
    return [cell for seat in captors for cell in scene.position["dead"][seat] if cell not in earlier]


def _notation(scene: Scene, drawn: str | None) -> str:
    """Return the dot drawn and what it captured."""
    if drawn is None or scene.last_turn is None:
        return ""
    captured = [f"x{cell}" for cell in _died(scene, scene.last_turn.seat)]
    return frame.notation([part for part in (drawn, " ".join(captured)) if part], "  ")


def _put_column(canvas: Canvas, scene: Scene, column: Column, position: Mapping[str, Any]) -> None:
    seat, left, top = column.seat, column.left, column.top
    scores = [len(cells) for cells in position["dead"]]
    tile = pens.emblem(scene.theme, seat, 34 if column.won else 42)
    frame.put_emblem(canvas, scene, column, ("red", "blue")[seat], left + 66, top + 59, 34, tile)
    frame.put_name(canvas, scene, column, left + 122, top + 53, 200)
    lead = scores[seat] - scores[1 - seat]
    for number in range(_NEEDED):
        full = number < lead
        canvas.put(pens.box(column.ink if full else column.faint, full), left + 136 + 34 * number, top + 86)
    # Who has left has a flag in the corner.
    shift = 30 if seat in scene.state.dropped else 0
    canvas.put(pens.score(scene.theme, seat, scores[seat]), left + 380 - shift, top + 59)


@lru_cache
def _water(cell: int) -> Tile:
    half = cell / 2 - 3
    sketch = Sketch(cell, cell, (cell // 2, cell // 2))
    sketch.box(-half, -half, half, half, WATER, 8)
    return Tile(sketch)


PICTURE: Final = GamePicture(KEY, _colours, _paint, _contrasts, most_colours=56)
