"""The command, presses and job of cups."""

from typing import Final

from bot.core.commands import Command, PressRule, public_deeds, with_options
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.form_presses import older_presses
from bot.cups import commands
from bot.cups.form import FORM
from bot.cups.job import CompetitionRounds
from bot.cups.posts import CupNews, CupTable
from bot.cups.service import CUPS
from bot.entry.commandline import Parameter
from bot.matches.commands import right_to_run
from storage.competitions import news_kind

_PUBLIC_DEEDS: Final = frozenset({"leave", "stay", "give", "start", "pause", "resume", "end!", "out!", "show"})
"""Actions of cup buttons that everybody sees; entering is counted where it happens."""


FEATURE: Final = Feature(
    commands=(
        Command(
            "cup",
            commands.cup,
            with_options((*FORM.parameters, Parameter("join", "code"))),
            rank=20,
            listed=True,
            public=Public.BEGIN,
            forms=(FORM,),
            opens=True,
        ),
    ),
    presses={
        "cup": PressRule(commands.press_cup, public_deeds(_PUBLIC_DEEDS), right=right_to_run),
        **older_presses(FORM, "cupnew", "cupmore", "cuppost"),
    },
    job=CompetitionRounds,
    posts={CUPS.kind: CupTable, news_kind(CUPS.kind): CupNews},
)
