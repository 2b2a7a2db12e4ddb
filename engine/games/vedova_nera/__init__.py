"""La Vedova Nera (docs/rules/vedova-nera.md): `tables` the web, `setup` the deal and the colours, `play` the game,
`explain` what players type and why they may not, `load` positions, `game` where they come from."""

from engine.games.vedova_nera.game import GAME, VedovaNera
from engine.games.vedova_nera.rules import Play

__all__ = ["GAME", "Play", "VedovaNera"]
