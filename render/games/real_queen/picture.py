"""Painting a position of Real Queen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from engine.core import Action
from engine.games.real_queen.tables import find_alignments
from engine.topology import make_bits
from render import frame, pieces
from render.canvas import Canvas
from render.frame import Column
from render.games.real_queen import marbles
from render.games.real_queen.tray import (
    BOARD,
    COUNT_AT,
    KEY,
    RAILS,
    TRAYS,
    compute_centres,
    compute_slots,
    draw_emblem,
    draw_ground,
    make_near_cell,
)
from render.scene import Contrast, GamePicture, Scene, TurnSeen, count_pieces
from render.theme import CREAM, CROSS, DEEP, LINE, PALE, RGB, SAFFRON, SAFFRON_WALL, WATER, Theme

_SETS: Final = ("light", "dark")
_FLOOR_RADIUS: Final = 46
"""The radius of the coloured disc under a marble; a queen's is larger by the difference of their radii."""
_QUEEN_EXTRA_RADIUS: Final = marbles.QUEEN_RADIUS - marbles.MARBLE_RADIUS
_BAND: Final = 28
_LAST_TURN_COLOURS: Final = (SAFFRON, PALE)


@lru_cache
def _inks(theme: Theme) -> tuple[RGB, ...]:
    tray = TRAYS[theme.key]
    own = (
        tray.frame,
        tray.field,
        tray.hollow,
        tray.lip,
        tray.wall,
        tray.text,
        tray.crest,
        tray.brim,
        tray.shade,
        tray.near,
    )
    toned = [ink for name in _SETS for ink in marbles.mix_tones(theme, name)]
    contours = [theme.sets[name].contour for name in _SETS] if theme.outline else []
    gold = (marbles.GOLD, marbles.GOLD_WALL, marbles.GOLD_CROWN)
    return (*own, tray.emblem, *toned, *contours, *gold, *marbles.GLINTS.values())


def _contrasts(theme: Theme) -> Iterable[Contrast]:
    tray = TRAYS[theme.key]
    yield Contrast("a coordinate", (tray.text,), tray.frame, text=True)
    for name in _SETS:
        inks = theme.sets[name]
        face = (inks.face, inks.contour) if theme.outline else (inks.face,)
        yield Contrast(f"a {name} marble", face, tray.hollow if name == "light" else tray.field)
    yield Contrast("the white queen's crown", (LINE,), theme.sets["light"].face)
    yield Contrast("the black queen's crown", (marbles.GOLD_CROWN,), theme.sets["dark"].face)
    for floor in (tray.field, tray.hollow, tray.near):
        yield Contrast("a hollow that can be reached", (WATER, DEEP), floor, mark=True)
        yield Contrast("a hollow of the last turn", (SAFFRON, LINE), floor, mark=True)
        yield Contrast("a hollow of an earlier turn", (PALE, LINE), floor, mark=True)
    for floor in (tray.field, tray.hollow, tray.near, WATER):
        yield Contrast("what captures", (CROSS, CREAM), floor, mark=True)
    for floor in (SAFFRON, PALE, CREAM):
        yield Contrast("a black marble on a mark", (theme.sets["dark"].face,), floor)
    yield Contrast("a white marble on a mark", (SAFFRON_WALL, LINE), CREAM)
    yield Contrast("a line on a mark", (LINE,), SAFFRON)
    yield Contrast("a line on a pale mark", (LINE,), PALE)


@dataclass(frozen=True)
class _Trace:
    """What the last turn did: where it came from and went, the runs it made, what was captured and returned."""

    source: str | None = None
    target: str | None = None
    runs: tuple[tuple[str, ...], ...] = ()
    captured: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()


def _trace(seen: TurnSeen) -> _Trace:
    before, actions = seen.before, seen.turn.actions
    first = next((action for action in actions if action.verb in _OPENING_VERBS and action.target), None)
    captured = tuple(action.target for action in actions if action.verb == "capture" and action.target)
    returned = tuple(action.target for action in actions if action.verb == "return" and action.target)
    if first is None or first.target is None:
        return _Trace(captured=captured, returned=returned)
    seat = seen.turn.seat
    own = {*before["pieces"][seat], before["queens"][seat], first.target} - {first.source, None}
    made = find_alignments(BOARD.index[first.target], make_bits(BOARD.index[cell] for cell in own))
    return _Trace(first.source, first.target, tuple(tuple(BOARD.cells(run)) for run in made), captured, returned)


_OPENING_VERBS: Final = ("place", "crown", "step", "shift")


