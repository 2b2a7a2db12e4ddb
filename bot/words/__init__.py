"""Positions in words: one module a game, one line a game in the registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.words.annuvin import ANNUVIN
from bot.words.fagocitare import FAGOCITARE
from bot.words.real_queen import REAL_QUEEN
from bot.words.teller import GameWords, Teller
from bot.words.uomo_nero import UOMO_NERO
from bot.words.vedova_nera import VEDOVA_NERA

__all__ = ["GameWords", "Teller", "words"]

words: Final[Mapping[str, GameWords]] = {
    "annuvin": ANNUVIN,
    "real-queen": REAL_QUEEN,
    "fagocitare": FAGOCITARE,
    "vedova-nera": VEDOVA_NERA,
    "uomo-nero": UOMO_NERO,
}
