"""The mark of positions that nobody has played: a strip above the picture that says so, and a striped frame."""

from __future__ import annotations

from io import BytesIO
from typing import Final

from PIL import Image

from render import text as lettering
from render.canvas import Canvas
from render.sketch import Sketch

STRIP: Final = 60
"""How many pixels a picture is higher by the strip."""
_FRAME: Final = 10
_STRIPE: Final = 30
_SIZES: Final = (34, 22)


def tried_png(canvas: Canvas, caption: str) -> bytes:
    """Return a picture as a PNG file, the strip with the caption above it and the frame around it."""
    width, height = canvas.size
    whole = (width, height + STRIP)
    palette, theme = canvas.ground.palette, canvas.theme
    result = Image.new("P", whole, 0)
    result.putpalette(palette.bytes)
    board = Image.new("P", (width, height), 0)
    board.putpalette(palette.bytes)
    board.frombytes(canvas.indices().tobytes())
    result.paste(board, (0, STRIP))
    strip = Sketch(width, STRIP, paper=theme.ink)
    words, size = lettering.fit(lettering.clean(caption), width - 80, *_SIZES)
    strip.centred(width / 2, STRIP / 2, words, size, theme.on_ink)
    result.paste(palette.mapped(strip.reduced()), (0, 0))
    inks = [palette.indices(Image.new("RGB", (1, 1), ink)).tobytes()[0] for ink in (theme.ink, theme.on_ink)]
    for at in range(STRIP, whole[1], _STRIPE):
        ink = inks[at // _STRIPE % 2]
        for left in (0, width - _FRAME):
            result.paste(ink, (left, at, left + _FRAME, min(at + _STRIPE, whole[1])))
    for left in range(0, width, _STRIPE):
        right = min(left + _STRIPE, width)
        result.paste(inks[left // _STRIPE % 2], (left, whole[1] - _FRAME, right, whole[1]))
    file = BytesIO()
    result.save(file, "PNG", compress_level=6)
    return file.getvalue()