def _paint(scene: Scene) -> tuple[Canvas, Mapping[str, tuple[int, int, int]]]:
    turned = scene.viewer == 1
    at = compute_centres(turned)
    canvas = Canvas(draw_ground(scene.theme, turned))
    position = scene.position
    owners = {cell: seat for seat, cells in enumerate(position["pieces"]) for cell in cells}
    queens = {cell: seat for seat, cell in enumerate(position["queens"]) if cell}
    for cell in _find_near_cells(queens):
        canvas.lay(make_near_cell(scene.theme), *at[cell])
    trace = _trace(scene.steps[-1]) if scene.last_turn is not None else _Trace()
    floors = _put_floors(canvas, scene, trace, at, queens)
    shade = TRAYS[scene.theme.key].shade
    for cell, seat in (owners | queens).items():
        x, y = at[cell]
        radius = marbles.QUEEN_RADIUS if cell in queens else marbles.MARBLE_RADIUS
        canvas.put(marbles.make_shadow(radius, SAFFRON_WALL if floors.get(cell) in _LAST_TURN_COLOURS else shade), x, y)
        make = marbles.make_queen if cell in queens else marbles.make_marble
        canvas.put(make(scene.theme, _SETS[seat]), x, y - 1 if cell in queens else y - 2)
    _put_marks(canvas, scene, trace, at, owners, queens)
    _put_rails(canvas, scene, position)
    frame.put_header(canvas, scene, "real queen", _notation(scene.actions))
    for column in frame.put_footer(canvas, scene):
        _put_column(canvas, scene, column, position)
    return canvas, {cell: (x, y, 46) for cell, (x, y) in at.items()}


def _find_near_cells(queens: Iterable[str]) -> list[str]:
    """Return the cells of the queens and those beside them, where a line of the other's pieces wins."""
    near = {BOARD.index[cell] for cell in queens}
    near |= {other for cell in near for other in BOARD.neighbours[cell]}
    return [BOARD.names[cell] for cell in sorted(near)]


def _notation(actions: tuple[Action, ...]) -> str:
    """Return what was played and captured; what went back to the reserve shows on the board."""
    first = " ".join(action.text for action in actions if action.verb in _OPENING_VERBS or action.verb == "pass")
    captures = " ".join(action.text for action in actions if action.verb == "capture")
    return frame.format_notation([part for part in (first, captures) if part], "  ")


def _put_floors(
    canvas: Canvas, scene: Scene, trace: _Trace, at: Mapping[str, tuple[int, int]], queens: Mapping[str, int]
) -> dict[str, RGB]:
    """Put what lies under the pieces, and return the ink of each marked cell."""
    strong = PALE if scene.choosing else SAFFRON
    floors: dict[str, RGB] = {}
    for step, _ in scene.past:
        earlier = _trace(step)
        moved = [cell for cell in (earlier.source, earlier.target) if cell]
        floors |= dict.fromkeys((*moved, *earlier.captured, *earlier.returned), PALE)
    for run in trace.runs:
        (ax, ay), (bx, by) = at[run[0]], at[run[-1]]
        canvas.put(pieces.make_path(((0.0, 0.0), (float(bx - ax), float(by - ay))), strong, _BAND), ax, ay)
        floors |= dict.fromkeys(run, strong)
    floors |= {cell: strong for cell in (trace.source, trace.target) if cell}
    floors |= dict.fromkeys(trace.captured, PALE)
    floors |= dict.fromkeys(trace.returned, strong)
    outcome = scene.state.outcome
    if outcome and outcome.reason in ("plain", "royal"):
        floors |= {cell: PALE for cell, seat in queens.items() if outcome.places[seat] > 1}
    choices = scene.choices
    standing = {cell for cells in scene.position["pieces"] for cell in cells} | {*queens}
    if choices:
        if not choices.beforehand:
            floors |= {
                target.cell: WATER
                for target in choices.targets
                if target.cell in at and (not target.capture or target.cell not in standing)
            }
        floors |= {cell: DEEP for cell in (*choices.movable, choices.chosen or "") if cell in at}
    for cell, ink in floors.items():
        more = _QUEEN_EXTRA_RADIUS if cell in queens else 0
        if choices and cell == choices.chosen:
            canvas.put(marbles.make_chosen_mark(_FLOOR_RADIUS + 5 + more, DEEP), *at[cell])
        elif ink == DEEP:
            tile = (
                pieces.make_movable_mark
                if choices is None or choices.chosen is None
                else pieces.make_other_movable_mark
            )
            canvas.put(tile(_FLOOR_RADIUS + 5 + more), *at[cell])
        elif ink == WATER:
            canvas.put(pieces.make_place(_FLOOR_RADIUS + more), *at[cell])
        elif not (cell in queens and ink in _LAST_TURN_COLOURS):
            canvas.put(pieces.make_patch(_FLOOR_RADIUS + more, ink), *at[cell])
    return {cell: ink for cell, ink in floors.items() if cell not in queens}


