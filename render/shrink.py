"""Pictures made smaller, for lists in which many stand beside each other."""

from __future__ import annotations

from io import BytesIO

from PIL import Image


def shrunk(png: bytes, width: int) -> bytes:
    """Return a picture so many pixels wide, or as it is where it is no wider."""
    with Image.open(BytesIO(png)) as picture:
        if picture.width <= width:
            return png
        height = round(picture.height * width / picture.width)
        small = picture.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
    out = BytesIO()
    small.save(out, "PNG", optimize=True)
    return out.getvalue()
