"""Reading a competition of whatever kind, and what it says and shows."""

from collections.abc import Mapping
from typing import Any, Final

from bot.core.context import Context
from bot.cups.cards import CupView
from bot.cups.service import Cup
from bot.ladders.cards import LadderView
from bot.ladders.service import StoredLadder
from bot.leagues.cards import LeagueView
from bot.leagues.service import StoredLeague
from bot.matches.cards import CompetitionView
from storage import CompetitionKind, CompetitionRow

AnyCompetition = Cup | StoredLeague | StoredLadder
VIEWS: Final[Mapping[CompetitionKind, type[CompetitionView[Any, Any]]]] = {
    "cup": CupView,
    "league": LeagueView,
    "ladder": LadderView,
}


async def read_competition(context: Context, row: CompetitionRow) -> AnyCompetition:
    """Return a stored competition with its state; Refused if its events are invalid."""
    found: AnyCompetition = await VIEWS[row.kind].keeper.read(context, row)
    return found
