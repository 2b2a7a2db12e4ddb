"""Actions of people on leagues; the automatic steps are in job.py."""

from dataclasses import dataclass
from typing import Final

from bot.competitions.events import Ended, Entered, Excluded, Stays
from bot.competitions.league.course import start_season
from bot.competitions.league.events import (
    LEAGUE_CODEC,
    MIN_MEMBERS,
    LeagueCreated,
    LeagueEvent,
    LeagueLeft,
    LeagueLimited,
    LeagueTerms,
)
from bot.competitions.league.league import League
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.matches.keeper import CompetitionKeeper, CompetitionWithState, Happenings
from bot.matches.stored import check_enough_for_table, check_installed, check_may_run, read_ratings
from storage import EntrantRow

MAX_LEAGUES_PER_PERSON: Final = 5
"""Maximum number of unfinished leagues that one person has made."""


@dataclass(frozen=True, slots=True)
class StoredLeague(CompetitionWithState[League]):
    """A stored league with its state and its people."""

    @property
    def blocked(self) -> frozenset[frozenset[int]]:
        """Pairs of members of whom one has blocked the other."""
        return frozenset(map(frozenset, self.refusals(self.stands.present)))


LEAGUES: Final[CompetitionKeeper[LeagueTerms, LeagueEvent, League, StoredLeague]] = CompetitionKeeper(
    kind="league",
    codec=LEAGUE_CODEC,
    created=League.created,
    apply=League.apply,
    stored=StoredLeague,
    happenings=Happenings(LeagueCreated, Entered, LeagueLeft, Excluded, Ended),
    already="refusal.cup-in",
    not_in="refusal.cup-not-in.you",
    most_made=MAX_LEAGUES_PER_PERSON,
)


async def make_league(context: Context, asker: RequestContext, terms: LeagueTerms, reply: Reply) -> str:
    """Make a league that is shown in the asker's place, and return its code; Refused."""
    if terms.problem() == "clock-too-slow":
        raise Refused("refusal.league-clock", n=terms.days)
    check_enough_for_table(terms.least, terms.fewest)
    return await LEAGUES.make(context, asker, terms, reply)


async def stay(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Record that the asker still takes part, after they were asked."""

    def step(league: StoredLeague) -> tuple[LeagueEvent, EntrantRow | None]:
        mine = LEAGUES.my_number(league, asker)
        if not league.stands.members[mine].asked:
            raise Refused("refusal.cup-not-asked")
        return Stays(mine), None

    await LEAGUES.commit(context, asker, code, step, reply, takes_part=True)


async def set_limit(context: Context, asker: RequestContext, code: str, most: int, reply: Reply) -> None:
    """Set how many of the asker's games may run at once."""

    def step(league: StoredLeague) -> tuple[LeagueEvent, EntrantRow | None]:
        return LeagueLimited(LEAGUES.my_number(league, asker), most), None

    await LEAGUES.commit(context, asker, code, step, reply)


async def start_now(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Start the next season by hand; Refused if the asker does not run it, during a season, or with too few members."""
    found = await LEAGUES.find(context, code)
    await check_may_run(context, asker, found.row)
    check_installed(context, found.row)
    ratings = await read_ratings(context, found, found.stands.present)

    def step(league: StoredLeague) -> tuple[LeagueEvent, EntrantRow | None]:
        if league.stands.is_season_on:
            raise Refused("refusal.league-on")
        least, present = max(MIN_MEMBERS, league.stands.terms.fewest), len(league.stands.present)
        if present < least:
            raise Refused("refusal.cup-too-few", n=present, least=least)
        return start_season(league.stands, context.clock(), ratings, league.blocked), None

    await LEAGUES.commit(context, asker, code, step, reply)
