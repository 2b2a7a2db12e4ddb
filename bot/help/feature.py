"""The commands and presses of help, rules and my games."""

from typing import Final

from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule
from bot.core.features import Feature
from bot.core.permissions import Right
from bot.help import commands

FEATURE: Final = Feature(
    commands=(
        Command("games", commands.games_command, rank=60, public=PRIVATE),
        Command("rules", commands.rules, (GAME_PARAMETER,), rank=260, public=PRIVATE),
        Command("help", commands.help_command, rank=320, public=PRIVATE, right=Right.DEPENDS),
    ),
    presses={"rules": PressRule(commands.press_rules, PRIVATE), "example": PressRule(commands.press_example, PRIVATE)},
)
