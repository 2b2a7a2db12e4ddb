"""La Vedova Nera's picture: a web around a tray of marbles, pawns that turn into spiders (`web` the board's inks and
places, `ground` the empty board, `figures` what lies on it)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from render import frame, pieces
from render.canvas import Canvas, Tile
from render.frame import Column
from render.games.vedova_nera import figures
from render.games.vedova_nera.ground import ground
from render.games.vedova_nera.legibility import contrasts
from render.games.vedova_nera.web import BOARDS, HOLLOWS, KEY, NODES, SPOKES, TITLE, colours, number_at, thread
from render.scene import GamePicture, Scene
from render.theme import CREAM, DEEP, LINE, PALE, SAFFRON, WATER

_BOARD_VERBS: Final = ("step", "counsellor", "enter")
_NODE_REACH = 27
_HOLLOW_REACH = 17


@dataclass(frozen=True)
class _Trace:
    """What the last turn did: over which nodes (or hollows) its piece went, whom it removed.

    `way` is empty where nothing moved; it has one cell where a pawn entered.
    """

    verb: str
    way: tuple[str, ...]
    caught: tuple[str, ...]

    @property
    def in_tray(self) -> bool:
        """Whether it was a marble that moved."""
        return self.verb == "marble"


def _trace(scene: Scene) -> _Trace:
    action = next((action for action in scene.actions if action.verb in (*_BOARD_VERBS, "marble")), None)
    before = scene.before
    if action is None or before is None or action.target is None:
        return _Trace("", (), ())
    if action.verb == "enter":
        way: tuple[str, ...] = (action.target,)
    elif action.verb == "counsellor":
        way = _slide(before, action.target)
    else:
        way = (action.source or action.target, action.target)
    stood = {cell for pawns in before["pawns"] for cell in pawns}
    stand = {cell for pawns in scene.position["pawns"] for cell in pawns}
    caught = sorted(stood - stand - {action.source}) if action.verb in _BOARD_VERBS else []
    return _Trace(action.verb, way, tuple(caught))


def _slide(before: Mapping[str, Any], target: str) -> tuple[str, ...]:
    """Return the nodes of the Counsellor's slide, the shorter way round where both are free."""
    start: str = before["counsellor"]
    if start[0] == target[0]:
        step = 1 if target > start else -1
        return tuple(f"{start[0]}{ring}" for ring in range(int(start[1]), int(target[1]) + step, step))
    taken = {cell for pawns in before["pawns"] for cell in pawns}
    ways = []
    for step in (1, -1):
        cells = [start]
        while cells[-1] != target:
            cells.append(SPOKES[(SPOKES.index(cells[-1][0]) + step) % 8] + start[1])
        if not taken & set(cells[1:]):
            ways.append(tuple(cells))
    return min(ways, key=len, default=(start, target))


def _paint(scene: Scene) -> tuple[Canvas, Mapping[str, tuple[int, int, int]]]:
    canvas = Canvas(ground(scene.theme))
    trace = _trace(scene)
    _put_last_turn(canvas, scene, trace)
    _put_goals(canvas, scene)
    _put_choices(canvas, scene)
    _put_pieces(canvas, scene, trace)
    _put_marbles(canvas, scene)
    _put_marks(canvas, scene, trace)
    frame.put_header(canvas, scene, TITLE, _notation(scene, trace))
    for column in frame.put_footer(canvas, scene):
        _put_column(canvas, scene, column)
    if scene.choices is not None and scene.choices.kind == "marble":
        return canvas, {cell: (x, y, _HOLLOW_REACH) for cell, (x, y) in HOLLOWS.items()}
    return canvas, {cell: (x, y, _NODE_REACH) for cell, (x, y) in NODES.items()}


def _notation(scene: Scene, trace: _Trace) -> str:
    parts = [action.text for action in scene.actions if action.verb in (*_BOARD_VERBS, "marble", "pass")]
    return frame.notation([*parts, *(f"x{cell}" for cell in trace.caught)])


# --- The last turn ----------------------------------------------------------------------------------------------------


