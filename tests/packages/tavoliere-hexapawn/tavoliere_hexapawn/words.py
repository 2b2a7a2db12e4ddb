"""Hexapawn in words."""

from collections.abc import Iterator
from typing import Final

from bot.kernel.words.teller import GameWords, PositionTeller, captures_from_opponent


def _seat(teller: PositionTeller, seat: int) -> Iterator[str]:
    pawns = teller.position["pawns"][seat]
    yield from teller.cells("position.pawns", pawns)
    size = int(teller.position["options"]["board"][0])
    yield from teller.count("position.lost", size - len(pawns))


def _cells(teller: PositionTeller) -> dict[str, str]:
    return teller.owned("cell", teller.position["pawns"])


WORDS: Final = GameWords(_seat, captures_from_opponent, cells=_cells)
