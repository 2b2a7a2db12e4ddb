"""The registry of games: one line each."""

from collections.abc import Mapping
from types import MappingProxyType

from engine.core import Game

_GAMES: tuple[Game, ...] = ()

games: Mapping[str, Game] = MappingProxyType({game.key: game for game in _GAMES})
