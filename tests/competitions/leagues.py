"""Leagues lived through by chance: people come, go, refuse, fall silent, block each other, link and are forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from random import Random
from typing import Any

from bot.competitions.competition import CupGame, TimedEvent
from bot.competitions.events import (
    COMPUTER_ENTRANT,
    RULES_VERSION,
    Asked,
    CompetitionEvent,
    Entered,
    Excluded,
    Leaving,
    Left,
    Stays,
)
from bot.competitions.league import (
    MAX_MEMBERS,
    FixtureAttached,
    FixtureResult,
    League,
    LeagueCreated,
    LeagueLimited,
    LeagueTerms,
    Season,
    SeasonEnded,
    SeasonStarted,
)
from bot.competitions.seasons import (
    OPENING_PAUSE,
    due_events,
    is_start_due,
    make_divisions,
    next_opening,
    plan_fixtures,
    start_season,
)
from tests.support.present import present

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@dataclass
class Living:
    """A league that is lived through: its events with their times, and how it stands."""

    state: League
    events: list[TimedEvent]
    now: datetime = BEGIN
    ratings: dict[int, int] = field(default_factory=dict)
    blocked: set[frozenset[int]] = field(default_factory=set)
    silent: set[int] = field(default_factory=set)
    opened: int = 0
    rules_version: int = RULES_VERSION
    seen: Callable[[League], None] | None = None
    """Called whenever a season has ended."""

    @classmethod
    def begun(
        cls,
        people: int,
        rules_version: int = RULES_VERSION,
        ratings: dict[int, int] | None = None,
        blocked: Iterable[tuple[int, int]] = (),
        **chosen: Any,
    ) -> Living:
        """Return a league that so many have entered, and whose first season is on where that is enough."""
        terms = LeagueTerms(**{"game": "any", "clock": 86_400, "least": 3, **chosen})
        created = LeagueCreated(terms, "ABCDEF", "0" * 64)
        living = cls(League.created(BEGIN, created), [(BEGIN, created)], rules_version=rules_version)
        living.ratings = {number: 1500 - 10 * number for number in range(people)} if ratings is None else ratings
        living.blocked = set(map(frozenset, blocked))
        for number in range(people):
            living.add(Entered(number, f"web:{number}"))
        living.go_on()
        return living

    @property
    def season(self) -> Season:
        """The season that is on, or that was the last."""
        return self.state.season

    def game(self, number: int) -> CupGame:
        """Return a game of the season, which was opened."""
        return present(self.season.games[number].game)

    def add(self, event: CompetitionEvent) -> None:
        self.state = self.state.apply(self.now, event)
        self.events.append((self.now, event))

    def go_on(self) -> None:
        """Write what is due until nothing is; games are opened as if all others had been for a while."""
        blocked = frozenset(self.blocked)
        while True:
            found = due_events(self.state, self.now, blocked)
            for event in found:
                self.add(event)
                if self.seen is not None and isinstance(event, SeasonEnded):
                    self.seen(self.state)
            if found:
                continue
            if is_start_due(self.state):
                self.add(self._start(blocked))
            elif (opening := next_opening(self.state, self.now + OPENING_PAUSE, blocked)) is not None:
                # Blocked people never meet, and nobody has more games at once than they want.
                assert not any(frozenset(pair) in blocked for pair in combinations(opening[1], 2))
                busy = self.season.games_going_on()
                assert all(
                    busy[each] < self.state.entrants[each].most for each in opening[1] if each != COMPUTER_ENTRANT
                )
                self.opened += 1
                self.add(FixtureAttached(opening[0], f"G{self.opened:05}", opening[1]))
            else:
                return

    def _start(self, blocked: frozenset[frozenset[int]]) -> SeasonStarted:
        started = start_season(self.state, self.now, self.ratings, blocked)
        if self.rules_version == RULES_VERSION:
            return started
        divisions = make_divisions(self.state, started.ratings, self.rules_version)
        fixtures = plan_fixtures(self.state.terms, divisions, started.season, blocked, self.rules_version)
        return replace(started, divisions=divisions, fixtures=fixtures, rules_version=self.rules_version)

    def end(self, number: int, places: tuple[int, ...], absent: tuple[int, ...] = ()) -> None:
        """End a game that goes on with these places; those who never moved are asked."""
        game = self.game(number)
        self.add(FixtureResult(number, places, "won", absent))
        for seat in absent:
            who = game.seats[seat]
            if who != COMPUTER_ENTRANT and self.state.is_available(who):
                self.add(Asked(who))
        self.go_on()

    def going_on(self) -> list[int]:
        """Return the numbers of the games that are being played."""
        return [at for at, each in enumerate(self.season.games) if each.is_going_on]

    def play(self, without: int | None = None) -> None:
        """Play all games of the season, or all but somebody's: the smaller number wins."""
        while found := [each for each in self.going_on() if without not in self.game(each).seats]:
            keys = [seat if seat >= 0 else 1000 for seat in self.game(found[0]).seats]
            self.end(found[0], tuple(1 + sum(other < key for other in keys) for key in keys))

    def play_one(self, who: int) -> None:
        """Play a game that goes on, one of somebody's if there is one: the smaller number wins."""
        found = self.going_on()
        mine = [each for each in found if who in self.game(each).seats]
        number = (mine or found)[0]
        seats = self.game(number).seats
        self.end(number, (1, 2) if seats[0] < seats[1] else (2, 1))

    def next_season(self) -> None:
        """Let the season end, and the next begin."""
        self.now = self.season.ends_at
        self.go_on()

    def end_season(self) -> None:
        """Let the season end, and nothing follow."""
        self.now = self.season.ends_at
        self.add(SeasonEnded(1))

    def live(self, chance: Random, seasons: int, things: int = 60) -> None:
        """Have so many seasons go by."""
        for _ in range(seasons):
            for _ in range(things):
                self.now += SECOND
                self._one_thing(chance)
                self.go_on()
            self.now += timedelta(days=self.state.terms.days)
            self.go_on()

    def _one_thing(self, chance: Random) -> None:
        what, going = chance.random(), self.going_on()
        if what < 0.75 and going:
            self._end_one(chance, chance.choice(going))
        elif what < 0.82 and len(self.state.present) < MAX_MEMBERS:
            back = [number for number, each in self.state.entrants.items() if each.state == "left"]
            who = chance.choice(back) if back and chance.random() < 0.5 else len(self.state.entrants)
            self.add(Entered(who, f"web:{who}"))
        elif self.state.present:
            self._change(chance, chance.choice(self.state.present))

    def _change(self, chance: Random, who: int) -> None:
        what = chance.random()
        if what < 0.2:
            self.add(Left(who, chance.choice((Leaving.ASKED, Leaving.LINKED, Leaving.FORGOTTEN))))
        elif what < 0.25:
            self.add(Excluded(who))
        elif what < 0.45:
            self.add(LeagueLimited(who, chance.randrange(1, 6)))
        elif what < 0.6:
            self.silent.symmetric_difference_update({who})
        elif what < 0.8 and self.state.entrants[who].asked:
            self.add(Stays(who))
        elif len(self.state.present) > 1:
            self.blocked.symmetric_difference_update({frozenset(chance.sample(self.state.present, 2))})

    def _end_one(self, chance: Random, number: int) -> None:
        game = self.game(number)
        places = list(range(1, len(game.seats) + 1))
        chance.shuffle(places)
        quiet = [seat for seat, who in enumerate(game.seats) if who in self.silent]
        if quiet:
            places = [2 if len(game.seats) == 2 else len(game.seats)] * len(game.seats)
            for place, seat in enumerate((each for each in range(len(game.seats)) if each not in quiet), start=1):
                places[seat] = place
            first = len(game.seats) - len(quiet) + 1
            for seat in quiet:
                places[seat] = first
            self.end(number, tuple(places), tuple(quiet) if len(quiet) < len(game.seats) else ())
        elif chance.random() < 0.2:
            self.end(number, (1,) * len(places))
        else:
            self.end(number, tuple(places))

    def seasons(self) -> list[SeasonStarted]:
        return [event for _, event in self.events if isinstance(event, SeasonStarted)]