def _put_last_turn(canvas: Canvas, scene: Scene, trace: _Trace) -> None:
    """Put the ground of the marks: the way in saffron, pale discs for who was caught."""
    ink = PALE if scene.choosing else SAFFRON
    places = HOLLOWS if trace.in_tray else NODES
    small, large = (15.5, 23) if trace.in_tray else (26, 41)
    if not scene.choosing:
        for start, end in pairwise(trace.way):
            canvas.put(_band(start, end, trace.in_tray, ink), *_middle(start, end, trace.in_tray))
            spokes = {start[0], end[0]}
            if not trace.in_tray and (spokes in ({"a", "b"}, {"e", "f"})):
                x, y = number_at(SPOKES.index(min(spokes)), int(start[1]) - 1)
                canvas.put(pieces.label(start[1], 34, LINE, align="centre"), x, y + 12)
    for cell in trace.way[:1] if len(trace.way) > 1 else ():
        canvas.put(figures.patch(small, ink), *places[cell])
    for cell in trace.way[-1:]:
        canvas.put(figures.patch(large, ink), *places[cell])
        if trace.in_tray:
            # The goal has moved with its marble.
            own = scene.last_turn is not None and scene.last_turn.seat == scene.viewer
            canvas.put(figures.patch(47 if own else 25, ink), *NODES[cell])
    if scene.choosing:
        for cell in trace.caught:
            canvas.put(figures.patch(26, ink), *NODES[cell])


def _middle(start: str, end: str, in_tray: bool) -> tuple[int, int]:
    places = HOLLOWS if in_tray else NODES
    (ax, ay), (bx, by) = places[start], places[end]
    return (ax + bx) // 2, (ay + by) // 2


@lru_cache(maxsize=256)
def _band(start: str, end: str, in_tray: bool, ink: tuple[int, int, int]) -> Tile:
    """Return the way from a node or hollow to the next one, to be put half-way between them."""
    x, y = _middle(start, end, in_tray)
    places = HOLLOWS if in_tray else NODES
    line: list[tuple[float, float]] = [places[start], places[end]]
    a, b = SPOKES.index(start[0]), SPOKES.index(end[0])
    if not in_tray and a != b:
        line = thread(a if (b - a) % 8 == 1 else b, int(start[1]) - 1)
    return pieces.path(tuple((px - x, py - y) for px, py in line), ink, 12 if in_tray else 18)


def _put_marks(canvas: Canvas, scene: Scene, trace: _Trace) -> None:
    """Put what lies over the pieces: the rings of the last turn, or the numbers of what can be chosen."""
    places = HOLLOWS if trace.in_tray else NODES
    small, width = (12, 4) if trace.in_tray else (22, 5)
    if len(trace.way) > 1:
        canvas.put(pieces.ring(small, LINE, width, dashed=True), *places[trace.way[0]])
    if scene.choices is None:
        for cell in () if trace.in_tray else trace.way[-1:]:
            canvas.put(pieces.ring(34, LINE, width), *places[cell])
        for cell in trace.caught:
            canvas.put(figures.caught(), *NODES[cell])
        return
    in_tray = scene.choices.kind == "marble"
    places = HOLLOWS if in_tray else NODES
    for cell, number in scene.choices.numbers:
        if cell in places:
            # A marble has no room beside it; it is its player's own, so that its emblem may go.
            (x, y), reach, aside = places[cell], 13.5 if in_tray else 17, 0 if in_tray else 21
            canvas.put(pieces.piece_number(number, reach), x - aside, y - aside)
    for target in scene.choices.targets:
        if target.cell in places:
            if target.capture:
                tile = pieces.capture_target(target.label, 34, 18)
            else:
                tile = pieces.move_target(target.label, 16 if in_tray else 24)
            canvas.put(tile, *places[target.cell])


# --- What can be chosen -----------------------------------------------------------------------------------------------


def _put_choices(canvas: Canvas, scene: Scene) -> None:
    """Put the grounds under the pieces that can act, the one that is chosen and the places where it can go."""
    choices = scene.choices
    if choices is None:
        return
    web, tray = _movable(scene, choices.movable)
    # All rings first: where two touch they become one. On the dark tray the cream alone is seen.
    for places, cells, grounds in ((NODES, web, ((34, DEEP), (30, CREAM))), (HOLLOWS, tray, ((21.5, CREAM),))):
        for reach, ink in grounds:
            for cell in cells:
                if cell != choices.chosen:
                    canvas.put(figures.patch(reach, ink), *places[cell])
    in_tray = choices.kind == "marble"
    places = HOLLOWS if in_tray else NODES
    if choices.chosen is not None and choices.chosen in places:
        canvas.put(figures.patch(27 if in_tray else 40, DEEP), *places[choices.chosen])
        canvas.put(figures.patch(22 if in_tray else 31, CREAM), *places[choices.chosen])
    for target in choices.targets:
        if target.cell in places:
            canvas.put(figures.patch(20 if in_tray else 32, WATER), *places[target.cell])


