"""The games' knowledge for the searches: one module per game, found by its name."""

from collections.abc import Mapping
from typing import Any, Final

from engine.discovery import Part, Parts
from engine.games import games
from engine.search.policy import Policy

POLICY: Final = Part("engine.search.policies", "policy", "POLICY")

policies: Final[Mapping[str, Policy[Any]]] = Parts(games, POLICY)
