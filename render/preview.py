"""The preview picture beside a link on other sites: a whole board, and a panel with what the link is about.

A game has its players there, everything else (a competition, a player) rows. No words but what it is given.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from PIL import Image, ImageChops

from engine.core import State
from engine.turn import Turn
from render import text as lettering
from render.canvas import Box
from render.chances import draw_empty_place, draw_piece, pieces_of
from render.charts import EMBLEM_KINDS, Chart, Emblem, finish_chart, put_name, put_place
from render.frame import BAND_WIDTH, FOOTER_HEIGHT, HEADER_HEIGHT
from render.games import pictures
from render.scene import Scene, find_box
from render.sketch import Sketch
from render.theme import LINE, RGB, SAFFRON, THEMES, Theme

WIDTH: Final = 1200
HEIGHT: Final = 630
MAX_ROWS: Final = 6
"""So many rows there is room for."""
_MARGIN: Final = 30
_PANEL_LEFT_PX: Final = 630
_LEFT_PX: Final = 660
_TEXT_WIDTH: Final = WIDTH - 56 - _LEFT_PX
"""Where the text of the panel begins, and how wide it is."""
_BOARD_ROOM: Final = (_PANEL_LEFT_PX - 2 * _MARGIN, HEIGHT - 2 * _MARGIN)
"""Maximum width and height of the board, which is at the left."""
_AROUND_BOARD: Final = (56, 30, 26, 66)
"""Pixels left of the outermost cells, above, right and below that belong to the board, with its labels."""
_TITLE_SIZES: Final = (52, 34)
_EMBLEM_WIDTH: Final = 64
_LABEL_SIZE: Final = 30
_TEXT_SIZES: Final = (34, 32, 30, 28, lettering.MIN_SIZE)
_LINE_HEIGHT: Final = 1.25
"""From one line of text to the next, relative to its size."""
_NAME_SIZES: Final = (48, lettering.MIN_SIZE)
_MAX_ROW_HEIGHT: Final = 96.0
_GOOD_ROW_HEIGHT: Final = 60.0
_MIN_ROW_HEIGHT: Final = 41.0
"""How high rows are where there is room, where the text above needs some of it, and where there are many."""
_MANY_ROWS: Final = 5
_PIECE_PITCH: Final = 54
"""Pixels from one piece of a seat to the next."""
_BADGE_WIDTH: Final = 64
_MEDALS_HEIGHT: Final = 92
_MEDAL_SIZE: Final = 56
_MEDAL_PITCH: Final = 70
_FOOT_PX: Final = HEIGHT - 52
"""The baseline of what stands at the foot of the panel."""
_LIGHT_INK: Final = LINE
"""A colour that stands out from saffron in every theme."""
_MAX_COLOURS: Final = 200
_MAX_WORDS_LENGTH: Final = 400
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+")


@dataclass(frozen=True, slots=True)
class PreviewText:
    """What a preview says: a title, what kind of thing the link leads to, a sentence or two, and whose page it is."""

    title: str
    words: str
    label: str = ""
    site: str = ""


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row: a place, a name, and what stands at the right, as points.

    The place is empty where it has no number, None in a list without places. A row of a `game` has its emblem.
    """

    place: str | None
    name: str
    right: str = ""
    game: str = ""


@dataclass(frozen=True, slots=True)
class PreviewBoard:
    """The board of a preview: a position with its last turn, seen from a seat."""

    state: State
    last_turn: Turn | None = None
    names: Sequence[str] = ()
    viewer: int | None = 0


def describe_row(row: PreviewRow) -> str:
    """Return a row in words, for those who do not see the picture."""
    place = f"{row.place}. " if row.place else ""
    return f"{place}{row.name} ({row.right})" if row.right else f"{place}{row.name}"


def draw_preview(board: PreviewBoard, text: PreviewText, theme: str = "light") -> Chart:
    """Return the preview of a position with its players and their scores, 1200 by 630.

    KeyError for an unknown game or theme.
    """
    panel = _Panel.begin(THEMES[theme], text, board.state.game.key, _rows_height(board.state.seats))
    _put_players(panel, board)
    return _finish(panel, board, theme)


