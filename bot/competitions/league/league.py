"""The state of a league, folded from its events and their times alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal, cast

from bot.competitions.boards import CupGame
from bot.competitions.competition import are_places
from bot.competitions.events import COMPUTER_ENTRANT, Asked, Ended, Entered, Excluded, InvalidCompetition, Stays
from bot.competitions.league.events import (
    DEFAULT_GAMES_AT_ONCE,
    MAX_MEMBERS,
    MIN_MEMBERS,
    Departure,
    Fixture,
    FixtureAttached,
    FixtureResult,
    FixtureVoided,
    LeagueCreated,
    LeagueDivision,
    LeagueEvent,
    LeagueLeft,
    LeagueLimited,
    LeagueTerms,
    SeasonEnded,
    SeasonStarted,
)
from bot.competitions.replaying import replay_timed_events

TimedEvent = tuple[datetime, LeagueEvent]


@dataclass(frozen=True)
class Member:
    """A member; `most` is how many of their games may run at once.

    `asked`: they never made a first move and have not confirmed yet that they still take part.
    """

    number: int
    cause: str
    state: Literal["in", "left", "excluded"] = "in"
    why: Departure | None = None
    asked: bool = False
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
class League:
    """The state of a league: its members, the queue for the next season, and the newest season.

    `before` is the season before the newest one.
    """

    terms: LeagueTerms
    code: str
    seed_hash: str
    over: bool = False
    members: Mapping[int, Member] = field(default_factory=dict)
    queue: tuple[int, ...] = ()
    season: Season | None = None
    before: Season | None = None
    revision: int = 1

    @classmethod
    def replay(cls, events: Iterable[TimedEvent]) -> League:
        """Return the state after these events; InvalidCompetition has the number of the first invalid one."""
        return replay_timed_events(events, cls.created, cls.apply)

    @classmethod
    def created(cls, event: LeagueEvent) -> League:
        """Return the state after the first event."""
        if not isinstance(event, LeagueCreated):
            raise InvalidCompetition("not-created")
        if problem := event.terms.problem():
            raise InvalidCompetition(problem)
        return cls(event.terms, event.code, event.seed_hash)

    def apply(self, at: datetime, event: LeagueEvent) -> League:
        """Return the state after one more event; InvalidCompetition has a code that says why it is invalid."""
        if self.over:
            raise InvalidCompetition("over")
        follow = cast("Callable[[League, datetime, Any], League] | None", _HANDLERS.get(type(event)))
        if follow is None:
            raise InvalidCompetition("created-already")
        return replace(follow(self, at, event), revision=self.revision + 1)

    @property
    def is_season_on(self) -> bool:
        """Whether a season is under way."""
        return self.season is not None and not self.season.is_over

    @property
    def entrant_count(self) -> int:
        """How many have ever entered."""
        return len(self.members)

    @property
    def present(self) -> tuple[int, ...]:
        """The numbers of all members, including silent ones and those in the queue."""
        return tuple(number for number, each in sorted(self.members.items()) if each.state == "in")

    def is_excluded(self, entrant: int) -> bool:
        """Return whether a member was excluded and cannot come back."""
        return self.members[entrant].state == "excluded"

    def is_available(self, entrant: int) -> bool:
        """Return whether games may be opened for a computer or a member; not for those who have not answered yet."""
        if entrant == COMPUTER_ENTRANT:
            return True
        member = self.members[entrant]
        is_gone = self.is_season_on and self.season is not None and entrant in self.season.gone
        return member.state == "in" and not member.asked and not is_gone

    def members_of(self, season: Season) -> Mapping[int, Member]:
        """Return the members as a season knows them: by its end, and those who left during it as left."""
        if season.is_over:
            return season.members_at_end
        back = {
            each: replace(self.members[each], state="left") for each in season.gone if self.members[each].state == "in"
        }
        return {**self.members, **back}


def _member(stands: League, entrant: int) -> Member:
    member = stands.members.get(entrant)
    if member is None or member.state != "in":
        raise InvalidCompetition("no-entrant", entrant=entrant)
    return member


def _with(stands: League, member: Member) -> League:
    return replace(stands, members={**stands.members, member.number: member})


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
    known = stands.members.get(event.entrant)
    if known is None and event.entrant != len(stands.members):
        raise InvalidCompetition("entrant-number", entrant=event.entrant)
    if known is not None and known.state != "left":
        raise InvalidCompetition("entered-already" if known.state == "in" else "excluded", entrant=event.entrant)
    if len(stands.present) >= MAX_MEMBERS:
        raise InvalidCompetition("full")
    most = known.most if known is not None else DEFAULT_GAMES_AT_ONCE
    member = Member(event.entrant, event.cause, most=most)
    return replace(_with(stands, member), queue=(*stands.queue, event.entrant))


def _apply_leaving(stands: League, _at: datetime, event: LeagueLeft) -> League:
    return _apply_exclusion(stands, replace(_member(stands, event.entrant), state="left", why=event.why))


def _excluded(stands: League, _at: datetime, event: Excluded) -> League:
    known = stands.members.get(event.entrant)
    if known is not None and known.state == "left":
        return _with(stands, replace(known, state="excluded"))  # excluded members cannot return
    return _apply_exclusion(stands, replace(_member(stands, event.entrant), state="excluded"))


def _apply_exclusion(stands: League, member: Member) -> League:
    queue = tuple(each for each in stands.queue if each != member.number)
    season = stands.season
    if season is not None and not season.is_over and season.rules_version > 1 and season.division_of(member.number):
        season = replace(season, gone=season.gone | {member.number})
    return replace(_with(stands, replace(member, asked=False)), queue=queue, season=season)


def _limited(stands: League, _at: datetime, event: LeagueLimited) -> League:
    return _with(stands, replace(_member(stands, event.entrant), most=event.most))


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
    if any(stands.members[each].asked for each in people):
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


def _apply_request(stands: League, _at: datetime, event: Asked) -> League:
    member = _member(stands, event.entrant)
    if member.asked or _season(stands).division_of(event.entrant) is None:
        raise InvalidCompetition("asked-already", entrant=event.entrant)
    return _with(stands, replace(member, asked=True))


def _stays(stands: League, _at: datetime, event: Stays) -> League:
    member = _member(stands, event.entrant)
    if not member.asked:
        raise InvalidCompetition("not-asked", entrant=event.entrant)
    return _with(stands, replace(member, asked=False))


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
    return replace(stands, over=True, queue=())


_HANDLERS: Final[Mapping[type[LeagueEvent], Callable[..., League]]] = {
    Entered: _apply_entry,
    LeagueLeft: _apply_leaving,
    Excluded: _excluded,
    LeagueLimited: _limited,
    SeasonStarted: _apply_start,
    FixtureAttached: _apply_attachment,
    FixtureVoided: _voided,
    FixtureResult: _result,
    Asked: _apply_request,
    Stays: _stays,
    SeasonEnded: _season_ended,
    Ended: _apply_end,
}
