"""The rules of the games: pure, immutable, standard library only."""

from engine.core import (
    CHANCE,
    Action,
    AmbiguousAction,
    EngineError,
    Game,
    GameOver,
    IllegalAction,
    InvalidAction,
    InvalidOption,
    InvalidPosition,
    Option,
    Outcome,
    State,
)
from engine.facts import Facts
from engine.games import games
from engine.turn import Turn, turn_from_json

__all__ = [
    "CHANCE",
    "Action",
    "AmbiguousAction",
    "EngineError",
    "Facts",
    "Game",
    "GameOver",
    "IllegalAction",
    "InvalidAction",
    "InvalidOption",
    "InvalidPosition",
    "Option",
    "Outcome",
    "State",
    "Turn",
    "games",
    "turn_from_json",
]
