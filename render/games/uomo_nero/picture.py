"""Painting a position of Gioco dell'Uomo Nero."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.core import Position, State
from engine.games.uomo_nero.board import COLOURS
from engine.games.uomo_nero.match import COLOURS_EACH
from render import frame, pieces
from render.canvas import Canvas
from render.frame import Column
from render.games.uomo_nero import figures
from render.games.uomo_nero.figures import (
    CENTRES,
    COURTS,
    HEIGHT,
    KEY,
    TITLE,
    WIDE_ORIGIN,
    draw_ground,
    list_colours,
)
from render.scene import GamePicture, Painted, Scene, TurnSeen
from render.sketch import Sketch
from render.theme import DEEP, LINE, PALE, RGB, SAFFRON, SAFFRON_WALL, WATER, Theme, luminance

_CARDS_TOP: Final = 98
_CARDS_HEIGHT: Final = 182
_DICE_ROOM: Final = 104
_WIDE_LEFT: Final = 700
"""Where the band of the wide shape begins."""

_SEATS_WITH_SEVERAL_COLOURS: Final = 3
"""With so many seats there are two attacking ones, and none is known by its colour alone."""


@dataclass(frozen=True)
class _Style:
    """How large things are on a card, and where: all numbers are pixels.

    `token` is an attacker's radius, `row` how many stand beside each other, `pitch` and `line` from one to the next and
    from one row to the next, `first` from the top of the name to the middle of the first row, `name` the height of a
    name's letters, `score` the size of the scores, `below` from the last row to them. `apart` says whether each score
    has a line of its own, `beside` whether the scores stand beside the attackers.
    """

    left: int
    token: int
    pitch: float
    line: int
    name: int
    first: int
    below: int
    score: int
    man: int
    row: int = 4
    apart: bool = False
    beside: bool = False


_PLAIN: Final = _Style(left=22, token=18, pitch=41, line=43, name=28, first=72, below=56, score=38, man=46)
_GROWN: Final = _Style(
    left=20, token=25, pitch=56, line=60, name=34, first=86, below=86, score=62, man=118, row=3, apart=True
)
_LARGE: Final = _Style(left=34, token=28, pitch=64, line=66, name=43, first=100, below=76, score=56, man=64)
_BESIDE: Final = replace(_LARGE, first=99, below=0, man=54, beside=True)


def put_cards(canvas: Canvas, scene: Scene) -> None:
    """Put the band with everything in it."""
    columns = frame.put_band(canvas, scene, _CARDS_TOP, _tops(scene, _CARDS_HEIGHT, HEIGHT, _DICE_ROOM))
    middle = frame.WIDTH - frame.BAND_WIDTH // 2
    canvas.put(figures.make_hat(42, scene.theme.ink), middle - 46, 140)
    canvas.put(pieces.make_label(_rounds(scene), 40, scene.theme.ink), middle - 13, 154)
    for column in columns:
        _put_card(canvas, scene, column, _GROWN if scene.state.seats == 2 else _PLAIN)


def put_wide_cards(canvas: Canvas, scene: Scene, last: str) -> None:
    """Put the band of the wide shape: more of everything, and the header in its upper end."""
    wide, high = canvas.size
    columns = frame.put_band(canvas, scene, 0, _tops(scene, frame.STRIP_HEIGHT, high, 100), wide - _WIDE_LEFT)

    def rounds(left: int, middle: int) -> None:
        canvas.put(figures.make_hat(58, scene.theme.ink), left + 29, middle)
        canvas.put(pieces.make_label(_rounds(scene), 54, scene.theme.ink), left + 72, middle + 19)

    frame.put_strip(canvas, scene, last, _WIDE_LEFT + _LARGE.left, rounds)
    for column in columns:
        _put_card(canvas, scene, column, _LARGE if scene.state.seats == 3 else _BESIDE)


def _tops(scene: Scene, top: int, bottom: int, dice_room: int) -> list[int]:
    """Return where the cards begin and the last one ends: that with the dice is larger by their room."""
    position, seats = scene.position, scene.state.seats
    active = position["to_move"] if position["dice"] else None
    plain = (bottom - top - (0 if active is None else dice_room)) / seats
    tops = [float(top)]
    for seat in range(seats):
        tops.append(tops[-1] + plain + (dice_room if seat == active else 0))
    return [round(top) for top in tops]


def _rounds(scene: Scene) -> str:
    return f"{scene.position['round'] or '–'}/{scene.state.seats}"


def _put_card(canvas: Canvas, scene: Scene, column: Column, style: _Style) -> None:
    """Put a player's name, attackers (or the Man), scores and dice, one below the other in the middle."""
    position, seat = scene.position, column.seat
    is_man = position["man_seat"] == seat and position["phase"] != "over"
    tokens = _tokens(position, seat)
    dice = position["dice"] if position["to_move"] == seat else None
    lines = max(1, -(-len(tokens) // style.row)) if is_man or tokens else 0
    # From the top of the name to the middle of each line below it, and to the end.
    last = style.first + max(0, lines - 1) * style.line
    scores: float = last + (style.below if lines and not style.beside else 0)
    lower = 0.0
    if is_man:
        lower = 8.0 if style.beside else 3.0 if style.man < 60 else style.man * 0.37
        scores += 0 if style.beside else lower * 2 if style.apart else lower
    end = scores + style.score * (1.65 if style.apart else 0.4) + (14 if is_man and style.beside else 0)
    whole = end + (figures.DIE * 1.55 if dice else 0)
    left, top = column.left + style.left, (column.top + column.bottom - whole) / 2
    room: float = column.right - left - 12
    if column.won:
        r = style.name * 0.75
        room -= 2.8 * r
        canvas.put(pieces.make_laurel(r, column.ink), column.right - 1.65 * r, top + style.name / 2)
    elif seat in scene.state.dropped:
        room -= 44
    frame.put_name(canvas, scene, column, left, top + style.name, room)
    if is_man:
        x, y = left + style.man * 0.55, top + style.first + lower
        canvas.put(figures.make_man(style.man, figures.edge_colour(column.paper)), x, y)
    for number, token in enumerate(tokens):
        x = left + style.token - 1 + style.pitch * (number % style.row)
        _put_token(canvas, scene, column, style.token, token, x, top + style.first + style.line * (number // style.row))
    beside = left + 2.35 * style.pitch if style.beside else left
    _put_scores(canvas, scene, column, style, beside, top + scores)
    if dice:
        _put_dice(canvas, column, position, left, top + end + figures.DIE * 0.75)


def _tokens(position: Position, seat: int) -> list[tuple[str, str]]:
    """Return a seat's attackers of this round as colour and fate: home, out, or captured; none as yet is `open`."""
    own = [colour for colour in COLOURS if position["colours"].get(colour) == seat]
    if position["round"] == 0 or position["man_seat"] == seat:
        return []
    shown, lost = [], []
    for colour in own:
        cells = [cell for cell, other in _standing(position).items() if other == colour]
        shown += sorted((colour, "home" if cell.endswith("13") else "out") for cell in cells)
        lost += [(colour, "captured")] * (2 - len(cells))
    still = [("", "open")] * (2 * (COLOURS_EACH[position["seats"]] - len(own)))
    return [*shown, *lost, *(still if position["phase"] in ("man-start", "colours") else ())]


def find_block_colours(position: Position) -> frozenset[str]:
    """Return the colours whose attackers are square: the second attacking seat's where each has several colours."""
    if position["seats"] != _SEATS_WITH_SEVERAL_COLOURS or position["man_seat"] is None:
        return frozenset()
    second = max(seat for seat in range(position["seats"]) if seat != position["man_seat"])
    return frozenset(colour for colour, seat in position["colours"].items() if seat == second)


def _put_token(
    canvas: Canvas, scene: Scene, column: Column, r: int, token: tuple[str, str], x: float, y: float
) -> None:
    colour, fate = token
    square = colour in find_block_colours(scene.position)
    if fate == "open":
        canvas.put(figures.make_empty_place(r, column.faint), x, y)
        return
    if fate == "captured":
        canvas.put(pieces.make_taken_mark(scene.theme, colour, r, square), x, y)
        return
    if column.active:
        canvas.put(figures.make_halo(scene.theme.halo, r, square), x, y)
    canvas.put(figures.make_attacker(scene.theme, colour, r, square), x, y)
    if fate == "home":
        canvas.put(pieces.make_flag(column.ink, r * (1.1 if r < 24 else 0.8)), x + r / 3, y - r * 0.68)


def _put_scores(canvas: Canvas, scene: Scene, column: Column, style: _Style, x: float, y: float) -> None:
    """Put the flag with the points of attacking and the hat with those of the Man, `apart` or beside each other."""
    position, seat, size = scene.position, column.seat, style.score
    score = position["man_scores"][seat]
    aside, below = (0.0, size * 1.25) if style.apart else (size * 2.55, 0.0)
    canvas.put(pieces.make_flag(column.ink, size * 0.95), x + 3, y + size * 0.47)
    canvas.put(
        pieces.make_label(str(position["attack_scores"][seat]), size, column.ink), x + size * 0.95, y + size * 0.36
    )
    hat = (size * 0.42 if style.apart else 0.0) + aside
    canvas.put(figures.make_hat(size * 0.84, column.ink), x + hat, y + below)
    words = "–" if score is None else str(score)
    figure = size * 1.12 if style.apart else aside + size * 0.68
    canvas.put(pieces.make_label(words, size, column.ink), x + figure, y + below + size * 0.36)


def _put_dice(canvas: Canvas, column: Column, position: Position, x: float, y: float) -> None:
    used = position["used"]["die"] if position["used"] else 0
    dark = luminance(column.paper) > 0.2
    for number, value in enumerate(position["dice"]):
        spent = value == used and (number == 0 or position["dice"][0] != used)
        tile = figures.make_die(value, dark, column.faint if spent else None)
        canvas.put(tile, x + 35 + 84 * number, y)


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
    stood, stand = _standing(before), _standing(position)
    for action in seen.turn.actions:
        if action.verb == "pick":
            reached += [cell for cell, colour in stand.items() if colour == action.value]
        elif action.verb == "capture" and action.target:
            captured.append(action.target)
        elif action.verb in ("move", "sprint", "land", "place") and action.target:
            start = before["man"] if action.verb == "land" else action.source
            left += [start] if start else []
            reached.append(action.target)
    blocked = position["phase"] == "over" and not any(action.is_drop for action in seen.turn.actions)
    if blocked:
        captured += sorted(stood.keys() - {*left, *captured, *stand})
    return _Trace(tuple(left), tuple(reached), tuple(captured), stood)


def _standing(position: Position) -> dict[str, str]:
    """Return the colours of the attackers on the board by their cells."""
    return {one["cell"]: one["colour"] for one in position["attackers"]}


def _paint(scene: Scene) -> Painted:
    canvas = Canvas(draw_ground(scene.theme), CENTRES)
    _put_court(canvas, scene)
    frame.put_header(canvas, scene, TITLE, _notation(scene))
    put_cards(canvas, scene)
    return canvas, canvas.spots(_SPOT_RADIUS)


def _paint_wide(scene: Scene) -> Painted:
    canvas = Canvas(draw_ground(scene.theme, wide=True), CENTRES, WIDE_ORIGIN)
    _put_court(canvas, scene)
    spots = canvas.spots(_SPOT_RADIUS)
    canvas.origin = (0, 0)
    put_wide_cards(canvas, scene, _notation(scene))
    return canvas, spots


def _notation(scene: Scene) -> str:
    return frame.format_notation([action.text for action in scene.actions if action.verb not in _UNMARKED_VERBS])


def _put_court(canvas: Canvas, scene: Scene) -> None:
    trace = _trace(scene, scene.last)
    earlier = [(_trace(scene, step), label) for step, label in scene.past]
    standing = _standing(scene.position)
    _put_tiles(canvas, scene, trace, [each for each, _ in earlier])
    pieces.put_movable(canvas, scene, standing, 38.5, 4)
    _put_pieces(canvas, scene, standing, trace)
    _put_earlier(canvas, scene, standing, trace, earlier)
    _put_marks(canvas, scene, standing, trace)


def _put_tiles(canvas: Canvas, scene: Scene, trace: _Trace, earlier: Sequence[_Trace]) -> None:
    """Lay the coloured tiles: the turns', those of captures being named, and of what can be chosen."""
    pale, strong = (PALE, SAFFRON_WALL), (PALE if scene.choosing else SAFFRON, SAFFRON_WALL)
    tiles = {cell: pale for each in earlier for cell in (*each.captured, *each.left, *each.reached)}
    tiles |= dict.fromkeys((*trace.captured, *scene.position["captured"]), pale)
    tiles |= dict.fromkeys((*trace.left, *trace.reached), strong)
    tiles |= {target.cell: (WATER, DEEP) for target in scene.aims if not target.capture}
    tiles |= dict.fromkeys(filter(None, [scene.choices.chosen]), (DEEP, LINE))
    for cell, (ink, lip) in tiles.items():
        if cell in CENTRES:
            canvas.put_on(figures.make_tile(ink, lip, int(cell[1:])), cell)


def _put_pieces(canvas: Canvas, scene: Scene, standing: Mapping[str, str], trace: _Trace) -> None:
    """Put attackers and Man from the top down, each over the shadow of those above."""
    theme = scene.theme
    shade = COURTS[theme.key].edge
    man: str | None = scene.position["man"]
    for cell in () if scene.choosing else trace.reached:
        if cell in standing or cell == man:
            canvas.put_on(figures.make_border(), cell)
    blocks = find_block_colours(scene.position)
    for cell in sorted({*standing, man or ""} & set(CENTRES), key=lambda name: CENTRES[name][1]):
        if cell == man:
            canvas.put_on(figures.man_shadow(shade, figures.MAN), cell)
            canvas.put_on(figures.make_man(figures.MAN, figures.edge_colour(COURTS[theme.key].cell)), cell)
        else:
            colour, chosen = standing[cell], cell == scene.choices.chosen
            canvas.put_on(pieces.make_shadow(figures.ATTACKER, LINE if chosen else shade), cell, 0, -1)
            canvas.put_on(figures.make_attacker(theme, colour, figures.ATTACKER, colour in blocks), cell, 0, -1)


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
                canvas.put_on(pieces.make_ring(21, LINE, 3.5, dashed=True), cell)
        for cell in each.captured:
            if cell in taken:
                _put_taken(canvas, scene, each, cell, beside=True)
            elif cell not in now:
                _put_taken(canvas, scene, each, cell, 22)
        for cell in each.reached if number else ():
            if cell not in now:
                canvas.put_on(pieces.order_number(number, 13), cell, 25, 23)


def _put_taken(canvas: Canvas, scene: Scene, trace: _Trace, cell: str, r: float = 29, *, beside: bool = False) -> None:
    """Put the mark of a captured attacker, with its colour where that is known; `beside` what stands there."""
    colour = trace.colours.get(cell)
    square = colour in find_block_colours(scene.position)
    if beside:
        tile = pieces.make_taken_badge(scene.theme, colour, square) if colour else pieces.make_badge(14)
        canvas.put_on(tile, cell, 0 if colour else -25, 25)
    elif colour:
        canvas.put_on(pieces.make_taken_mark(scene.theme, colour, r, square), cell, 0, -1)
    else:
        canvas.put_on(pieces.make_captured_mark(27, 10), cell)


def _put_marks(canvas: Canvas, scene: Scene, standing: Mapping[str, str], trace: _Trace) -> None:
    man = scene.position["man"]
    taken = {*standing, man}
    for cell in trace.left:
        if cell not in taken:
            canvas.put_on(pieces.make_ring(28, LINE, 5, dashed=True), cell)
    covered = {man, *(target.cell for target in scene.aims)}
    for cell in sorted({*scene.position["captured"], *trace.captured}):
        if cell in covered:
            _put_taken(canvas, scene, trace, cell, beside=True)
        elif cell not in taken:
            _put_taken(canvas, scene, trace, cell, 24 if scene.choosing and cell in trace.captured else 29)
    chosen = scene.choices.chosen
    if chosen is not None and chosen in standing:
        canvas.put_on(figures.make_chosen_ring(), chosen, 0, -1)
    pieces.put_numbers(canvas, scene, standing, 16, -26, -27)
    for target in scene.targets:
        cell = target.cell
        if target.capture or cell not in CENTRES:
            continue
        if scene.beforehand:
            # Where the Man may land as he stands, beside him.
            canvas.put_on(pieces.open_cell(), cell, -26 if cell in taken else 0, 24 if cell in taken else -2)
        elif cell == man:
            # He may land where he stands: the number stands beside him, where no one is if it can.
            column, row = cell[0], cell[1:]
            left = column == "h" or (column != "a" and f"{chr(ord(column) + 1)}{row}" in standing)
            canvas.put_on(pieces.move_target(target.label, 19), cell, -39 if left else 39, 24)
        else:
            canvas.put_on(pieces.move_target(target.label, 24), cell, 0, -2)
    pieces.put_captures(canvas, scene, 40, 18, dy=-1)


def _colours(theme: Theme) -> Iterable[RGB]:
    yield from list_colours(theme)
    yield from (figures.CLOAK, figures.FOLD, figures.RIBBON, figures.EYES)
    yield from (figures.IVORY, figures.IVORY_WALL, figures.IVORY_RIM, figures.MOON)
    if theme.key == "dark":
        yield from (figures.EBONY_WALL, figures.EBONY_RIM)
    for colour in COLOURS:
        yield from theme.sets[colour].disc


def _sets(state: State) -> Sequence[Sequence[str]]:
    """Return the colours of each seat's attackers on the board, the Man for the one who plays him in this round."""
    position = state.to_json()
    standing = {(one["seat"], one["colour"]) for one in position["attackers"]}
    return [
        (_MAN,) if seat == position["man_seat"] else [colour for colour in COLOURS if (seat, colour) in standing]
        for seat in range(state.seats)
    ]


def _draw_own_piece(sketch: Sketch, _kind: str, r: float, ground: RGB) -> None:
    figures.draw_man(sketch, r, ground)


PICTURE: Final = GamePicture(
    KEY,
    _colours,
    _paint,
    most_colours=96,
    paint_wide=_paint_wide,
    sets=_sets,
    draw_own_piece=_draw_own_piece,
    draw_emblem=figures.draw_emblem,
    scores=lambda state: [str(points) for points in state.to_json()["attack_scores"]],
)
