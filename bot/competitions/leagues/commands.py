"""The form for a new league."""

from collections.abc import Mapping
from typing import Final

from bot.competitions.commands import (
    DOUBLE_FIELD,
    ENTRY_FIELD,
    FILL_FIELD,
    GAME_FIELD,
    RATED_FIELD,
    SLOW_CLOCKS,
    clock_field,
    days_field,
    holidays_field,
    read_clock,
    read_double,
    read_entry_rule,
    tell_terms,
)
from bot.competitions.league import (
    DEFAULT_SEASON_DAYS,
    MAX_MEMBERS,
    MAX_SEASON_DAYS,
    MIN_MEMBERS,
    MIN_SEASON_DAYS,
    LeagueTerms,
)
from bot.competitions.leagues.cards import LeagueCards
from bot.kernel.commandline import Parameter
from bot.kernel.context import Context
from bot.kernel.forms import GAME, YES, Field, Form, Values
from bot.kernel.request_context import RequestContext
from bot.kernel.texts import Span
from bot.lobby.form import check_seat_count, read_options
from engine import Game, games

SEASON_DAYS: Final = (14, 21, 30, 60, 92)
DEFAULT_HOLIDAY_DAYS: Final = 7
DEFAULT_MEMBERS: Final = 5
_MEMBERS: Final = tuple(map(str, (4, 5, 6, 8, 10, 12, 16, 24, 32)))


def _usual_seats(values: Values) -> str:
    """Return the default number of seats of a league's games: two, or the maximum of a game not for two."""
    seats = games[values[GAME]].seats
    return str(2 if 2 in seats else seats[-1])


def _fewest_seats(game: Game, seats: int) -> int:
    """Return the number of seats of the smallest table of a league."""
    return 2 if seats == 2 else max(3, game.seats[0])


def read_terms(_context: Context, requester: RequestContext, values: Mapping[str, str]) -> LeagueTerms:
    """Return the terms that the values of the form, or of the command, name; Refused, InvalidOption."""
    game = games[values["game"]]
    seats = int(values.get("seats") or _usual_seats(values))
    check_seat_count(game, seats)
    return LeagueTerms(
        game=game.key,
        clock=read_clock(values),
        options=dict(game.checked_options(seats, read_options(requester.speaker, game, values))),
        days=int(values.get("days", DEFAULT_SEASON_DAYS)),
        seats=seats,
        fewest=_fewest_seats(game, seats),
        least=int(values.get("least", DEFAULT_MEMBERS)),
        computers=values.get("fill", ""),
        holidays=int(values.get("holidays", DEFAULT_HOLIDAY_DAYS)),
        double=read_double(game, values),
        entry=read_entry_rule(values),
        rated=values.get("rated", YES) == YES,
    )


FORM: Final = Form(
    command="league",
    version=1,
    subject=GAME_FIELD,
    fields=(
        clock_field(SLOW_CLOCKS),
        days_field(SEASON_DAYS, DEFAULT_SEASON_DAYS, MIN_SEASON_DAYS, MAX_SEASON_DAYS),
        Field(
            "l",
            Parameter("least", "number", least=MIN_MEMBERS, most=MAX_MEMBERS),
            str(DEFAULT_MEMBERS),
            offers=lambda _: _MEMBERS,
        ),
        ENTRY_FIELD,
        holidays_field(DEFAULT_HOLIDAY_DAYS),
        Field(
            "t",
            Parameter("seats", "number", least=2, most=5),
            _usual_seats,
            offers=lambda values: tuple(map(str, games[values[GAME]].seats)),
        ),
        FILL_FIELD,
        DOUBLE_FIELD,
        RATED_FIELD,
    ),
    title=lambda voice, _: voice.say("league.new", game=Span(voice.line("name"), bold=True)),
    tell=tell_terms(read_terms, LeagueCards.terms_lines),
    submit=lambda _: "button.league.make",
    games=lambda: list(games),
    which="league.which",
    options=4,
)
