"""The report of a place's month: its champions, the highlights, and the titles for these."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import structlog

from bot.competitions.keeper import TitleKind
from bot.competitions.ladders.service import ladder_at
from bot.competitions.leagues.service import LEAGUES
from bot.competitions.seasons import champions
from bot.kernel.context import Context
from bot.kernel.names import tell_all_apart
from bot.kernel.refusals import Refused
from bot.kernel.request_context import find_sharers, list_seated_people
from bot.kernel.table import BrokenGame, Table
from bot.kernel.words.describe import captured_cells
from bot.people.standings.service import Month
from bot.table.ratings import MIN_RANKED_GAMES, round_points
from bot.table.replaying import turns_of
from engine import EngineError, Turn, games
from engine.record import FORGOTTEN_NAME
from storage import NewTitle, Person, PlaceRow, Result
from storage.schema import Pace

MIN_CHAMPION_GAMES: Final = 3
"""Minimum number of rated games of one kind that a champion has finished in the month."""
MIN_STREAK: Final = 3
"""Minimum number of wins in a row for a streak."""
MIN_IMPROVEMENT: Final = 10
"""Minimum number of points gained by the most improved player."""
MIN_UPSET: Final = 50
"""Minimum number of rating points by which the loser of an upset was ahead."""

Strengths = Mapping[tuple[int, str, Pace], tuple[float, float, int]]
"""People's ratings (mu and sigma) and numbers of rated games, by person, game and pace."""


@dataclass(frozen=True, slots=True)
class Highlight:
    """A highlight of a month, and its people with the game of each: all of them if several are equal.

    `kind` is the kind of its title, which they get if it is `titled`. `n` is the number in its line, for example of
    wins, out of `played` games; `code` is the code of a game or a competition, and `other` the person who was beaten.
    """

    kind: TitleKind
    people: Mapping[int, str]
    n: int = 0
    played: int = 0
    code: str = ""
    other: int | None = None
    titled: bool = True


def find_highlights(here: Sequence[Result], everywhere: Sequence[Result], before: Strengths) -> tuple[Highlight, ...]:
    """Return the champions of a month, the longest streak, the most improved people, and the largest upset.

    `here` are the rated results of a place in the order of the games' ends, `everywhere` those of the same people
    in all places in the month, `before` their ratings at its beginning.
    """
    games_here = {each.game for each in here}
    played = [each for each in _with_strengths(everywhere, before) if each.result.game in games_here]
    found = [_champions(key, here) for key in sorted({each.game_key for each in here})]
    return tuple(each for each in (*found, _streak(here), _improvement(played), _upset(played)) if each is not None)


@dataclass(frozen=True, slots=True)
class _Played:
    """A result with its player's points before and after it; `points_before` is None for a provisional rating."""

    result: Result
    person: int
    points_before: int | None
    points_after: int


def _with_strengths(everywhere: Sequence[Result], before: Strengths) -> list[_Played]:
    known = dict(before)
    found = []
    for each in everywhere:
        if each.person is None or each.mu is None or each.sigma is None:
            continue
        key = (each.person, each.game_key, each.pace)
        mu, sigma, count = known.get(key, (0.0, 0.0, 0))
        points = round_points(mu, sigma) if count >= MIN_RANKED_GAMES else None
        found.append(_Played(each, each.person, points, round_points(each.mu, each.sigma)))
        known[key] = (each.mu, each.sigma, count + 1)
    return found


def _champions(game_key: str, rated: Sequence[Result]) -> Highlight | None:
    """Return the champions of a game: most wins, then most draws, then fewest losses."""
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for each in rated:
        if each.game_key == game_key and each.person is not None:
            counts[each.person][each.mark] += 1
    fit = {
        person: (marks["win"], marks["draw"], -marks["loss"])
        for person, marks in counts.items()
        if marks.total() >= MIN_CHAMPION_GAMES and marks["win"]
    }
    if not fit:
        return None
    best = max(fit.values())
    people = [person for person, each in fit.items() if each == best]
    return Highlight(TitleKind.MONTH, dict.fromkeys(people, game_key), best[0], counts[people[0]].total())


