"""The state of a league, folded from its events and their times alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.competitions.boards import CupGame
from bot.competitions.competition import are_places
from bot.competitions.events import COMPUTER_ENTRANT, Asked, Ended, Entered, Excluded, InvalidCompetition, Left, Stays
from bot.competitions.league.events import (
    DEFAULT_GAMES_AT_ONCE,
    MAX_MEMBERS,
    MIN_MEMBERS,
    Fixture,
    FixtureAttached,
    FixtureResult,
    FixtureVoided,
    LeagueCreated,
    LeagueDivision,
    LeagueLimited,
    LeagueTerms,
    SeasonEnded,
    SeasonStarted,
)
from bot.competitions.state import CompetitionState, Entrant


@dataclass(frozen=True)
class Member(Entrant):
    """A member; `most` is how many of their games may run at once."""

    most: int = DEFAULT_GAMES_AT_ONCE


@dataclass(frozen=True)
class LeagueGame:
    """A game of a season: its fixture, its game once it is opened, and whether it is void."""

    fixture: Fixture
    game: CupGame | None = None
    voided: bool = False

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
    ratings: Mapping[int, int] = field(default_factory=dict)
    members_at_end: Mapping[int, Member] = field(default_factory=dict)
    """The members' states at the end of the season: who had left, and who was silent."""
    is_over: bool = False
    rules_version: int = 1
    gone: frozenset[int] = frozenset()
    """Those who have left during the season, also if they have come back: they are in it no more."""

    def division_of(self, entrant: int) -> int | None:
        """Return the number (from 1) of a member's division, None if they are in none."""
        found = (number for number, each in enumerate(self.divisions, start=1) if entrant in each.members)
        return next(found, None)

    def games_going_on(self, entrant: int) -> int:
        """Return the number of a member's running games."""
        return sum(each.is_going_on and entrant in each.game.seats for each in self.games if each.game is not None)


@dataclass(frozen=True)
class League(CompetitionState[LeagueTerms, Member]):
    """The state of a league: its members, the queue for the next season, and the newest season.

    `before` is the season before the newest one.
    """

    queue: tuple[int, ...] = ()
    season: Season | None = None
    before: Season | None = None

    created_by = LeagueCreated

    def without(self, _at: datetime, entrant: Member) -> League:
        """Return the league after somebody has gone, whose changed entry this is; they are out of the season, too."""
        number, season = entrant.number, self.season
        queue = tuple(each for each in self.queue if each != number)
        if season is not None and not season.is_over and season.rules_version > 1 and season.division_of(number):
            season = replace(season, gone=season.gone | {number})
        return replace(self.with_entrants(replace(entrant, asked=False)), queue=queue, season=season)

    @property
    def is_season_on(self) -> bool:
        """Whether a season is under way."""
        return self.season is not None and not self.season.is_over

    def is_available(self, entrant: int) -> bool:
        """Return whether games may be opened for a computer or a member; not for those who have not answered yet."""
        if entrant == COMPUTER_ENTRANT:
            return True
        is_gone = self.is_season_on and self.season is not None and entrant in self.season.gone
        return super().is_available(entrant) and not is_gone

    def members_of(self, season: Season) -> Mapping[int, Member]:
        """Return the members as a season knows them: by its end, and those who left during it as left."""
        if season.is_over:
            return season.members_at_end
        back = (self.entrants[each] for each in season.gone)
        return {**self.entrants, **{each.number: replace(each, state="left") for each in back if each.state == "in"}}


def _season(stands: League) -> Season:
    if stands.season is None or stands.season.is_over:
        raise InvalidCompetition("no-season")
    return stands.season


def _game(stands: League, number: int) -> LeagueGame:
    season = _season(stands)
    if number >= len(season.games):
        raise InvalidCompetition("no-fixture", fixture=number)
    return season.games[number]


def _with_game(stands: League, number: int, game: LeagueGame) -> League:
    season = _season(stands)
    games = (*season.games[:number], game, *season.games[number + 1 :])
    return replace(stands, season=replace(season, games=games))


def _apply_entry(stands: League, _at: datetime, event: Entered) -> League:
    known = stands.entrants.get(event.entrant)
    member = Member(event.entrant, event.cause, most=known.most if known is not None else DEFAULT_GAMES_AT_ONCE)
    return replace(stands.admit(member, MAX_MEMBERS), queue=(*stands.queue, event.entrant))


