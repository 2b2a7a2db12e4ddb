"""The form for a new league."""

from typing import Final

from bot.competitions.league.events import DEFAULT_SEASON_DAYS, LeagueTerms
from bot.leagues.cards import terms_lines
from bot.leagues.service import make_league
from bot.matches.form import FILL_LEVELS
from bot.matches.season_form import SeasonChoice, SeasonForm
from engine import Game, games

SEASON_DAYS: Final = (14, 21, 30, 60, 92)


def usual_seats(game: Game) -> int:
    """Return the default number of seats of a league's games: two, or the maximum of a game not for two."""
    return 2 if 2 in game.seats else game.seats[-1]


def fewest_seats(game: Game, seats: int) -> int:
    """Return the number of seats of the smallest table of a league."""
    return 2 if seats == 2 else max(3, game.seats[0])


def _make_terms(choice: SeasonChoice) -> LeagueTerms:
    game = games[choice.game]
    seats = usual_seats(game)
    return LeagueTerms(
        **choice.common_terms(seats),
        days=SEASON_DAYS[choice.days],
        seats=seats,
        fewest=fewest_seats(game, seats),
        computers=FILL_LEVELS[choice.fill],
    )


FORM: Final = SeasonForm(
    kind="league",
    days=SEASON_DAYS,
    default_days=DEFAULT_SEASON_DAYS,
    fills=True,
    list_games=lambda: list(games),
    make_terms=_make_terms,
    terms_lines=terms_lines,
    make=make_league,
)
