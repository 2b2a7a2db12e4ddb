"""The command, presses, job and notices of ladders."""

from typing import Final

from bot.competitions.ladder.events import MAX_ANSWER_DAYS, MIN_ANSWER_DAYS
from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule, public_deeds, with_options, yes_or_no
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.notice_routes import NoticeKind
from bot.entry.commandline import Parameter
from bot.ladders import commands
from bot.ladders.form import FORM
from bot.ladders.job import LadderWorker, read_ladder_notice
from bot.matches.commands import right_to_run
from bot.matches.form import COMPETITION_CLOCKS, ENTRY_NAMES

_PUBLIC_DEEDS: Final = frozenset({"challenge", "accept", "concede", "withdraw", "leave!", "end!", "out!", "show"})
"""Actions of a ladder's buttons whose result everybody sees; joining is counted where it happens."""

_OWN_PARAMETERS: Final = (
    GAME_PARAMETER,
    Parameter("clock", "choice", choices=COMPETITION_CLOCKS),
    Parameter("days", "number", least=MIN_ANSWER_DAYS, most=MAX_ANSWER_DAYS),
    Parameter("entry", "choice", choices=ENTRY_NAMES),
    yes_or_no("rated"),
    Parameter("join", "code"),
)


FEATURE: Final = Feature(
    commands=(Command("ladder", commands.ladder, with_options(_OWN_PARAMETERS), rank=22, public=Public.BEGIN),),
    presses={
        "ladder": PressRule(commands.press_ladder, public_deeds(_PUBLIC_DEEDS), right=right_to_run),
        FORM.form_press: PressRule(FORM.handle_form, PRIVATE),
        FORM.create_press: PressRule(FORM.handle_create, Public.BEGIN),
    },
    job=LadderWorker,
    notices={NoticeKind.LADDER: read_ladder_notice},
)