def _limited(stands: League, _at: datetime, event: LeagueLimited) -> League:
    return stands.with_entrants(replace(stands.find_entrant(event.entrant), most=event.most))


def _apply_start(stands: League, at: datetime, event: SeasonStarted) -> League:
    if stands.is_season_on:
        raise InvalidCompetition("season-on")
    if event.season != (stands.season.number if stands.season is not None else 0) + 1:
        raise InvalidCompetition("other-season", season=event.season)
    if event.ends_at < at + timedelta(days=stands.terms.days) - timedelta(seconds=1):
        raise InvalidCompetition("too-early", season=event.season)
    people = [each for division in event.divisions for each in division.members]
    if len(set(people)) != len(people) or set(people) != set(stands.present):
        raise InvalidCompetition("other-entrants")
    if len(people) < MIN_MEMBERS:
        raise InvalidCompetition("too-few", entrants=len(people))
    if any(stands.entrants[each].asked for each in people):
        raise InvalidCompetition("paired-gone", season=event.season)
    for fixture in event.fixtures:
        seated = [each for each in fixture.seats if each != COMPUTER_ENTRANT]
        if fixture.division > len(event.divisions) or not seated or len(fixture.seats) > stands.terms.seats:
            raise InvalidCompetition("broken-pairing", season=event.season)
        if not {*seated} <= {*event.divisions[fixture.division - 1].members} or len({*seated}) != len(seated):
            raise InvalidCompetition("broken-pairing", season=event.season)
    games = tuple(map(LeagueGame, event.fixtures))
    season = Season(
        event.season, at, event.ends_at, event.divisions, games, event.ratings, rules_version=event.rules_version
    )
    return replace(stands, season=season, before=stands.season, queue=())


def _apply_attachment(stands: League, _at: datetime, event: FixtureAttached) -> League:
    game = _game(stands, event.fixture)
    if game.voided or game.game is not None:
        raise InvalidCompetition("attached-already", fixture=event.fixture)
    there = tuple(each for each in game.fixture.seats if stands.is_available(each))
    if event.seats != there or len(there) < stands.terms.fewest or {*there} == {COMPUTER_ENTRANT}:
        raise InvalidCompetition("broken-pairing", fixture=event.fixture)
    if any(each.game is not None and each.game.id == event.game for each in _season(stands).games):
        raise InvalidCompetition("game-twice", game=event.game)
    return _with_game(stands, event.fixture, replace(game, game=CupGame(event.seats, event.game)))


def _voided(stands: League, _at: datetime, event: FixtureVoided) -> League:
    game = _game(stands, event.fixture)
    if game.voided or game.game is not None:
        raise InvalidCompetition("attached-already", fixture=event.fixture)
    return _with_game(stands, event.fixture, replace(game, voided=True))


def _result(stands: League, _at: datetime, event: FixtureResult) -> League:
    game = _game(stands, event.fixture)
    if game.game is None or game.game.places is not None:
        raise InvalidCompetition("no-game", fixture=event.fixture)
    seats = len(game.game.seats)
    if not are_places(event.places, seats) or not {*event.absent} <= {*range(seats)}:
        raise InvalidCompetition("broken-result", fixture=event.fixture)
    ended = replace(game.game, places=event.places, reason=event.reason, absent=event.absent)
    return _with_game(stands, event.fixture, replace(game, game=ended))


def _apply_request(stands: League, at: datetime, event: Asked) -> League:
    if _season(stands).division_of(stands.find_entrant(event.entrant).number) is None:
        raise InvalidCompetition("asked-already", entrant=event.entrant)
    return stands.ask(at, event)


def _season_ended(stands: League, at: datetime, event: SeasonEnded) -> League:
    season = _season(stands)
    if event.season != season.number:
        raise InvalidCompetition("other-season", season=event.season)
    if at < season.ends_at:
        raise InvalidCompetition("too-early", season=event.season)
    members = stands.members_of(season)
    known = {each: members[each] for division in season.divisions for each in division.members}
    return replace(stands, season=replace(season, members_at_end=known, is_over=True))


def _apply_end(stands: League, _at: datetime, _event: Ended) -> League:
    return replace(stands, stage="over", queue=())


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
