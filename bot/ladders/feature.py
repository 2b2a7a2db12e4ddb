"""The command, presses, job and notices of ladders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.competitions.ladder.events import MAX_ANSWER_DAYS, MIN_ANSWER_DAYS
from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule, option_parameters, yes_or_no
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.notice_routes import NoticeKind
from bot.entry.commandline import Parameter
from bot.interface.presses import Press
from bot.ladders import commands, form
from bot.ladders.job import LadderWorker, read_ladder_notice

_PUBLIC_DEEDS: Final = frozenset({"challenge", "accept", "concede", "withdraw", "leave!", "end!", "out!", "show"})
"""The deeds of a ladder's buttons that all see; joining counts where it happens."""

_OWN_PARAMETERS: Final = (
    GAME_PARAMETER,
    Parameter("clock", "choice", choices=form.LADDER_CLOCKS),
    Parameter("days", "number", least=MIN_ANSWER_DAYS, most=MAX_ANSWER_DAYS),
    Parameter("entry", "choice", choices=commands.ENTRY_NAMES),
    yes_or_no("rated"),
    Parameter("join", "code"),
)


def _parameters() -> Iterator[Parameter]:
    yield from _OWN_PARAMETERS
    taken = {each.name for each in _OWN_PARAMETERS}
    # An option that is called like one of these can be chosen in the form.
    yield from (each for each in option_parameters() if each.name not in taken)


def _press_kind(pressed: Press) -> Public | None:
    return Public.CHANGE if pressed.path and pressed.path[0] in _PUBLIC_DEEDS else PRIVATE


FEATURE: Final = Feature(
    commands=(Command("ladder", commands.ladder, tuple(_parameters()), rank=22, public=Public.BEGIN),),
    presses={
        "ladder": PressRule(commands.press_ladder, _press_kind),
        form.FORM_PRESS: PressRule(form.press_form, PRIVATE),
        form.CREATE_PRESS: PressRule(form.press_create, Public.BEGIN),
    },
    job=LadderWorker,
    notices={NoticeKind.LADDER: read_ladder_notice},
)