def _put_marks(
    canvas: Canvas,
    scene: Scene,
    trace: _Trace,
    at: Mapping[str, tuple[int, int]],
    owners: Mapping[str, int],
    queens: Mapping[str, int],
) -> None:
    """Put what lies over the pieces: the last turn's marks, then those of what can be chosen."""
    choices = scene.choices
    covered = {target.cell for target in choices.targets} if choices and scene.choosing else set()
    free = [cell for cell in at if cell not in owners and cell not in queens and cell not in covered]
    now = {trace.source, trace.target, *trace.captured, *trace.returned}
    for step, _ in scene.past:
        earlier = _trace(step)
        if earlier.source in free and earlier.source and earlier.source not in now:
            canvas.put(pieces.make_ring(28, LINE, 4, dashed=True), *at[earlier.source])
        if earlier.target and earlier.target not in free and earlier.target not in now:
            radius = marbles.QUEEN_RADIUS + 6 if earlier.target in queens else 46
            canvas.put(pieces.make_ring(radius, LINE, 3), *at[earlier.target])
        for cell in earlier.captured:
            if cell in free and cell not in now:
                canvas.put(pieces.make_captured_mark(27, 11), *at[cell])
            elif cell not in free and cell not in now:
                canvas.put(pieces.make_badge(16), at[cell][0] - 34, at[cell][1] + 34)
        for cell in earlier.returned:
            if cell in free and cell not in now:
                canvas.put(pieces.make_returned_mark(27), *at[cell])
    if trace.source in free and trace.source:
        canvas.put(pieces.make_ring(34, LINE, 6, dashed=True), *at[trace.source])
    for cell in trace.captured:
        if cell in free:
            canvas.put(pieces.make_captured_mark(34), *at[cell])
        elif cell in covered:
            canvas.put(pieces.make_badge(16), at[cell][0] - 36, at[cell][1] + 36)
    for cell in trace.returned:
        if cell in free:
            canvas.put(pieces.make_returned_mark(), *at[cell])
    if trace.target and not scene.choosing:
        radius = marbles.QUEEN_RADIUS + 8 if trace.target in queens else 48
        canvas.put(pieces.make_ring(radius, LINE, 6), *at[trace.target])
    outcome = scene.state.outcome
    if outcome and outcome.reason in ("plain", "royal"):
        for cell, seat in queens.items():
            if outcome.places[seat] > 1:
                x, y = at[cell]
                canvas.put(pieces.make_ring(marbles.QUEEN_RADIUS + 9, LINE, 6), x, y)
                canvas.put(pieces.make_badge(), x - 40, y + 40)
    for cell, number in choices.numbers if choices else ():
        if cell in owners or cell in queens:
            (x, y), aside = at[cell], 39 if cell in queens else 32
            canvas.put(pieces.piece_number(number, 21), x - aside, y - aside)
    targets = [target for target in choices.targets if target.cell in at] if choices else []
    for target in targets:
        if not target.capture:
            if scene.beforehand:
                # A piece that changes places is marked as one that can act.
                if target.cell in free or target.cell not in {**owners, **queens}:
                    canvas.put(pieces.open_cell(), *at[target.cell])
                continue
            if target.cell in owners:
                canvas.put(pieces.make_ring(29, CREAM, 5), *at[target.cell])
            canvas.put(pieces.move_target(target.label), *at[target.cell])
    captures = [(target.label, *at[target.cell]) for target in targets if target.capture]
    pieces.put_captures(canvas, captures, marbles.MARBLE_RADIUS + 13, numbered=not scene.beforehand)


def _put_rails(canvas: Canvas, scene: Scene, position: Mapping[str, Any]) -> None:
    tray = TRAYS[scene.theme.key]
    for seat in range(2):
        reserve, board = position["reserve"][seat], len(position["pieces"][seat])
        for number, (x, y) in enumerate(compute_slots(seat_at_bottom=seat == scene.viewer)):
            if number < reserve:
                canvas.put(marbles.make_shadow(15, tray.lip), x, y)
                canvas.put(marbles.make_marble(scene.theme, _SETS[seat], 15), x, y)
            else:
                canvas.put(marbles.make_slot(tray.lip, number >= reserve + board), x, y)
        _, top, _, bottom = RAILS[0 if seat == scene.viewer else 1]
        label = pieces.make_label(str(reserve), 34, tray.text, align="centre")
        canvas.put(label, COUNT_AT, (top + bottom) / 2 + 12)


def _put_column(canvas: Canvas, scene: Scene, column: Column, position: Mapping[str, Any]) -> None:
    seat, left, top = column.seat, column.left, column.top
    r = 28 if column.won else 34
    tile = marbles.make_marble(scene.theme, _SETS[seat], r)
    frame.put_emblem(canvas, scene, column, _SETS[seat], left + 66, top + 59, r, tile)
    frame.put_name(canvas, scene, column, left + 122, top + 73, 195)
    # Who has left has a flag in the corner.
    x = left + (348 if seat in scene.state.dropped else 378)
    if position["queens"][seat]:
        canvas.put(marbles.make_absent_queen(column.faint), x, top + 59)
    else:
        canvas.put(marbles.make_queen(scene.theme, _SETS[seat], 46), x, top + 59)


PICTURE: Final = GamePicture(
    KEY,
    _inks,
    _paint,
    _contrasts,
    most_colours=64,
    sets=lambda _state: _SETS,
    draw_emblem=draw_emblem,
    scores=count_pieces,
)
