"""Reads a position of Hexapawn back from its words."""

from typing import Any

from tests.bot.reading import Reader


def read(reader: Reader, _over: bool) -> dict[str, Any]:
    """Return what a position of Hexapawn has beyond what all positions have."""
    for parts in reader.seats:
        reader.take("position.lost", parts)
    return {"pawns": [reader.cells("position.pawns", parts) for parts in reader.seats]}
