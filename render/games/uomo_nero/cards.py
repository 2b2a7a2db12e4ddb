"""The band at the right: the round, and a card for each player with its attackers, scores and dice."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from render import frame, pieces
from render.canvas import Canvas
from render.frame import Column
from render.games.uomo_nero import figures, signs
from render.games.uomo_nero.court import COLOURS, HEIGHT
from render.scene import Scene
from render.theme import luminance

_CARDS_TOP: Final = 98
_CARDS_HEIGHT: Final = 182
_DICE_ROOM: Final = 104
_WIDE_LEFT: Final = 700
"""Where the band of the wide shape begins."""

_SEATS_WITH_SEVERAL_COLOURS: Final = 3
"""With so many seats there are two attacking ones, and none is known by its colour alone."""

ATTACKERS_PER_PLAYER: Final = {2: 8, 3: 4, 4: 2, 5: 2}
"""How many attackers each attacking player has, by the seats."""


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
    canvas.put(signs.make_hat(42, scene.theme.ink), middle - 46, 140)
    canvas.put(pieces.make_label(_rounds(scene), 40, scene.theme.ink), middle - 13, 154)
    for column in columns:
        _put_card(canvas, scene, column, _GROWN if scene.state.seats == 2 else _PLAIN)


def put_wide_cards(canvas: Canvas, scene: Scene, last: str) -> None:
    """Put the band of the wide shape: more of everything, and the header in its upper end."""
    wide, high = canvas.size
    columns = frame.put_band(canvas, scene, 0, _tops(scene, frame.STRIP_HEIGHT, high, 100), wide - _WIDE_LEFT)

    def rounds(left: int, middle: int) -> None:
        canvas.put(signs.make_hat(58, scene.theme.ink), left + 29, middle)
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


def _tokens(position: Mapping[str, Any], seat: int) -> list[tuple[str, str]]:
    """Return a seat's attackers of this round as colour and fate: home, out, or captured; none as yet is `open`."""
    own = [colour for colour in COLOURS if position["colours"].get(colour) == seat]
    if position["round"] == 0 or position["man_seat"] == seat:
        return []
    shown, lost = [], []
    for colour in own:
        cells = [one["cell"] for one in position["attackers"] if one["colour"] == colour]
        shown += sorted((colour, "home" if cell.endswith("13") else "out") for cell in cells)
        lost += [(colour, "captured")] * (2 - len(cells))
    still = [("", "open")] * (ATTACKERS_PER_PLAYER[position["seats"]] - 2 * len(own))
    return [*shown, *lost, *(still if position["phase"] in ("man-start", "colours") else ())]


def find_block_colours(position: Mapping[str, Any]) -> frozenset[str]:
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
        canvas.put(signs.make_empty_place(r, column.faint), x, y)
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
    canvas.put(signs.make_hat(size * 0.84, column.ink), x + hat, y + below)
    words = "–" if score is None else str(score)
    figure = size * 1.12 if style.apart else aside + size * 0.68
    canvas.put(pieces.make_label(words, size, column.ink), x + figure, y + below + size * 0.36)


def _put_dice(canvas: Canvas, column: Column, position: Mapping[str, Any], x: float, y: float) -> None:
    used = position["used"]["die"] if position["used"] else 0
    dark = luminance(column.paper) > 0.2
    for number, value in enumerate(position["dice"]):
        spent = value == used and (number == 0 or position["dice"][0] != used)
        tile = figures.make_die(value, dark, column.faint if spent else None)
        canvas.put(tile, x + 35 + 84 * number, y)
