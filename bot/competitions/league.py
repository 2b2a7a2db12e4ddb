"""The state of a league, folded from its events and their times alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice, pairwise
from typing import Annotated, Final

from pydantic import Field

from bot.competitions.competition import NEVER, CompetitionState, CupGame, CurrentGame, Entrant
from bot.competitions.events import (
    COMPUTER_ENTRANT,
    AbsentSeats,
    Asked,
    CompetitionEvent,
    Created,
    Divisions,
    Ended,
    Entered,
    Entrants,
    EventCodec,
    EventTime,
    Excluded,
    InvalidCompetition,
    Left,
    OfEntrant,
    Places,
    RulesVersion,
    Seats,
    Short,
    Stays,
    Strict,
    TableTerms,
    Whole,
    people_of,
)

MIN_MEMBERS: Final = 3
"""Minimum number of members of a season."""
MAX_MEMBERS: Final = 200
MIN_SEASON_DAYS: Final = 14
MAX_SEASON_DAYS: Final = 92
DEFAULT_SEASON_DAYS: Final = 30
MIN_SEASON_TURNS: Final = 10
"""Minimum length of a season, in times for one turn."""
DEFAULT_GAMES_AT_ONCE: Final = 3
MAX_GAMES_AT_ONCE: Final = 10


@dataclass(frozen=True, kw_only=True)
class LeagueTerms(TableTerms):
    """The maker's choices: `days` is the length of a season, and the first one begins with `least` members."""

    days: Annotated[int, Field(ge=MIN_SEASON_DAYS, le=MAX_SEASON_DAYS)] = DEFAULT_SEASON_DAYS
    least: Annotated[int, Field(ge=MIN_MEMBERS, le=MAX_MEMBERS)] = 5
    holidays: Annotated[int, Field(ge=0, le=30)] = 7

    def problem(self) -> str | None:
        """Return a code for terms that contradict each other, None if they are valid."""
        return "clock-too-slow" if self.days * 86_400 < MIN_SEASON_TURNS * self.clock else super().problem()


@dataclass(frozen=True)
class LeagueDivision(Strict):
    """A division of a season: its members by their earlier rank, and the number of computers that fill it up."""

    members: Annotated[Entrants, Field(min_length=1, max_length=16)]
    computers: Annotated[int, Field(ge=0, le=8)] = 0


@dataclass(frozen=True)
class Fixture(Strict):
    """A planned game of a season: its division and round (both from 1), and its seats."""

    division: Annotated[int, Field(ge=1, le=100)]
    round: Annotated[int, Field(ge=1, le=100)]
    seats: Seats


@dataclass(frozen=True)
class LeagueCreated(Created):
    """A person made a league."""

    terms: LeagueTerms


@dataclass(frozen=True)
class LeagueLimited(OfEntrant):
    """A member limited how many of their games may run at once."""

    most: Annotated[int, Field(ge=1, le=MAX_GAMES_AT_ONCE)]


@dataclass(frozen=True)
class SeasonStarted(CompetitionEvent):
    """A season begins: its divisions, the best first, its games, and when it ends.

    `ratings`, in points, decide the first season's divisions. `rules_version` is the version of the rules for the
    divisions and the season.
    """

    season: Annotated[int, Field(ge=1, le=10_000)]
    ends_at: EventTime
    divisions: Annotated[tuple[LeagueDivision, ...], Field(min_length=1, max_length=64)]
    fixtures: tuple[Fixture, ...]
    ratings: dict[Whole, int] = field(default_factory=dict)
    rules_version: RulesVersion = 1


@dataclass(frozen=True)
class FixtureAttached(CompetitionEvent):
    """A game was opened: `fixture` is its number in the season from 0, `seats` are its members by seat."""

    fixture: Whole
    game: Short
    seats: Seats


@dataclass(frozen=True)
class FixtureVoided(CompetitionEvent):
    """A game is not played, because one of its members has blocked another."""

    fixture: Whole


@dataclass(frozen=True)
class FixtureResult(CompetitionEvent):
    """A game ended: the places of its seats (1 is best, equal ones are shared), the reason, and who never moved."""

    fixture: Whole
    places: Places
    reason: Short
    absent: AbsentSeats = ()


