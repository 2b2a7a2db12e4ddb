"""La Vedova Nera's picture: a web around a tray of marbles, pawns that turn into spiders (`web` the board's inks and
places, `ground` the empty board, `figures` what lies on it, `cards` the players)."""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from engine.core import Position, State
from engine.games.vedova_nera.rules import RAYS, WEB, open_ray
from render import frame, pieces
from render.canvas import Canvas, Spots, Tile
from render.games.vedova_nera import board
from render.games.vedova_nera.board import (
    KEY,
    SPOKES,
    TITLE,
    USUAL,
    WIDE,
    Web,
    draw_ground,
    find_stable_nodes,
    list_colours,
    put_cards,
    put_columns,
)
from render.scene import NO_CHOICES, GamePicture, Painted, Scene, TurnSeen
from render.sketch import Point, on_circle
from render.theme import CREAM, DEEP, LINE, PALE, RGB, SAFFRON, SAFFRON_WALL

_BOARD_VERBS: Final = ("step", "counsellor", "enter")
_NODE_REACH = 27
_HOLLOW_REACH = 17


@dataclass(frozen=True)
class _Trace:
    """The last turn: the nodes (or hollows) on its piece's way, and the removed pawns.

    `way` is empty if nothing moved; it has one cell if a pawn entered. `caught` has the colours of the removed pawns
    by their nodes.
    """

    verb: str
    way: tuple[str, ...]
    caught: Mapping[str, str]

    @property
    def in_tray(self) -> bool:
        """Whether it was a marble that moved."""
        return self.verb == "marble"

    @property
    def reached(self) -> tuple[str, ...]:
        """The node that a piece came to, if one did."""
        return () if self.in_tray else self.way[-1:]


def _trace(seen: TurnSeen | None) -> _Trace:
    actions = seen.turn.actions if seen is not None else ()
    action = next((action for action in actions if action.verb in (*_BOARD_VERBS, "marble")), None)
    if seen is None or action is None or action.target is None:
        return _Trace("", (), {})
    before = seen.before
    if action.verb == "enter":
        way: tuple[str, ...] = (action.target,)
    elif action.verb == "counsellor":
        way = _slide(before, action.target)
    else:
        way = (action.source or action.target, action.target)
    stand = {cell for pawns in seen.after["pawns"] for cell in pawns} | {action.source}
    stood = sorted(_standing(before).items()) if action.verb in _BOARD_VERBS else []
    return _Trace(action.verb, way, {cell: colour for cell, colour in stood if cell not in stand})


def _standing(position: Position) -> dict[str, str]:
    """Return the colours of the pawns on the web by their nodes."""
    owned = zip(position["colours"], position["pawns"], strict=True)
    return {cell: colour for colour, cells in owned for cell in cells}


def _slide(before: Position, target: str) -> tuple[str, ...]:
    """Return the nodes of the Counsellor's slide, the shorter way round where both are free."""
    start, end = WEB.index[before["counsellor"]], WEB.index[target]
    taken = WEB.bits(_standing(before))
    ways = [ray[: ray.index(end)] for ray in RAYS[start] if end in open_ray(ray, taken)]
    return tuple([WEB.names[node] for node in (start, *min(ways, key=len, default=()), end)])


def _paint(scene: Scene) -> Painted:
    canvas, trace = _put_board(scene, USUAL)
    frame.put_header(canvas, scene, TITLE, _notation(scene, trace))
    put_columns(canvas, scene, find_stable_nodes(scene.position))
    return canvas, _spots(scene, USUAL)


def _paint_wide(scene: Scene) -> Painted:
    canvas, trace = _put_board(scene, WIDE)
    put_cards(canvas, scene, _notation(scene, trace), find_stable_nodes(scene.position))
    return canvas, _spots(scene, WIDE)


def _put_board(scene: Scene, web: Web) -> tuple[Canvas, _Trace]:
    """Return a shape of the picture with everything on its web and in its tray, and the last turn."""
    canvas = Canvas(draw_ground(scene.theme, web), web.nodes)
    trace = _trace(scene.last)
    earlier = [(_trace(step), label) for step, label in scene.past]
    for each, _ in earlier:
        _put_earlier(canvas, web, each)
    _put_last_turn(canvas, scene, web, trace)
    covered = _find_covered(scene)
    _put_goals(canvas, scene, covered)
    _put_choices(canvas, scene, web)
    _put_pieces(canvas, scene, web, {cell for each in (trace, *(each for each, _ in earlier)) for cell in each.reached})
    _put_covered_goals(canvas, scene, web, covered)
    _put_marbles(canvas, scene, web)
    _put_earlier_marks(canvas, scene, web, trace, earlier)
    _put_marks(canvas, scene, web, trace)
    return canvas, trace


