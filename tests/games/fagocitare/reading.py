"""Reads a position of Fagocitare back from its words."""

from typing import Any

from tests.bot.reading import Reader


def read(reader: Reader, _over: bool) -> dict[str, Any]:
    """Return what a position of Fagocitare has beyond what all positions have."""
    return {
        "dead": [reader.cells("position.dead", parts) for parts in reader.seats],
        "dots": [reader.cells("position.dots", parts) for parts in reader.seats],
        "lines": [[line.split("-") for line in reader.cells("position.lines", parts)] for parts in reader.seats],
    }
