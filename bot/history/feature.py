"""The commands and presses of finished games."""

from typing import Final

from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule, on_table
from bot.core.features import Feature
from bot.entry.commandline import Parameter
from bot.history import commands

_CODE: Final = (Parameter("code", "text"),)

FEATURE: Final = Feature(
    commands=(
        Command("history", commands.history_command, (GAME_PARAMETER,), rank=190, public=PRIVATE, personal=True),
        Command("replay", commands.replay, _CODE, rank=200, public=PRIVATE),
        Command("export", commands.export, _CODE, rank=250, public=PRIVATE),
    ),
    presses={
        "history": PressRule(commands.press_history, PRIVATE, personal=True),
        "replay": PressRule(commands.press_replay, PRIVATE),
        "film": PressRule(on_table(commands.film_or_turns), PRIVATE),
        "sheet": PressRule(on_table(commands.press_sheet), PRIVATE),
        "export": PressRule(on_table(commands.record_reply), PRIVATE),
    },
)
