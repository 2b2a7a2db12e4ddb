"""What pictures look like to eyes that see fewer colours, and how different two colours look to them.

The simulations are those of Machado, Oliveira and Fernandes (2009, severity 1); of achromatopsia
only the luminance is left.
"""

import math
from collections.abc import Mapping
from typing import Final

from render.theme import RGB

Matrix = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

EYES: Final[Mapping[str, Matrix]] = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    "achromatopsia": ((0.2126, 0.7152, 0.0722), (0.2126, 0.7152, 0.0722), (0.2126, 0.7152, 0.0722)),
}
ALL_EYES: Final = ("all colours", *EYES)


def linear(value: int) -> float:
    """Return a channel's light, from 0 to 1, for its value in sRGB."""
    part = value / 255
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def simulate_light(colour: RGB, eyes: str) -> tuple[float, float, float]:
    """Return the linear light of the colour that somebody with such eyes takes this one for."""
    red, green, blue = (linear(value) for value in colour)
    a, b, c = (min(1.0, max(0.0, row[0] * red + row[1] * green + row[2] * blue)) for row in EYES[eyes])
    return a, b, c


def simulate_colour(colour: RGB, eyes: str) -> RGB:
    """Return that colour in sRGB."""
    red, green, blue = (
        round(255 * (part * 12.92 if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055))
        for part in simulate_light(colour, eyes)
    )
    return red, green, blue


def lab(colour: RGB, eyes: str = "all colours") -> tuple[float, float, float]:
    """Return CIE L*a*b* (D65) of what a colour looks like."""
    r, g, b = simulate_light(colour, eyes) if eyes in EYES else (linear(value) for value in colour)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def difference(a: RGB, b: RGB, eyes: str = "all colours") -> float:
    """Return how different two colours look: CIEDE2000, about 1 being just noticeable.

    Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula" (2005), whose names the symbols are.
    """
    (l1, a1, b1), (l2, a2, b2) = lab(a, eyes), lab(b, eyes)
    mean = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    stretch = 1.5 - 0.5 * math.sqrt(mean / (mean + 25**7))
    c1, c2 = math.hypot(stretch * a1, b1), math.hypot(stretch * a2, b2)
    h1 = math.degrees(math.atan2(b1, stretch * a1)) % 360
    h2 = math.degrees(math.atan2(b2, stretch * a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    dl, dc = l2 - l1, c2 - c1
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    t = (
        1
        - 0.17 * math.cos(math.radians(hue - 30))
        + 0.24 * math.cos(math.radians(2 * hue))
        + 0.32 * math.cos(math.radians(3 * hue + 6))
        - 0.20 * math.cos(math.radians(4 * hue - 63))
    )
    sl = 1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2)
    sc, sh = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    rotation = (
        -2
        * math.sqrt(chroma**7 / (chroma**7 + 25**7))
        * math.sin(math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2))))
    )
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rotation * (dc / sc) * (dh / sh))
