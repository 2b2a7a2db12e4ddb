"""Painting a position of Fagocitare."""

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from engine.core import State
from render import frame, pieces
from render.canvas import Canvas, Tile
from render.frame import Column
from render.games.fagocitare import pens
from render.games.fagocitare.paper import INKS, KEY, PaperLayout, draw_emblem, draw_ground, plan
from render.marks import Target
from render.scene import Contrast, GamePicture, Scene
from render.sketch import Point, Sketch
from render.theme import CREAM, CROSS, DEEP, LINE, RGB, WATER, Theme

_WINNING_LEAD: Final = 3
"""The lead that wins, and so the number of boxes in the footer."""
_SETS: Final = ("red", "blue")
_HALF_FRAME: Final = 0.4
"""Half the side of a captor's frame, in cells."""


def _colours(theme: Theme) -> Iterable[RGB]:
    return INKS[theme.key].all()


def _contrasts(theme: Theme) -> Iterable[Contrast]:
    inks = INKS[theme.key]
    yield Contrast("a coordinate", (inks.text,), inks.sheet, text=True)
    yield Contrast("a number of captured dots", (inks.figure,), inks.sheet, text=True)
    for ground_ink in (inks.sheet, inks.rim):
        yield Contrast("a cell that can be drawn on", (WATER, DEEP), ground_ink, mark=True)
        yield Contrast("the highlighter", (inks.highlight, inks.glow, inks.pen), ground_ink, mark=True)
    for ground_ink in (inks.sheet, inks.rim, inks.pale):
        for name, ink in (("red", inks.red), ("blue", inks.blue), ("the pen's", inks.pen)):
            yield Contrast(f"{name} ink", (ink,), ground_ink)
        yield Contrast("a dead red dot", (inks.red_gone,), ground_ink)
        yield Contrast("a dead blue dot", (inks.blue_dead,), ground_ink)
    # The dot drawn last is circled by the pen.
    for name, ink in (("red", inks.red), ("blue", inks.blue)):
        yield Contrast(f"{name} dot drawn last", (ink, inks.pen), inks.highlight)
    yield Contrast("a choice", (LINE,), WATER)
    for ground_ink in (inks.sheet, inks.rim, WATER):
        yield Contrast("what captures", (CROSS, CREAM), ground_ink, mark=True)


