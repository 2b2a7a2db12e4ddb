"""Painting a position of Gioco dell'Uomo Nero."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from engine.core import State
from render import frame, pieces
from render.canvas import Canvas, Tile
from render.games.uomo_nero import cards, figures
from render.games.uomo_nero.court import CENTRES, COLOURS, COURTS, KEY, TITLE, WIDE_ORIGIN, draw_ground, list_colours
from render.games.uomo_nero.signs import draw_hat
from render.scene import Contrast, GamePicture, Scene, TurnSeen
from render.sketch import Sketch
from render.theme import CREAM, DEEP, LINE, PALE, RGB, SAFFRON, SAFFRON_WALL, WATER, Theme

_SPOT_RADIUS: Final = 37
_MAN: Final = "man"
"""The kind of the Man beside the name of who plays him."""
_UNMARKED_VERBS: Final = frozenset({"roll", "drop", "pick"})


@dataclass(frozen=True)
class _Trace:
    """What the last turn did: which cells were left and reached, and where attackers were captured.

    `colours` are those of the attackers before it, by cell. All are empty once a new round has cleared the courtyard.
    """

    left: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()
    captured: tuple[str, ...] = ()
    colours: Mapping[str, str] = field(default_factory=dict)


def _trace(scene: Scene, seen: TurnSeen | None) -> _Trace:
    if seen is None:
        return _Trace()
    before, position = seen.before, seen.after
    if before["round"] != scene.position["round"] and scene.position["round"] > 1:
        return _Trace()
    left, reached, captured = [], [], []
    for action in seen.turn.actions:
        if action.verb in ("move", "sprint") and action.source and action.target:
            left.append(action.source)
            reached.append(action.target)
        elif action.verb == "capture" and action.target:
            captured.append(action.target)
        elif action.verb == "land" and action.target:
            left.append(before["man"])
            reached.append(action.target)
        elif action.verb == "place" and action.target:
            reached.append(action.target)
        elif action.verb == "pick":
            reached += [one["cell"] for one in position["attackers"] if one["colour"] == action.value]
    blocked = position["phase"] == "over" and not any(action.verb == "drop" for action in seen.turn.actions)
    if blocked:
        stood = {one["cell"] for one in before["attackers"]} - set(left) - set(captured)
        captured += sorted(stood - {one["cell"] for one in position["attackers"]})
    colours = {one["cell"]: one["colour"] for one in before["attackers"]}
    return _Trace(tuple(left), tuple(reached), tuple(captured), colours)


def _paint(scene: Scene) -> tuple[Canvas, Mapping[str, tuple[int, int, int]]]:
    canvas = Canvas(draw_ground(scene.theme))
    _put_court(canvas, scene)
    frame.put_header(canvas, scene, TITLE, _notation(scene))
    cards.put_cards(canvas, scene)
    return canvas, {cell: (x, y, _SPOT_RADIUS) for cell, (x, y) in CENTRES.items()}


def _paint_wide(scene: Scene) -> tuple[Canvas, Mapping[str, tuple[int, int, int]]]:
    canvas = Canvas(draw_ground(scene.theme, wide=True), WIDE_ORIGIN)
    _put_court(canvas, scene)
    canvas.origin = (0, 0)
    cards.put_wide_cards(canvas, scene, _notation(scene))
    dx, dy = WIDE_ORIGIN
    return canvas, {cell: (x + dx, y + dy, _SPOT_RADIUS) for cell, (x, y) in CENTRES.items()}


def _notation(scene: Scene) -> str:
    return frame.format_notation([action.text for action in scene.actions if action.verb not in _UNMARKED_VERBS])


def _put_court(canvas: Canvas, scene: Scene) -> None:
    trace = _trace(scene, scene.steps[-1] if scene.last_turn is not None else None)
    earlier = [(_trace(scene, step), label) for step, label in scene.past]
    position = scene.position
    standing = {one["cell"]: one["colour"] for one in position["attackers"]}
    _put_tiles(canvas, scene, trace, [each for each, _ in earlier])
    _put_under(canvas, scene, standing)
    _put_pieces(canvas, scene, standing, trace)
    _put_earlier(canvas, scene, standing, trace, earlier)
    _put_marks(canvas, scene, standing, trace)


def _put_tiles(canvas: Canvas, scene: Scene, trace: _Trace, earlier: Sequence[_Trace]) -> None:
    """Lay the coloured tiles: the turns', those of captures being named, and of what can be chosen."""
    tiles: dict[str, tuple[RGB, RGB]] = {}
    for each in earlier:
        tiles |= dict.fromkeys((*each.captured, *each.left, *each.reached), (PALE, SAFFRON_WALL))
    for cell in (*trace.captured, *scene.position["captured"]):
        tiles[cell] = (PALE, SAFFRON_WALL)
    for cell in (*trace.left, *trace.reached):
        tiles[cell] = (PALE if scene.choosing else SAFFRON, SAFFRON_WALL)
    choices = scene.choices
    if choices:
        for target in choices.targets:
            if not target.capture and not choices.beforehand:
                tiles[target.cell] = (WATER, DEEP)
        if choices.chosen is not None:
            tiles[choices.chosen] = (DEEP, LINE)
    for cell, (ink, lip) in tiles.items():
        if cell in CENTRES:
            canvas.put(figures.make_tile(ink, lip, int(cell[1:])), *CENTRES[cell])


