"""Reads a position of Real Queen back from its words."""

from typing import Any

from tests.bot.reading import Reader


def read(reader: Reader, _over: bool) -> dict[str, Any]:
    """Return what a position of Real Queen has beyond what all positions have."""
    for parts in reader.seats:
        reader.take("position.no-queen", parts)
    captures, returns = reader.number("position.captures"), reader.number("position.returns")
    runs = []
    while run := reader.cells("position.run"):
        runs.append(run)
    crossing = reader.value("position.crossing", "cell")
    pending = {"captures": captures, "returns": returns, "runs": runs, "crossing": crossing}
    return {
        "queens": [reader.value("position.queen", "cell", parts) for parts in reader.seats],
        "pieces": [reader.cells("position.pieces", parts) for parts in reader.seats],
        "reserve": [reader.number("position.reserve", parts) for parts in reader.seats],
        "pending": pending if returns else None,
    }
