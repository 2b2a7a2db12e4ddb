"""The preview picture beside a link to a game on other sites: the board, the players, and the state of the game."""

import io
from collections.abc import Sequence
from typing import Final

from PIL import Image

from engine.core import State
from engine.turn import Turn
from render import draw
from render import text as lettering
from render.charts import Chart
from render.frame import FOOTER_HEIGHT, HEADER_HEIGHT
from render.seat_pieces import draw_empty_place, draw_piece, pieces_of
from render.sketch import Sketch
from render.theme import LINE, SAFFRON, THEMES, Theme

WIDTH: Final = 1200
HEIGHT: Final = 630
_MARGIN: Final = 30
_BOARD_ROOM: Final = (600, HEIGHT - 2 * _MARGIN)
"""Maximum width and height of the board, which is at the left."""
_AROUND_BOARD: Final = (56, 30, 26, 66)
"""Pixels left of the outermost cells, above, right and below that belong to the board, with its labels."""
_POINTER_HEIGHT: Final = 20
_PANEL_LEFT_PX: Final = 660
_PANEL_RIGHT_PX: Final = WIDTH - 40
_TITLE_SIZES: Final = (64, 40)
_NAME_SIZES: Final = (50, 30)
_PIECE_PITCH: Final = 58
"""Pixels from one piece of a seat to the next."""
_STATE_SIZE: Final = 36
_LIGHT_INK: Final = LINE
"""A colour that stands out from saffron in every theme."""
_COLOURS: Final = 200


def draw_preview(
    state: State,
    last_turn: Turn | None,
    names: Sequence[str],
    title: str,
    words: str,
    theme: str = "light",
    viewer: int | None = 0,
) -> Chart:
    """Return the preview of a position, 1200 by 630: `title` is the game's name, `words` describe its state.

    KeyError for an unknown game or theme.
    """
    colours = THEMES[theme]
    sketch = Sketch(WIDTH, HEIGHT, paper=colours.paper)
    sketch.box(_PANEL_LEFT_PX - 30, _MARGIN, WIDTH - _MARGIN + 6, HEIGHT - _MARGIN, colours.band, 26)
    large, size = lettering.fit_text(title, _PANEL_RIGHT_PX - _PANEL_LEFT_PX, *_TITLE_SIZES)
    sketch.text(_PANEL_LEFT_PX, 112, large, size, colours.ink)
    _put_names(sketch, colours, state, names)
    lines = _lines(words)
    for number, line in enumerate(lines):
        sketch.text(
            _PANEL_LEFT_PX, HEIGHT - 66 - 46 * (len(lines) - 1 - number), line, _STATE_SIZE, colours.ink, "semibold"
        )
    picture = sketch.reduced()
    board = _board(state, last_turn, names, theme, viewer)
    picture.paste(board, ((_PANEL_LEFT_PX - 30 - board.width) // 2, (HEIGHT - board.height) // 2))
    file = io.BytesIO()
    few = picture.quantize(_COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(file, "PNG", optimize=True)
    return Chart(file.getvalue(), picture.size)


def _board(state: State, last_turn: Turn | None, names: Sequence[str], theme: str, viewer: int | None) -> Image.Image:
    """Return the board alone, cut out of its picture, as large as it fits."""
    drawn = draw(state, last_turn=last_turn, viewer=viewer, names=names, theme=theme)
    whole = Image.open(io.BytesIO(drawn.png)).convert("RGB")
    lefts, tops, rights, bottoms = zip(*((x - r, y - r, x + r, y + r) for x, y, r in drawn.spots.values()), strict=True)
    left, above, right, below = _AROUND_BOARD
    # Most boards stand above a footer with its pointer; one that reaches further down has none.
    footer = whole.height - FOOTER_HEIGHT - _POINTER_HEIGHT
    lowest = footer if max(bottoms) < footer else whole.height
    box = (
        max(0, min(lefts) - left),
        max(HEADER_HEIGHT, min(tops) - above),
        min(whole.width, max(rights) + right),
        min(lowest, max(bottoms) + below),
    )
    board = whole.crop(box)
    part = min(_BOARD_ROOM[0] / board.width, _BOARD_ROOM[1] / board.height)
    return board.resize((round(board.width * part), round(board.height * part)), Image.Resampling.LANCZOS)


def _put_names(sketch: Sketch, theme: Theme, state: State, names: Sequence[str]) -> None:
    """Write the players' names beside their pieces, on saffron for the winner or the player to move."""
    seat_pieces = pieces_of(state)
    columns = max((len(kinds) for kinds in seat_pieces), default=1) or 1
    pitch = _PIECE_PITCH if columns > 1 else 0
    first, last = 168, HEIGHT - 160
    step = min(84.0, (last - first) / max(1, len(names)))
    winners = [seat for seat, place in enumerate(state.outcome.places) if place == 1] if state.outcome else []
    left = _PANEL_LEFT_PX + 70 + (columns - 1) * pitch
    room, most = _PANEL_RIGHT_PX - left - 14, min(step * 0.6, _NAME_SIZES[0])
    fitted = [lettering.fit_name(lettering.clean(name), room, most, _NAME_SIZES[1]) for name in names]
    size = min((size for _, size in fitted), default=most)
    for seat, (words, _) in enumerate(fitted):
        y = first + step * (seat + 0.5)
        chosen = seat in winners or (state.outcome is None and state.to_move == seat)
        if chosen:
            sketch.box(_PANEL_LEFT_PX - 14, y - step * 0.44, _PANEL_RIGHT_PX, y + step * 0.44, SAFFRON, 16)
        ink, ground = (_LIGHT_INK, SAFFRON) if chosen else (theme.ink, theme.band)
        kinds = seat_pieces[seat] if seat < len(seat_pieces) else ()
        if not kinds:
            draw_empty_place(sketch, _PANEL_LEFT_PX + 26, y, 22, ink)
        for number, kind in enumerate(kinds):
            x = _PANEL_LEFT_PX + 26 + number * pitch
            if kind in theme.sets:
                sketch.disc(x, y + 2, 27, ink)
            draw_piece(sketch, theme, state.game.key, kind, x, y - 1, 22 if kind in theme.sets else 26, ground)
        sketch.text(left, y + size * 0.34, words, size, ink)


def _lines(words: str) -> list[str]:
    """Return a text in at most two lines, truncated if necessary."""
    room = _PANEL_RIGHT_PX - _PANEL_LEFT_PX
    lines = [""]
    for word in lettering.clean(words).split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and len(lines) == 1 and lettering.text_width(longer, _STATE_SIZE, "semibold") > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return [lettering.fit_text(line, room, _STATE_SIZE, 36, "semibold")[0] for line in lines]
