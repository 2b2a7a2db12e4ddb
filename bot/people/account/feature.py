"""The commands and presses of settings, blocking, linking and privacy."""

from functools import partial
from typing import Final

from bot.kernel.commandline import Parameter
from bot.kernel.context import Public
from bot.kernel.features import PRIVATE, Command, Feature, PressRule
from bot.kernel.form_presses import older_presses
from bot.kernel.permissions import Right
from bot.people.account import commands, moderation, settings
from bot.people.account.settings import FORM
from storage.places import BAN, KICK, MUTE

WEB_PLATFORM: Final = "web"
"""The platform without its own moderation; the other platforms can ban people."""

_WHO: Final = (Parameter("people", "people"),)

FEATURE: Final = Feature(
    commands=(
        Command(
            "settings",
            settings.settings,
            FORM.parameters,
            rank=280,
            listed=True,
            public=lambda values: Public.CHANGE if values.get("for") == "channel" else PRIVATE,
            right=settings.right_for_command,
            forms=(FORM,),
            opens=True,
        ),
        Command("block", commands.block, _WHO, rank=290, public=PRIVATE, personal=True),
        Command("link", commands.link, (Parameter("code", "text"),), rank=300, public=PRIVATE),
        Command("privacy", commands.privacy, rank=310, public=PRIVATE, personal=True),
        *(
            Command(
                kind,
                partial(moderation.change_bans, kind=kind),
                _WHO,
                rank=rank,
                public=Public.CHANGE,
                right=Right.MANAGER,
                only=WEB_PLATFORM,
            )
            for kind, rank in ((MUTE, 140), (KICK, 150), (BAN, 160))
        ),
    ),
    presses={
        "privacy": PressRule(commands.privacy, PRIVATE, personal=True),
        "forget": PressRule(commands.press_forget, PRIVATE),
        "forget!": PressRule(commands.press_forget_yes, PRIVATE),
        "keepme": PressRule(commands.press_keep_me, PRIVATE),
        **older_presses(FORM, "set"),
    },
)