def _spots(scene: Scene, web: Web) -> Spots:
    """Return where the nodes are, or the hollows while a marble is chosen."""
    in_tray = _chooses_marble(scene)
    reach = round(_HOLLOW_REACH * web.scale) if in_tray else _NODE_REACH
    return {cell: (x, y, reach) for cell, (x, y) in web.places(in_tray).items()}


def _chooses_marble(scene: Scene) -> bool:
    return scene.choices.kind == "marble"


def _sets(state: State) -> Sequence[Sequence[str]]:
    """Return the seats' colours, none for those that have not chosen yet."""
    return [(colour,) if colour else () for colour in state.to_json()["colours"]]


def _notation(scene: Scene, trace: _Trace) -> str:
    parts = [action.text for action in scene.actions if action.verb in (*_BOARD_VERBS, "marble", "pass")]
    return frame.format_notation([*parts, *(f"x{cell}" for cell in trace.caught)])


# --- The last turn ----------------------------------------------------------------------------------------------------


def _put_last_turn(canvas: Canvas, scene: Scene, web: Web, trace: _Trace) -> None:
    """Put the ground of the marks: the way in saffron, pale discs for who was caught."""
    ink = PALE if scene.choosing else SAFFRON
    places = web.places(trace.in_tray)
    small, large = (15.5 * web.scale, 23 * web.scale) if trace.in_tray else (26, 41)
    if not scene.choosing:
        for start, end in pairwise(trace.way):
            _put_band(canvas, web, start, end, trace.in_tray, ink)
            spokes = {start[0], end[0]}
            if not trace.in_tray and (spokes in ({"a", "b"}, {"e", "f"})):
                x, y = web.number_at(SPOKES.index(min(spokes)), int(start[1]) - 1)
                canvas.put(pieces.make_label(start[1], 34, LINE, align="centre"), x, y + 12)
    for cell in trace.way[:1] if len(trace.way) > 1 else ():
        canvas.put(pieces.make_patch(small, ink), *places[cell])
    for cell in trace.way[-1:]:
        canvas.put(pieces.make_patch(large, ink), *places[cell])
        if trace.in_tray:
            # The goal has moved with its marble.
            own = scene.last_turn is not None and scene.last_turn.seat == scene.goals_of
            canvas.put_on(pieces.make_patch(47 if own else 25, ink), cell)


def _put_earlier(canvas: Canvas, web: Web, trace: _Trace) -> None:
    """Put the ground of an earlier turn's marks, narrower and paler than those of the last one."""
    places = web.places(trace.in_tray)
    for start, end in pairwise(trace.way):
        _put_band(canvas, web, start, end, trace.in_tray, PALE, 8)
    for cell in trace.way[-1:]:
        reach = 21 * web.scale if trace.in_tray else 36
        canvas.put(pieces.make_patch(reach + 1.5, SAFFRON_WALL), *places[cell])
        canvas.put(pieces.make_patch(reach - 1, PALE), *places[cell])
        if trace.in_tray:
            canvas.put_on(pieces.make_patch(25, PALE), cell)


def _put_earlier_marks(
    canvas: Canvas, scene: Scene, web: Web, last: _Trace, earlier: Sequence[tuple[_Trace, str]]
) -> None:
    """Put over the pieces where those of earlier turns came from, whom they removed, and in which order."""
    standing = {cell for pawns in scene.position["pawns"] for cell in pawns} | {scene.position["counsellor"]}
    for trace, number in earlier:
        places = web.places(trace.in_tray)
        if len(trace.way) > 1 and (trace.in_tray or trace.way[0] not in standing) and trace.way[:1] != last.way[:1]:
            small, width = (9 * web.scale, 3) if trace.in_tray else (15, 3.5)
            canvas.put(pieces.make_ring(small, LINE, width, dashed=True), *places[trace.way[0]])
        for cell, colour in trace.caught.items():
            if cell in standing:
                canvas.put(pieces.make_taken_badge(scene.theme, colour), *_beside_pawn(web, cell, 46))
            elif cell not in last.caught:
                canvas.put_on(pieces.make_taken_mark(scene.theme, colour, 22), cell)
        for cell in trace.way[-1:] if number else ():
            canvas.put(pieces.order_number(number, 14), *_beside_pawn(web, cell, 38))


def _put_band(canvas: Canvas, web: Web, start: str, end: str, in_tray: bool, ink: RGB, width: float = 18) -> None:
    """Put the way from a node or hollow to the next one."""
    places = web.places(in_tray)
    (ax, ay), (bx, by) = places[start], places[end]
    middle = (ax + bx) // 2, (ay + by) // 2
    canvas.put(_make_band(web, start, end, middle, in_tray, ink, width), *middle)


