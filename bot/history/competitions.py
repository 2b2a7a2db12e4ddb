"""Reading a competition of whatever kind, and what it says and shows."""

from collections.abc import Mapping
from typing import Any, Final

from bot.core.context import Context
from bot.cups.cards import CUP
from bot.cups.service import Cup
from bot.ladders.cards import LADDER
from bot.ladders.service import StoredLadder
from bot.leagues.cards import LEAGUE
from bot.leagues.service import StoredLeague
from bot.matches.cards import Presenter
from storage import CompetitionKind, CompetitionRow

AnyCompetition = Cup | StoredLeague | StoredLadder
PRESENTERS: Final[Mapping[CompetitionKind, Presenter[Any]]] = {"cup": CUP, "league": LEAGUE, "ladder": LADDER}


async def read_competition(context: Context, row: CompetitionRow) -> AnyCompetition:
    """Return a stored competition with its state; Refused if its events are invalid."""
    found: AnyCompetition = await PRESENTERS[row.kind].keeper.read(context, row)
    return found
