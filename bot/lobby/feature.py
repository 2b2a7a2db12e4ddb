"""The presses for starting games."""

from typing import Final

from bot.kernel.context import Public
from bot.kernel.features import PRIVATE, Feature, PressRule, on_table
from bot.kernel.form_presses import older_presses
from bot.lobby import commands
from bot.lobby import commands as computers
from bot.lobby import form as new_game
from bot.lobby.form import FORM

FEATURE: Final = Feature(
    presses={
        "details": PressRule(on_table(commands.press_details), PRIVATE),
        "join": PressRule(commands.press_join, Public.BEGIN),
        "leave": PressRule(commands.press_leave, Public.CHANGE),
        "withdraw": PressRule(commands.press_withdraw, Public.CHANGE),
        "start": PressRule(commands.press_start, Public.CHANGE),
        "begin": PressRule(commands.press_begin, Public.CHANGE),
        "against": PressRule(commands.press_against, Public.BEGIN),
        "choose": PressRule(new_game.press_choose, PRIVATE),
        "new": PressRule(new_game.press_new, PRIVATE),
        **older_presses(FORM, "post"),
        "solo": PressRule(computers.press_solo, Public.BEGIN),
        "robot": PressRule(computers.press_robot, Public.CHANGE),
        "seat": PressRule(computers.press_seat, Public.CHANGE),
    }
)
