"""The match: the order of the Men, the owners of colours, the points (docs/rules/uomo-nero.md, The match, Points)."""

# Not compiled: mypyc would not keep its cached properties.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from engine.core import Json, Outcome, Seats, places_with_draw

COLOURS_EACH: Final = {2: 4, 3: 2, 4: 1, 5: 1}
"""Number of colours of each attacking player, by the number of seats at the start."""

NO_SEAT: Final = -1
_NO_OWNERS: Final = (NO_SEAT,) * 4

ROLL_OFF, MAN_START, PICKING, ROLLING, ATTACK, MAN, OVER = range(7)
PHASES: Final = ("roll-off", "man-start", "colours", "roll", "attack", "man", "over")

MAN_TURNS: Final = 50
"""Number of turns that the Man has in a round."""

REASONS: Final = ("none-left", "total-block", "no-progress", "drop")
"""The reasons for the end of a round."""


@dataclass(frozen=True, slots=True)
class Round:
    """A finished round: its Man, the points of each seat and the reason for its end."""

    man: int
    points: tuple[int, ...]
    reason: str

    def to_json(self) -> Json:
        """Return the round as in the outcome's details."""
        return {"man": self.man, "points": list(self.points), "reason": self.reason}


@dataclass(frozen=True)
class Match:
    """The state that only picks, drops and the ends of rounds change.

    `round` is the index of the Man in `order`, from 1, or 0 during the roll-off, when `rollers` are the seats among
    whom the lowest is sought and `sums` the rolls of the first of them. `owners` are the owning seats of the colours,
    or `NO_SEAT`. `rolled` says whether this round has had its first roll.
    """

    seats: int
    attack_scores: tuple[int, ...]
    man_scores: tuple[int | None, ...]
    rollers: tuple[int, ...] = ()
    sums: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    round: int = 0
    dropped: Seats = ()
    owners: tuple[int, ...] = _NO_OWNERS
    rolled: bool = False
    rounds: tuple[Round, ...] = ()

    @cached_property
    def man_seat(self) -> int:
        """The Man of this round; `NO_SEAT` during the roll-off."""
        return self.order[self.round - 1] if self.round else NO_SEAT

    @cached_property
    def attacking(self) -> tuple[int, ...]:
        """The attacking seats still playing, clockwise from the Man's left."""
        clockwise = ((self.man_seat + step) % self.seats for step in range(1, self.seats))
        return tuple(seat for seat in clockwise if seat not in self.dropped)

    @cached_property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The colours of each seat."""
        return tuple(
            tuple(colour for colour, owner in enumerate(self.owners) if owner == seat) for seat in range(self.seats)
        )

    @cached_property
    def followers(self) -> tuple[tuple[int, ...], ...]:
        """For each seat, the attacking seats whose turns come after its own and before the Man's."""
        man = self.man_seat
        return tuple(
            tuple(other for other in self.attacking if (other - man) % self.seats > (seat - man) % self.seats)
            for seat in range(self.seats)
        )

    @cached_property
    def key(self) -> tuple[int, ...]:
        """The parts of the position, as a flat tuple."""
        return (
            self.seats,
            self.round,
            *self.order,
            *self.owners,
            *self.attack_scores,
            *(NO_SEAT if score is None else score for score in self.man_scores),
            *self.dropped,
        )

    def picker(self) -> int | None:
        """Return the seat that picks a colour next, None when all have theirs."""
        picks = [self.owners.count(seat) for seat in self.attacking]
        fewest = min(picks, default=COLOURS_EACH[self.seats])
        return self.attacking[picks.index(fewest)] if fewest < COLOURS_EACH[self.seats] else None

    def with_sum(self, total: int) -> Match:
        """Return the match after a roll of the roll-off (rules, Roll-off)."""
        sums = (*self.sums, total)
        if len(sums) < len(self.rollers):
            return replace(self, sums=sums)
        lowest = tuple(seat for seat, rolled in zip(self.rollers, sums, strict=True) if rolled == min(sums))
        if len(lowest) > 1:
            return replace(self, rollers=lowest, sums=())
        order = tuple((lowest[0] + step) % self.seats for step in range(self.seats))
        return replace(self, rollers=(), sums=(), order=order, round=_next_place(order, 0, self.dropped))

    def with_first_roll(self) -> Match:
        """Return the match after the first roll of the round."""
        return replace(self, rolled=True)

    def with_pick(self, colour: int, seat: int) -> Match:
        """Return the match after a seat has picked a colour."""
        return replace(self, owners=(*self.owners[:colour], seat, *self.owners[colour + 1 :]))

    def with_drop(self, seat: int) -> Match:
        """Return the match after a seat has left."""
        return replace(self, dropped=(*self.dropped, seat))

    def closed(self, points: Sequence[int], reason: str) -> Match:
        """Return the match with the points of this round counted."""
        scores = list(self.man_scores)
        scores[self.man_seat] = sum(points)
        return replace(
            self,
            attack_scores=tuple(map(sum, zip(self.attack_scores, points, strict=True))),
            man_scores=tuple(scores),
            rounds=(*self.rounds, Round(self.man_seat, tuple(points), reason)),
        )

    def next_round(self) -> Match | None:
        """Return the match at the start of its next round, None after the last."""
        place = _next_place(self.order, self.round, self.dropped)
        return replace(self, round=place, owners=_NO_OWNERS, rolled=False) if place else None

    def outcome(self) -> Outcome:
        """Return the outcome of the match after its last round (rules, Points)."""
        playing = [seat for seat in range(self.seats) if seat not in self.dropped]
        mans = [score or 0 for score in self.man_scores]
        attack = {seat: (-self.attack_scores[seat], mans[seat]) for seat in playing}
        places = list(places_with_draw(self.seats, self.dropped))
        for seat in playing:
            places[seat] = 1 + sum(other < attack[seat] for other in attack.values())
        if self.seats == 2:
            best_man = []
        else:
            defence = {seat: (mans[seat], -self.attack_scores[seat]) for seat in playing}
            best_man = [seat for seat in playing if defence[seat] == min(defence.values())]
        details = {
            "best_attacker": [seat for seat in playing if places[seat] == 1],
            "best_man": best_man,
            "rounds": [round_.to_json() for round_ in self.rounds],
        }
        return Outcome("score", tuple(places), details)


def new_match(seats: int) -> Match:
    """Return a match before its first roll."""
    return Match(seats, (0,) * seats, (None,) * seats, rollers=tuple(range(seats)))


def _next_place(order: Sequence[int], after: int, dropped: Sequence[int]) -> int:
    """Return the place, from 1, of the next Man in the order, 0 if there is none left."""
    return next((place for place in range(after + 1, len(order) + 1) if order[place - 1] not in dropped), 0)