def draw_table_preview(
    board: PreviewBoard,
    text: PreviewText,
    rows: Sequence[PreviewRow],
    emblems: Sequence[Emblem] = (),
    theme: str = "light",
    game: str = "",
) -> Chart:
    """Return a preview with rows beside a board, 1200 by 630; a player's titles are shown as emblems below them.

    The title has the emblem of `game`, if there is one. More rows than there is room for are left out. KeyError for a
    theme that does not exist.
    """
    below = _rows_height(min(len(rows), MAX_ROWS)) if not emblems else len(rows) * _MIN_ROW_HEIGHT + _MEDALS_HEIGHT
    panel = _Panel.begin(THEMES[theme], text, game, below)
    bottom = panel.bottom - (_MEDALS_HEIGHT if emblems else 0)
    shown = rows[: min(MAX_ROWS, int((bottom - panel.top) / _MIN_ROW_HEIGHT))]
    names = lettering.clean_names(tuple(row.name for row in shown))
    height = min(_MAX_ROW_HEIGHT, (bottom - panel.top) / max(1, len(shown)))
    for number, (row, name) in enumerate(zip(shown, names, strict=True)):
        place = panel.sketch.at(0, panel.top + height * (number + 0.5))
        _put_row(place, panel.theme, row, name, names, height)
    return _finish(panel, board, theme, emblems)


def _rows_height(rows: int) -> float:
    """Return how high so many rows are at least, below the text."""
    return rows * (_GOOD_ROW_HEIGHT if rows < _MANY_ROWS else _MIN_ROW_HEIGHT)


@dataclass(frozen=True, slots=True)
class _Panel:
    """The right half of a preview, its text beginning at 0; between `top` and `bottom` it is empty."""

    sketch: Sketch
    theme: Theme
    top: float
    bottom: float

    @classmethod
    def begin(cls, theme: Theme, text: PreviewText, game: str, below: float) -> "_Panel":
        """Return the panel with its title, label, words and foot; `below` is the height that rows need."""
        whole = Sketch(WIDTH, HEIGHT, paper=theme.paper)
        whole.box(_PANEL_LEFT_PX, _MARGIN, WIDTH - _MARGIN, HEIGHT - _MARGIN, theme.band, 26)
        sketch, left = whole.at(_LEFT_PX, 0), 0
        draw_emblem = pictures[game].draw_emblem if game in pictures else None
        if draw_emblem is not None:
            draw_emblem(sketch.at(24, 82), theme, theme.band)
            left = _EMBLEM_WIDTH
        title, size = lettering.fit_text(lettering.clean(text.title), _TEXT_WIDTH - left, *_TITLE_SIZES)
        sketch.text(left, 82 + size * 0.35, title, size, theme.ink)
        y = 128.0
        if text.label:
            wide = lettering.text_width(text.label, _LABEL_SIZE) / 2 + 18
            label = sketch.at(wide, y + 23)
            label.plate(0, 0, wide, 23, SAFFRON, 23)
            label.centred(0, 0, text.label, _LABEL_SIZE, _LIGHT_INK)
            y += 58
        bottom = _FOOT_PX - (42 if text.site else 8)
        words = lettering.clean(text.words, _MAX_WORDS_LENGTH)
        lines, size = wrap_words(words, _TEXT_WIDTH, bottom - below - y - 16)
        for line in lines:
            y += size * _LINE_HEIGHT
            sketch.text(0, y - size * 0.2, line, size, theme.ink, "semibold")
        site, foot = lettering.fit_text(text.site, _TEXT_WIDTH, 30, lettering.MIN_SIZE, "semibold")
        sketch.text(0, _FOOT_PX, site, foot, theme.second, "semibold")
        return cls(sketch, theme, y + 16, bottom)