@lru_cache(maxsize=256)
def _make_band(web: Web, start: str, end: str, middle: tuple[int, int], in_tray: bool, ink: RGB, width: float) -> Tile:
    line: list[Point] = [web.places(in_tray)[start], web.places(in_tray)[end]]
    a, b = SPOKES.index(start[0]), SPOKES.index(end[0])
    if not in_tray and a != b:
        line = web.trace_thread(a if (b - a) % 8 == 1 else b, int(start[1]) - 1)
    points = tuple((x - middle[0], y - middle[1]) for x, y in line)
    return pieces.make_path(points, ink, width * web.scale * 2 / 3 if in_tray else width)


def _put_marks(canvas: Canvas, scene: Scene, web: Web, trace: _Trace) -> None:
    """Put what lies over the pieces: the rings of the last turn, or the numbers of what can be chosen."""
    places = web.places(trace.in_tray)
    small, width = (12 * web.scale, 4) if trace.in_tray else (22, 5)
    if len(trace.way) > 1:
        canvas.put(pieces.make_ring(small, LINE, width, dashed=True), *places[trace.way[0]])
    for cell in () if scene.choosing else trace.reached:
        canvas.put_on(pieces.make_ring(34, LINE, width), cell)
    aimed = _aimed(scene)
    for cell, colour in trace.caught.items():
        if cell not in aimed:
            canvas.put_on(pieces.make_taken_mark(scene.theme, colour, 24 if scene.choosing else 29), cell)
    in_tray = _chooses_marble(scene)
    places = web.places(in_tray)
    for cell, number in scene.choices.numbers:
        if cell in places:
            tile = pieces.piece_number(number, 15 * web.scale if in_tray else 17)
            canvas.put(tile, *(_beside_marble(web, cell) if in_tray else _beside_pawn(web, cell, 40)))
    targets = [target for target in scene.targets if target.cell in places]
    captures = [target for target in targets if target.capture]
    goals = {cell for cells in scene.position["marbles"].values() for cell in cells}
    for target in targets:
        if target.capture:
            continue
        if scene.choosing:
            canvas.put(pieces.move_target(target.label, 14 * web.scale if in_tray else 24), *places[target.cell])
        else:
            # A goal stays to be seen.
            aside = not in_tray and target.cell in goals
            canvas.put(pieces.open_cell(), *(_beside_pawn(web, target.cell, 27) if aside else places[target.cell]))
    for target in captures:
        canvas.put(pieces.capture_arcs(34), *places[target.cell])
    for target in captures if not scene.beforehand else ():
        canvas.put(pieces.capture_number(target.label, 18), *_beside_pawn(web, target.cell, 44))
    # Over all else: whose pawn was removed where a piece can go now.
    for cell in aimed & trace.caught.keys():
        tile = pieces.make_taken_badge(scene.theme, trace.caught[cell])
        canvas.put(tile, *_beside_pawn(web, cell, -78 if cell in goals else -56))


def _aimed(scene: Scene) -> Set[str]:
    """Return the nodes that a person can choose to go to, if a person is choosing."""
    return {target.cell for target in scene.aims if not _chooses_marble(scene)}


def _beside_pawn(web: Web, cell: str, far: float) -> Point:
    """Return a place beside a node that lies on no thread: pawns stand near each other along the spokes only."""
    (x, y), angle = web.nodes[cell], math.radians(45 * SPOKES.index(cell[0]))
    return on_circle(x, y, far, angle)


def _beside_marble(web: Web, cell: str) -> Point:
    """Return a place between two spokes beside a hollow.

    The innermost nearly touch: theirs lie before the spoke and those of the others behind it, and only over rims.
    """
    spoke = SPOKES.index(cell[0])
    if cell[1] == "1":
        return web.polar_point(spoke - 0.4, web.hollow_radii[0] + 20 * web.scale)
    return web.polar_point(spoke + 0.5, web.hollow_radii[int(cell[1]) - 1] + 16 * web.scale)


# --- What can be chosen -----------------------------------------------------------------------------------------------


