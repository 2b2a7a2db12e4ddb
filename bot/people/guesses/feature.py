"""The command, presses and job of guesses at the next turn."""

from typing import Final

from bot.kernel.commandline import Parameter
from bot.kernel.context import Public
from bot.kernel.features import MY_GAME_PARAMETER, PRIVATE, Command, Feature, PressRule, on_table
from bot.kernel.presses import GUESS, GUESS_TURN
from bot.people.guesses import commands, service
from bot.people.guesses.service import GuessJudging

FEATURE: Final = Feature(
    commands=(
        Command(
            "guess",
            commands.guess,
            (Parameter("move", "move"), MY_GAME_PARAMETER, Parameter("what", "choice", choices=commands.ACTIONS)),
            rank=235,
            public=commands.kind_of_guess,
            personal=lambda values: commands.kind_of_guess(values) is None,
        ),
    ),
    presses={
        GUESS: PressRule(on_table(commands.open_guessing), PRIVATE),
        GUESS_TURN: PressRule(commands.press_turn, PRIVATE),
        service.OFFER_BUTTON: PressRule(on_table(commands.offer), Public.CHANGE),
        commands.AGREE_BUTTON: PressRule(on_table(service.agree), PRIVATE),
        commands.WITHDRAW_BUTTON: PressRule(on_table(service.withdraw), PRIVATE),
        commands.TABLE_BUTTON: PressRule(on_table(commands.show_table), PRIVATE),
    },
    job=GuessJudging,
)