def _paint(scene: Scene) -> tuple[Canvas, Mapping[str, tuple[int, int, int]]]:
    position = scene.position
    layout = plan(int(position["options"]["size"]))
    canvas = Canvas(draw_ground(scene.theme, layout.size))
    drawn = next((action.target for action in scene.actions if action.verb == "draw"), None)
    grounds = _put_highlights(canvas, scene, layout, drawn)
    half = _HALF_FRAME * layout.cell
    lately = set(_died(scene))
    for captor, cells in enumerate(position["dead"]):
        for cell in cells:
            tile = pens.make_captured_dot(
                scene.theme, 1 - captor, layout.dot, half, pens.choose_hand(cell), cell in lately
            )
            canvas.put(tile, *layout.centres[cell])
    framed = {cell for cells in position["dead"] for cell in cells}
    for captor, lines in enumerate(position["lines"]):
        for one, other in lines:
            for start, end, trims in _stretches(layout, one, other, framed):
                for tile, at in pens.make_line(
                    scene.theme, captor, start, end, trims, layout.line, pens.choose_hand(one)
                ):
                    canvas.put(tile, *at)
    for seat, cells in enumerate(position["dots"]):
        for cell in cells:
            tile = pens.make_dot(scene.theme, seat, layout.dot, pens.choose_hand(cell), grounds[cell])
            canvas.put(tile, *layout.centres[cell])
    if drawn and not scene.choosing and drawn not in framed:
        circle = pens.make_circle(
            scene.theme, 0.41 * layout.cell, 5 if layout.cell < 100 else 6, pens.choose_hand(drawn)
        )
        canvas.put(circle, *layout.centres[drawn])
    for target in _targets(scene, layout):
        if not target.capture and scene.beforehand:
            canvas.put(pieces.open_cell(5), *layout.centres[target.cell])
        elif not target.capture:
            canvas.put(pieces.move_target(target.label, min(27, 0.36 * layout.cell)), *layout.centres[target.cell])
    captures = [(each.label, *layout.centres[each.cell]) for each in _targets(scene, layout) if each.capture]
    pieces.put_captures(canvas, captures, 0.47 * layout.cell, numbered=not scene.beforehand)
    frame.put_header(canvas, scene, KEY, _notation(scene, drawn))
    for column in frame.put_footer(canvas, scene):
        _put_column(canvas, scene, column, position)
    return canvas, {cell: (x, y, layout.cell // 2) for cell, (x, y) in layout.centres.items()}


def _put_highlights(canvas: Canvas, scene: Scene, layout: PaperLayout, drawn: str | None) -> dict[str, RGB]:
    """Mark the dot drawn last and the cells that can be chosen, and return what colour each cell has."""
    inks = INKS[scene.theme.key]
    grounds = {cell: inks.rim if layout.is_rim(cell) else inks.sheet for cell in layout.centres}
    for cell in [action.target for turn in scene.earlier for action in turn.actions if action.verb == "draw"]:
        if cell and cell != drawn:
            canvas.put(
                pens.make_highlight(scene.theme, layout.cell / 2 - 2, True, pens.choose_hand(cell)),
                *layout.centres[cell],
            )
            grounds[cell] = inks.pale
    if drawn:
        tile = pens.make_highlight(scene.theme, layout.cell / 2 - 2, scene.choosing, pens.choose_hand(drawn))
        canvas.put(tile, *layout.centres[drawn])
        grounds[drawn] = inks.pale if scene.choosing else inks.highlight
    for target in _targets(scene, layout) if scene.choosing else ():
        canvas.put(_water(layout.cell), *layout.centres[target.cell])
    return grounds


def _stretches(
    layout: PaperLayout, one: str, other: str, framed: Container[str]
) -> Iterator[tuple[Point, Point, Point]]:
    """Yield the parts of a capture line, with what is left free at their ends: it passes by the frames on its way."""
    columns, rows = ord(other[0]) - ord(one[0]), int(other[1:]) - int(one[1:])
    count = max(abs(columns), abs(rows))
    edge = _HALF_FRAME * layout.cell * (math.sqrt(2) if columns and rows else 1)
    start, trim = layout.centres[one], layout.dot * 0.8
    for step in range(1, count):
        cell = f"{chr(ord(one[0]) + columns * step // count)}{int(one[1:]) + rows * step // count}"
        if cell in framed:
            yield start, layout.centres[cell], (trim, edge)
            start, trim = layout.centres[cell], edge
    yield start, layout.centres[other], (trim, layout.dot * 0.8)


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
    return frame.format_notation([part for part in (drawn, " ".join(captured)) if part], "  ")


def _put_column(canvas: Canvas, scene: Scene, column: Column, position: Mapping[str, Any]) -> None:
    seat, left, top = column.seat, column.left, column.top
    scores = [len(cells) for cells in position["dead"]]
    tile = pens.make_emblem(scene.theme, seat, 32 if column.won else 42)
    frame.put_emblem(canvas, scene, column, _SETS[seat], left + 66, top + 59, 30 if column.won else 34, tile)
    frame.put_name(canvas, scene, column, left + 122, top + 53, 200)
    lead = scores[seat] - scores[1 - seat]
    for number in range(_WINNING_LEAD):
        full = number < lead
        canvas.put(pens.make_box(column.ink if full else column.faint, full), left + 136 + 34 * number, top + 86)
    # Who has left has a flag in the corner.
    shift = 30 if seat in scene.state.dropped else 0
    canvas.put(pens.make_score(scene.theme, seat, scores[seat]), left + 380 - shift, top + 59)


@lru_cache
def _water(cell: int) -> Tile:
    half = cell / 2 - 3
    sketch = Sketch(cell, cell, (cell // 2, cell // 2))
    sketch.box(-half, -half, half, half, DEEP, 8)
    half -= pieces.EDGE_WIDTH
    sketch.box(-half, -half, half, half, WATER, 5)
    return Tile(sketch)


def _scores(state: State) -> Sequence[str]:
    """Return how many dots each seat has captured."""
    return [str(len(cells)) for cells in state.to_json()["dead"]]


PICTURE: Final = GamePicture(
    KEY,
    _colours,
    _paint,
    _contrasts,
    most_colours=56,
    sets=lambda _state: _SETS,
    draw_emblem=draw_emblem,
    scores=_scores,
)
