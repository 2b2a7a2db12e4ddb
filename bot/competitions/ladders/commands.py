"""The form for a new ladder."""

from collections.abc import Mapping
from typing import Final

from bot.competitions.commands import (
    ENTRY_FIELD,
    GAME_FIELD,
    RATED_FIELD,
    SLOW_CLOCKS,
    clock_field,
    days_field,
    read_clock,
    read_entry_rule,
    tell_terms,
)
from bot.competitions.ladder import MAX_ANSWER_DAYS, MIN_ANSWER_DAYS, LadderTerms
from bot.competitions.ladders.cards import LadderCards
from bot.kernel.context import Context
from bot.kernel.forms import YES, Form
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.texts import Span
from bot.lobby.form import read_options
from engine import games

ANSWER_DAYS: Final = (1, 2, 3, 5, 7, 14)
DEFAULT_ANSWER_DAYS: Final = 3


def list_ladder_games() -> list[str]:
    """Return the keys of the games for two players."""
    return [key for key, game in games.items() if 2 in game.seats]


def read_terms(_context: Context, requester: RequestContext, values: Mapping[str, str]) -> LadderTerms:
    """Return the terms that the values of the form, or of the command, name; Refused, InvalidOption."""
    key = values["game"]
    if key not in list_ladder_games():
        raise Refused("refusal.ladder-not-for-two", game=key)
    return LadderTerms(
        game=key,
        clock=read_clock(values),
        options=dict(games[key].checked_options(2, read_options(requester.speaker, games[key], values))),
        days=int(values.get("days", DEFAULT_ANSWER_DAYS)),
        entry=read_entry_rule(values),
        rated=values.get("rated", YES) == YES,
    )


FORM: Final = Form(
    command="ladder",
    version=1,
    subject=GAME_FIELD,
    fields=(
        clock_field(SLOW_CLOCKS),
        days_field(ANSWER_DAYS, DEFAULT_ANSWER_DAYS, MIN_ANSWER_DAYS, MAX_ANSWER_DAYS),
        ENTRY_FIELD,
        RATED_FIELD,
    ),
    title=lambda voice, _: voice.say("ladder.new", game=Span(voice.line("name"), bold=True)),
    tell=tell_terms(read_terms, LadderCards.terms_lines),
    submit=lambda _: "button.ladder.make",
    games=list_ladder_games,
    which="ladder.which",
    options=3,
)
