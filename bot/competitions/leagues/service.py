"""Stored leagues, the actions of people, and the job that takes the due steps.

Each step is stored only if the competition still has the revision for which it was decided, so a repeated step changes
nothing.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

from bot.competitions.events import Asked, CommonTerms, CompetitionEvent
from bot.competitions.games import CompetitionWorker, RunningGame, open_match
from bot.competitions.keeper import (
    RECHECK_INTERVAL,
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
    FixtureAttached,
    FixtureResult,
    League,
    LeagueCreated,
    LeagueLimited,
    LeagueTerms,
    Season,
    SeasonEnded,
    SeasonStarted,
)
from bot.competitions.seasons import champions, due_events, is_start_due, next_opening, start_season
from bot.kernel.context import Context
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext, find_sharers
from bot.kernel.requests import Reply
from storage import NewTitle


class StoredLeague(StoredCompetition[League]):
    """A stored league with its state and its people."""


class LeagueKeeper(CompetitionKeeper[League, StoredLeague]):
    """Reads and stores leagues."""

    kind = "league"
    state = League
    stored = StoredLeague

    def make_first_event(self, terms: CommonTerms, code: str, seed_hash: str) -> LeagueCreated:
        """Return the event that makes a league; it has no version of the rules, because each season has its own."""
        assert isinstance(terms, LeagueTerms)  # noqa: S101
        return LeagueCreated(terms, code, seed_hash)

    def check_terms(self, _context: Context, terms: LeagueTerms) -> None:
        """Raise Refused for a clock that is too slow for a season, or fewer people than a table needs."""
        if terms.problem() == "clock-too-slow":
            raise Refused("refusal.league-clock", n=terms.days)
        check_enough_for_table(terms.least, terms.fewest)


LEAGUES: Final = LeagueKeeper()


async def set_limit(context: Context, requester: RequestContext, code: str, most: int, reply: Reply) -> None:
    """Set how many of the requester's games may run at once; Refused for a limit below one or too high."""
    if not 1 <= most <= MAX_GAMES_AT_ONCE:
        raise Refused("refusal.stale")
    await LEAGUES.commit(
        context, requester, code, lambda found: LeagueLimited(LEAGUES.my_number(found, requester), most), reply
    )


async def start_now(context: Context, requester: RequestContext, code: str, reply: Reply) -> None:
    """Start the next season by hand; Refused if the requester does not run it, in a season, or with too few members."""

    async def step(league: StoredLeague) -> list[SeasonStarted]:
        check_installed(context, league.row)
        if league.state.is_season_on:
            raise Refused("refusal.league-on")
        least, present = max(MIN_MEMBERS, league.state.terms.fewest), len(league.state.present)
        if present < least:
            raise Refused("refusal.cup-too-few", n=present, least=least)
        return [start_season(league.state, context.clock(), await read_ratings(context, league), league.blocked)]

    await LEAGUES.commit(context, requester, code, step, reply, runs=True)


class LeagueWorker(CompetitionWorker[StoredLeague]):
    """The worker that advances leagues."""

    keeper = LEAGUES

    def next_look(self, found: StoredLeague, now: datetime) -> datetime:
        """Return when a league that is not over is looked at again."""
        later, season = now + RECHECK_INTERVAL, found.state.season
        return later if season is None or season.is_over else max(now, min(later, season.ends_at))

    async def take_step(self, found: StoredLeague) -> bool:
        """Take the first due step; return True if there was one. Conflict if another writer was faster."""
        context, state, now = self._context, found.state, self._context.clock()
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


def _list_running(season: Season | None, now: datetime) -> list[RunningGame]:
    """Return the running games with the functions that make their results; none once the season is to end."""
    if season is None or season.is_over or season.ends_at <= now:
        return []
    return [
        (each.game, partial(FixtureResult, number))
        for number, each in enumerate(season.games)
        if each.game is not None and each.is_going_on
    ]


async def _titles(context: Context, league: StoredLeague, events: Sequence[CompetitionEvent]) -> list[NewTitle]:
    """Return the titles for the champions of a season that these events end.

    A champion who shares a browser with another member of the season gets none.
    """
    state, found = league.state, list[NewTitle]()
    for event in events:
        state = state.apply(context.clock(), event)
        if isinstance(event, SeasonEnded) and state.season is not None:
            members = [number for division in state.season.divisions for number in division.members]
            sharing = await find_sharers(context, league.numbers_of(members))
            for entrant in champions(state, state.season):
                person = league.person_of(entrant)
                if person is not None and person.id not in sharing:
                    key, period = league.row.game_key, str(event.season)
                    found.append(NewTitle(person.id, TitleKind.LEAGUE, key, league.row.id, period))
    return found
