"""The entrants' history: points, opponents, seats, byes."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

from bot.competitions.boards import CupGame
from bot.competitions.competition import Competition
from bot.competitions.events import COMPUTER_ENTRANT, Format
from bot.competitions.state import Entrant
from engine import Outcome
from engine.core import values_of

Pair = frozenset[int]
Blocked = frozenset[Pair]
"""Pairs of entrants of whom one has blocked the other."""

NO_BLOCKS: Blocked = frozenset()


@dataclass
class EntrantHistory:
    """The history of one entrant.

    `seats` counts the games in each seat, `byes` the rounds without a human opponent.
    """

    points: Fraction = Fraction(0)
    seats: Counter[int] = field(default_factory=Counter)
    byes: int = 0
    last_seat: int | None = None

    @property
    def balance(self) -> int:
        """Games in the first seat minus games in the second, for games of two."""
        return self.seats[0] - self.seats[1]


def game_points(stands: Competition, game: CupGame) -> tuple[Fraction, ...]:
    """Return the points of each seat of a game that has ended.

    Two players get 1, ½ and 0. At a larger table a seat gets a point for each seat that it is ahead of and half a point
    for each tie; first place at a table that is not full gets as much as at a full one. The winner's points count twice
    if the terms double the reason.
    """
    places = game.places or ()
    full = stands.terms.seats - 1
    values = [Fraction(value).limit_denominator(8) * full for value in values_of(Outcome(game.reason, places))]
    if game.reason in stands.terms.double and not game.is_draw:
        values[places.index(1)] *= 2
    return tuple(values)


def bye_points(stands: Competition) -> Fraction:
    """Return the points of a bye: a win for two, half of one at larger tables, none where everybody has one."""
    if stands.terms.format.is_round_robin:
        return Fraction(0)
    return Fraction(1) if stands.terms.seats == 2 else Fraction(stands.terms.seats - 1, 2)


def is_annulled(stands: Competition, entrant: Entrant) -> bool:
    """Return whether an entrant's games do not count: it is a round robin, and they left before half of their games."""
    if entrant.state == "in" or not stands.terms.format.is_round_robin:
        return False
    games = (len(stands.lots) - 1) * (2 if stands.terms.format == Format.TWICE else 1)
    played = sum(
        game.places is not None and entrant.number in game.seats and COMPUTER_ENTRANT not in game.seats
        for _, _, _, game in stands.games()
    )
    return 2 * played < games


def ended_games(stands: Competition) -> Iterator[tuple[int, CupGame]]:
    """Yield the finished games that count, with the numbers of their rounds."""
    out = {number for number, entrant in stands.entrants.items() if is_annulled(stands, entrant)}
    for number, _, _, game in stands.games():
        if game.places is not None and out.isdisjoint(game.seats):
            yield number, game


def entrant_histories(stands: Competition) -> dict[int, EntrantHistory]:
    """Return the history of every entrant at the start."""
    found = {entrant: EntrantHistory() for entrant in stands.lots}
    out = {number for number, entrant in stands.entrants.items() if is_annulled(stands, entrant)}
    for each in stands.rounds:
        for board in each.boards:
            people = [entrant for entrant in board.entrants if entrant != COMPUTER_ENTRANT]
            for game in board.games:
                for seat, entrant in enumerate(game.seats):
                    if entrant != COMPUTER_ENTRANT:
                        found[entrant].seats[seat] += 1
                        found[entrant].last_seat = seat
            if len(people) == 1:
                found[people[0]].byes += 1
        for entrant in each.byes:
            found[entrant].byes += 1
            found[entrant].points += bye_points(stands)
        for walkover in each.walkovers:
            if walkover.loser not in out:
                found[walkover.winner].points += stands.terms.seats - 1
    for _, game in ended_games(stands):
        for entrant, points in zip(game.seats, game_points(stands, game), strict=True):
            if entrant != COMPUTER_ENTRANT:
                found[entrant].points += points
    return found


def count_meetings(stands: Competition) -> Counter[Pair]:
    """Return how often each two entrants were at the same board, whether they played or not."""
    return Counter(pair for each in stands.rounds for board in each.boards for pair in pairs_at_table(board.entrants))


def pairs_at_table(seats: Iterable[int]) -> Iterator[Pair]:
    """Yield all pairs of people at a table."""
    people = [entrant for entrant in seats if entrant != COMPUTER_ENTRANT]
    return (frozenset(two) for two in combinations(people, 2))


def rank_for_pairing(stands: Competition, past: dict[int, EntrantHistory]) -> list[int]:
    """Return the entrants who can be paired by points, highest first; equals in the order of their seeds."""
    there = [entrant for entrant in stands.seeded_entrants if stands.is_available(entrant)]
    return sorted(there, key=lambda entrant: -past[entrant].points)
