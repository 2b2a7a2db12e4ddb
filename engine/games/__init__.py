"""The registry of games: one line each."""

from collections.abc import Mapping
from types import MappingProxyType

from engine.core import Game
from engine.games.annuvin import ANNUVIN
from engine.games.fagocitare import FAGOCITARE
from engine.games.real_queen import REAL_QUEEN
from engine.games.uomo_nero import UOMO_NERO
from engine.games.vedova_nera import VEDOVA_NERA

_GAMES: tuple[Game, ...] = (ANNUVIN, REAL_QUEEN, FAGOCITARE, VEDOVA_NERA, UOMO_NERO)

games: Mapping[str, Game] = MappingProxyType({game.key: game for game in _GAMES})
