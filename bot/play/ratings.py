"""Ratings with openskill: one for each person and game, and one for all games together.

Bradley-Terry with partial pairing (Weng & Lin, 2011): with shared places it never rewards a worse place more, which the
library's default model does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from openskill.models import BradleyTerryPart

from storage import NewResult, Rating
from storage.schema import PEOPLE_POOL

OVERALL_KEY: Final = ""
"""The key of the rating for all games together."""

MIN_RANKED_GAMES: Final = 5
"""Rated games before a rating appears on public leaderboards."""


@dataclass(frozen=True, slots=True)
class RatedResults:
    """A game's rated results: the ratings, and by seat the points before and after the game."""

    results: tuple[NewResult, ...]
    ratings: tuple[Rating, ...] = ()
    points: Mapping[int, tuple[int, int]] = field(default_factory=dict)


_MODEL: Final = BradleyTerryPart()


def rating_points(rating: Rating) -> int:
    """Return a rating as people see it: a lower bound (mu - 3 sigma), in points from about 0 to 3000."""
    return round_points(rating.mu, rating.sigma)


def round_points(mu: float, sigma: float) -> int:
    """Return the lower bound for mu and sigma, in points."""
    return round(max(0.0, 1000 + 40 * (mu - 3 * sigma)))


def number_places(figures: Sequence[object]) -> list[int]:
    """Return the places, from 1, of figures that are sorted, the best first: equal ones share a place."""
    places: list[int] = []
    for number, each in enumerate(figures, start=1):
        places.append(places[-1] if places and figures[number - 2] == each else number)
    return places


def initial_rating(mu: float) -> int:
    """Return the best estimate of a strength, in the same points."""
    return round(1000 + 40 * mu)


def rating_spread(sigma: float) -> float:
    """Return the uncertainty of the estimate, in the same points."""
    return 40 * 3 * sigma


def new_rating(person: int, game: str, pool: str = PEOPLE_POOL) -> Rating:
    """Return the initial rating."""
    fresh = _MODEL.rating()
    return Rating(person, game, fresh.mu, fresh.sigma, pool=pool)


def rate_game(before: Mapping[int, Rating], places: Mapping[int, int]) -> dict[int, Rating]:
    """Return everybody's rating after a game, by their places (1 is best, equal are shared).

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
    """Return mu and sigma of the winner and the loser of a pair after their game."""
    teams = [[_MODEL.create_rating(list(each))] for each in (winner, loser)]
    (first,), (second,) = _MODEL.rate(teams)
    return (first.mu, first.sigma), (second.mu, second.sigma)


def rated_places(results: Sequence[NewResult]) -> dict[int, int]:
    """Return the people whose results are rated, with their places counted anew among them."""
    counted = [result for result in results if result.rated and result.person is not None]
    places = [result.place_number for result in counted]
    return {
        result.person: 1 + sum(place < result.place_number for place in places)
        for result in counted
        if result.person is not None
    }
