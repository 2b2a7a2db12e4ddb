"""The preview picture beside a link to a competition, with its first places, or to a player, with their ratings.

No words but what it is given.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image

from render import text as lettering
from render.charts import Chart
from render.preview import HEIGHT, WIDTH
from render.sketch import Sketch
from render.theme import LINE, SAFFRON, THEMES, Theme

MAX_ROWS: Final = 6
"""So many places there is room for."""
_MARGIN: Final = 30
_LEFT_PX: Final = 66
_RIGHT_PX: Final = WIDTH - 66
_TITLE_SIZES: Final = (68, 40)
_STATE_SIZES: Final = (36, lettering.MIN_SIZE)
_NAME_SIZES: Final = (38, lettering.MIN_SIZE)
_FIRST_ROW_TOP: Final = 206
_ROW_HEIGHT: Final = 64
_BADGE_WIDTH: Final = 74
_COLOURS: Final = 64


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row: a place, a name, and what stands at the right, as points.

    The place is empty where it has no number, None in a list without places.
    """

    place: str | None
    name: str
    right: str = ""


def describe_row(row: PreviewRow) -> str:
    """Return a row in words, for those who do not see the picture."""
    place = f"{row.place}. " if row.place else ""
    return f"{place}{row.name} ({row.right})" if row.right else f"{place}{row.name}"


def draw_table_preview(title: str, words: str, rows: Sequence[PreviewRow], theme: str = "light") -> Chart:
    """Return a preview, 1200 by 630: `title` is the game or the player, `words` say what it is and its state.

    More rows than there is room for are left out. KeyError for a theme that does not exist.
    """
    colours = THEMES[theme]
    sketch = Sketch(WIDTH, HEIGHT, paper=colours.paper)
    sketch.box(_MARGIN, _MARGIN, WIDTH - _MARGIN, HEIGHT - _MARGIN, colours.band, 26)
    room = _RIGHT_PX - _LEFT_PX
    large, size = lettering.fit_text(lettering.clean(title), room, *_TITLE_SIZES)
    sketch.text(_LEFT_PX, 118, large, size, colours.ink)
    state, size = lettering.fit_text(lettering.clean(words), room, *_STATE_SIZES, "semibold")
    sketch.text(_LEFT_PX, 174, state, size, colours.ink, "semibold")
    for number, row in enumerate(rows[:MAX_ROWS]):
        _draw_row(sketch, colours, row, _FIRST_ROW_TOP + number * _ROW_HEIGHT)
    picture = sketch.reduced()
    file = io.BytesIO()
    few = picture.quantize(_COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(file, "PNG", optimize=True)
    return Chart(file.getvalue(), picture.size)


def _draw_row(sketch: Sketch, theme: Theme, row: PreviewRow, top: float) -> None:
    middle = top + _ROW_HEIGHT / 2
    left = _LEFT_PX
    if row.place is not None:
        first, right = row.place == "1", _LEFT_PX + _BADGE_WIDTH
        sketch.box(_LEFT_PX, top + 6, right, top + _ROW_HEIGHT - 6, SAFFRON if first else theme.ink, 12)
        sketch.centred(_LEFT_PX + _BADGE_WIDTH / 2, middle, row.place or "–", 30, LINE if first else theme.on_ink)
        left = right + 28
    room_at_right = lettering.text_width(row.right, _NAME_SIZES[0]) + 40 if row.right else 0
    name, size = lettering.fit_name(lettering.clean(row.name), _RIGHT_PX - left - room_at_right, *_NAME_SIZES)
    sketch.text(left, middle + size * 0.34, name, size, theme.ink)
    if row.right:
        sketch.text(
            _RIGHT_PX - lettering.text_width(row.right, _NAME_SIZES[0]),
            middle + 13,
            row.right,
            _NAME_SIZES[0],
            theme.ink,
        )
