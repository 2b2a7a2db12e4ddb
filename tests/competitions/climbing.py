"""Ladders lived through by chance: people come, go, refuse, fall silent, block each other and go on holiday."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from bot.competitions.competition import TimedEvent
from bot.competitions.events import RULES_VERSION, CompetitionEvent, Entered, Excluded, Leaving, Left
from bot.competitions.ladder import (
    ChallengeAccepted,
    ChallengeAttached,
    ChallengeClosed,
    Challenged,
    ChallengeResult,
    Closing,
    Ladder,
    LadderCreated,
    LadderTerms,
    draw_beginner,
    due_events,
    list_challengeable,
)

SEED = "1" * 64
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Climbing:
    """A ladder that is lived through: its events with their times, and how it stands."""

    state: Ladder
    events: list[TimedEvent]
    now: datetime = BEGIN
    unavailable: dict[int, datetime] = field(default_factory=dict)
    blocked: set[tuple[int, int]] = field(default_factory=set)
    refusing: set[int] = field(default_factory=set)
    """Those who never answer, and never play."""
    games: int = 0

    @classmethod
    def begun(cls, people: int, days: int = 3, rules_version: int = RULES_VERSION) -> Climbing:
        """Return a ladder that so many have joined."""
        created = LadderCreated(LadderTerms(game="any", clock=86_400, days=days), "ABCDEF", "0" * 64, rules_version)
        climbing = cls(Ladder.created(BEGIN, created), [(BEGIN, created)])
        for number in range(people):
            climbing.add(Entered(number, f"web:{number}"))
        return climbing

    def add(self, event: CompetitionEvent) -> None:
        self.state = self.state.apply(self.now, event)
        self.events.append((self.now, event))

    def go_on(self) -> None:
        """Write what is due, and open the games of challenges that were accepted."""
        while found := due_events(self.state, self.now, self.unavailable, frozenset(self.blocked)):
            for event in found:
                self.add(event)
        for challenge in list(self.state.open.values()):
            if challenge.accepted and challenge.game is None:
                self.games += 1
                self.add(ChallengeAttached(challenge.number, f"G{self.games:05}"))

    def wait(self, time: timedelta) -> None:
        """Let time go by, and write what is due then."""
        self.now += time
        self.go_on()

    def accept(self, number: int) -> None:
        """Have a challenge accepted; the lot decides who begins where both have begun as often."""
        self.add(ChallengeAccepted(number, draw_beginner(self.state, SEED, self.state.open[number])))

    def challenge(self, challenger: int, challenged: int, places: tuple[int, int] | None = None) -> None:
        """Have somebody challenge somebody, and with `places` (challenger's first) play it out."""
        self.add(Challenged(challenger, challenged))
        if places is not None:
            number = self.state.made - 1
            self.accept(number)
            self.go_on()
            seats = self.state.open[number].seats or (-1, -1)
            self.add(ChallengeResult(number, places if seats[0] == challenger else places[::-1], "won"))

    def live(self, chance: Random, days: int) -> None:
        """Have so many days go by."""
        end = self.now + timedelta(days=days)
        while self.now < end:
            self.now += timedelta(hours=chance.randrange(1, 12))
            self.go_on()
            self._one_thing(chance)
            self.go_on()

    def _one_thing(self, chance: Random) -> None:
        state, what = self.state, chance.random()
        if what < 0.45 and state.order:
            who = chance.choice(state.order)
            them = list_challengeable(state, who, self.now, frozenset(self.blocked))
            if them and who not in self.refusing:
                self.add(Challenged(who, chance.choice(them)))
        elif what < 0.85 and state.open:
            self._answer(chance, chance.choice(list(state.open)))
        elif what < 0.89:
            self._come(chance)
        elif what < 0.91 and len(state.order) > 2:
            who = chance.choice(state.order)
            self.add(Left(who, chance.choice(list(Leaving))) if chance.random() < 0.75 else Excluded(who))
        elif what < 0.96 and state.order:
            who = chance.choice(state.order)
            self.unavailable[who] = self.now + timedelta(days=chance.randrange(0, 9))
        elif len(state.order) > 1:
            one, other = chance.sample(state.order, 2)
            self.blocked.symmetric_difference_update({(one, other)})

    def _answer(self, chance: Random, number: int) -> None:
        challenge = self.state.open[number]
        if challenge.game is not None:
            silent = [seat for seat in (0, 1) if (challenge.seats or ())[seat] in self.refusing]
            places = (2, 1) if silent == [0] else (1, 2) if silent == [1] else None
            self.add(ChallengeResult(number, places or chance.choice(((1, 2), (2, 1), (1, 1))), "won"))
        elif challenge.accepted or challenge.challenged in self.refusing:
            return
        elif chance.random() < 0.8:
            self.accept(number)
        else:
            self.add(ChallengeClosed(number, chance.choice((Closing.CONCEDED, Closing.WITHDRAWN))))

    def _come(self, chance: Random) -> None:
        back = [number for number, each in self.state.entrants.items() if each.state == "left"]
        who = chance.choice(back) if back and chance.random() < 0.5 else len(self.state.entrants)
        self.add(Entered(who, f"web:{who}"))
