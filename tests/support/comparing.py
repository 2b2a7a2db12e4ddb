"""Comparing pictures with kept ones: small differences of rendering pass, a misplaced piece does not."""

import io
from typing import Final

from PIL import Image, ImageChops

SMALLER: Final = 3
"""Kept pictures have a third of the width: quite enough to tell them apart."""
BLOCK: Final = 4
TOLERANCE: Final = 28
"""The largest difference (of 255) that the average of a block of 4 x 4 pixels of the small picture may have.

Measured: another blur, a shift by a third of a pixel, fewer colours reach 17, the smallest mark left out 43.
"""


def shrink_picture(png: bytes) -> Image.Image:
    """Return a picture as it is compared: in RGB, a third as wide."""
    return Image.open(io.BytesIO(png)).convert("RGB").reduce(SMALLER)


def difference(first: Image.Image, second: Image.Image) -> int:
    """Return the largest difference of two small pictures, 255 if their sizes differ.

    What is compared are averages of blocks in each channel, twice: the second time the blocks are shifted by half.
    """
    if first.size != second.size:
        return 255
    worst = 0
    a, b = first.convert("RGB"), second.convert("RGB")
    for shift in (0, BLOCK // 2):
        box = (shift, shift, *first.size)
        apart = ImageChops.difference(a.crop(box).reduce(BLOCK), b.crop(box).reduce(BLOCK))
        worst = max(worst, *apart.tobytes())
    return worst


def missing_from(text: str, *parts: str) -> list[str]:
    """Return which of these a text does not contain."""
    return [part for part in parts if part not in text]
