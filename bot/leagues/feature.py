"""Leagues: their command, their buttons, their job and their notices."""

from typing import Final

from bot.core.context import Context
from bot.core.features import Feature
from bot.core.notice_routes import NoticeKind
from bot.core.request_context import RequestContext
from bot.language.texts import Text
from bot.leagues import service
from bot.leagues.cards import LeagueCards
from bot.leagues.form import FORM, read_terms
from bot.leagues.job import LeagueWorker
from bot.leagues.service import LEAGUES
from bot.matches.commands import CompetitionCommands, Deed, make_feature


async def _limit_words(_context: Context, asker: RequestContext, _code: str, most: int) -> Text:
    return asker.mine.say("league.limit", n=most)


COMMANDS: Final = CompetitionCommands(
    cards=LeagueCards,
    form=FORM,
    read_terms=read_terms,
    deeds={
        "stay": Deed(LEAGUES.stay),
        "start": Deed(service.start_now, update=True),
        "limit": Deed(service.set_limit, numbered=True, update=True, words=_limit_words),
    },
)
FEATURE: Final[Feature] = make_feature(
    COMMANDS, LeagueWorker, rank=21, older=("leaguenew", "leaguepost"), notices=NoticeKind.LEAGUE
)
