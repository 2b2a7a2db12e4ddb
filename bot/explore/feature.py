"""The commands and presses of lines that are tried out and planned."""

from typing import Final

from bot.core.commands import MY_GAME_PARAMETER, PRIVATE, Command, PressRule, on_table
from bot.core.features import Feature
from bot.entry.commandline import Parameter
from bot.explore import commands, plan_commands
from bot.interface.presses import TRY_ANSWER, TRY_CONTROL

FEATURE: Final = Feature(
    commands=(
        Command(
            "try",
            commands.try_out,
            (Parameter("moves", "move"), MY_GAME_PARAMETER, Parameter("note", "text", prose=True)),
            rank=220,
            public=PRIVATE,
        ),
        Command("plan", plan_commands.plan, (Parameter("line", "move"), MY_GAME_PARAMETER), rank=230, public=PRIVATE),
    ),
    presses={
        "try": PressRule(commands.press_try, PRIVATE),
        TRY_ANSWER: PressRule(commands.press_answer, PRIVATE),
        TRY_CONTROL: PressRule(plan_commands.press_control, PRIVATE),
        "plan": PressRule(on_table(commands.open_plan), PRIVATE),
        "unplan": PressRule(plan_commands.press_unplan, PRIVATE),
    },
)
