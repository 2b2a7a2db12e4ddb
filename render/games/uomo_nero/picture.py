"""Painting a position of Gioco dell'Uomo Nero."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from render import frame, pieces
from render.canvas import Canvas, Tile
from render.games.uomo_nero import cards, figures
from render.games.uomo_nero.court import CENTRES, COLOURS, COURTS, KEY, TITLE, colours, ground
from render.scene import Contrast, GamePicture, Scene
from render.theme import CREAM, DEEP, LINE, PALE, RGB, SAFFRON, SAFFRON_WALL, WATER, Theme

_SPOT: Final = 37
_RING: Final = 32.5
_SILENT: Final = frozenset({"roll", "drop", "pick"})


@dataclass(frozen=True)
class _Trace:
    """What the last turn did: which cells were left and reached, and where attackers were captured.

    `seat_is_man` tells whose turn it was. All are empty once a new round has cleared the courtyard.
    """

    left: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()
    captured: tuple[str, ...] = ()


def _trace(scene: Scene) -> _Trace:
    before, position = scene.before, scene.position
    if before is None or (before["round"] != position["round"] and position["round"] > 1):
        return _Trace()
    left, reached, captured = [], [], []
    for action in scene.actions:
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
    blocked = position["phase"] == "over" and not any(action.verb == "drop" for action in scene.actions)
    if blocked:
        stood = {one["cell"] for one in before["attackers"]} - set(left) - set(captured)
        captured += sorted(stood - {one["cell"] for one in position["attackers"]})
    return _Trace(tuple(left), tuple(reached), tuple(captured))


def _paint(scene: Scene) -> tuple[Canvas, Mapping[str, tuple[int, int, int]]]:
    canvas = Canvas(ground(scene.theme))
    trace = _trace(scene)
    position = scene.position
    standing = {one["cell"]: one["colour"] for one in position["attackers"]}
    _put_tiles(canvas, scene, trace)
    _put_under(canvas, scene, standing)
    _put_pieces(canvas, scene, standing, trace)
    _put_marks(canvas, scene, standing, trace)
    parts = [action.text for action in scene.actions if action.verb not in _SILENT]
    frame.put_header(canvas, scene, TITLE, frame.notation(parts))
    cards.put_cards(canvas, scene)
    return canvas, {cell: (x, y, _SPOT) for cell, (x, y) in CENTRES.items()}


def _put_tiles(canvas: Canvas, scene: Scene, trace: _Trace) -> None:
    """Lay the coloured tiles: the last turn's, those of captures being named, and of what can be chosen."""
    tiles: dict[str, tuple[RGB, RGB]] = {}
    for cell in (*trace.captured, *scene.position["captured"]):
        tiles[cell] = (PALE, SAFFRON_WALL)
    for cell in (*trace.left, *trace.reached):
        tiles[cell] = (PALE if scene.choosing else SAFFRON, SAFFRON_WALL)
    choices = scene.choices
    if choices:
        for target in choices.targets:
            if not target.capture:
                tiles[target.cell] = (WATER, DEEP)
        if choices.chosen is not None:
            tiles[choices.chosen] = (DEEP, LINE)
    for cell, (ink, lip) in tiles.items():
        if cell in CENTRES:
            canvas.put(figures.tile(ink, lip, int(cell[1:])), *CENTRES[cell])


def _put_under(canvas: Canvas, scene: Scene, standing: Mapping[str, str]) -> None:
    choices = scene.choices
    for cell in choices.movable if choices else ():
        if cell in standing and choices and cell != choices.chosen:
            canvas.put(_movable(), *CENTRES[cell])


@lru_cache(maxsize=1)
def _movable() -> Tile:
    sketch = pieces.sketch_around(40)
    sketch.disc(0, 0, 38.5, DEEP)
    sketch.disc(0, 0, 34.5, CREAM)
    return Tile(sketch)


def _put_pieces(canvas: Canvas, scene: Scene, standing: Mapping[str, str], trace: _Trace) -> None:
    """Put attackers and Man from the top down, since his hat reaches into the cell above."""
    theme, choices = scene.theme, scene.choices
    shade = COURTS[theme.key].edge
    man: str | None = scene.position["man"]
    for cell in () if scene.choosing else trace.reached:
        if cell in standing or cell == man:
            canvas.put(figures.border(), *CENTRES[cell])
    for cell in sorted({*standing, man or ""} & set(CENTRES), key=lambda name: CENTRES[name][1]):
        x, y = CENTRES[cell]
        if cell == man:
            canvas.put(figures.man_shadow(shade), x, y)
            canvas.put(figures.man(68, figures.edge_on(COURTS[theme.key].cell)), x, y)
        else:
            chosen = choices is not None and cell == choices.chosen
            canvas.put(pieces.shadow(figures.ATTACKER, LINE if chosen else shade), x, y - 1)
            canvas.put(figures.attacker(theme, standing[cell], figures.ATTACKER), x, y - 1)


def _put_marks(canvas: Canvas, scene: Scene, standing: Mapping[str, str], trace: _Trace) -> None:
    choices = scene.choices
    man = scene.position["man"]
    taken = {*standing, man}
    for cell in trace.left:
        if cell not in taken:
            canvas.put(pieces.ring(28, LINE, 5, dashed=True), *CENTRES[cell])
    targets = {target.cell for target in choices.targets} if choices else set()
    for cell in sorted({*scene.position["captured"], *(() if scene.choosing else trace.captured)}):
        x, y = CENTRES[cell]
        if cell == man or cell in targets:
            canvas.put(pieces.badge(14), x - 25, y + 24)
        elif cell not in taken:
            canvas.put(pieces.captured(27, 10), x, y)
    if choices is None:
        return
    if choices.chosen in standing and choices.chosen is not None:
        canvas.put(pieces.ring(_RING, CREAM, 4.5), CENTRES[choices.chosen][0], CENTRES[choices.chosen][1] - 1)
    for cell, number in choices.numbers:
        if cell in standing:
            x, y = CENTRES[cell]
            canvas.put(pieces.piece_number(number, 18), x - 22, y - 23)
    for target in choices.targets:
        if target.cell in CENTRES:
            x, y = CENTRES[target.cell]
            if target.capture:
                canvas.put(pieces.capture_target(target.label, 40, 21), x, y - 1)
            elif target.cell == man:
                # He may land where he stands; his face stays free.
                canvas.put(pieces.move_target(target.label, 19), x, y + 21)
            else:
                canvas.put(pieces.move_target(target.label, 24), x, y - 2)


def _colours(theme: Theme) -> Iterable[RGB]:
    yield from colours(theme)
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
    for colour in COLOURS:
        inks = theme.sets[colour]
        line = figures.MOON if theme.key == "dark" else inks.contour
        for floor in (*floors, court.start[colour]):
            yield Contrast(f"a {colour} attacker", (inks.face, inks.contour, line), floor)
        yield Contrast(f"the emblem of {colour}'s start cells", (court.inlay[colour],), court.start[colour])
    for floor in floors:
        yield Contrast("the Man", (figures.CLOAK, figures.edge_on(court.cell) or figures.CLOAK), floor)
    for dark in (False, True):
        face = LINE if dark else figures.IVORY
        yield Contrast("the pips of a die", (figures.IVORY if dark else LINE,), face)


PICTURE: Final = GamePicture(KEY, _colours, _paint, _contrasts, most_colours=96)
