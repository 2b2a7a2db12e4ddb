"""The command and presses of lessons."""

from typing import Final

from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule
from bot.core.features import Feature
from bot.learn import commands

FEATURE: Final = Feature(
    commands=(Command("learn", commands.learn, (GAME_PARAMETER,), rank=270, listed=True, public=PRIVATE),),
    presses={
        "learn": PressRule(commands.press_learn, PRIVATE),
        "lesson": PressRule(commands.press_lesson, PRIVATE),
        "l": PressRule(commands.press_answer, PRIVATE),
    },
)
