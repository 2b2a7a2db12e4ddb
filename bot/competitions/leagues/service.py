"""Stored leagues, the actions of people, and the job that takes the due steps.

Each step is stored only if the competition still has the revision for which it was decided, so a repeated step changes
nothing.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.competitions.competition import CurrentGame
from bot.competitions.events import Asked, Events
from bot.competitions.keeper import (
    CompetitionAction,
    CompetitionKeeper,
    StoredCompetition,
    TitleKind,
    check_enough_for_table,
    check_installed,
    read_ratings,
)
from bot.competitions.league import (
    MAX_GAMES_AT_ONCE,
    MIN_MEMBERS,
    League,
    LeagueLimited,
    LeagueTerms,
    SeasonEnded,
    SeasonStarted,
)
from bot.competitions.seasons import champions, due_events, is_start_due, next_opening, start_season
from bot.kernel.context import Context
from bot.kernel.refusals import Refused
from bot.kernel.request_context import find_sharers
from storage import CompetitionChange, NewTitle

StoredLeague = StoredCompetition[League]


class LeagueKeeper(CompetitionKeeper[League]):
    """Reads, stores and advances leagues; each season has its own version of the rules."""

    kind = "league"
    state = League
    versions = ()

    def check_terms(self, _context: Context, terms: LeagueTerms) -> None:
        """Raise Refused for a clock that is too slow for a season, or fewer people than a table needs."""
        if terms.problem() == "clock-too-slow":
            raise Refused("refusal.league-clock", n=terms.days)
        check_enough_for_table(terms.least, terms.fewest)

    async def due_events(self, context: Context, found: StoredLeague) -> Events:
        """Return the automatic events that are due, except games and their results."""
        state, now = found.state, context.clock()
        events = due_events(state, now, found.blocked)
        if events or not is_start_due(state):
            return events
        ratings = await read_ratings(context, found)
        return (await asyncio.to_thread(start_season, state, now, ratings, found.blocked),)

    def next_game(self, found: StoredLeague, now: datetime) -> CurrentGame | None:
        """Return the next game to open, None while there is none."""
        opening = next_opening(found.state, now, found.blocked)
        return None if opening is None else found.state.current_game(*opening)

    async def with_consequences(
        self,
        context: Context,
        found: StoredLeague,
        after: League,
        events: Events,
        change: CompetitionChange,
    ) -> CompetitionChange:
        """Return a change with notices for members who are asked, and with the titles of a season that has ended."""
        asked = [event.entrant for event in events if isinstance(event, Asked)]
        about = {each: f"asked:{each}:{found.state.revision}" for each in asked}
        ended = any(isinstance(event, SeasonEnded) for event in events)
        titles = tuple(await _find_titles(context, found, after)) if ended else ()
        return replace(change, notices=self.make_notices(context, found, about), titles=titles)


LEAGUES: Final = LeagueKeeper()


async def set_limit(action: CompetitionAction[League]) -> Sequence[LeagueLimited]:
    """Set how many of the requester's games may run at once; Refused for a limit below one or too high."""
    if not 1 <= action.number <= MAX_GAMES_AT_ONCE:
        raise Refused("refusal.stale")
    return (LeagueLimited(action.own, action.number),)


async def start_now(action: CompetitionAction[League]) -> Sequence[SeasonStarted]:
    """Start the next season by hand; Refused in a season, or with too few members."""
    league, context = action.found, action.context
    check_installed(context, league.row)
    if league.state.is_season_on:
        raise Refused("refusal.league-on")
    least, present = max(MIN_MEMBERS, league.state.terms.fewest), len(league.state.present)
    if present < least:
        raise Refused("refusal.cup-too-few", n=present, least=least)
    return (start_season(league.state, context.clock(), await read_ratings(context, league), league.blocked),)


async def _find_titles(context: Context, league: StoredLeague, after: League) -> list[NewTitle]:
    """Return the titles for the champions of a season that has ended.

    A champion who shares a browser with another member of the season gets none.
    """
    season = after.season
    members = [number for division in season.divisions for number in division.members]
    sharing = await find_sharers(context, league.numbers_of(members))
    people = map(league.person_of, champions(after, season))
    return [
        NewTitle(person.id, TitleKind.LEAGUE, league.row.game_key, league.row.id, str(season.number))
        for person in people
        if person is not None and person.id not in sharing
    ]