@dataclass(frozen=True)
class SeasonEnded(CompetitionEvent):
    """A season ended; unfinished games count as drawn."""

    season: Annotated[int, Field(ge=1, le=10_000)]


LEAGUE_CODEC: Final = EventCodec(
    {
        "created": LeagueCreated,
        "entered": Entered,
        "left": Left,
        "excluded": Excluded,
        "limited": LeagueLimited,
        "season": SeasonStarted,
        "attached": FixtureAttached,
        "voided": FixtureVoided,
        "result": FixtureResult,
        "asked": Asked,
        "stays": Stays,
        "season-ended": SeasonEnded,
        "ended": Ended,
    }
)


@dataclass(frozen=True)
class Member(Entrant):
    """A member; `most` is how many of their games may run at once."""

    most: int = DEFAULT_GAMES_AT_ONCE


@dataclass(frozen=True)
class LeagueGame:
    """A game of a season: its fixture, its game once it is opened, when that was, and whether it is void."""

    fixture: Fixture
    game: CupGame | None = None
    voided: bool = False
    opened_at: datetime | None = None

    @property
    def is_planned(self) -> bool:
        """Whether it can still be opened."""
        return self.game is None and not self.voided

    @property
    def is_done(self) -> bool:
        """Whether it is over or void."""
        return self.voided or (self.game is not None and self.game.places is not None)

    @property
    def is_going_on(self) -> bool:
        """Whether it is being played."""
        return self.game is not None and self.game.places is None


@dataclass(frozen=True)
class Season:
    """A season: its number, when it began and ends, its divisions and games."""

    number: int
    starts_at: datetime
    ends_at: datetime
    divisions: tuple[LeagueDivision, ...]
    games: tuple[LeagueGame, ...]
    members_at_end: Mapping[int, Member] = field(default_factory=dict)
    """The members' states at the end of the season: who had left, and who was silent."""
    is_over: bool = False
    rules_version: int = 1
    gone: frozenset[int] = frozenset()
    """Those who left during the season. They are out of it even if they have come back to the league."""

    def division_of(self, entrant: int) -> int | None:
        """Return the number (from 1) of a member's division, None if they are in none."""
        found = (number for number, each in enumerate(self.divisions, start=1) if entrant in each.members)
        return next(found, None)

    def games_of(self, division: int) -> list[LeagueGame]:
        """Return the games of a division (from 1)."""
        return [each for each in self.games if each.fixture.division == division]

    def games_going_on(self) -> Counter[int]:
        """Return how many running games each entrant has."""
        games = (each.game for each in self.games if each.game is not None and each.is_going_on)
        return Counter(entrant for game in games for entrant in game.seats)


NO_SEASON: Final = Season(0, NEVER, NEVER, (), (), is_over=True)
"""What a league has before its first season: number 0, over, without divisions."""


@dataclass(frozen=True)
class League(CompetitionState[LeagueTerms, Member]):
    """The state of a league: its members, the queue for the next season, and the newest season.

    `before` is the season before the newest one.
    """

    queue: Entrants = ()
    season: Season = NO_SEASON
    before: Season = NO_SEASON

    created_by = LeagueCreated
    codec = LEAGUE_CODEC
    capacity = MAX_MEMBERS

    @property
    def next_due_at(self) -> datetime | None:
        """The time at which the season is to end."""
        return self.season.ends_at if self.is_season_on else None

    def current_games(self) -> Iterator[CurrentGame]:
        """Yield the games of the season that are played now."""
        for number, each in enumerate(self.season.games):
            if each.game is not None and each.is_going_on:
                yield self.current_game(number, each.game.seats, each.game.id)

    def current_game(self, fixture: int, seats: Seats, game: str | None = None) -> CurrentGame:
        """Return a game of the season that is played now, or that can be opened for these members."""
        attached = partial(FixtureAttached, fixture, seats=seats)
        ended = partial(FixtureResult, fixture) if self.is_season_on else None
        return CurrentGame(f"season {self.season.number} {fixture}", seats, game, attached, ended)

    def without(self, entrant: Member) -> League:
        """Return the league after a person has gone, also from the season; `entrant` is their changed entry."""
        number, season = entrant.number, self.season
        queue = tuple(each for each in self.queue if each != number)
        if not season.is_over and season.rules_version > 1 and season.division_of(number):
            season = replace(season, gone=season.gone | {number})
        return replace(self.with_entrants(replace(entrant, asked=False)), queue=queue, season=season)

    @property
    def is_season_on(self) -> bool:
        """Whether a season is under way."""
        return not self.season.is_over

    def is_available(self, entrant: int) -> bool:
        """Return whether games may be opened for a computer or a member; not for members who have not answered yet."""
        if entrant == COMPUTER_ENTRANT:
            return True
        return super().is_available(entrant) and not (self.is_season_on and entrant in self.season.gone)

    def members_of(self, season: Season) -> Mapping[int, Member]:
        """Return the members in their state at the end of a season; those who left during it count as left."""
        if season.is_over:
            return season.members_at_end
        back = (self.entrants[each] for each in season.gone)
        return {**self.entrants, **{each.number: replace(each, state="left") for each in back if each.state == "in"}}


