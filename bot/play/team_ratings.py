"""Ratings of teams: in a pool of their own; their games never count for their opponents."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from bot.core.context import Context
from bot.play.ratings import OVERALL_KEY, RatedResults, new_rating, rate_game, rating_points
from bot.tables.changes import TEAM_POOL
from bot.tables.levels import load_level
from storage import GameRow, NewResult, Rating

MEDIAN_LEVEL: Final = 3
MU_PER_LEVEL: Final = 4.0
"""Difference between two levels of the computer: the higher one wins about three games of four."""
LEVEL_SIGMA: Final = 1.0
"""Uncertainty of a computer's strength: it learns nothing."""


async def rate_teams(
    context: Context, row: GameRow, results: Sequence[NewResult], teams: Collection[int]
) -> RatedResults:
    """Return how a game changes the ratings of its teams.

    A computer has the strength of its level, a person that of their own rating, which does not change.
    """
    plain = tuple(replace(result, rated=False) for result in results)
    if row.course.uncounted is not None or row.course.unrated or not teams:
        return RatedResults(plain)
    ratings: list[Rating] = []
    before: dict[int, Rating] = {}
    after: dict[int, Rating] = {}
    # All others have negative numbers by seat: their own ratings are not involved.
    players = {
        result.seat: result.person if result.person is not None and result.person in teams else -1 - result.seat
        for result in results
    }
    places = {players[result.seat]: result.place_number for result in results}
    for key in (OVERALL_KEY, row.game):
        known = await context.store.ratings.lock_for_update(list(teams), key, TEAM_POOL)
        before = {team: known.get(team) or new_rating(team, key, TEAM_POOL) for team in teams}
        for result in results:
            if result.person not in teams:
                before[players[result.seat]] = await _opponent_rating(context, row, result, key)
        after = {team: rating for team, rating in rate_game(before, places).items() if team in teams}
        ratings += after.values()
    marked = tuple(
        replace(result, mu=after[result.person].mu, sigma=after[result.person].sigma)
        if result.person is not None and result.person in after
        else result
        for result in plain
    )
    points = {
        result.seat: (rating_points(before[result.person]), rating_points(after[result.person]))
        for result in marked
        if result.person is not None and result.person in after
    }
    return RatedResults(marked, tuple(ratings), points)


async def _opponent_rating(context: Context, row: GameRow, result: NewResult, key: str) -> Rating:
    """Return the rating of a team's opponent."""
    entry = next((entry for entry in row.seats if entry.seat == result.seat), None)
    if entry is not None and entry.computer is not None:
        mu = new_rating(0, key).mu + MU_PER_LEVEL * (load_level(entry.computer) - MEDIAN_LEVEL)
        return Rating(0, key, mu, LEVEL_SIGMA)
    known = await context.store.ratings.list_for_people([result.person]) if result.person is not None else []
    fresh = new_rating(result.person or 0, key)
    return next((each for each in known if (each.game_key, each.pool) == (key, fresh.pool)), fresh)
