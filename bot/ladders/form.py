"""The form for a new ladder."""

from typing import Final

from bot.competitions.ladder.events import LadderTerms
from bot.ladders.cards import terms_lines
from bot.ladders.service import LADDERS
from bot.matches.season_form import SeasonChoice, SeasonForm
from engine import games

ANSWER_DAYS: Final = (1, 2, 3, 5, 7, 14)
DEFAULT_ANSWER_DAYS: Final = 3


def list_ladder_games() -> list[str]:
    """Return the keys of the games for two players."""
    return [key for key, game in games.items() if 2 in game.seats]


def _make_terms(choice: SeasonChoice) -> LadderTerms:
    return LadderTerms(**choice.common_terms(2), days=ANSWER_DAYS[choice.days])


FORM: Final = SeasonForm(
    kind="ladder",
    days=ANSWER_DAYS,
    default_days=DEFAULT_ANSWER_DAYS,
    fills=False,
    list_games=list_ladder_games,
    make_terms=_make_terms,
    terms_lines=terms_lines,
    make=LADDERS.make,
)
