"""La Vedova Nera (docs/rules/vedova-nera.md): `rules` once the pawns stand on the web, `game` what comes before."""

from engine.games.vedova_nera.game import GAME, VedovaNera
from engine.games.vedova_nera.rules import Play

__all__ = ["GAME", "Play", "VedovaNera"]
