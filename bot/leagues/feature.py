"""The command, presses, job and notices of leagues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule, option_parameters, yes_or_no
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.notice_routes import NoticeKind
from bot.entry.commandline import Parameter
from bot.interface.presses import Press
from bot.leagues import commands, form
from bot.leagues.job import LeagueWorker, read_league_notice
from engine.search import LEVELS

_PUBLIC_DEEDS: Final = frozenset({"stay", "limit", "start", "leave!", "end!", "out!", "show"})
"""The deeds of a league's buttons that all see; entering counts where it happens."""

_OWN_PARAMETERS: Final = (
    GAME_PARAMETER,
    Parameter("clock", "choice", choices=form.LEAGUE_CLOCKS),
    *(Parameter(name, "number", least=least, most=most) for name, (least, most) in commands.NUMBER_BOUNDS.items()),
    Parameter("entry", "choice", choices=commands.ENTRY_NAMES),
    Parameter("fill", "choice", choices=tuple(map(str, LEVELS))),
    yes_or_no("double"),
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
    commands=(Command("league", commands.league, tuple(_parameters()), rank=21, public=Public.BEGIN),),
    presses={
        "league": PressRule(commands.press_league, _press_kind),
        form.FORM_PRESS: PressRule(form.press_form, PRIVATE),
        form.CREATE_PRESS: PressRule(form.press_create, Public.BEGIN),
    },
    job=LeagueWorker,
    notices={NoticeKind.LEAGUE: read_league_notice},
)
