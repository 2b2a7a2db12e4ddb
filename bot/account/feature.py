"""The commands and presses of settings, blocking, linking and privacy."""

from collections.abc import Mapping
from typing import Final

from bot.account import commands, settings
from bot.account.form import FORM
from bot.core.commands import PRIVATE, Command, PressRule
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.form_presses import older_presses
from bot.entry.commandline import Parameter


def _settings_kind(values: Mapping[str, str]) -> Public | None:
    return Public.CHANGE if values.get("for") == "channel" else PRIVATE


FEATURE: Final = Feature(
    commands=(
        Command(
            "settings",
            settings.settings,
            FORM.parameters,
            rank=280,
            listed=True,
            public=_settings_kind,
            right=settings.right_for_command,
            forms=(FORM,),
            opens=True,
        ),
        Command("block", commands.block, (Parameter("people", "people"),), rank=290, public=PRIVATE, personal=True),
        Command("link", commands.link, (Parameter("code", "text"),), rank=300, public=PRIVATE),
        Command("privacy", commands.privacy, rank=310, public=PRIVATE, personal=True),
    ),
    presses={
        "privacy": PressRule(commands.press_privacy, PRIVATE, personal=True),
        "forget": PressRule(commands.press_forget, PRIVATE),
        "forget!": PressRule(commands.press_forget_yes, PRIVATE),
        "keepme": PressRule(commands.press_keep_me, PRIVATE),
        **older_presses(FORM, "set"),
    },
)
