"""The commands that ban people from the page's room."""

from typing import Final

from bot.core.commands import Command
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.permissions import Right
from bot.entry.commandline import Parameter
from bot.moderation import commands

WEB_PLATFORM: Final = "web"
"""The platform without moderation of its own; the others have their own ways of banning people."""

_WHO: Final = (Parameter("people", "people"),)

FEATURE: Final = Feature(
    commands=tuple(
        Command(name, handler, _WHO, rank=rank, public=Public.CHANGE, right=Right.MANAGER, only=WEB_PLATFORM)
        for name, handler, rank in (
            ("mute", commands.mute, 140),
            ("kick", commands.kick, 150),
            ("ban", commands.ban, 160),
        )
    )
)
