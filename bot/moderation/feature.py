"""The commands that keep people out of the page's room."""

from __future__ import annotations

from typing import Final

from bot.core.commands import Command
from bot.core.context import Public
from bot.core.features import Feature
from bot.entry.commandline import Parameter
from bot.moderation import commands

WEB_PLATFORM: Final = "web"
"""The platform whose room nobody else keeps in order: the others have their own ways of keeping people out."""

_WHO: Final = (Parameter("people", "people"),)

FEATURE: Final = Feature(
    commands=tuple(
        Command(name, handler, _WHO, rank=rank, public=Public.CHANGE, managed=True, only=WEB_PLATFORM)
        for name, handler, rank in (
            ("mute", commands.mute, 140),
            ("kick", commands.kick, 150),
            ("ban", commands.ban, 160),
        )
    )
)