def _put_under(canvas: Canvas, scene: Scene, standing: Mapping[str, str]) -> None:
    choices = scene.choices
    for cell in choices.movable if choices else ():
        if cell in standing and choices and cell != choices.chosen:
            canvas.put(_movable() if choices.chosen is None else pieces.make_other_movable_mark(38.5), *CENTRES[cell])


@lru_cache(maxsize=1)
def _movable() -> Tile:
    sketch = pieces.sketch_around(40)
    sketch.disc(0, 0, 38.5, DEEP)
    sketch.disc(0, 0, 34.5, CREAM)
    return Tile(sketch)


def _put_pieces(canvas: Canvas, scene: Scene, standing: Mapping[str, str], trace: _Trace) -> None:
    """Put attackers and Man from the top down, each over the shadow of those above."""
    theme, choices = scene.theme, scene.choices
    shade = COURTS[theme.key].edge
    man: str | None = scene.position["man"]
    for cell in () if scene.choosing else trace.reached:
        if cell in standing or cell == man:
            canvas.put(figures.make_border(), *CENTRES[cell])
    blocks = cards.find_block_colours(scene.position)
    for cell in sorted({*standing, man or ""} & set(CENTRES), key=lambda name: CENTRES[name][1]):
        x, y = CENTRES[cell]
        if cell == man:
            canvas.put(figures.man_shadow(shade, figures.MAN), x, y)
            canvas.put(figures.make_man(figures.MAN, figures.edge_colour(COURTS[theme.key].cell)), x, y)
        else:
            chosen = choices is not None and cell == choices.chosen
            colour = standing[cell]
            canvas.put(pieces.make_shadow(figures.ATTACKER, LINE if chosen else shade), x, y - 1)
            canvas.put(figures.make_attacker(theme, colour, figures.ATTACKER, colour in blocks), x, y - 1)


def _put_earlier(
    canvas: Canvas, scene: Scene, standing: Mapping[str, str], trace: _Trace, earlier: Sequence[tuple[_Trace, str]]
) -> None:
    """Put the marks of earlier turns where those of the last one leave room: where from, who was captured, in which
    order."""
    now = {*trace.left, *trace.reached, *trace.captured}
    taken = {*standing, scene.position["man"]}
    for each, number in earlier:
        for cell in each.left:
            if cell not in taken and cell not in now:
                canvas.put(pieces.make_ring(21, LINE, 3.5, dashed=True), *CENTRES[cell])
        for cell in each.captured:
            if cell in taken:
                _put_taken(canvas, scene, each, cell, beside=True)
            elif cell not in now:
                _put_taken(canvas, scene, each, cell, 22)
        for cell in each.reached if number else ():
            if cell in now:
                continue
            canvas.put(pieces.order_number(number, 13), CENTRES[cell][0] + 25, CENTRES[cell][1] + 23)


def _put_taken(canvas: Canvas, scene: Scene, trace: _Trace, cell: str, r: float = 29, *, beside: bool = False) -> None:
    """Put the mark of a captured attacker, with its colour where that is known; `beside` what stands there."""
    (x, y), colour = CENTRES[cell], trace.colours.get(cell)
    square = colour in cards.find_block_colours(scene.position)
    if beside:
        tile = pieces.make_taken_badge(scene.theme, colour, square) if colour else pieces.make_badge(14)
        canvas.put(tile, x if colour else x - 25, y + 25)
    elif colour:
        canvas.put(pieces.make_taken_mark(scene.theme, colour, r, square), x, y - 1)
    else:
        canvas.put(pieces.make_captured_mark(27, 10), x, y)


