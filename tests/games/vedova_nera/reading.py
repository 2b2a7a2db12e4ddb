"""Reads a position of La Vedova Nera back from its words."""

from typing import Any, Final

from tests.bot.reading import Reader

COLOURS: Final = ("red", "yellow", "green", "blue", "white", "black")


def read(reader: Reader, over: bool) -> dict[str, Any]:
    """Return what a position of La Vedova Nera has beyond what all positions have."""
    seats = reader.seats
    chosen = [_colour(reader, parts) for parts in seats]
    chooser = reader.value("phase.colours", "who")
    dealing = reader.take("phase.deal") is not None
    counsellor = reader.value("position.counsellor", "cell")
    marbles: dict[str, list[str]] = {}
    phase, moved = "play", {}
    if counsellor is None:
        marbles = {colour: reader.cells(f"position.marbles.{colour}") for colour in COLOURS}
        phase = "deal" if dealing or (over and not any(marbles.values())) else "colours"
        if not over:
            moved = {"to_move": reader.seat(chooser) if chooser else 0}
    else:
        for colour, parts in zip(chosen, seats, strict=True):
            marbles[colour or ""] = reader.cells("position.goals", parts)
    for parts in seats:
        reader.take("position.stable", parts)  # worked out, not part of the JSON
    return {
        "seats": len(seats),
        "phase": phase,
        "colours": chosen,
        "marbles": marbles,
        "pawns": [reader.cells("position.pawns", parts) for parts in seats],
        "off": [reader.number("position.off", parts) for parts in seats],
        "counsellor": counsellor,
        "counsellor_ban": reader.value("position.counsellor_ban", "cell"),
        "last_entry": reader.value("position.last_entry", "cell"),
        "entry_ban": [reader.value("position.entry_ban", "cell", parts) for parts in seats],
        **moved,
    }


def _colour(reader: Reader, parts: list[str]) -> str | None:
    return next((each for each in COLOURS[:5] if reader.take(f"position.colour.{each}", parts) is not None), None)
