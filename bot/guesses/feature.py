"""The command, presses and job of guesses at the next turn."""

from typing import Final

from bot.core.commands import MY_GAME_PARAMETER, PRIVATE, Command, PressRule, on_table
from bot.core.context import Public
from bot.core.features import Feature
from bot.entry.commandline import Parameter
from bot.guesses import cards, commands, service
from bot.guesses.job import GuessJudging
from bot.interface.presses import GUESS, GUESS_TURN

FEATURE: Final = Feature(
    commands=(
        Command(
            "guess",
            commands.guess,
            (Parameter("move", "move"), MY_GAME_PARAMETER, Parameter("what", "choice", choices=commands.DEEDS)),
            rank=235,
            public=commands.kind_of_guess,
        ),
    ),
    presses={
        GUESS: PressRule(on_table(commands.press_guess), PRIVATE),
        GUESS_TURN: PressRule(commands.press_turn, PRIVATE),
        service.OFFER: PressRule(on_table(commands.offer), Public.CHANGE),
        cards.AGREE: PressRule(on_table(service.agree), PRIVATE),
        cards.WITHDRAW: PressRule(on_table(service.withdraw), PRIVATE),
        cards.TABLE: PressRule(on_table(commands.show_table), PRIVATE),
    },
    job=GuessJudging,
)