def wrap_words(words: str, room: float, height: float) -> tuple[list[str], float]:
    """Return sentences in lines that are together no higher than `height`, and their size: as large as possible.

    What does not fit in the smallest size ends with its last whole sentence, or, if there is none, at a word.
    """
    if not words:
        return [], _TEXT_SIZES[0]
    for size in _TEXT_SIZES:
        if len(lines := _wrap(words, room, size)) * size * _LINE_HEIGHT <= height:
            return lines, size
    least = _TEXT_SIZES[-1]
    most = max(1, int(height / (least * _LINE_HEIGHT)))
    sentences = _SENTENCE_END.split(words)
    while len(sentences) > 1:
        sentences.pop()
        if len(lines := _wrap(" ".join(sentences), room, least)) <= most:
            return lines, least
    whole = _wrap(sentences[0], room, least)
    if len(whole) <= most:
        return whole, least
    last = " ".join(whole[most - 1 :]).split(" ")
    while len(last) > 1 and lettering.text_width(" ".join(last) + " " + lettering.ELLIPSIS, least, "semibold") > room:
        last.pop()
    cut = lettering.fit_text(f"{' '.join(last)} {lettering.ELLIPSIS}", room, least, least, "semibold")[0]
    return [*whole[: most - 1], cut], least


def _wrap(words: str, room: float, size: float) -> list[str]:
    """Return a text in lines; one word may be too long for any."""
    lines: list[str] = []
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and lettering.text_width(longer, size, "semibold") <= room:
            lines[-1] = longer
        else:
            lines.append(lettering.fit_text(word, room, size, size, "semibold")[0])
    return lines


