"""Real Queen in words."""

from collections.abc import Iterator
from typing import Final

from bot.kernel.words.teller import GameWords, PositionTeller, captures_from_opponent


def _seat(teller: PositionTeller, seat: int) -> Iterator[str]:
    position = teller.position
    queen = position["queens"][seat]
    yield teller.line("position.queen", cell=queen) if queen else teller.line("position.no-queen")
    yield from teller.cells("position.pieces", position["pieces"][seat])
    yield from teller.count("position.reserve", position["reserve"][seat])


def _cells(teller: PositionTeller) -> dict[str, str]:
    queens = [[queen] if queen else [] for queen in teller.position["queens"]]
    return teller.owned("cell", teller.position["pieces"]) | teller.owned("cell.queen", queens)


def _common(teller: PositionTeller) -> Iterator[str]:
    pending = teller.position["pending"]
    if pending:
        yield from teller.count("position.captures", pending["captures"])
        yield from teller.count("position.returns", pending["returns"])
        for run in pending["runs"]:
            yield teller.line("position.run", cells=", ".join(run))
        if pending["crossing"]:
            yield teller.line("position.crossing", cell=pending["crossing"])


WORDS: Final = GameWords(_seat, captures_from_opponent, _common, cells=_cells)
