"""The commands and presses of hints and analyses."""

from typing import Final

from bot.kernel.commandline import Parameter
from bot.kernel.context import Public
from bot.kernel.features import MY_GAME_PARAMETER, PRIVATE, Command, Feature, PressRule, on_table
from bot.people.advice import analysis, hints
from bot.people.advice.typed_lines import move, press_text

FEATURE: Final = Feature(
    commands=(
        Command("hint", hints.hint, (MY_GAME_PARAMETER,), rank=70, public=PRIVATE),
        Command("analyse", analysis.analyse, (Parameter("code", "text"),), rank=210, public=PRIVATE),
        Command(
            "move",
            move,
            (Parameter("move", "move", required=True), MY_GAME_PARAMETER),
            rank=40,
            public=Public.MOVE,
        ),
    ),
    presses={
        "hint": PressRule(hints.press_hint, PRIVATE),
        "hinted": PressRule(hints.press_hint_again, PRIVATE),
        "analyse": PressRule(on_table(analysis.show_analysis), PRIVATE),
        "analysed": PressRule(on_table(analysis.press_analysed), PRIVATE),
        "better": PressRule(analysis.press_better, PRIVATE),
        "text": PressRule(press_text, PRIVATE),
    },
)
