"""The automatic steps of a league: seasons, their games, and departures."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import combinations
from typing import Final

from bot.competitions import rules_1
from bot.competitions.events import COMPUTER_ENTRANT, RULES_VERSION, InvalidCompetition, Leaving, Left
from bot.competitions.history import NO_BLOCKS, Blocked
from bot.competitions.league.divisions import division_sizes, next_divisions
from bot.competitions.league.events import (
    MIN_MEMBERS,
    FixtureVoided,
    LeagueDivision,
    LeagueEvent,
    SeasonEnded,
    SeasonStarted,
)
from bot.competitions.league.fixtures import plan_fixtures
from bot.competitions.league.league import League, Season
from bot.competitions.league.tables import final_order

FILLED_DIVISION: Final = 6
"""Computers fill a division up to this size, if the league has them."""


def people_needed(stands: League) -> int:
    """Return the number of members with which the next season begins automatically: enough for a table."""
    least = MIN_MEMBERS if stands.season is not None else stands.terms.least
    return max(least, stands.terms.fewest)


def is_start_due(stands: League) -> bool:
    """Return whether the next season is to begin; silent members must be removed first."""
    if stands.over or stands.is_season_on:
        return False
    return len(stands.present) >= people_needed(stands)


def start_season(
    stands: League, now: datetime, ratings: Mapping[int, int], blocked: Blocked = NO_BLOCKS
) -> SeasonStarted:
    """Return the event that begins the next season; the first season's divisions follow from `ratings`, in points.

    InvalidCompetition for fewer than three members, or during a season.
    """
    if stands.over or stands.is_season_on:
        raise InvalidCompetition("season-on")
    if len(stands.present) < max(MIN_MEMBERS, stands.terms.fewest):
        raise InvalidCompetition("too-few", entrants=len(stands.present))
    known = {} if stands.season is not None else {each: ratings[each] for each in stands.present if each in ratings}
    divisions = make_divisions(stands, known, RULES_VERSION)
    number = 1 if stands.season is None else stands.season.number + 1
    fixtures = plan_fixtures(stands.terms, divisions, number, blocked, RULES_VERSION)
    ends_at = now + timedelta(days=stands.terms.days)
    return SeasonStarted(number, ends_at, divisions, fixtures, known, RULES_VERSION)


def make_divisions(stands: League, ratings: Mapping[int, int], rules_version: int) -> tuple[LeagueDivision, ...]:
    """Return the next season's divisions: the first time by rating, later by the last season's tables."""
    if stands.season is None:
        people = sorted(stands.present, key=lambda each: (-ratings.get(each, -1_000_000), each))
        found, start = [], 0
        for size in division_sizes(len(people)):
            found.append(tuple(people[start : start + size]))
            start += size
    else:
        season = stands.season
        orders = [final_order(stands, season, number) for number in range(1, len(season.divisions) + 1)]
        staying = set(stands.present) - set(stands.queue)
        follow = rules_1.next_divisions if rules_version == 1 else next_divisions
        found = list(follow(orders, staying, stands.queue))
    fills = bool(stands.terms.computers) and stands.terms.seats == 2
    return tuple(LeagueDivision(each, max(0, FILLED_DIVISION - len(each)) if fills else 0) for each in found)


def due_events(stands: League, now: datetime, blocked: Blocked = NO_BLOCKS) -> tuple[LeagueEvent, ...]:
    """Return the automatic events that are due, without games to open and the beginning of a season."""
    if stands.over or stands.season is None:
        return ()
    season = stands.season
    if not season.is_over:
        if season.ends_at <= now:
            return (SeasonEnded(season.number),)
        return tuple(FixtureVoided(number) for number in _blocked_games(season, blocked))
    # Members who did not confirm leave before the next season begins.
    silent = [each for each in stands.present if stands.entrants[each].asked]
    return tuple(Left(each, Leaving.SILENT) for each in silent)


def next_opening(stands: League, blocked: Blocked = NO_BLOCKS) -> tuple[int, tuple[int, ...]] | None:
    """Return the next game to open and its seats, None while there is none."""
    season = stands.season
    if season is None or season.is_over or stands.over:
        return None
    busy = {each: season.games_going_on(each) for division in season.divisions for each in division.members}
    for number, each in enumerate(season.games):
        if each.game is not None or each.voided:
            continue
        there = tuple(entrant for entrant in each.fixture.seats if stands.is_available(entrant))
        people = [entrant for entrant in there if entrant != COMPUTER_ENTRANT]
        if len(there) < stands.terms.fewest or not people or _are_blocked(there, blocked):
            continue
        if any(stands.entrants[entrant].asked for entrant in each.fixture.seats if entrant != COMPUTER_ENTRANT):
            continue  # a larger table does not begin without a member who may still come back
        if all(busy[entrant] < stands.entrants[entrant].most for entrant in people):
            return number, there
    return None


def _blocked_games(season: Season, blocked: Blocked) -> list[int]:
    return [
        number
        for number, each in enumerate(season.games)
        if each.game is None and not each.voided and _are_blocked(each.fixture.seats, blocked)
    ]


def _are_blocked(seats: tuple[int, ...], blocked: Blocked) -> bool:
    return any(frozenset(pair) in blocked for pair in combinations(seats, 2))