def _movable(scene: Scene, cells: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return which of the cells are nodes with a piece that can act, and which hollows with such a marble."""
    kind = scene.choices.kind if scene.choices else ""
    on_web = {action.source for action in scene.state.legal_actions() if action.verb != "marble"}
    in_tray = {action.source for action in scene.state.legal_actions() if action.verb == "marble"}
    web = [cell for cell in cells if cell in on_web and kind != "marble"]
    return web, [cell for cell in cells if cell in in_tray and kind in ("", "marble")]


# --- Goals, pieces, marbles -------------------------------------------------------------------------------------------


def _viewers_colour(scene: Scene) -> str | None:
    colour: str | None = scene.position["colours"][scene.viewer]
    return colour


def _put_goals(canvas: Canvas, scene: Scene) -> None:
    theme = scene.theme
    own = _viewers_colour(scene)
    for colour, cells in scene.position["marbles"].items():
        inks = "counsellor" if colour == "black" else colour
        for cell in cells:
            spoke = SPOKES.index(cell[0])
            canvas.put(figures.plaque(theme, inks, spoke) if colour == own else figures.goal(theme, inks), *NODES[cell])


def _put_pieces(canvas: Canvas, scene: Scene, trace: _Trace) -> None:
    theme, position = scene.theme, scene.position
    shade = BOARDS[theme.key].wall
    stable = _stable(position)
    plaques = set(position["marbles"].get(_viewers_colour(scene), ()))
    bright = plaques | (set() if trace.in_tray else set(trace.way[-1:]))
    standing = [
        (*NODES[cell], cell, colour)
        for colour, cells in zip(position["colours"], position["pawns"], strict=True)
        for cell in cells
    ]
    # From the top down, since a spider's legs reach over its neighbours.
    for x, y, cell, colour in sorted(standing, key=lambda pawn: pawn[1]):
        canvas.put(pieces.shadow(figures.PAWN, shade), x, y)
        if cell in stable:
            canvas.put(figures.spider(theme, colour, SPOKES.index(cell[0]), cell in bright), x, y)
        else:
            if cell in plaques:
                canvas.put(figures.patch(figures.PAWN + 2.5, LINE), x, y)
            canvas.put(pieces.disc(theme, colour, figures.PAWN), x, y)
    if position["counsellor"]:
        x, y = NODES[position["counsellor"]]
        canvas.put(pieces.shadow(figures.PAWN, shade), x, y)
        canvas.put(figures.counsellor(theme), x, y)


def _stable(position: Mapping[str, Any]) -> set[str]:
    """Return the nodes of all stable pawns: covered goals as far out as the innermost open one of their colour."""
    stable: set[str] = set()
    for colour, cells in zip(position["colours"], position["pawns"], strict=True):
        goals = set(position["marbles"].get(colour, ()))
        innermost = min((cell[1] for cell in goals - set(cells)), default="4")
        stable |= {cell for cell in goals & set(cells) if cell[1] <= innermost}
    return stable


def _put_marbles(canvas: Canvas, scene: Scene) -> None:
    for colour, cells in scene.position["marbles"].items():
        for cell in cells:
            inks = "counsellor" if colour == "black" else colour
            canvas.put(figures.marble(scene.theme, inks), *HOLLOWS[cell])


# --- The players ------------------------------------------------------------------------------------------------------


def _put_column(canvas: Canvas, scene: Scene, column: Column) -> None:
    """Put a player's emblem and name, the number of spiders, and the pawns off the web.

    In narrow columns the name has a line of its own, so that there is more room for it.
    """
    position, seat = scene.position, column.seat
    colour: str | None = position["colours"][seat]
    small = column.small
    r, x, y = (21, column.left + 38, column.top + 80) if small else (34, column.left + 62, column.top + 61)
    if colour is None:
        canvas.put(pieces.ring(r - 3, column.ink, 5, dashed=True), x, y)
    else:
        frame.put_emblem(canvas, scene, column, colour, x, y, r)
    in_play = position["phase"] == "play"
    start = column.left + 14 if small else x + 50
    baseline = column.top + (38 if small else 52 if in_play else 71)
    flag = 30 if seat in scene.state.dropped else 0
    frame.put_name(canvas, scene, column, start, baseline, column.right - start - (12 if small else 8) - flag)
    if not in_play or colour is None:
        return
    mine = set(position["pawns"][seat])
    x, y = (x + 46, y) if small else (start + 15, column.top + 91)
    canvas.put(figures.count_sign(column.ink, 15 if small else 18), x, y)
    count = pieces.label(str(len(_stable(position) & mine)), 32 if small else 34, column.ink)
    canvas.put(count, x + (18 if small else 25), y + 12)
    off = position["off"][seat]
    if off:
        first, last = x + (56 if small else 68), column.right - (17 if small else 20)
        gap = min(29.0, (last - first) / max(1, off - 1))
        for number in range(off):
            canvas.put(figures.token(scene.theme, colour), first + gap * number, y)


PICTURE: Final = GamePicture(KEY, colours, _paint, contrasts)
