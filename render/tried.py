"""The mark of positions that nobody has played: a strip above the picture that says so, and a striped frame."""

from __future__ import annotations

from io import BytesIO
from typing import Final

from PIL import Image

from render import text as lettering
from render.canvas import Canvas
from render.sketch import Sketch

STRIP_HEIGHT: Final = 60
"""How many pixels a picture is higher by the strip."""
_FRAME_WIDTH: Final = 10
_STRIPE_WIDTH: Final = 30
_TEXT_SIZES: Final = (34, 22)


def tried_png(canvas: Canvas, caption: str) -> bytes:
    """Return a picture as a PNG file, the strip with the caption above it and the frame around it."""
    width, height = canvas.size
    whole = (width, height + STRIP_HEIGHT)
    palette, theme = canvas.ground.palette, canvas.theme
    result = Image.new("P", whole, 0)
    result.putpalette(palette.bytes)
    board = Image.new("P", (width, height), 0)
    board.putpalette(palette.bytes)
    board.frombytes(canvas.indices().tobytes())
    result.paste(board, (0, STRIP_HEIGHT))
    strip = Sketch(width, STRIP_HEIGHT, paper=theme.ink)
    words, size = lettering.fit(lettering.clean(caption), width - 80, *_TEXT_SIZES)
    strip.centred(width / 2, STRIP_HEIGHT / 2, words, size, theme.on_ink)
    result.paste(palette.mapped(strip.reduced()), (0, 0))
    inks = [palette.indices(Image.new("RGB", (1, 1), ink)).tobytes()[0] for ink in (theme.ink, theme.on_ink)]
    for at in range(STRIP_HEIGHT, whole[1], _STRIPE_WIDTH):
        ink = inks[at // _STRIPE_WIDTH % 2]
        for left in (0, width - _FRAME_WIDTH):
            result.paste(ink, (left, at, left + _FRAME_WIDTH, min(at + _STRIPE_WIDTH, whole[1])))
    for left in range(0, width, _STRIPE_WIDTH):
        right = min(left + _STRIPE_WIDTH, width)
        result.paste(inks[left // _STRIPE_WIDTH % 2], (left, whole[1] - _FRAME_WIDTH, right, whole[1]))
    file = BytesIO()
    result.save(file, "PNG", compress_level=6)
    return file.getvalue()
