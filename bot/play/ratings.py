"""Ratings by openskill: one for each person and game, and one for all games together.

Bradley-Terry with partial pairing (Weng & Lin, 2011): with shared places it never rewards a worse place more, which
the library's default model does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from openskill.models import BradleyTerryPart

from storage import NewResult, Rating
from storage.rows import PEOPLE_POOL

OVERALL_KEY: Final = ""
"""The key under which the rating for all games together is kept."""

MIN_RANKED_GAMES: Final = 5
"""Rated games before a rating counts on the leaderboards of everybody."""


@dataclass(frozen=True, slots=True)
class RatedResults:
    """What a game's results come to: ratings, and by seat what the one in this game was worth before and is now."""

    results: tuple[NewResult, ...]
    ratings: tuple[Rating, ...] = ()
    points: Mapping[int, tuple[int, int]] = field(default_factory=dict)


_MODEL: Final = BradleyTerryPart()


def rating_points(rating: Rating) -> int:
    """Return a rating as people see it: what they surely reach (mu - 3 sigma), in points from about 0 to 3000."""
    return round_points(rating.mu, rating.sigma)


def round_points(mu: float, sigma: float) -> int:
    """Return what somebody with such figures surely reaches, in points."""
    return round(max(0.0, 1000 + 40 * (mu - 3 * sigma)))


def initial_rating(mu: float) -> int:
    """Return the best guess at how well somebody plays, in the same points."""
    return round(1000 + 40 * mu)


def rating_spread(sigma: float) -> float:
    """Return how far the guess may be off, in the same points."""
    return 40 * 3 * sigma


def new_rating(person: int, game: str, pool: str = PEOPLE_POOL) -> Rating:
    """Return the rating that everybody begins with."""
    fresh = _MODEL.rating()
    return Rating(person, game, fresh.mu, fresh.sigma, pool=pool)


def rate_game(before: Mapping[int, Rating], places: Mapping[int, int]) -> dict[int, Rating]:
    """Return everybody's rating after a game in which each person came to a place (1 is best, equal are shared).

    Fewer than two people change nothing.
    """
    people = sorted(places, key=lambda person: places[person])
    if len(people) < 2:
        return dict(before)
    teams = [[_MODEL.create_rating([before[person].mu, before[person].sigma])] for person in people]
    rated = _MODEL.rate(teams, ranks=[float(places[person]) for person in people])
    firsts = sum(place == 1 for place in places.values())
    after = {}
    for person, ((mu, sigma),) in zip(people, ([(team[0].mu, team[0].sigma)] for team in rated), strict=True):
        known = before[person]
        won, drew = places[person] == 1 and firsts == 1, places[person] == 1 and firsts > 1
        after[person] = replace(
            known,
            mu=mu,
            sigma=sigma,
            wins=known.wins + won,
            draws=known.draws + drew,
            losses=known.losses + (not won and not drew),
        )
    return after


def rate_duel(
    winner: tuple[float, float], loser: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return how good, as mu and sigma, the winner and the loser of a pair are afterwards."""
    teams = [[_MODEL.create_rating(list(each))] for each in (winner, loser)]
    (first,), (second,) = _MODEL.rate(teams)
    return (first.mu, first.sigma), (second.mu, second.sigma)


def rated_places(results: Sequence[NewResult]) -> dict[int, int]:
    """Return the people whose results count, with their places counted anew among them."""
    counted = [result for result in results if result.rated and result.person is not None]
    places = [result.place_number for result in counted]
    return {
        result.person: 1 + sum(place < result.place_number for place in places)
        for result in counted
        if result.person is not None
    }
