"""Reading a competition of whatever kind, and what it says and shows."""

from collections.abc import Mapping
from typing import Any, Final

from bot.core.context import Context
from bot.cups.cards import CupCards
from bot.cups.service import Cup
from bot.ladders.cards import LadderCards
from bot.ladders.service import StoredLadder
from bot.leagues.cards import LeagueCards
from bot.leagues.service import StoredLeague
from bot.matches.cards import CompetitionCards
from storage import CompetitionKind, CompetitionRow

AnyCompetition = Cup | StoredLeague | StoredLadder
CARDS: Final[Mapping[CompetitionKind, type[CompetitionCards[Any, Any]]]] = {
    "cup": CupCards,
    "league": LeagueCards,
    "ladder": LadderCards,
}


async def read_competition(context: Context, row: CompetitionRow) -> AnyCompetition:
    """Return a stored competition with its state; Refused if its events are invalid."""
    found: AnyCompetition = await CARDS[row.kind].keeper.read(context, row)
    return found
