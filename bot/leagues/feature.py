"""The command, presses, job and notices of leagues."""

from typing import Final

from bot.core.commands import Command, PressRule, public_deeds, with_options
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.form_presses import older_presses
from bot.core.notice_routes import NoticeKind
from bot.entry.commandline import Parameter
from bot.leagues import commands
from bot.leagues.form import FORM
from bot.leagues.job import LeagueWorker, read_league_notice
from bot.leagues.posts import LeagueNews, LeagueTable
from bot.leagues.service import LEAGUES
from bot.matches.commands import right_to_run
from storage.competitions import news_kind

_PUBLIC_DEEDS: Final = frozenset({"stay", "limit", "start", "leave!", "end!", "out!", "show"})
"""Actions of a league's buttons whose result everybody sees; entering is counted where it happens."""


FEATURE: Final = Feature(
    commands=(
        Command(
            "league",
            commands.league,
            with_options((*FORM.parameters, Parameter("join", "code"))),
            rank=21,
            public=Public.BEGIN,
            forms=(FORM,),
            opens=True,
        ),
    ),
    presses={
        "league": PressRule(commands.press_league, public_deeds(_PUBLIC_DEEDS), right=right_to_run),
        **older_presses(FORM, "leaguenew", "leaguepost"),
    },
    job=LeagueWorker,
    posts={LEAGUES.kind: LeagueTable, news_kind(LEAGUES.kind): LeagueNews},
    notices={NoticeKind.LEAGUE: read_league_notice},
)
