"""Leagues: their command, their buttons, their job and their notices."""

from typing import Final

from bot.competitions.commands import CompetitionCommands, Deed, make_feature
from bot.competitions.leagues import service
from bot.competitions.leagues.cards import LeagueCards
from bot.competitions.leagues.commands import FORM, read_terms
from bot.competitions.leagues.job import LeagueWorker
from bot.competitions.leagues.service import LEAGUES
from bot.kernel.context import Context
from bot.kernel.features import Feature
from bot.kernel.preferences import NoticeKind
from bot.kernel.request_context import RequestContext
from bot.kernel.texts import Text


async def _limit_words(_context: Context, requester: RequestContext, _code: str, most: int) -> Text:
    return requester.speaker.say("league.limit", n=most)


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
