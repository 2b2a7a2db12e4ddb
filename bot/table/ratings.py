"""Ratings with openskill: for each person and pace, one per game and one for all games together.

The model is Bradley-Terry with partial pairing (Weng & Lin, 2011): with shared places it never rewards a worse place
more, unlike the library's default model.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from openskill.models import BradleyTerryPart

from bot.kernel.context import Context
from bot.kernel.line import Line
from bot.kernel.request_context import find_browsers, find_sharers, list_seated_people
from bot.kernel.table import TEAM_POOL, Table, has_computer, load_level, pace_of
from bot.kernel.texts import Speaker, Text, strip_styles
from bot.table.replaying import counted_line
from storage import GameBrief, GameProgress, GameRow, NewResult, Rating
from storage.places import BAN, KICK
from storage.schema import LIVE, PEOPLE_POOL, SLOW, Pace

OVERALL_KEY: Final = ""
"""The key of the rating for all games together."""

MIN_RANKED_GAMES: Final = 5
"""Minimum number of rated games for public leaderboards."""
MIN_TEAM_GAMES: Final = 3
"""The same for the rating of a team."""


@dataclass(frozen=True, slots=True)
class RatedResults:
    """A game's rated results: the ratings, and by seat the points before and after the game."""

    results: tuple[NewResult, ...]
    ratings: tuple[Rating, ...] = ()
    points: Mapping[int, tuple[int, int]] = field(default_factory=dict)


_MODEL: Final = BradleyTerryPart()


def rating_points(rating: Rating) -> int:
    """Return a rating for display: the lower bound (mu - 3 sigma), in points from about 0 to 3000."""
    return round_points(rating.mu, rating.sigma)


def is_ranked(rating: Rating) -> bool:
    """Return True if a rating has enough games for a leaderboard; where others are shown, their display must say so."""
    return rating.played >= (MIN_TEAM_GAMES if rating.pool == TEAM_POOL else MIN_RANKED_GAMES)


def round_points(mu: float, sigma: float) -> int:
    """Return the lower bound for mu and sigma, in points."""
    return round(max(0.0, 1000 + 40 * (mu - 3 * sigma)))


def number_places(figures: Sequence[object]) -> list[int]:
    """Return the places, from 1, of figures sorted from best to worst; equal figures share a place."""
    places: list[int] = []
    for number, each in enumerate(figures, start=1):
        places.append(places[-1] if places and figures[number - 2] == each else number)
    return places


def initial_rating(mu: float) -> int:
    """Return the best estimate of a strength (mu), in points."""
    return round(1000 + 40 * mu)


def rating_spread(sigma: float) -> float:
    """Return the uncertainty of the estimate (sigma), in points."""
    return 40 * 3 * sigma


def name_at_pace(speaker: Speaker, name: str, pace: Pace) -> str:
    """Return the name of a game or of a player; for the live pace with a note."""
    return speaker.line("name.live", name=name) if pace == LIVE else name


def count_words(speaker: Speaker, wins: int, draws: int, losses: int) -> dict[str, Text]:
    """Return the words for numbers of wins, draws and losses, by kind of result."""
    counted = {"wins": wins, "draws": draws, "losses": losses}
    return {name: speaker.say(f"leaders.{name}", n=n) for name, n in counted.items()}


def results_note(speaker: Speaker, wins: int, draws: int, losses: int) -> str:
    """Return the numbers of wins, draws and losses in one line, as the note of a tile."""
    return ", ".join(map(strip_styles, count_words(speaker, wins, draws, losses).values()))


def new_rating(person: int, game: str, pool: str = PEOPLE_POOL, pace: Pace = SLOW) -> Rating:
    """Return the initial rating."""
    fresh = _MODEL.rating()
    return Rating(person, game, fresh.mu, fresh.sigma, pool=pool, pace=pace)


def rate_game(before: Mapping[int, Rating], places: Mapping[int, int]) -> dict[int, Rating]:
    """Return everybody's rating after a game, by their places (1 is best, equal places are shared).

    With fewer than two people nothing changes.
    """
    people = sorted(places, key=places.__getitem__)
    if len(people) < 2:
        return dict(before)
    teams = [[_MODEL.create_rating([before[person].mu, before[person].sigma])] for person in people]
    rated = _MODEL.rate(teams, ranks=[float(places[person]) for person in people])
    firsts = sum(place == 1 for place in places.values())
    after = {}
    for person, (new,) in zip(people, rated, strict=True):
        known, is_first = before[person], places[person] == 1
        after[person] = replace(
            known,
            mu=new.mu,
            sigma=new.sigma,
            wins=known.wins + (is_first and firsts == 1),
            draws=known.draws + (is_first and firsts > 1),
            losses=known.losses + (not is_first),
        )
    return after


