"""Reading a competition of whatever kind."""

from collections.abc import Mapping
from typing import Any, Final

from bot.core.context import Context
from bot.cups.service import CUPS, Cup
from bot.ladders.service import LADDERS, StoredLadder
from bot.leagues.service import LEAGUES, StoredLeague
from bot.matches.keeper import CompetitionKeeper
from storage import CompetitionKind, CompetitionRow

AnyCompetition = Cup | StoredLeague | StoredLadder
_KEEPERS: Final[Mapping[CompetitionKind, CompetitionKeeper[Any, Any, Any, Any]]] = {
    "cup": CUPS,
    "league": LEAGUES,
    "ladder": LADDERS,
}


async def read_competition(context: Context, row: CompetitionRow) -> AnyCompetition:
    """Return a stored competition with its state; Refused if its events are invalid."""
    found: AnyCompetition = await _KEEPERS[row.kind].read(context, row)
    return found
