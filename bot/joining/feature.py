"""The commands that start a game, join one, or repeat it."""

from collections.abc import Mapping
from typing import Final

from bot.core.commands import (
    MY_GAME_PARAMETER,
    Command,
    PressRule,
    on_table,
    option_parameters,
)
from bot.core.context import Public
from bot.core.features import Feature
from bot.entry.commandline import Parameter
from bot.joining import commands
from bot.lobby.computers import COMPUTERS
from bot.lobby.form import FORM, MAX_SEATS


def _join_kind(values: Mapping[str, str]) -> Public:
    """Return what joining makes public: by a code it may only lead to a board."""
    return Public.CHANGE if values.get("code") else Public.BEGIN


FEATURE: Final = Feature(
    commands=(
        Command(
            "play",
            commands.play_or_join,
            (
                *FORM.parameters,
                Parameter(COMPUTERS, "number", least=1, most=MAX_SEATS - 1),
                *option_parameters(),
                Parameter("join", "code"),
            ),
            rank=10,
            listed=True,
            public=Public.BEGIN,
            forms=(FORM,),
        ),
        Command("join", commands.join_command, (Parameter("code", "text"),), rank=30, public=_join_kind),
        Command("rematch", commands.rematch, (MY_GAME_PARAMETER,), rank=80, public=Public.BEGIN),
    ),
    presses={"rematch": PressRule(on_table(commands.play_again), Public.BEGIN)},
)
