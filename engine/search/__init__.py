"""Computer players for every game: `players[key].choose(state, level, seed)` and `.analyse(state, budget)`."""

from collections.abc import Mapping
from types import MappingProxyType

from engine.search.player import LEVELS, Memory, Player, assess, think
from engine.search.policies import POLICIES
from engine.search.policy import Level, Policy
from engine.search.result import Judged

players: Mapping[str, Player] = MappingProxyType({policy.key: Player(policy) for policy in POLICIES})
"""The computer player of every game."""

__all__ = ["LEVELS", "Judged", "Level", "Memory", "Player", "Policy", "assess", "players", "think"]
