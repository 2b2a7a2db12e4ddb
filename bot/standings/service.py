"""Leaderboards of a place, a server or everywhere, and the data of a person's profile."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from bot.core.context import Context
from bot.core.preferences import TEAM_TABLE
from bot.core.request_context import RequestContext
from bot.language.names import tell_apart
from bot.play.ratings import MIN_RANKED_GAMES, OVERALL_KEY, number_places, rating_points
from bot.standings.periods import Period
from bot.tables.changes import COMPUTER_POOL, TEAM_POOL
from engine import games
from storage import Person, Rating, Result
from storage.schema import Mark

Where = Literal["here", "server", "everywhere", "channels"]

MAX_RANKS: Final = 15
MIN_TEAM_GAMES: Final = 3
"""Games of a channel before it appears in the table of all channels."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A line of a leaderboard; equal figures share a place. `rating` is None while it is too uncertain."""

    place: int
    person: int
    name: str
    wins: int
    draws: int
    losses: int
    rating: Rating | None


@dataclass(frozen=True, slots=True)
class Profile:
    """The data of a profile: ratings by game, the newest results, and those against the asker.

    `computer` counts wins, draws and losses against computers by game.
    """

    person: Person
    ratings: tuple[Rating, ...]
    results: tuple[Result, ...]
    met: tuple[tuple[Result, Result], ...]
    computer: Mapping[str, Mapping[Mark, int]] = field(default_factory=dict)


async def compute_leaderboard(
    context: Context,
    asker: RequestContext,
    where: Where,
    game: str | None,
    least: int | None = None,
    period: Period | None = None,
) -> list[Rank]:
    """Return the leaderboard of one game, or of all, of people with at least `least` games in a period.

    In a place or server, it is sorted by wins, then by draws, by default from the first game on; everywhere by rating,
    by default from five games on, or by wins within a period. Forgotten people are left out. For channels, it lists
    those that want to be in it, for all time.
    """
    key, place = game or OVERALL_KEY, asker.place
    since, until = (period.since, period.until) if period is not None else (None, None)
    if where == "channels":
        return await _rank_channels(context, asker, key, least or MIN_TEAM_GAMES)
    if where == "everywhere" and since is None:
        return await _rank_everywhere(context, key, least or MIN_RANKED_GAMES)
    if where == "everywhere" and since is not None:
        standings = await context.store.ratings.standings(game, since, until)
    elif where == "server" and place.group is not None:
        standings = await context.store.ratings.standings(game, since, until, group=(place.platform, place.group))
    else:
        standings = await context.store.ratings.standings(game, since, until, place=place.id)
    shown = [standing for standing in standings if standing.name and standing.played >= (least or 1)]
    known = await context.store.ratings.list_for_people([standing.person for standing in shown])
    ratings = {
        rating.person: rating for rating in known if rating.game_key == key and rating.played >= MIN_RANKED_GAMES
    }
    names = tell_apart(tuple(standing.name for standing in shown))
    places = number_places([(standing.wins, standing.draws, standing.losses) for standing in shown])
    return [
        Rank(
            place_number,
            standing.person,
            name,
            standing.wins,
            standing.draws,
            standing.losses,
            ratings.get(standing.person),
        )
        for place_number, standing, name in zip(places, shown, names, strict=True)
    ]


async def load_profile(context: Context, asker: RequestContext, person: Person) -> Profile:
    """Return the data of a person's profile."""
    ratings = await context.store.ratings.list_for_people([person.id])
    results = await context.store.ratings.results_of_person(person.id, limit=200)
    met = [] if person.id == asker.person.id else await context.store.ratings.head_to_head(person.id, asker.person.id)
    counted = await context.store.ratings.count_marks(person.id, COMPUTER_POOL)
    computer = {key: counted[key] for key in dict.fromkeys((*games, *sorted(counted))) if key in counted}
    return Profile(person, tuple(ratings), tuple(results), tuple(met), computer)


async def _rank_channels(context: Context, asker: RequestContext, key: str, least: int) -> list[Rank]:
    best = await context.store.teams.best(key, TEAM_POOL, setting=TEAM_TABLE, least=least, limit=2 * MAX_RANKS)
    names = [f"{each.name} ({asker.ours.line(f'platform.{each.platform}')})" for each in best]
    return _rank_by_points(list(zip(names, (each.rating for each in best), strict=True)))


async def _rank_everywhere(context: Context, key: str, least: int) -> list[Rank]:
    best = await context.store.ratings.best(key, least=least, limit=2 * MAX_RANKS)
    people = await context.store.people.get_many([rating.person for rating in best])
    names = ((people[rating.person].name, rating) for rating in best)
    return _rank_by_points([(name, rating) for name, rating in names if name])


def _rank_by_points(best: Sequence[tuple[str, Rating]]) -> list[Rank]:
    """Return the ranks of names with their ratings, the best first: who has as many points shares a place."""
    places = number_places([rating_points(rating) for _, rating in best])
    names = tell_apart(tuple(name for name, _ in best))
    return [
        Rank(place_number, rating.person, name, rating.wins, rating.draws, rating.losses, rating)
        for place_number, name, (_, rating) in zip(places, names, best, strict=True)
    ]
