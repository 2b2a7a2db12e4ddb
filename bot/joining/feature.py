"""The commands that start a game, join one, or repeat it."""

from collections.abc import Mapping
from typing import Final

from bot.core.commands import (
    GAME_PARAMETER,
    MY_GAME_PARAMETER,
    Command,
    PressRule,
    on_table,
    option_parameters,
    yes_or_no,
)
from bot.core.context import Public
from bot.core.features import Feature
from bot.entry.commandline import Parameter
from bot.joining import commands
from bot.lobby.computers import COMPUTER, COMPUTERS
from bot.play.clocks import CLOCKS
from engine import games
from engine.search import LEVELS

MAX_SEATS: Final = max((game.seats[-1] for game in games.values()), default=2)


def _join_kind(values: Mapping[str, str]) -> Public:
    """Return what joining makes public: by a code it may only lead to a board."""
    return Public.CHANGE if values.get("code") else Public.BEGIN


FEATURE: Final = Feature(
    commands=(
        Command(
            "play",
            commands.play_or_join,
            (
                GAME_PARAMETER,
                Parameter("opponents", "people"),
                Parameter("seats", "number", least=2, most=MAX_SEATS),
                Parameter(COMPUTER, "level", choices=tuple(map(str, LEVELS))),
                Parameter(COMPUTERS, "number", least=1, most=MAX_SEATS - 1),
                *option_parameters(),
                Parameter("clock", "choice", choices=tuple(CLOCKS)),
                yes_or_no("rated"),
                yes_or_no("hints"),
                yes_or_no("try"),
                Parameter("join", "code"),
            ),
            rank=10,
            public=Public.BEGIN,
        ),
        Command("join", commands.join_command, (Parameter("code", "text"),), rank=30, public=_join_kind),
        Command("rematch", commands.rematch, (MY_GAME_PARAMETER,), rank=80, public=Public.BEGIN),
    ),
    presses={"rematch": PressRule(on_table(commands.play_again), Public.BEGIN)},
)