def _season(state: League) -> Season:
    if state.season.is_over:
        raise InvalidCompetition("no-season")
    return state.season


def _game(state: League, number: int) -> LeagueGame:
    season = _season(state)
    if number >= len(season.games):
        raise InvalidCompetition("no-fixture")
    return season.games[number]


def _planned_game(state: League, number: int) -> LeagueGame:
    game = _game(state, number)
    if not game.is_planned:
        raise InvalidCompetition("attached-already")
    return game


def _with_game(state: League, number: int, game: LeagueGame) -> League:
    season = _season(state)
    games = (*season.games[:number], game, *season.games[number + 1 :])
    return replace(state, season=replace(season, games=games))


def _apply_entry(state: League, event: Entered) -> League:
    known = state.entrants.get(event.entrant)
    member = Member(event.entrant, event.cause, most=known.most if known is not None else DEFAULT_GAMES_AT_ONCE)
    return replace(state.admit(member), queue=(*state.queue, event.entrant))


def _limited(state: League, event: LeagueLimited) -> League:
    return state.with_entrants(replace(state.find_entrant(event.entrant), most=event.most))


def _apply_start(state: League, event: SeasonStarted) -> League:
    if state.is_season_on:
        raise InvalidCompetition("season-on")
    if event.season != state.season.number + 1:
        raise InvalidCompetition("other-season")
    if event.ends_at < state.at + timedelta(days=state.terms.days) - timedelta(seconds=1):
        raise InvalidCompetition("too-early")
    people = [each for division in event.divisions for each in division.members]
    if sorted(people) != list(state.present):
        raise InvalidCompetition("other-entrants")
    if len(people) < MIN_MEMBERS:
        raise InvalidCompetition("too-few")
    if any(state.entrants[each].asked for each in people):
        raise InvalidCompetition("paired-gone")
    members = {number: each.members for number, each in enumerate(event.divisions, start=1)}
    for fixture in event.fixtures:
        seated = Counter(people_of(fixture.seats))
        fit = seated <= Counter(members.get(fixture.division, ()))
        if not seated or not fit or len(fixture.seats) > state.terms.seats:
            raise InvalidCompetition("broken-pairing")
    games = tuple(map(LeagueGame, event.fixtures))
    season = Season(event.season, state.at, event.ends_at, event.divisions, games, rules_version=event.rules_version)
    return replace(state, season=season, before=state.season, queue=())


def _apply_attachment(state: League, event: FixtureAttached) -> League:
    game = _planned_game(state, event.fixture)
    there = tuple(each for each in game.fixture.seats if state.is_available(each))
    if event.seats != there or len(there) < state.terms.fewest or not people_of(there):
        raise InvalidCompetition("broken-pairing")
    if any(each.game is not None and each.game.id == event.game for each in _season(state).games):
        raise InvalidCompetition("game-twice")
    return _with_game(state, event.fixture, replace(game, game=CupGame(event.seats, event.game), opened_at=state.at))


def _voided(state: League, event: FixtureVoided) -> League:
    return _with_game(state, event.fixture, replace(_planned_game(state, event.fixture), voided=True))


