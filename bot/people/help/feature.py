"""The commands and presses of help, rules and a person's games."""

from typing import Final

from bot.kernel.features import GAME_PARAMETER, PRIVATE, Command, Feature, PressRule
from bot.kernel.permissions import Right
from bot.kernel.presses import MENU_PRESS
from bot.people.help import commands

FEATURE: Final = Feature(
    commands=(
        Command("menu", commands.menu_command, rank=5, public=PRIVATE, listed=True, personal=True),
        Command("games", commands.games_command, rank=60, listed=True, personal=True, public=PRIVATE),
        Command("rules", commands.rules, (GAME_PARAMETER,), rank=260, listed=True, public=PRIVATE),
        Command("help", commands.help_command, rank=320, listed=True, public=PRIVATE, right=Right.DEPENDS),
    ),
    presses={
        MENU_PRESS: PressRule(commands.press_menu, PRIVATE, personal=True),
        "rules": PressRule(commands.press_rules, PRIVATE),
        "example": PressRule(commands.press_example, PRIVATE),
    },
)
