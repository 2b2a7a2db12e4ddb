"""Annuvin in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.words.teller import GameWords, Teller, from_opponent


def _seat(teller: Teller, seat: int) -> Iterator[str]:
    position = teller.position
    yield from teller.cells("position.pieces", position["pieces"][seat])
    yield from teller.count("position.reserve", position["reserve"][seat])
    yield from teller.count("position.lost", position["lost"][seat])


def _common(teller: Teller) -> Iterator[str]:
    moving = teller.position["moving"]
    if moving:
        yield teller.line("position.moving", cell=moving["piece"], n=moving["range"])


ANNUVIN: Final = GameWords(_seat, from_opponent, _common)
