"""Ladders: the command with its form, and the buttons."""

from typing import Final

from bot.competitions.commands import (
    ENTRY_FIELD,
    RATED_FIELD,
    SLOW_CLOCKS,
    CompetitionCommands,
    clock_field,
    read_clock,
    read_common_terms,
)
from bot.competitions.keeper import ActionRule
from bot.competitions.ladder import MAX_ANSWER_DAYS, MIN_ANSWER_DAYS, LadderTerms
from bot.competitions.ladders import service
from bot.competitions.ladders.cards import LadderCards
from bot.kernel.context import Context
from bot.kernel.features import Feature, number
from bot.kernel.forms import Field, Values
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from engine import games

ANSWER_DAYS: Final = tuple(map(str, (1, 2, 3, 5, 7, 14)))
DEFAULT_ANSWER_DAYS: Final = 3


def list_ladder_games() -> list[str]:
    """Return the keys of the games for two players."""
    return [key for key, game in games.items() if 2 in game.seats]


def read_terms(_context: Context, requester: RequestContext, values: Values) -> LadderTerms:
    """Return the terms from the values of the form or the command; Refused, InvalidOption."""
    key = values["game"]
    if key not in list_ladder_games():
        raise Refused("refusal.ladder-not-for-two", game=key)
    return LadderTerms(
        **read_common_terms(requester, games[key], 2, values),
        clock=read_clock(values),
        days=int(values.get("days", DEFAULT_ANSWER_DAYS)),
    )


FEATURE: Final[Feature] = CompetitionCommands(
    cards=LadderCards,
    read_terms=read_terms,
    fields=(
        clock_field(SLOW_CLOCKS),
        Field("d", number("days", MIN_ANSWER_DAYS, MAX_ANSWER_DAYS), str(DEFAULT_ANSWER_DAYS), ANSWER_DAYS),
        ENTRY_FIELD,
        RATED_FIELD,
    ),
    which="ladder.which",
    options=3,
    playable=list_ladder_games,
    actions={
        "challenge": ActionRule(
            service.challenge, numbered=True, update=True, words=LadderCards.challenged_words, takes_part=True
        ),
        "accept": ActionRule(service.accept, numbered=True, takes_part=True),
        "concede": ActionRule(service.concede, numbered=True),
        "withdraw": ActionRule(service.withdraw, numbered=True),
    },
    rank=22,
    older=("laddernew", "ladderpost"),
).feature()