def _streak(rated: Sequence[Result]) -> Highlight | None:
    going: Counter[int] = Counter()
    best: dict[int, tuple[int, str]] = {}
    for each in rated:
        person = each.person or 0
        going[person] = going[person] + 1 if each.mark == "win" else 0
        if going[person] > best.get(person, (0, ""))[0]:
            best[person] = (going[person], each.game_key)
    wins = max((count for count, _ in best.values()), default=0)
    if wins < MIN_STREAK:
        return None
    people = {person: key for person, (count, key) in best.items() if count == wins}
    return Highlight(TitleKind.STREAK, people, wins)


def _improvement(played: Sequence[_Played]) -> Highlight | None:
    gains: Counter[tuple[int, str, Pace]] = Counter()
    for each in played:
        if each.points_before is not None:
            gains[each.person, each.result.game_key, each.result.pace] += each.points_after - each.points_before
    if not gains:
        return None
    (person, key, _), points = max(gains.items(), key=lambda item: (item[1], -item[0][0]))
    return Highlight(TitleKind.IMPROVED, {person: key}, points) if points >= MIN_IMPROVEMENT else None


def _upset(played: Sequence[_Played]) -> Highlight | None:
    games: defaultdict[str, list[_Played]] = defaultdict(list)
    for each in played:
        games[each.result.game].append(each)
    upsets = list[Highlight]()
    for game, seats in games.items():
        winners = [each for each in seats if each.result.mark == "win"]
        others = [each for each in seats if each.result.mark != "win"]
        beaten = [(each.points_before, each.person) for each in others if each.points_before is not None]
        if len(winners) != 1 or winners[0].points_before is None or not beaten:
            continue
        (won,), (before, loser) = winners, max(beaten)
        points = before - winners[0].points_before
        upsets.append(Highlight(TitleKind.UPSET, {won.person: won.result.game_key}, points, code=game, other=loser))
    largest = max(upsets, key=lambda each: each.n, default=None)
    return largest if largest is not None and largest.n >= MIN_UPSET else None


MAX_GAMES_SEARCHED: Final = 500
"""Maximum number of a month's games that are replayed, the newest first."""
MIN_TITLE_PIECES: Final = 2
"""Minimum number of pieces for a capture to be worth a title."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Capture:
    """A turn of a game by which a person captured a number of pieces."""

    table: Table
    turn: Turn
    person: int
    pieces: int


async def find_largest_capture(context: Context, codes: Sequence[str]) -> Capture | None:
    """Return the largest capture of people in games, the earliest of equal ones; None without captures.

    Games between people who share a browser, or of one person against themselves, are left out.
    """
    best: Capture | None = None
    for code in codes[:MAX_GAMES_SEARCHED]:
        try:
            table = await context.table(code)
            if table.row.game not in games or table.row.rules_version != table.game.rules_version:
                continue
            found = await asyncio.to_thread(_largest, table, await turns_of(context, table))
        except (BrokenGame, Refused, EngineError) as error:
            log.warning("month-without-game", game=code, reason=repr(error))
            continue
        if found is not None and (best is None or found.pieces >= best.pieces):
            people = list_seated_people(table.row)
            if len(people) == len(set(people)) and not await find_sharers(context, people):
                best = found
    return best


def _largest(table: Table, turns: Sequence[Turn]) -> Capture | None:
    """Return the largest capture of a person in a game, the first of equal ones; computers hold no titles."""
    found = list[Capture]()
    for turn in turns:
        person = table.person_at(turn.seat)
        pieces = sum(len(cells) for seat, cells in captured_cells(turn).items() if seat != turn.seat)
        if person is not None and pieces:
            found.append(Capture(table, turn, person, pieces))
    return max(found, key=lambda each: each.pieces, default=None)


MAX_COMPETITIONS: Final = 50
_ORDER: Final = (
    TitleKind.MONTH,
    TitleKind.LEAGUE,
    TitleKind.LADDER,
    TitleKind.STREAK,
    TitleKind.IMPROVED,
    TitleKind.UPSET,
    TitleKind.CAPTURE,
)
"""The order of the lines of the message."""
MIN_CLIMBERS: Final = 2
"""Minimum number of people on a ladder for its first place to be worth a title."""


@dataclass(frozen=True)
class PlayedMonth:
    """The content of a month's report, in the order of its lines; `people` are all named people."""

    month: Month
    games: int
    players: int
    highlights: tuple[Highlight, ...]
    capture: Capture | None
    people: Mapping[int, Person]

    def name(self, person: int) -> str:
        """Return a person's name; the name of forgotten people if there is none."""
        return self._names.get(person, FORGOTTEN_NAME)

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """The names of all people; no two names look alike."""
        return tell_all_apart({each: found.name for each, found in self.people.items()})