def _finish(panel: _Panel, board: PreviewBoard, theme: str, emblems: Sequence[Emblem] = ()) -> Chart:
    """Return the preview with its board, and with emblems above the foot of the panel."""
    picture = panel.sketch.reduced()
    shown = _cut_out_board(board, theme)
    picture.paste(shown, ((_PANEL_LEFT_PX - shown.width) // 2, (HEIGHT - shown.height) // 2))
    for number, each in enumerate(emblems):
        left = _LEFT_PX + number * _MEDAL_PITCH
        medal = _draw_medal(each, panel.theme)
        picture.paste(medal, (left - 5, round(panel.bottom) - _MEDALS_HEIGHT + 14))
    return finish_chart(picture, _MAX_COLOURS)


def _draw_medal(emblem: Emblem, theme: Theme) -> Image.Image:
    """Return the emblem of a title with how often it was won below it."""
    sketch = Sketch(116, 164, paper=theme.band)
    EMBLEM_KINDS[emblem.kind](sketch.at(58, 58), theme)
    sketch.text(58, 154, f"× {emblem.count}", 44, theme.ink, "bold", "centre")
    return sketch.reduced().resize((_MEDAL_SIZE + 4, round((_MEDAL_SIZE + 4) * 164 / 116)), Image.Resampling.LANCZOS)


def _cut_out_board(board: PreviewBoard, theme: str) -> Image.Image:
    """Return the board alone, cut out of its picture where nothing of it is cut off, as large as it fits."""
    scene = replace(Scene.of(board.state, board.last_turn, board.viewer, None, (), theme), bare=True)
    canvas, spots = pictures[board.state.game.key].paint(scene)
    whole = canvas.ground.palette.picture(canvas.indices())
    first_x, first_y, last_x, last_y = find_box(spots)
    left, above, right, below = _AROUND_BOARD
    # Most boards stand above a footer; beside one that reaches further down the players stand in a band.
    footer = whole.height - FOOTER_HEIGHT
    corner = (whole.width, footer) if last_y < footer else (whole.width - BAND_WIDTH, whole.height)
    limits = (0, HEADER_HEIGHT, *corner)
    box = (
        max(limits[0], first_x - left),
        max(limits[1], first_y - above),
        min(limits[2], last_x + right),
        min(limits[3], last_y + below),
    )
    cut = whole.crop(_widen_to_paper(whole, box, limits, THEMES[theme].paper))
    part = min(_BOARD_ROOM[0] / cut.width, _BOARD_ROOM[1] / cut.height)
    return cut.resize((round(cut.width * part), round(cut.height * part)), Image.Resampling.LANCZOS)


def _widen_to_paper(picture: Image.Image, box: Box, limits: Box, paper: RGB) -> Box:
    """Return the box with each side moved outwards until only paper lies on it, at most to the limits."""
    plain = Image.new("RGB", picture.size, paper)
    marked = ImageChops.difference(picture, plain).convert("L").point([0] * 13 + [255] * 243)
    while True:
        left, top, right, bottom = box
        lines = (
            (left, top, left + 1, bottom),
            (left, top, right, top + 1),
            (right - 1, top, right, bottom),
            (left, bottom - 1, right, bottom),
        )
        cut = [
            edge != limit and marked.crop(line).getbbox() is not None
            for edge, limit, line in zip(box, limits, lines, strict=True)
        ]
        if not any(cut):
            return box
        box = left - cut[0], top - cut[1], right + cut[2], bottom + cut[3]


def _put_players(panel: _Panel, board: PreviewBoard) -> None:
    """Write the players' names beside their pieces, on saffron for the winner or the player to move; scores beside."""
    sketch, theme, state = panel.sketch, panel.theme, board.state
    seat_pieces = pieces_of(state)
    columns = max(1, *map(len, seat_pieces))
    # Several pieces a seat stand closer where names need the room.
    pitch = 0 if columns < 2 else _PIECE_PITCH if columns < 3 else 40
    names = lettering.clean_names((*board.names, *[""] * state.seats)[: state.seats])
    scores = pictures[state.game.key].scores(state)
    step = min(_MAX_ROW_HEIGHT, (panel.bottom - panel.top) / state.seats)
    score_size = max(min(step * 0.66, _NAME_SIZES[0]), _NAME_SIZES[1])
    score_room = max((lettering.text_width(score, score_size) + 24 for score in scores if score), default=0.0)
    outcome = state.outcome
    first = [seat for seat, place in enumerate(outcome.places) if place == 1] if outcome else [state.to_move]
    marked = first if len(first) < state.seats else []  # a draw is no victory of all
    left = 62 + (columns - 1) * pitch
    room, most = _TEXT_WIDTH - left - 10 - score_room, max(min(step * 0.6, _NAME_SIZES[0]), _NAME_SIZES[1])
    fitted = [lettering.fit_name(name, room, most, _NAME_SIZES[1], names) if name else ("", most) for name in names]
    size = min(size for _, size in fitted)
    for seat, (words, _) in enumerate(fitted):
        row = sketch.at(0, panel.top + step * (seat + 0.5))
        chosen = seat in marked
        if chosen:
            row.box(-14, -step * 0.44, _TEXT_WIDTH + 12, step * 0.44, SAFFRON, 16)
        ink, ground = (_LIGHT_INK, SAFFRON) if chosen else (theme.ink, theme.band)
        kinds = seat_pieces[seat]
        r = min(22.0 if columns < 3 else 15.0, step * 0.36)
        if not kinds:
            draw_empty_place(row.at(26, 0), r, ink)
        for number, kind in enumerate(kinds):
            place = row.at(26 + number * pitch, -1)
            if kind in theme.sets:
                place.disc(0, 3, r + 5, ink)
            draw_piece(place, theme, state.game.key, kind, r if kind in theme.sets else r + 4, ground)
        if words:
            row.text(left, size * 0.34, words, size, ink)
        if scores[seat]:
            row.text(_TEXT_WIDTH - 2, score_size * 0.35, scores[seat], score_size, ink, "bold", "right")


def _put_row(sketch: Sketch, theme: Theme, row: PreviewRow, name: str, names: lettering.Names, height: float) -> None:
    """Write a row, the left end of whose middle is at (0, 0)."""
    most = max(min(height * 0.6, _NAME_SIZES[0]), _NAME_SIZES[1])
    left = 0
    draw_emblem = pictures[row.game].draw_emblem if row.game in pictures else None
    if draw_emblem is not None and height >= 56:
        draw_emblem(sketch.at(26, 0), theme, theme.band)
        left = _EMBLEM_WIDTH
    elif row.place is not None:
        place, size = lettering.fit_text(row.place or "–", _BADGE_WIDTH - 8, min(30.0, most), lettering.MIN_SIZE)
        put_place(sketch, theme, 0, (_BADGE_WIDTH, 2 * min(25.0, height * 0.44)), place, size)
        left = _BADGE_WIDTH + 20
    room_at_right = lettering.text_width(row.right, most) + 24 if row.right else 0
    put_name(sketch, left, name, names, _TEXT_WIDTH - left - room_at_right, (most, _NAME_SIZES[1]), theme.ink)
    if row.right:
        sketch.text(_TEXT_WIDTH, most * 0.34, row.right, most, theme.ink, "bold", "right")
