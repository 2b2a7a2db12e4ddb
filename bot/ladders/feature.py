"""The command, presses, job and notices of ladders."""

from typing import Final

from bot.core.commands import Command, PressRule, public_deeds, with_options
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.form_presses import older_presses
from bot.core.notice_routes import NoticeKind
from bot.entry.commandline import Parameter
from bot.ladders import commands
from bot.ladders.form import FORM
from bot.ladders.job import LadderWorker, read_ladder_notice
from bot.ladders.posts import LadderTable
from bot.ladders.service import LADDERS
from bot.matches.commands import right_to_run

_PUBLIC_DEEDS: Final = frozenset({"challenge", "accept", "concede", "withdraw", "leave!", "end!", "out!", "show"})
"""Actions of a ladder's buttons whose result everybody sees; joining is counted where it happens."""


FEATURE: Final = Feature(
    commands=(
        Command(
            "ladder",
            commands.ladder,
            with_options((*FORM.parameters, Parameter("join", "code"))),
            rank=22,
            public=Public.BEGIN,
            forms=(FORM,),
            opens=True,
        ),
    ),
    presses={
        "ladder": PressRule(commands.press_ladder, public_deeds(_PUBLIC_DEEDS), right=right_to_run),
        **older_presses(FORM, "laddernew", "ladderpost"),
    },
    job=LadderWorker,
    posts={LADDERS.kind: LadderTable},
    notices={NoticeKind.LADDER: read_ladder_notice},
)
