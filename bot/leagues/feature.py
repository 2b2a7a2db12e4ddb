"""The command, presses, job and notices of leagues."""

from typing import Final

from bot.core.commands import GAME_PARAMETER, PRIVATE, Command, PressRule, public_deeds, with_options, yes_or_no
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.notice_routes import NoticeKind
from bot.entry.commandline import Parameter
from bot.leagues import commands
from bot.leagues.form import FORM
from bot.leagues.job import LeagueWorker, read_league_notice
from bot.matches.commands import right_to_run
from bot.matches.form import COMPETITION_CLOCKS, ENTRY_NAMES
from engine.search import LEVELS

_PUBLIC_DEEDS: Final = frozenset({"stay", "limit", "start", "leave!", "end!", "out!", "show"})
"""Actions of a league's buttons whose result everybody sees; entering is counted where it happens."""

_OWN_PARAMETERS: Final = (
    GAME_PARAMETER,
    Parameter("clock", "choice", choices=COMPETITION_CLOCKS),
    *(Parameter(name, "number", least=least, most=most) for name, (least, most) in commands.NUMBER_BOUNDS.items()),
    Parameter("entry", "choice", choices=ENTRY_NAMES),
    Parameter("fill", "choice", choices=tuple(map(str, LEVELS))),
    yes_or_no("double"),
    yes_or_no("rated"),
    Parameter("join", "code"),
)


FEATURE: Final = Feature(
    commands=(Command("league", commands.league, with_options(_OWN_PARAMETERS), rank=21, public=Public.BEGIN),),
    presses={
        "league": PressRule(commands.press_league, public_deeds(_PUBLIC_DEEDS), right=right_to_run),
        FORM.form_press: PressRule(FORM.handle_form, PRIVATE),
        FORM.create_press: PressRule(FORM.handle_create, Public.BEGIN),
    },
    job=LeagueWorker,
    notices={NoticeKind.LEAGUE: read_league_notice},
)
