"""Whole competitions played by chance, as the program plays them: what is due is written, games end, people go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any

from bot.competitions.competition import Competition
from bot.competitions.events import (
    RULES_VERSION,
    Asked,
    CompetitionEvent,
    CupCreated,
    CupResult,
    CupTerms,
    Entered,
    Excluded,
    Format,
    Left,
    Stays,
)
from bot.competitions.pairing import NO_BLOCKS, Blocked, next_event, start_event
from engine.fair import hash_seed
from engine.games import games

SEED = "5a" * 32
BEGAN = datetime(2026, 11, 1, 12, tzinfo=UTC)
GAME = next(key for key, game in games.items() if 2 in game.seats)
"""Pure functions never ask what it is; files with records are of it."""


def replay(events: Iterable[CompetitionEvent]) -> Competition:
    """Return the state after events that came all at once."""
    return Competition.replay((BEGAN, event) for event in events)


def make_terms(form: str, entrants: int, **chosen: Any) -> CupTerms:
    return CupTerms(**{"game": GAME, "format": Format(form), "clock": 3600, "most": max(3, entrants), **chosen})


@dataclass
class Played:
    """A competition that is being played: its events and how it stands; `busy` is how often games have ended."""

    events: list[CompetitionEvent]
    state: Competition
    busy: int = 0
    blocked: Blocked = NO_BLOCKS
    opened: list[str] = field(default_factory=list)

    @classmethod
    def begun(cls, chosen: CupTerms, entrants: int, ratings: Mapping[int, int] | None = None) -> Played:
        """Return a competition that has just begun."""
        events: list[CompetitionEvent] = [CupCreated(chosen, "ABCDEF", hash_seed(SEED), RULES_VERSION)]
        events += [Entered(number, f"web:{number}") for number in range(entrants)]
        state = replay(events)
        played = cls(events, state)
        played.add(start_event(state, SEED, ratings))
        return played

    @classmethod
    def started(cls, form: str, entrants: int, ratings: Mapping[int, int] | None = None, **chosen: Any) -> Played:
        """Return a competition whose first games have been opened."""
        played = cls.begun(make_terms(form, entrants, **chosen), entrants, ratings)
        played.go_on()
        return played

    def add(self, event: CompetitionEvent) -> None:
        self.state = self.state.apply(BEGAN, event)
        self.events.append(event)

    def go_on(self) -> None:
        """Write what is due until nothing is, and open the games of the round."""
        while found := next_event(self.state, SEED, self.blocked):
            for event in found:
                self.add(event)
        ready = [each for each in self.state.current_games() if each.game is None]
        for game in ready if self.state.stage == "running" else ():
            name = f"G{len(self.opened):05}"
            self.opened.append(name)
            self.add(game.attached(name))

    def waiting(self) -> list[tuple[int, int, int]]:
        """Return the games that are being played: round, board, number."""
        return [(number, board, at) for number, board, at, game in self.state.games() if game.places is None]

    def end(self, where: tuple[int, int, int], places: Sequence[int], absent: Sequence[int] = ()) -> None:
        """End a game with these places."""
        self.add(CupResult(*where, tuple(places), "won", tuple(absent)))
        self.busy += 1

    def win_by(self, best: Mapping[int, int] | None = None) -> None:
        """Play it to its end: of two, the smaller number wins, or the better rank in `best`."""
        self.go_on()
        while self.state.stage == "running":
            self.win_round_by(best)
            self.go_on()

    def win_round_by(self, best: Mapping[int, int] | None = None) -> None:
        """End the games that are being played in the same way."""
        for where in self.waiting():
            seats = self.state.board_at(*where[:2]).last.seats
            keys = [(best or {}).get(entrant, entrant) if entrant >= 0 else 1000 for entrant in seats]
            self.end(where, [1 + sum(other < key for other in keys) for key in keys])


def play_at_random(chosen: CupTerms, entrants: int, chance: Random, blocked: Blocked = NO_BLOCKS) -> Played:
    """Return a competition played to its end: games end anyhow, people leave, are put out, are silent, come back."""
    rated = {number: chance.randrange(800, 1600) for number in range(entrants) if chance.random() < 0.7}
    played = Played.begun(chosen, entrants, rated)
    played.blocked = blocked
    loose = chance.choice((0.0, 0.02, 0.3))
    played.go_on()
    while played.state.stage == "running":
        _end_one(played, chance)
        if chance.random() < loose:
            _come_or_go(played, chance)
        played.go_on()
    return played


def _end_one(played: Played, chance: Random) -> None:
    where = chance.choice(played.waiting())
    seats = played.state.board_at(*where[:2]).last.seats
    places = list(range(1, len(seats) + 1))
    chance.shuffle(places)
    absent: list[int] = []
    if chance.random() < 0.25:
        places = [1] * len(seats)
    elif chance.random() < 0.1:
        absent = [places.index(len(seats))]
    played.end(where, places, absent)
    for seat in absent:
        entrant = seats[seat]
        each = played.state.entrants.get(entrant)
        if each is not None and each.state == "in" and not each.asked:
            played.add(Asked(entrant))


def _come_or_go(played: Played, chance: Random) -> None:
    each = played.state.entrants[chance.choice(played.state.lots)]
    if each.state != "in":
        return
    if each.asked and chance.random() < 0.7:
        played.add(Stays(each.number))
    else:
        played.add(chance.choice((Left, Excluded))(each.number))
