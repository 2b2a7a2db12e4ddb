"""Computer players for every game: `players[key].choose(state, level, seed)` and `.analyse(state, budget)`."""

from collections.abc import Mapping
from typing import Final

from engine.discovery import Parts
from engine.games import games
from engine.search.player import LEVELS, Memory, Player, assess, think
from engine.search.policies import POLICY
from engine.search.policy import Level, Policy
from engine.search.result import Judged

players: Final[Mapping[str, Player]] = Parts(games, POLICY, Player)
"""The computer player of every game."""

__all__ = ["LEVELS", "Judged", "Level", "Memory", "Player", "Policy", "assess", "players", "think"]
