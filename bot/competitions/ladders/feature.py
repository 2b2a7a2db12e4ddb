"""Ladders: their command, their buttons, their job and their notices."""

from typing import Final

from bot.competitions.commands import CompetitionCommands, Deed, make_feature
from bot.competitions.ladders import service
from bot.competitions.ladders.cards import LadderCards
from bot.competitions.ladders.commands import FORM, read_terms
from bot.competitions.ladders.job import LadderWorker
from bot.competitions.ladders.service import LADDERS
from bot.kernel.context import Context
from bot.kernel.features import Feature
from bot.kernel.preferences import NoticeKind
from bot.kernel.request_context import RequestContext
from bot.kernel.texts import Span, Text


async def _challenge_words(context: Context, requester: RequestContext, code: str, other: int) -> Text:
    found = await LADDERS.find_for(context, requester, code)
    who = Span(found.name(other), bold=True)
    return requester.speaker.say("ladder.done.challenge", who=who, n=found.state.terms.days)


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
