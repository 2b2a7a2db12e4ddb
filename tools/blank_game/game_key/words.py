"""Game Key in words."""

# New game: everything that a position has must be said, for those who do not see the picture: reading.py in the kit
# reads it back. bot/kernel/words/teller.py says what else can be told (captures, the first turns, how a game was won).

from collections.abc import Iterator
from typing import Final

from bot.kernel.words.teller import GameWords, PositionTeller, captures_from_opponent


def _seat(teller: PositionTeller, seat: int) -> Iterator[str]:
    yield from teller.cells("position.pieces", teller.position["pieces"][seat])


def _cells(teller: PositionTeller) -> dict[str, str]:
    return teller.owned("cell", teller.position["pieces"])


WORDS: Final = GameWords(_seat, captures_from_opponent, cells=_cells)