def _put_choices(canvas: Canvas, scene: Scene, web: Web) -> None:
    """Put the grounds under the pieces that can act, the one that is chosen and the places where it can go."""
    choices = scene.choices
    if choices is NO_CHOICES:
        return
    nodes, hollows = _movable(scene, choices.movable)
    # All rings first: where two touch they become one. On the dark tray the cream alone is seen.
    web_grounds, tray_grounds = ((34, DEEP), (30, CREAM)), ((21.5 * web.scale, CREAM),)
    for places, cells, grounds in ((web.nodes, nodes, web_grounds), (web.hollows, hollows, tray_grounds)):
        for reach, ink in grounds:
            for cell in cells:
                if cell != choices.chosen and (choices.chosen is None or ink == DEEP or cell in hollows):
                    canvas.put(pieces.make_patch(reach if choices.chosen is None else reach - 2.5, ink), *places[cell])
    in_tray = choices.kind == "marble"
    places = web.places(in_tray)
    counsellor: str | None = scene.position["counsellor"]
    slides = counsellor is not None and _may_slide(scene)
    chosen = counsellor if slides and choices.kind == "counsellor" and scene.choosing else choices.chosen
    if chosen is not None and chosen in places:
        canvas.put(pieces.make_patch(27 * web.scale if in_tray else 40, DEEP), *places[chosen])
        canvas.put(pieces.make_patch(22 * web.scale if in_tray else 31, CREAM), *places[chosen])
    elif slides and counsellor is not None and scene.beforehand:
        canvas.put_on(pieces.make_movable_mark(36), counsellor)
    for target in scene.aims:
        if target.cell in places:
            canvas.put(pieces.make_place(20 * web.scale if in_tray else 32), *places[target.cell])


def _may_slide(scene: Scene) -> bool:
    """Return whether the Counsellor's ways are among the places that can be chosen."""
    targets = {target.cell for target in scene.targets}
    return any(action.verb == "counsellor" and action.target in targets for action in scene.state.legal_actions())


def _movable(scene: Scene, cells: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return which of the cells are nodes with a piece that can act, and which hollows with such a marble."""
    kind = scene.choices.kind
    on_web = {action.source for action in scene.state.legal_actions() if action.verb != "marble"}
    in_tray = {action.source for action in scene.state.legal_actions() if action.verb == "marble"}
    nodes = [cell for cell in cells if cell in on_web and kind != "marble"]
    return nodes, [cell for cell in cells if cell in in_tray and kind in ("", "marble")]


# --- Goals, pieces, marbles -------------------------------------------------------------------------------------------


def _marbles(scene: Scene) -> list[tuple[str, str, bool]]:
    """Return the cell and the inks of each marble, and whether its goal stands out."""
    own = scene.position["colours"][scene.goals_of]
    return [
        (cell, "counsellor" if colour == "black" else colour, colour == own)
        for colour, cells in scene.position["marbles"].items()
        for cell in cells
    ]


def _find_covered(scene: Scene) -> Set[str]:
    """Return the nodes on which something lies that is larger than the goals of others."""
    return {*_standing(scene.position), scene.position["counsellor"], *_aimed(scene)}


def _put_goals(canvas: Canvas, scene: Scene, covered: Set[str]) -> None:
    for cell, inks, own in _marbles(scene):
        if own:
            canvas.put_on(board.make_plaque(scene.theme, inks, SPOKES.index(cell[0])), cell)
        elif cell not in covered:
            canvas.put_on(board.make_goal(scene.theme, inks), cell)


def _put_covered_goals(canvas: Canvas, scene: Scene, web: Web, covered: Set[str]) -> None:
    """Put the goals of the other colours beside whatever stands on them."""
    for cell, inks, own in _marbles(scene):
        if not own and cell in covered:
            canvas.put(board.make_goal(scene.theme, inks, 14), *_beside_pawn(web, cell, -36))


def _put_pieces(canvas: Canvas, scene: Scene, web: Web, reached: Set[str]) -> None:
    theme, position = scene.theme, scene.position
    still = find_stable_nodes(position)
    plaques = {cell for cell, _, own in _marbles(scene) if own}
    # From the top down, since a spider's legs reach over its neighbours.
    for cell, colour in sorted(_standing(position).items(), key=lambda pawn: web.nodes[pawn[0]][1]):
        if cell in still:
            tile = board.make_spider(theme, colour, SPOKES.index(cell[0]), cell in plaques, cell in reached)
        else:
            tile = board.make_pawn(theme, colour, cell in plaques)
        canvas.put_on(tile, cell)
    if position["counsellor"]:
        canvas.put_on(board.make_counsellor(theme), position["counsellor"])


def _put_marbles(canvas: Canvas, scene: Scene, web: Web) -> None:
    for cell, inks, _ in _marbles(scene):
        canvas.put(board.make_marble(scene.theme, inks, board.MARBLE_RADIUS * web.scale), *web.hollows[cell])


def _scores(state: State) -> Sequence[str]:
    """Return how many spiders each seat has, none before the play begins."""
    position = state.to_json()
    if position["phase"] != "play" and state.outcome is None:
        return [""] * state.seats
    still = find_stable_nodes(position)
    return [str(len(still & set(pawns))) for pawns in position["pawns"]]


PICTURE: Final = GamePicture(
    KEY,
    list_colours,
    _paint,
    paint_wide=_paint_wide,
    sets=_sets,
    draw_emblem=board.draw_emblem,
    scores=_scores,
)
