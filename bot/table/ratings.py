"""Ratings with openskill: one for each person, game and pace, and at each pace one for all games together.

Bradley-Terry with partial pairing (Weng & Lin, 2011): with shared places it never rewards a worse place more, which the
library's default model does.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from openskill.models import BradleyTerryPart

from bot.kernel.context import Context
from bot.kernel.line import Line
from bot.kernel.request_context import find_browsers, find_sharers, list_seated_people
from bot.kernel.table import TEAM_POOL, Table, load_level, pace_of
from bot.kernel.texts import Speaker, Text, strip_styles
from bot.table.replaying import counted_line
from storage import GameBrief, GameProgress, GameRow, NewResult, Rating
from storage.places import BAN, KICK
from storage.schema import LIVE, PEOPLE_POOL, SLOW, Pace

OVERALL_KEY: Final = ""
"""The key of the rating for all games together."""

MIN_RANKED_GAMES: Final = 5
"""Rated games before a rating appears on public leaderboards."""
MIN_TEAM_GAMES: Final = 3
"""The same for the rating of a channel."""


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


def is_ranked(rating: Rating) -> bool:
    """Return True if a rating has enough games for a leaderboard; what shows one that has not says so."""
    return rating.played >= (MIN_TEAM_GAMES if rating.pool == TEAM_POOL else MIN_RANKED_GAMES)


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


def name_at_pace(speaker: Speaker, name: str, pace: Pace) -> str:
    """Return the name of a game or of a player, with the note that live games are meant."""
    return speaker.line("name.live", name=name) if pace == LIVE else name


def count_words(speaker: Speaker, wins: int, draws: int, losses: int) -> dict[str, Text]:
    """Return the words for numbers of wins, draws and losses, by what they count."""
    counted = {"wins": wins, "draws": draws, "losses": losses}
    return {name: speaker.say(f"leaders.{name}", n=n) for name, n in counted.items()}


def results_note(speaker: Speaker, wins: int, draws: int, losses: int) -> str:
    """Return the same in one line, as the note of a tile."""
    return ", ".join(map(strip_styles, count_words(speaker, wins, draws, losses).values()))


def new_rating(person: int, game: str, pool: str = PEOPLE_POOL, pace: Pace = SLOW) -> Rating:
    """Return the initial rating."""
    fresh = _MODEL.rating()
    return Rating(person, game, fresh.mu, fresh.sigma, pool=pool, pace=pace)


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
    """Return the people whose results are rated, with their places counted among them."""
    counted = [result for result in results if result.rated and result.person is not None]
    places = [result.place_number for result in counted]
    return {
        result.person: 1 + sum(place < result.place_number for place in places)
        for result in counted
        if result.person is not None
    }


MEDIAN_LEVEL: Final = 3
MU_PER_LEVEL: Final = 4.0
"""Difference between two levels of the computer: the higher one wins about three games of four."""
LEVEL_SIGMA: Final = 1.0
"""Uncertainty of a computer's strength: it learns nothing."""


async def rate_results(
    context: Context, row: GameRow, results: Sequence[NewResult], teams: Collection[int]
) -> RatedResults:
    """Return how a game changes the ratings of its people or, where teams play, of these `teams` alone.

    Against a team a computer has the strength of its level, a person that of their own rating, which does not change.
    """
    is_team_game, pace, unrated = row.terms.team is not None, pace_of(row), row.progress.unrated
    plain = [replace(result, rated=False) for result in results]
    rated = {
        result.seat: result.person
        for result in results
        if result.person is not None and (result.person in teams if is_team_game else result.rated)
    }
    # The opponents of teams have negative numbers by seat: their own ratings are not involved.
    others = [result for result in results if is_team_game and result.seat not in rated]
    places = rated_places(results)
    if is_team_game:
        places = {rated.get(result.seat, -1 - result.seat): result.place_number for result in results}
    if row.progress.uncounted is not None or len(places) < 2 or not rated or (is_team_game and unrated):
        return RatedResults(tuple(plain))
    people, pool = dict.fromkeys(rated.values()), TEAM_POOL if is_team_game else PEOPLE_POOL
    ratings: list[Rating] = []
    before: dict[int, Rating] = {}
    after: Mapping[int, Rating] = {}
    for key in (OVERALL_KEY, row.game):
        held = await context.store.ratings.lock_for_update(people, key, pool, pace)
        before = {person: held.get(person) or new_rating(person, key, pool, pace) for person in people}
        before |= {-1 - result.seat: await _opponent_rating(context, row, result, key) for result in others}
        after = rate_game(before, places)
        ratings += [after[person] for person in people]
    marked = tuple(
        replace(result, mu=after[rated[result.seat]].mu, sigma=after[rated[result.seat]].sigma)
        if result.seat in rated
        else result
        for result in (plain if is_team_game else results)
    )
    points = {seat: (rating_points(before[person]), rating_points(after[person])) for seat, person in rated.items()}
    return RatedResults(marked, tuple(ratings), points)


