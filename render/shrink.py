"""Shrinking pictures for lists in which many stand side by side."""

from io import BytesIO

from PIL import Image


def shrink_picture(png: bytes, width: int) -> bytes:
    """Return a picture scaled down to a width, or unchanged if it is not wider."""
    with Image.open(BytesIO(png)) as picture:
        if picture.width <= width:
            return png
        height = round(picture.height * width / picture.width)
        small = picture.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
    out = BytesIO()
    small.save(out, "PNG", optimize=True)
    return out.getvalue()
