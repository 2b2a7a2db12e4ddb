"""The commands and presses of settings, blocking, linking and privacy."""

from collections.abc import Mapping
from typing import Final

from bot.account import commands, settings, times
from bot.account.times import MAX_HOLIDAY_DAYS_PER_YEAR
from bot.core.commands import PRIVATE, Command, PressRule
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.preferences import PREFERENCES, SCOPES
from bot.entry.commandline import Parameter
from bot.puzzles.daily import TIMEZONE_SETTING

_SETTINGS: Final = (
    *(Parameter(name, "choice", choices=each.values) for name, each in PREFERENCES.items()),
    Parameter(TIMEZONE_SETTING, "text", pattern=r".*/.*|(?i:utc|gmt)(?:[+-].*)?|[+-]\d.*", spaced=True),
    Parameter(times.DIGEST, "number", least=0, most=times.LAST_HOUR),
    Parameter(times.QUIET, "text", pattern=r"\d.*"),
    Parameter(times.HOLIDAY, "number", least=0, most=MAX_HOLIDAY_DAYS_PER_YEAR),
    Parameter("for", "choice", choices=SCOPES),
)


def _settings_kind(values: Mapping[str, str]) -> Public | None:
    return Public.CHANGE if values.get("for") == "channel" else PRIVATE


FEATURE: Final = Feature(
    commands=(
        Command(
            "settings", settings.settings, _SETTINGS, rank=280, public=_settings_kind, right=settings.right_for_command
        ),
        Command("block", commands.block, (Parameter("people", "people"),), rank=290, public=PRIVATE),
        Command("link", commands.link, (Parameter("code", "text"),), rank=300, public=PRIVATE),
        Command("privacy", commands.privacy, rank=310, public=PRIVATE),
    ),
    presses={
        "privacy": PressRule(commands.press_privacy, PRIVATE),
        "forget": PressRule(commands.press_forget, PRIVATE),
        "forget!": PressRule(commands.press_forget_yes, PRIVATE),
        "keepme": PressRule(commands.press_keep_me, PRIVATE),
        "set": PressRule(settings.press_set, PRIVATE, right=settings.right_for_press),
    },
)