async def _opponent_rating(context: Context, row: GameRow, result: NewResult, key: str) -> Rating:
    """Return the rating of a team's opponent."""
    entry = next((entry for entry in row.seats if entry.seat == result.seat), None)
    if entry is not None and entry.computer is not None:
        mu = new_rating(0, key).mu + MU_PER_LEVEL * (load_level(entry.computer) - MEDIAN_LEVEL)
        return Rating(0, key, mu, LEVEL_SIGMA)
    known = await context.store.ratings.list_for_people([result.person]) if result.person is not None else []
    fresh = new_rating(result.person or 0, key, pace=pace_of(row))
    wanted = (key, fresh.pool, fresh.pace)
    return next((each for each in known if (each.game_key, each.pool, each.pace) == wanted), fresh)


MIN_RATED_TURNS: Final = 3
"""Number of turns that everybody must have had before a resignation or an agreed draw is rated."""
ONE_BROWSER: Final = "browser"
EARLY: Final = "early"
"""Why a game is unrated: two of its people share a browser; it was given up before everybody had enough turns."""
KEPT_OUT: Final = "kept-out"
"""Also unrated: a banned player's time ran out. No manager wins by keeping others out."""
LEAVING_REASONS: Final = frozenset({"resigned", "forgotten"})
"""Reasons of leaving voluntarily."""


async def shares_one_browser(context: Context, row: GameRow) -> bool:
    """Return True if a game that was to be rated will not be, since two of its (invited) players share a browser."""
    computer = any(entry.computer is not None for entry in row.seats)
    return row.terms.rated and not computer and bool(await find_sharers(context, list_seated_people(row)))


async def with_unrated_reason(context: Context, row: GameRow) -> GameRow:
    """Return the row of a game that begins or ends, with the reason if it is unrated."""
    if row.progress.uncounted is None and await shares_one_browser(context, row):
        return replace(row, progress=replace(row.progress, uncounted=ONE_BROWSER))
    return row


async def progress_after_leaving(context: Context, table: Table, seat: int, why: str) -> GameProgress:
    """Return the progress of a game that a seat leaves: too early and voluntarily, it becomes unrated for that seat.

    So it does if their time runs out while they are banned from where it is played. If it stays rated for one seat
    only, it is unrated for all; otherwise the others rate each other as usual.
    """
    progress = replace(table.row.progress, left={**table.row.progress.left, seat: why})
    if why == "time" and await _is_banned(context, table, seat):
        reason = KEPT_OUT
    elif why in LEAVING_REASONS and await is_early(context, table):
        reason = EARLY
    else:
        return progress
    unrated = progress.unrated | {seat}
    counted = [each for each in range(table.row.seat_count) if each not in unrated]
    alone = progress.uncounted is None and len(counted) < 2
    return replace(progress, unrated=unrated, uncounted=reason if alone and is_rated(table.row) else progress.uncounted)


async def progress_after_agreeing(context: Context, table: Table) -> GameProgress:
    """Return the progress of a game that ends in an agreed draw: too early, it is unrated for all."""
    progress = table.row.progress
    early = is_rated(table.row) and await is_early(context, table)
    return replace(progress, uncounted=EARLY) if early else progress


async def is_early(context: Context, table: Table) -> bool:
    """Return True if a person who still plays has not finished `MIN_RATED_TURNS` turns yet."""
    return _has_few_turns(await counted_line(context, table), table.row.seat_count)


async def _is_banned(context: Context, table: Table, seat: int) -> bool:
    person = table.person_at(seat)
    holding = await context.store.bans.list_in_place(table.row.place, context.clock()) if person is not None else []
    if person is None or not holding:
        return False
    known = (await find_browsers(context, [person])).get(person, frozenset())
    browsers = [beginning for _, beginning in known]
    return any(bar.kind in (BAN, KICK) and bar.holds_for(person, browsers) for bar in holding)


def is_rated(brief: GameBrief) -> bool:
    """Return True if a game was to be rated, and nothing has changed that."""
    computer = any(entry.computer is not None for entry in brief.seats)
    return brief.terms.rated and not computer and brief.progress.uncounted is None


def is_known_early(table: Table) -> bool:
    """Return True if a rated game would be unrated if it ended in a draw now, as far as its turns were counted."""
    line = table.playing
    return is_rated(table.row) and line.turns is not None and _has_few_turns(line, table.row.seat_count)


def _has_few_turns(line: Line, seat_count: int) -> bool:
    seats = [seat for seat in range(seat_count) if line.state.is_playing(seat)]
    return min((line.turn_count(seat) or 0 for seat in seats), default=0) < MIN_RATED_TURNS
