"""The presses for starting games."""

from typing import Final

from bot.kernel.context import Public
from bot.kernel.features import PRIVATE, Feature, PressRule, on_table
from bot.kernel.form_presses import older_presses
from bot.lobby import commands, form, service
from bot.lobby.commands import in_lobby

FEATURE: Final = Feature(
    presses={
        "details": PressRule(on_table(commands.press_details), PRIVATE),
        "join": PressRule(commands.press_join, Public.BEGIN),
        "leave": PressRule(in_lobby(service.decline), Public.CHANGE),
        "withdraw": PressRule(in_lobby(service.withdraw), Public.CHANGE),
        "start": PressRule(in_lobby(service.start, opens=True), Public.CHANGE),
        "begin": PressRule(in_lobby(service.begin), Public.CHANGE),
        "against": PressRule(commands.press_against, Public.BEGIN),
        "choose": PressRule(form.press_choose, PRIVATE),
        "new": PressRule(form.press_new, PRIVATE),
        **older_presses(form.FORM, "post"),
        "solo": PressRule(commands.press_solo, Public.BEGIN),
        "robot": PressRule(commands.press_robot, Public.CHANGE),
        "seat": PressRule(commands.press_seat, Public.CHANGE),
    }
)
