"""The command that plays a line of moves."""

from typing import Final

from bot.core.commands import MY_GAME_PARAMETER, PRIVATE, Command, PressRule
from bot.core.context import Public
from bot.core.features import Feature
from bot.entry.commandline import Parameter
from bot.typed_lines.commands import move, press_text

FEATURE: Final = Feature(
    commands=(
        Command(
            "move",
            move,
            (Parameter("move", "move", required=True), MY_GAME_PARAMETER),
            rank=40,
            public=Public.MOVE,
        ),
    ),
    presses={"text": PressRule(press_text, PRIVATE)},
)
