"""Reads a position of Game Key back from its words."""

# New game: return what a position has beyond what all positions have; what the words leave out is lost here, and a
# test says so (tests/bot/reading.py).

from typing import Any

from tests.bot.reading import Reader


def read(reader: Reader, _over: bool) -> dict[str, Any]:
    """Return what a position of Game Key has beyond what all positions have."""
    return {"pieces": [reader.cells("position.pieces", parts) for parts in reader.seats]}