def _result(state: League, event: FixtureResult) -> League:
    fixture = _game(state, event.fixture)
    if fixture.game is None:
        raise InvalidCompetition("no-game")
    ended = fixture.game.ended(event.places, event.reason, event.absent)
    return _with_game(state, event.fixture, replace(fixture, game=ended))


def _apply_request(state: League, event: Asked) -> League:
    if _season(state).division_of(state.find_entrant(event.entrant).number) is None:
        raise InvalidCompetition("asked-already")
    return state.ask(event)


def _season_ended(state: League, event: SeasonEnded) -> League:
    season = _season(state)
    if event.season != season.number:
        raise InvalidCompetition("other-season")
    if state.at < season.ends_at:
        raise InvalidCompetition("too-early")
    members = state.members_of(season)
    known = {each: members[each] for division in season.divisions for each in division.members}
    return replace(state, season=replace(season, members_at_end=known, is_over=True))


def _apply_end(state: League, _event: Ended) -> League:
    return replace(state, stage="over", queue=())


League.handlers = {
    Entered: _apply_entry,
    Left: League.leave,
    Excluded: League.exclude,
    LeagueLimited: _limited,
    SeasonStarted: _apply_start,
    FixtureAttached: _apply_attachment,
    FixtureVoided: _voided,
    FixtureResult: _result,
    Asked: _apply_request,
    Stays: League.stay,
    SeasonEnded: _season_ended,
    Ended: _apply_end,
}


MIN_DIVISION: Final = 5
MAX_DIVISION: Final = 8
_USUAL_DIVISION: Final = 6
_TWO_MOVE_FROM: Final = 6
"""Two members go up and two go down between divisions that both have at least this size; otherwise one."""


def division_sizes(people: int, before: int = 0) -> tuple[int, ...]:
    """Return the sizes of the divisions, the larger first: five to eight members each, as even as possible.

    Fewer than five make one smaller division. Nine are too many for one and too few for two, and make one of nine. The
    number of divisions stays as it was `before`, if possible.
    """
    if people <= MAX_DIVISION + 1:
        return (people,) if people else ()
    least, most = -(-people // MAX_DIVISION), people // MIN_DIVISION
    wanted = before or round(people / _USUAL_DIVISION)
    count = min(most, max(least, wanted))
    small, more = divmod(people, count)
    return tuple(small + (at < more) for at in range(count))


def cut_into_divisions(people: Sequence[int], before: int = 0) -> Divisions:
    """Return people in their order as divisions of the sizes of `division_sizes`."""
    rest = iter(people)
    return tuple(tuple(islice(rest, size)) for size in division_sizes(len(people), before))


def movers(sizes: Sequence[int]) -> list[int]:
    """Return how many members go up and down across each edge of divisions of these sizes; none at the outer edges."""
    return [0, *(2 if min(pair) >= _TWO_MOVE_FROM else 1 for pair in pairwise(sizes)), 0]


def next_divisions(orders: Sequence[Sequence[int]], staying: Collection[int], queue: Sequence[int]) -> Divisions:
    """Return the divisions of the next season.

    `orders` are the final orders of the old divisions, including members who have left; `staying` are the members who
    go on; `queue` are the members who wait. Members who have left count among those who go down. Free places are filled
    first by the best of those who would have gone down, then by the next best of the division directly below. If a
    division becomes smaller, the last of those who would have stayed go down, too, before anybody who came up
    (docs/leagues.md, Up and down).
    """
    rising = [order[:count] for order, count in zip(orders, movers(list(map(len, orders))), strict=False)]
    left = [each for order in orders for each in order if each in staying] + list(queue)
    found = []
    for at, size in enumerate(division_sizes(len(left), len(orders))):
        # First those who come down or go up, then in the order of the old tables.
        moving = {each for part in (*orders[:at], *rising[at + 1 : at + 2]) for each in part if each in staying}
        chosen = set(sorted(left, key=lambda each: each not in moving)[:size])
        found.append(tuple(each for each in left if each in chosen))
        left = [each for each in left if each not in chosen]
    return tuple(found)