def _put_marks(canvas: Canvas, scene: Scene, standing: Mapping[str, str], trace: _Trace) -> None:
    choices = scene.choices
    man = scene.position["man"]
    taken = {*standing, man}
    for cell in trace.left:
        if cell not in taken:
            canvas.put(pieces.make_ring(28, LINE, 5, dashed=True), *CENTRES[cell])
    targets = {target.cell for target in choices.targets} if choices and scene.choosing else set()
    for cell in sorted({*scene.position["captured"], *trace.captured}):
        if cell == man or cell in targets:
            _put_taken(canvas, scene, trace, cell, beside=True)
        elif cell not in taken:
            _put_taken(canvas, scene, trace, cell, 24 if scene.choosing and cell in trace.captured else 29)
    if choices is None:
        return
    if choices.chosen in standing and choices.chosen is not None:
        canvas.put(figures.make_chosen_ring(), CENTRES[choices.chosen][0], CENTRES[choices.chosen][1] - 1)
    for cell, number in choices.numbers:
        if cell in standing:
            x, y = CENTRES[cell]
            canvas.put(pieces.piece_number(number, 16), x - 26, y - 27)
    here = [target for target in choices.targets if target.cell in CENTRES]
    for target in here:
        x, y = CENTRES[target.cell]
        if target.capture:
            continue
        if scene.beforehand:
            # Where the Man may land as he stands, beside him.
            aside = 26 if target.cell in taken else 0
            canvas.put(pieces.open_cell(), x - aside, y + (24 if aside else -2))
            continue
        if target.cell == man:
            # He may land where he stands: the number stands beside him, where nobody is if it can.
            column, row = target.cell[0], target.cell[1:]
            left = column == "h" or (column != "a" and f"{chr(ord(column) + 1)}{row}" in standing)
            canvas.put(pieces.move_target(target.label, 19), x + (-39 if left else 39), y + 24)
        else:
            canvas.put(pieces.move_target(target.label, 24), x, y - 2)
    captures = [(target.label, *CENTRES[target.cell]) for target in here if target.capture]
    pieces.put_captures(canvas, [(label, x, y - 1) for label, x, y in captures], 40, 18, numbered=not scene.beforehand)


def _colours(theme: Theme) -> Iterable[RGB]:
    yield from list_colours(theme)
    yield from (figures.CLOAK, figures.FOLD, figures.RIBBON, figures.EYES)
    yield from (figures.IVORY, figures.IVORY_WALL, figures.IVORY_RIM, figures.MOON)
    if theme.key == "dark":
        yield from (figures.EBONY_WALL, figures.EBONY_RIM)
    for colour in COLOURS:
        inks = theme.sets[colour]
        yield from (inks.face, inks.wall, inks.emblem, inks.contour, inks.rim)


def _contrasts(theme: Theme) -> Iterable[Contrast]:
    court = COURTS[theme.key]
    yield Contrast("a coordinate", (court.text,), court.frame, text=True)
    floors = (court.cell, court.other, court.finish, court.far, SAFFRON, PALE, CREAM)
    for floor in (court.cell, court.other, court.finish, court.far, *court.start.values()):
        yield Contrast("a cell that can be reached", (WATER, DEEP), floor, mark=True)
        yield Contrast("a cell of the last turn", (SAFFRON, LINE), floor, mark=True)
        yield Contrast("a cell of an earlier turn", (PALE, SAFFRON_WALL), floor, mark=True)
    for colour in COLOURS:
        inks = theme.sets[colour]
        line = figures.MOON if theme.key == "dark" else inks.contour
        for floor in (*floors, court.start[colour]):
            yield Contrast(f"a {colour} attacker", (inks.face, inks.contour, line), floor)
        yield Contrast(f"the emblem of {colour}'s start cells", (court.inlay[colour],), court.start[colour])
    for floor in floors:
        yield Contrast("the Man", (figures.CLOAK, figures.edge_colour(court.cell) or figures.CLOAK), floor)
    for dark in (False, True):
        face = LINE if dark else figures.IVORY
        yield Contrast("the pips of a die", (figures.IVORY if dark else LINE,), face)


def _sets(state: State) -> Sequence[Sequence[str]]:
    """Return the colours of each seat's attackers on the board, the Man for the one who plays him in this round."""
    position = state.to_json()
    standing = {(one["seat"], one["colour"]) for one in position["attackers"]}
    return [
        (_MAN,) if seat == position["man_seat"] else [colour for colour in COLOURS if (seat, colour) in standing]
        for seat in range(state.seats)
    ]


def _draw_own_piece(sketch: Sketch, _kind: str, x: float, y: float, r: float, ground: RGB) -> None:
    figures.draw_man(sketch, x, y, r, ground)


def _draw_emblem(sketch: Sketch, theme: Theme, x: float, y: float, _ground: RGB) -> None:
    draw_hat(sketch, x, y + 3, 48, COURTS[theme.key].hat)


PICTURE: Final = GamePicture(
    KEY,
    _colours,
    _paint,
    _contrasts,
    most_colours=96,
    paint_wide=_paint_wide,
    sets=_sets,
    draw_own_piece=_draw_own_piece,
    draw_emblem=_draw_emblem,
    scores=lambda state: [str(points) for points in state.to_json()["attack_scores"]],
)
