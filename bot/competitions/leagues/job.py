"""The job of leagues: seasons, their games, results, departures, messages and notices.

Each step is stored only if the league still has the revision for which it was decided, so a repeated step changes
nothing.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from bot.competitions.competition import CupGame
from bot.competitions.events import Asked
from bot.competitions.games import CompetitionWorker, open_match
from bot.competitions.keeper import RECHECK_INTERVAL, TitleKind, read_ratings
from bot.competitions.league import FixtureAttached, FixtureResult, LeagueEvent, Season, SeasonEnded
from bot.competitions.leagues.service import LEAGUES, StoredLeague
from bot.competitions.seasons import champions, due_events, is_start_due, next_opening, start_season
from bot.kernel.context import Context
from bot.kernel.request_context import find_sharers
from storage import NewTitle


class LeagueWorker(CompetitionWorker[StoredLeague]):
    """A worker that advances leagues."""

    keeper = LEAGUES

    def next_look(self, found: StoredLeague, now: datetime) -> datetime:
        """Return when a league that is not over is looked at again."""
        later, season = now + RECHECK_INTERVAL, found.state.season
        return later if season is None or season.is_over else max(now, min(later, season.ends_at))

    async def take_step(self, found: StoredLeague) -> bool:
        """Do the first step that is due and return whether there was one; Conflict if another writer was faster."""
        context, state, now = self._context, found.state, self._clock()
        if ended := await self.read_results(_list_running(state.season, now), found):
            notices = LEAGUES.make_notices(context, found, "asked", ended, Asked)
            await LEAGUES.store(context, found, ended, notices=notices)
            return True
        if events := due_events(state, now, found.blocked):
            await LEAGUES.store(context, found, events, titles=await _titles(context, found, events))
            return True
        if is_start_due(state):
            ratings = await read_ratings(context, found)
            started = await asyncio.to_thread(start_season, state, now, ratings, found.blocked)
            await LEAGUES.store(context, found, [started])
            return True
        opening = next_opening(state, now, found.blocked)
        if opening is None or state.season is None:
            return False
        number, seats = opening
        slot = f"season {state.season.number} {number}"
        await open_match(context, LEAGUES, found, slot, seats, lambda game: FixtureAttached(number, game, seats))
        return True


def _list_running(
    season: Season | None, now: datetime
) -> list[tuple[CupGame, Callable[[tuple[int, ...], str, tuple[int, ...]], FixtureResult]]]:
    """Return the games that are being played, with what makes their results; none once the season is to end."""
    if season is None or season.is_over or season.ends_at <= now:
        return []
    return [
        (each.game, partial(FixtureResult, number))
        for number, each in enumerate(season.games)
        if each.game is not None and each.is_going_on
    ]


async def _titles(context: Context, league: StoredLeague, events: Sequence[LeagueEvent]) -> list[NewTitle]:
    """Return the titles for the champions of a season that these events end.

    A champion who shares a browser with another member of the season gets none.
    """
    state, found = league.state, list[NewTitle]()
    for event in events:
        state = state.apply(context.clock(), event)
        if isinstance(event, SeasonEnded) and state.season is not None:
            members = {number for division in state.season.divisions for number in division.members}
            people = {person.id for number in members if (person := league.person_of(number)) is not None}
            sharing = await find_sharers(context, people)
            for entrant in champions(state, state.season):
                person = league.person_of(entrant)
                if person is not None and person.id not in sharing:
                    key, period = league.row.game_key, str(event.season)
                    found.append(NewTitle(person.id, TitleKind.LEAGUE, key, league.row.id, period))
    return found
