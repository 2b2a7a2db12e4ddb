"""The commands and presses of hints and analyses."""

from typing import Final

from bot.advice import analysis, hints
from bot.core.commands import MY_GAME_PARAMETER, PRIVATE, Command, PressRule, on_table
from bot.core.features import Feature
from bot.entry.commandline import Parameter

FEATURE: Final = Feature(
    commands=(
        Command("hint", hints.hint, (MY_GAME_PARAMETER,), rank=70, public=PRIVATE),
        Command("analyse", analysis.analyse, (Parameter("code", "text"),), rank=210, public=PRIVATE),
    ),
    presses={
        "hint": PressRule(hints.press_hint, PRIVATE),
        "hinted": PressRule(hints.press_hint_again, PRIVATE),
        "analyse": PressRule(on_table(analysis.show_analysis), PRIVATE),
        "analysed": PressRule(analysis.press_analysed, PRIVATE),
        "better": PressRule(analysis.press_better, PRIVATE),
    },
)
