"""Ladders: their command, their buttons, their job and their notices."""

from typing import Final

from bot.core.context import Context
from bot.core.features import Feature
from bot.core.notice_routes import NoticeKind
from bot.core.request_context import RequestContext
from bot.ladders import service
from bot.ladders.cards import LadderCards
from bot.ladders.form import FORM, read_terms
from bot.ladders.job import LadderWorker
from bot.ladders.service import LADDERS
from bot.language.texts import Span, Text
from bot.matches.commands import CompetitionCommands, Deed, make_feature


async def _challenge_words(context: Context, asker: RequestContext, code: str, other: int) -> Text:
    found = await LADDERS.find_for(context, asker, code)
    who = Span(found.name(other), bold=True)
    return asker.mine.say("ladder.done.challenge", who=who, n=found.stands.terms.days)


COMMANDS: Final = CompetitionCommands(
    cards=LadderCards,
    form=FORM,
    read_terms=read_terms,
    deeds={
        "challenge": Deed(service.challenge, numbered=True, update=True, words=_challenge_words),
        "accept": Deed(service.accept, numbered=True),
        "concede": Deed(service.concede, numbered=True),
        "withdraw": Deed(service.withdraw, numbered=True),
    },
)
FEATURE: Final[Feature] = make_feature(
    COMMANDS, LadderWorker, rank=22, older=("laddernew", "ladderpost"), notices=NoticeKind.LADDER
)
