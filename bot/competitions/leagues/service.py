"""Leagues as they are stored, and what people do to them; the automatic steps are in job.py."""

from typing import Final

from bot.competitions.events import CommonTerms
from bot.competitions.keeper import (
    CompetitionKeeper,
    StoredCompetition,
    check_enough_for_table,
    check_installed,
    read_ratings,
)
from bot.competitions.league import (
    LEAGUE_CODEC,
    MAX_GAMES_AT_ONCE,
    MIN_MEMBERS,
    League,
    LeagueCreated,
    LeagueLimited,
    LeagueTerms,
    SeasonStarted,
)
from bot.competitions.seasons import start_season
from bot.kernel.context import Context
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply


class StoredLeague(StoredCompetition[League]):
    """A stored league with its state and its people."""


class LeagueKeeper(CompetitionKeeper[League, StoredLeague]):
    """Reads and stores leagues."""

    kind = "league"
    codec = LEAGUE_CODEC
    state = League
    stored = StoredLeague

    def make_first_event(self, terms: CommonTerms, code: str, seed_hash: str) -> LeagueCreated:
        """Return the event by which a league is made: each season has its own version of the rules."""
        assert isinstance(terms, LeagueTerms)  # noqa: S101
        return LeagueCreated(terms, code, seed_hash)

    def check_terms(self, _context: Context, terms: LeagueTerms) -> None:
        """Raise Refused for a clock that is too slow for a season, or fewer people than a table takes."""
        if terms.problem() == "clock-too-slow":
            raise Refused("refusal.league-clock", n=terms.days)
        check_enough_for_table(terms.least, terms.fewest)


LEAGUES: Final = LeagueKeeper()


async def set_limit(context: Context, requester: RequestContext, code: str, most: int, reply: Reply) -> None:
    """Set how many of the requester's games may run at once; Refused for none or too many."""
    if not 1 <= most <= MAX_GAMES_AT_ONCE:
        raise Refused("refusal.stale")
    await LEAGUES.commit(
        context, requester, code, lambda found: LeagueLimited(LEAGUES.my_number(found, requester), most), reply
    )


async def start_now(context: Context, requester: RequestContext, code: str, reply: Reply) -> None:
    """Start the next season by hand; Refused to others than its organiser, during a season, or with too few members."""

    async def step(league: StoredLeague) -> list[SeasonStarted]:
        check_installed(context, league.row)
        if league.state.is_season_on:
            raise Refused("refusal.league-on")
        least, present = max(MIN_MEMBERS, league.state.terms.fewest), len(league.state.present)
        if present < least:
            raise Refused("refusal.cup-too-few", n=present, least=least)
        return [start_season(league.state, context.clock(), await read_ratings(context, league), league.blocked)]

    await LEAGUES.commit(context, requester, code, step, reply, runs=True)
