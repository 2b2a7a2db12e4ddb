"""The job of leagues: seasons, their games, results, departures, messages and notices.

Each step is stored only if the league still has the revision for which it was decided, so a repeated step changes
nothing.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

from bot.competitions.events import COMPUTER_ENTRANT, Asked
from bot.competitions.league.course import due_events, is_start_due, next_opening, start_season
from bot.competitions.league.events import (
    Departure,
    FixtureAttached,
    FixtureResult,
    LeagueEvent,
    LeagueLeft,
    SeasonEnded,
)
from bot.competitions.league.league import Season
from bot.competitions.league.tables import champions
from bot.core.browsers import find_sharers
from bot.core.context import Context
from bot.core.notice_routes import NoticeKind
from bot.interface.cards import Card
from bot.language.texts import Speaker
from bot.leagues.cards import question_card
from bot.leagues.service import LEAGUES, StoredLeague
from bot.matches.games import MatchTerms, open_match, read_match_result
from bot.matches.job import CompetitionWorker, read_competition_notice
from bot.matches.stored import RECHECK_INTERVAL, list_departures, read_ratings
from bot.matches.titles import TitleKind
from engine import games
from storage import NewNotice, NewTitle


class LeagueWorker(CompetitionWorker[StoredLeague]):
    """Advances leagues and updates their messages."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, LEAGUES, _do_next_step, _next_look)


def _write_notice(league: StoredLeague, _: str, member: int, speaker: Speaker) -> Card | None:
    """Return the only notice of leagues, the question whether a member still takes part."""
    return question_card(league, speaker, member)


read_league_notice: Final = partial(read_competition_notice, LEAGUES, _write_notice)


def _next_look(league: StoredLeague, now: datetime) -> datetime:
    later, season = now + RECHECK_INTERVAL, league.stands.season
    return later if season is None or season.is_over else max(now, min(later, season.ends_at))


async def _do_next_step(context: Context, league: StoredLeague) -> bool:
    """Do the first step that is due and return whether there was one; Conflict if another writer was faster."""
    stands = league.stands
    gone = list_departures(league, stands.present)
    if gone:
        await LEAGUES.store(context, league, [LeagueLeft(number, Departure(why)) for number, why in gone])
        return True
    if league.row.game_key not in games:
        return False  # the game is not installed: the league waits, as its games' clocks do
    ended = await _new_results(context, league)
    if ended:
        await LEAGUES.store(context, league, ended, notices=_questions(context, league, ended))
        return True
    now = context.clock()
    events = due_events(stands, now, league.blocked)
    if events:
        await LEAGUES.store(context, league, events, titles=await _titles(context, league, events))
        return True
    if is_start_due(stands):
        ratings = await read_ratings(context, league, stands.present)
        started = await asyncio.to_thread(start_season, stands, now, ratings, league.blocked)
        await LEAGUES.store(context, league, [started])
        return True
    opening = next_opening(stands, league.blocked)
    if opening is None or stands.season is None:
        return False
    await _open_game(context, league, stands.season, *opening)
    return True


async def _open_game(
    context: Context, league: StoredLeague, season: Season, number: int, seats: tuple[int, ...]
) -> None:
    terms = league.stands.terms
    slot = f"season {season.number} {number}"
    match = MatchTerms(terms.clock, terms.options, terms.computers, terms.holidays, terms.rated)

    async def note(game: str) -> None:
        await LEAGUES.store(context, league, [FixtureAttached(number, game, seats)], opened=[(slot, game)])

    await open_match(context, league, slot, seats, match, note)


async def _new_results(context: Context, league: StoredLeague) -> list[LeagueEvent]:
    """Return events for results not yet recorded, and for members to be asked whether they still take part."""
    season = league.stands.season
    if season is None or season.is_over or season.ends_at <= context.clock():
        return []
    events: list[LeagueEvent] = []
    asked: dict[int, None] = {}
    for number, each in enumerate(season.games):
        if each.game is None or each.game.places is not None:
            continue
        found = await read_match_result(context, each.game.id or "", len(each.game.seats))
        if found is not None:
            places, reason, absent = found
            events.append(FixtureResult(number, places, reason, absent))
            asked |= dict.fromkeys(each.game.seats[seat] for seat in absent)
    silent = [each for each in asked if each != COMPUTER_ENTRANT and league.stands.is_available(each)]
    return [*events, *map(Asked, silent)]


def _questions(context: Context, league: StoredLeague, events: Sequence[LeagueEvent]) -> list[NewNotice]:
    """Return the notices for the members whom these events ask."""
    found = []
    for event in events:
        person = league.person_of(event.entrant) if isinstance(event, Asked) else None
        if person is not None and isinstance(event, Asked):
            subject = f"{league.row.id}:asked:{event.entrant}:{league.stands.revision}"
            found.append(NewNotice(person.id, NoticeKind.LEAGUE, subject, context.clock()))
    return found


async def _titles(context: Context, league: StoredLeague, events: Sequence[LeagueEvent]) -> list[NewTitle]:
    """Return the titles for the champions of a season that these events end.

    A champion who shares a browser with another member of the season gets none.
    """
    stands, found = league.stands, list[NewTitle]()
    for event in events:
        stands = stands.apply(context.clock(), event)
        if isinstance(event, SeasonEnded) and stands.season is not None:
            members = {number for division in stands.season.divisions for number in division.members}
            people = {person.id for number in members if (person := league.person_of(number)) is not None}
            sharing = await find_sharers(context, people)
            for entrant in champions(stands, stands.season):
                person = league.person_of(entrant)
                if person is not None and person.id not in sharing:
                    key, period = league.row.game_key, str(event.season)
                    found.append(NewTitle(person.id, TitleKind.LEAGUE, key, league.row.id, period))
    return found
