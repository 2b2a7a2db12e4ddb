"""The players of La Vedova Nera: emblem and name, the number of spiders, the pawns off the web."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from render import frame, pieces
from render.canvas import Canvas
from render.frame import Column
from render.games.vedova_nera import figures
from render.games.vedova_nera.ground import title_spider
from render.games.vedova_nera.web import BAND_LEFT, BOARDS
from render.scene import Scene


@dataclass(frozen=True)
class _Style:
    """How large things are in a player's place, and where, from its upper left corner; all numbers are pixels.

    `emblem` is the middle of the emblem and `r` its radius. The name stands at `name`, its baseline `alone` where
    nothing is below it. The spider at `sign` is `leg` large, `count` the size of its number, `gap` from it to that,
    `token` the radius of a pawn off the web and `from_sign` the way to the first of them.
    """

    emblem: tuple[int, int]
    r: int
    name: tuple[int, int]
    alone: int
    sign: tuple[int, int]
    leg: int
    count: int
    gap: int
    token: int
    from_sign: int


_ROOMY: Final = _Style((62, 61), 34, (112, 52), 71, (127, 91), 18, 34, 25, 13, 68)
_MEDIUM: Final = _Style((42, 42), 25, (80, 55), 70, (40, 94), 16, 34, 22, 13, 68)
_NARROW: Final = _Style((33, 40), 22, (64, 51), 70, (32, 93), 15, 32, 20, 12, 60)
_LARGE: Final = _Style((62, 112), 33, (28, 48), 48, (129, 112), 23, 50, 31, 15, 88)
"""In the wide shape's narrow band names have a line of their own."""
_LARGE_HEIGHT: Final = 156


def put_columns(canvas: Canvas, scene: Scene, still: set[str]) -> None:
    """Put the footer; `still` are the nodes of the stable pawns."""
    for column in frame.put_footer(canvas, scene):
        style = _NARROW if column.small else _MEDIUM if column.width < 280 else _ROOMY
        _put_player(canvas, scene, column, style, still)


def put_cards(canvas: Canvas, scene: Scene, last: str, still: set[str]) -> None:
    """Put the band of the wide shape."""
    wide, high = canvas.size
    seats = scene.state.seats
    tops = [frame.STRIP_HEIGHT + (high - frame.STRIP_HEIGHT) * seat // seats for seat in range(seats + 1)]
    columns = frame.put_band(canvas, scene, 0, tops, wide - BAND_LEFT)
    ink = BOARDS[scene.theme.key].spider
    frame.put_strip(canvas, scene, last, BAND_LEFT + 28, lambda x, y: canvas.put(title_spider(ink), x + 34, y))
    for column in columns:
        # What belongs to a player lies in the middle of their place.
        lower = (column.bottom - column.top - _LARGE_HEIGHT) // 2
        _put_player(canvas, scene, column, _LARGE, still, lower)


def find_stable_nodes(position: Mapping[str, Any]) -> set[str]:
    """Return the nodes of all stable pawns: covered goals as far out as the innermost open one of their colour."""
    found: set[str] = set()
    for colour, cells in zip(position["colours"], position["pawns"], strict=True):
        goals = set(position["marbles"].get(colour, ()))
        innermost = min((cell[1] for cell in goals - set(cells)), default="4")
        found |= {cell for cell in goals & set(cells) if cell[1] <= innermost}
    return found


def _put_player(canvas: Canvas, scene: Scene, column: Column, style: _Style, still: set[str], lower: int = 0) -> None:
    position, seat = scene.position, column.seat
    colour: str | None = position["colours"][seat]
    left, top = column.left, column.top + lower
    x, y = left + style.emblem[0], top + style.emblem[1]
    if colour is None:
        canvas.put(pieces.make_ring(style.r - 3, column.ink, 5, dashed=True), x, y)
    else:
        crowned = column.won and style.r >= 30
        frame.put_emblem(canvas, scene, column, colour, x, y, style.r * 0.8 if crowned else style.r)
    in_play = position["phase"] == "play"
    dropped = seat in scene.state.dropped
    room = column.width - style.name[0] - 8 - ((52 if column.large else 28) if dropped else 0)
    frame.put_name(canvas, scene, column, left + style.name[0], top + (style.name[1] if in_play else style.alone), room)
    if not in_play or colour is None:
        return
    x, y = left + style.sign[0], top + style.sign[1]
    count = len(still & set(position["pawns"][seat]))
    canvas.put(figures.make_count(column.ink, count, style.leg, style.count, style.gap), x, y)
    off = position["off"][seat]
    small_laurel = column.won and style.r < 28
    first, last = x + style.from_sign, column.right - style.token - (53 if small_laurel else 7)
    gap = min(style.token * 2.25, (last - first) / max(1, off - 1))
    for number in range(off):
        canvas.put(figures.make_token(scene.theme, colour, style.token), first + gap * number, y)
    if small_laurel:
        canvas.put(pieces.make_laurel(15, column.ink), column.right - 27, y - 3)