def rate_duel(
    winner: tuple[float, float], loser: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the new mu and sigma of the winner and of the loser of a game for two."""
    teams = [[_MODEL.create_rating(list(each))] for each in (winner, loser)]
    (first,), (second,) = _MODEL.rate(teams)
    return (first.mu, first.sigma), (second.mu, second.sigma)


def rated_places(results: Sequence[NewResult]) -> dict[int, int]:
    """Return the places of the people with rated results, counted among these people only."""
    counted = [result for result in results if result.rated and result.person is not None]
    places = [result.place_number for result in counted]
    return {
        result.person: 1 + sum(place < result.place_number for place in places)
        for result in counted
        if result.person is not None
    }


MEDIAN_LEVEL: Final = 3
MU_PER_LEVEL: Final = 4.0
"""Difference in mu between adjacent levels of the computer: the higher one wins about three games of four."""
LEVEL_SIGMA: Final = 1.0
"""The sigma of a computer: low, because its strength is constant."""


async def rate_results(
    context: Context, row: GameRow, results: Sequence[NewResult], teams: Collection[int]
) -> RatedResults:
    """Return how a game changes the ratings of its people or, where teams play, of these `teams` alone.

    As a team's opponent a computer has the strength of its level, a person that of their own rating, which does not
    change.
    """
    is_team_game, pace, unrated = row.terms.team is not None, pace_of(row), row.progress.unrated
    plain = [replace(result, rated=False) for result in results]
    rated = {
        result.seat: result.person
        for result in results
        if result.person is not None and (result.person in teams if is_team_game else result.rated)
    }
    # Opponents of teams get negative ids by seat, because their own ratings do not change.
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
"""Minimum number of turns of every player for a resignation or an agreed draw to be rated."""
ONE_BROWSER: Final = "browser"
EARLY: Final = "early"
"""Reasons why a game is unrated: two of its people share a browser; it ended before everybody had enough turns."""
KEPT_OUT: Final = "kept-out"
"""Also unrated: a banned player's time ran out, so that no manager wins by banning others."""
LEAVING_REASONS: Final = frozenset({"resigned", "forgotten"})
"""Reasons for leaving that count as voluntary."""


async def shares_one_browser(context: Context, row: GameRow) -> bool:
    """Return True if two (invited) players of a game that was agreed as rated share a browser."""
    return row.terms.rated and not has_computer(row) and bool(await find_sharers(context, list_seated_people(row)))


async def with_unrated_reason(context: Context, row: GameRow) -> GameRow:
    """Return the row of a game that begins or ends, with the reason if it is unrated for a shared browser."""
    if row.progress.uncounted is None and await shares_one_browser(context, row):
        return replace(row, progress=replace(row.progress, uncounted=ONE_BROWSER))
    return row


async def progress_after_leaving(context: Context, table: Table, seat: int, why: str) -> GameProgress:
    """Return a game's progress after a seat has left: leaving voluntarily and too early makes it unrated for the seat.

    So does a timeout while the player is banned from the place of the game. If fewer than two seats stay rated, the
    game is unrated for all; otherwise it is rated among the others as usual.
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
    """Return a game's progress after an agreed draw, which is unrated for all if it came too early."""
    progress = table.row.progress
    early = is_rated(table.row) and await is_early(context, table)
    return replace(progress, uncounted=EARLY) if early else progress


async def is_early(context: Context, table: Table) -> bool:
    """Return True if a remaining player has not finished `MIN_RATED_TURNS` turns yet."""
    return _has_few_turns(await counted_line(context, table), table.row.seat_count)


async def _is_banned(context: Context, table: Table, seat: int) -> bool:
    person = table.person_at(seat)
    holding = await context.store.bans.list_in_place(table.row.place, context.clock()) if person is not None else []
    if person is None or not holding:
        return False
    known = (await find_browsers(context, [person])).get(person, ())
    browsers = [beginning for _, beginning in known]
    return any(bar.kind in (BAN, KICK) and bar.holds_for(person, browsers) for bar in holding)


def is_rated(brief: GameBrief) -> bool:
    """Return True if a game was agreed as rated, and nothing has changed that."""
    return brief.terms.rated and not has_computer(brief) and brief.progress.uncounted is None


def is_known_early(table: Table) -> bool:
    """Return True if a draw would end a rated game unrated now; False if its turns were not counted."""
    line = table.playing
    return is_rated(table.row) and line.turns is not None and _has_few_turns(line, table.row.seat_count)


def _has_few_turns(line: Line, seat_count: int) -> bool:
    seats = [seat for seat in range(seat_count) if line.state.is_playing(seat)]
    return min((line.turn_count(seat) or 0 for seat in seats), default=0) < MIN_RATED_TURNS
