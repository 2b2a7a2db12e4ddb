"""Cups: their command, their buttons and their job."""

from typing import Final

from bot.competitions.commands import CompetitionCommands, Deed, make_feature
from bot.competitions.cups import service
from bot.competitions.cups.cards import CupCards
from bot.competitions.cups.commands import FORM, find_misread_game, read_terms
from bot.competitions.cups.service import CUPS, CompetitionRounds, start_now
from bot.kernel.features import Feature
from bot.kernel.preferences import NoticeKind

COMMANDS: Final = CompetitionCommands(
    cards=CupCards,
    form=FORM,
    read_terms=read_terms,
    deeds={
        "leave": Deed(CUPS.leave),
        "stay": Deed(CUPS.stay),
        "give": Deed(service.give, silent=True),
        "here": Deed(service.be_here),
        "start": Deed(start_now),
        "pause": Deed(service.pause, update=True),
        "resume": Deed(service.resume, update=True),
    },
    views={"details": CupCards.details_card, "ties": CupCards.tie_breaks_card},
    misread=find_misread_game,
)
FEATURE: Final[Feature] = make_feature(
    COMMANDS,
    CompetitionRounds,
    rank=20,
    listed=True,
    older=("cupnew", "cupmore", "cuppost"),
    notices=NoticeKind.CUP,
)