async def read_played_month(context: Context, place: PlaceRow, month: Month) -> PlayedMonth | None:
    """Return the report of a place's month, None if no game ended in it."""
    store = context.store
    codes = await store.games.ended_in(place.id, month.since, month.until, MAX_GAMES_SEARCHED)
    if not codes:
        return None
    here = await store.games.list_results_between(place.id, month.since, month.until)
    rated = [each for each in here if each.rated and each.person is not None and each.game_key in games]
    players = {each.person for each in here if each.person is not None}
    everywhere = await store.ratings.rated_between(players, month.since, month.until)
    found = [*find_highlights(rated, everywhere, await store.ratings.before(players, month.since))]
    found += await _season_champions(context, place, month)
    found += await _ladder_leaders(context, place, month)
    capture = await find_largest_capture(context, codes)
    if capture is not None:
        row, titled = capture.table.row, capture.pieces >= MIN_TITLE_PIECES
        people = {capture.person: row.game}
        found.append(Highlight(TitleKind.CAPTURE, people, capture.pieces, code=row.id, titled=titled))
    found.sort(key=lambda each: _ORDER.index(each.kind))
    named = await store.people.get_many(sorted(players.union(*(each.people for each in found))))
    return PlayedMonth(month, len({each.game for each in here}), len(players), tuple(found), capture, named)


def titles_of(place: PlaceRow, played: PlayedMonth) -> Sequence[NewTitle]:
    """Return the titles for a month; the titles for seasons are awarded at the season's end."""
    here, label = f"place:{place.id}", played.month.label
    return [
        NewTitle(person, each.kind, key, each.code if each.kind == TitleKind.LADDER else here, label)
        for each in played.highlights
        for person, key in each.people.items()
        if each.titled and person in played.people and played.people[person].name
    ]


async def _season_champions(context: Context, place: PlaceRow, month: Month) -> list[Highlight]:
    """Return the champions of seasons that ended in a month, in the leagues of a place."""
    found = []
    for row in await context.store.competitions.list_in_place(place.id, MAX_COMPETITIONS, kind="league"):
        with suppress(Refused):  # an unreadable league must not prevent the rest of the report
            league = await LEAGUES.read(context, row)
            for season in (league.state.before, league.state.season):
                if season.is_over and month.since <= season.ends_at < month.until:
                    winners = map(league.person_of, champions(league.state, season))
                    people = {person.id: row.game_key for person in winners if person is not None}
                    if people:
                        found.append(Highlight(TitleKind.LEAGUE, people, code=row.id, titled=False))
    return found


async def _ladder_leaders(context: Context, place: PlaceRow, month: Month) -> list[Highlight]:
    """Return the leaders of a place's ladders at the end of a month, for ladders with games in the month."""
    found = []
    for row in await context.store.competitions.list_in_place(place.id, MAX_COMPETITIONS, kind="ladder"):
        if row.place != place.id or row.created_at >= month.until:
            continue
        try:
            ladder, played = await ladder_at(context, row, month.since, month.until)
        except Refused:
            continue
        order = ladder.state.order
        person = ladder.person_of(order[0]) if order else None
        if played and len(order) >= MIN_CLIMBERS and person is not None:
            titled = person.id not in await find_sharers(context, ladder.numbers_of(order))
            found.append(Highlight(TitleKind.LADDER, {person.id: row.game_key}, code=row.id, titled=titled))
    return found
