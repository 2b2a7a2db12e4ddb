"""The band at the right: the round, and a card for each player with its attackers, scores and dice."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from render import frame, pieces
from render.canvas import Canvas
from render.frame import Column
from render.games.uomo_nero import figures, signs
from render.games.uomo_nero.court import COLOURS, HEIGHT
from render.scene import Scene
from render.theme import luminance

_TOP: Final = 98
_CARDS: Final = 182
_DICE_ROOM: Final = 104
_PITCH: Final = 41
_LINE: Final = 43
"""From one line of attackers to the next."""

EACH: Final = {2: 8, 3: 4, 4: 2, 5: 2}
"""How many attackers each attacking player has, by the seats."""


def put_cards(canvas: Canvas, scene: Scene) -> None:
    """Put the band with everything in it."""
    position, seats = scene.position, scene.state.seats
    active = position["to_move"] if position["dice"] else None
    plain = (HEIGHT - _CARDS - (0 if active is None else _DICE_ROOM)) / seats
    tops = [float(_CARDS)]
    for seat in range(seats):
        tops.append(tops[-1] + plain + (_DICE_ROOM if seat == active else 0))
    columns = frame.put_band(canvas, scene, _TOP, [round(top) for top in tops])
    middle = frame.WIDTH - frame.BAND // 2
    rounds = f"{position['round'] or '–'}/{seats}"
    canvas.put(signs.hat(42, scene.theme.ink), middle - 46, 140)
    canvas.put(pieces.label(rounds, 40, scene.theme.ink), middle - 13, 154)
    for column, follower in pairwise(columns):
        if column.paper == follower.paper:
            canvas.put(frame.line_between(scene.theme), middle, column.bottom)
    for column in columns:
        _put_card(canvas, scene, column, position)


def _put_card(canvas: Canvas, scene: Scene, column: Column, position: Mapping[str, Any]) -> None:
    """Put a player's name, attackers (or the Man), scores and dice, one below the other in the middle."""
    seat = column.seat
    is_man = position["man_seat"] == seat and position["phase"] != "over"
    tokens = _tokens(position, seat)
    dice = position["dice"] if position["to_move"] == seat else None
    lines = -(-len(tokens) // 4)
    # From the top of the name to the middle of each line below it, and to the end.
    first = 75 if is_man else 72
    scores = first + 56 + max(0, lines - 1) * _LINE if is_man or tokens else 68
    whole = scores + (123 if dice else 15)
    left, top = column.left + 22, (column.top + column.bottom - whole) / 2
    room = column.right - left - (46 if seat in scene.state.dropped else 54 if column.won else 12)
    frame.put_name(canvas, scene, column, left, top + 28, room)
    if column.won:
        canvas.put(pieces.laurel(17, column.ink), column.right - 34, top + 15)
    if is_man:
        canvas.put(figures.man(46, figures.edge_on(column.paper)), left + 27, top + first)
    for number, token in enumerate(tokens):
        x, y = left + 17 + _PITCH * (number % 4), top + first + _LINE * (number // 4)
        _put_token(canvas, scene, column, token, x, y)
    _put_scores(canvas, scene, column, left, top + scores)
    if dice:
        _put_dice(canvas, column, position, left, top + scores + 77)


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
    still = [("", "open")] * (EACH[position["seats"]] - 2 * len(own))
    return [*shown, *lost, *(still if position["phase"] in ("man-start", "colours") else ())]


def _put_token(canvas: Canvas, scene: Scene, column: Column, token: tuple[str, str], x: float, y: float) -> None:
    colour, fate = token
    if fate in ("captured", "open"):
        canvas.put(signs.gone(figures.TOKEN, column.faint, fate == "captured"), x, y)
        return
    if column.active:
        canvas.put(figures.halo(scene.theme.halo), x, y)
    canvas.put(figures.attacker(scene.theme, colour, figures.TOKEN), x, y)
    if fate == "home":
        canvas.put(pieces.flag(column.ink, 20), x + 6, y - 12)


def _put_scores(canvas: Canvas, scene: Scene, column: Column, x: float, y: float) -> None:
    position, seat = scene.position, column.seat
    score = position["man_scores"][seat]
    canvas.put(pieces.flag(column.ink, 36), x + 3, y + 18)
    canvas.put(pieces.label(str(position["attack_scores"][seat]), 38, column.ink), x + 36, y + 14)
    canvas.put(signs.hat(32, column.ink), x + 100, y)
    canvas.put(pieces.label("–" if score is None else str(score), 38, column.ink), x + 126, y + 14)


def _put_dice(canvas: Canvas, column: Column, position: Mapping[str, Any], x: float, y: float) -> None:
    used = position["used"]["die"] if position["used"] else 0
    dark = luminance(column.paper) > 0.2
    for number, value in enumerate(position["dice"]):
        spent = value == used and (number == 0 or position["dice"][0] != used)
        tile = figures.die(value, dark, column.faint if spent else None)
        canvas.put(tile, x + 35 + 84 * number, y)
