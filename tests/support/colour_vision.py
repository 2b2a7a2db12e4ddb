"""What pictures look like to eyes that see fewer colours (Machado, Oliveira and Fernandes 2009, severity 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from render.theme import RGB

Matrix = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

EYES: Final[Mapping[str, Matrix]] = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(value: int) -> float:
    """Return a channel's light, from 0 to 1, for its value in sRGB."""
    part = value / 255
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def seen(colour: RGB, eyes: str) -> tuple[float, float, float]:
    """Return the linear light of the colour that somebody with such eyes takes this one for."""
    red, green, blue = (linear(value) for value in colour)
    a, b, c = (min(1.0, max(0.0, row[0] * red + row[1] * green + row[2] * blue)) for row in EYES[eyes])
    return a, b, c


def shown(colour: RGB, eyes: str) -> RGB:
    """Return that colour in sRGB."""
    red, green, blue = (
        round(255 * (part * 12.92 if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055))
        for part in seen(colour, eyes)
    )
    return red, green, blue
