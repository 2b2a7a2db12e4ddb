"""Reads a position of Annuvin back from its words."""

from typing import Any

from tests.bot.reading import Reader


def read(reader: Reader, _over: bool) -> dict[str, Any]:
    """Return what a position of Annuvin has beyond what all positions have."""
    moving = reader.take("position.moving")
    return {
        "pieces": [reader.cells("position.pieces", parts) for parts in reader.seats],
        "reserve": [reader.number("position.reserve", parts) for parts in reader.seats],
        "lost": [reader.number("position.lost", parts) for parts in reader.seats],
        "moving": {"piece": moving["cell"], "range": int(moving["n"])} if moving else None,
    }
