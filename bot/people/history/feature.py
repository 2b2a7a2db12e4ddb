"""The commands and presses of finished games."""

from functools import partial
from typing import Final

from bot.kernel.commandline import Parameter
from bot.kernel.context import Public
from bot.kernel.features import (
    GAME_PARAMETER,
    MY_GAME_PARAMETER,
    PRIVATE,
    Command,
    Feature,
    PressRule,
    on_table,
    option_parameters,
)
from bot.lobby.commands import COMPUTERS
from bot.lobby.form import FORM, MAX_SEATS
from bot.people.history import commands, joining

_CODE: Final = (Parameter("code", "text"),)


FEATURE: Final = Feature(
    commands=(
        Command("history", commands.history_command, (GAME_PARAMETER,), rank=190, public=PRIVATE, personal=True),
        Command("replay", commands.replay, _CODE, rank=200, public=PRIVATE),
        Command("export", commands.export, _CODE, rank=250, public=PRIVATE),
        Command(
            "play",
            joining.play_or_join,
            (
                *FORM.parameters,
                Parameter(COMPUTERS, "number", least=1, most=MAX_SEATS - 1),
                *option_parameters(),
                Parameter("join", "code"),
            ),
            rank=10,
            listed=True,
            public=Public.BEGIN,
            forms=(FORM,),
        ),
        Command(
            "join",
            joining.join_command,
            _CODE,
            rank=30,
            # With a code it may only open a board.
            public=lambda values: Public.CHANGE if values.get("code") else Public.BEGIN,
        ),
        Command("rematch", joining.rematch, (MY_GAME_PARAMETER,), rank=80, public=Public.BEGIN),
    ),
    presses={
        "history": PressRule(commands.press_history, PRIVATE, personal=True),
        "replay": PressRule(commands.press_replay, PRIVATE),
        "film": PressRule(on_table(partial(commands.show_whole_game, make_card=commands.film_card)), PRIVATE),
        "sheet": PressRule(on_table(partial(commands.show_whole_game, make_card=commands.sheet_card)), PRIVATE),
        "export": PressRule(on_table(commands.record_reply), PRIVATE),
        "rematch": PressRule(on_table(joining.play_again), Public.BEGIN),
    },
)
