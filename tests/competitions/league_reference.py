"""Leagues once more, simply, from docs/leagues.md alone: what a season's games are worth, and who plays where next."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bot.competitions.events import COMPUTER_ENTRANT
from bot.competitions.league import LeagueGame, Season

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class SimpleGame:
    """A game of two of a division: what each got, None where nothing counts; whether it was decided without a move."""

    seats: tuple[int, ...]
    worth: tuple[Fraction, Fraction] | None
    walkover: bool = False


class SimpleTable:
    """A division of games of two at the end of a season."""

    def __init__(self, season: Season, number: int) -> None:
        self.people = season.divisions[number - 1].members
        ends = season.members_at_end
        self.left = {each for each in self.people if each in season.gone or ends[each].state != "in"}
        self.absent = self.left | {each for each in self.people if ends[each].asked}
        self.put_out = {each for each in self.people if ends[each].state == "excluded"}
        self.games = [self._judge(each) for each in season.games if each.fixture.division == number]

    def _judge(self, each: LeagueGame) -> SimpleGame:
        seats, game = each.fixture.seats, each.game
        if game is not None and game.places is not None:
            one, other = game.places
            first = HALF if one == other else Fraction(one < other)
            return SimpleGame(game.seats, (first, 1 - first))
        if all(seat in self.left for seat in seats):
            return SimpleGame(seats, None)
        here = [seat for seat in seats if seat not in self.absent]
        if game is not None or each.voided or len(here) == 2:
            return SimpleGame(seats, (HALF, HALF))
        if len(here) == 1 and COMPUTER_ENTRANT not in seats:
            return SimpleGame(seats, (Fraction(seats[0] in here), Fraction(seats[1] in here)), walkover=True)
        return SimpleGame(seats, None)

    def _mine(self, entrant: int) -> list[SimpleGame]:
        return [each for each in self.games if entrant in each.seats]

    def is_annulled(self, entrant: int) -> bool:
        """Return whether somebody has left before half of their games with other people."""
        mine = [each for each in self._mine(entrant) if COMPUTER_ENTRANT not in each.seats]
        played = [each for each in mine if each.worth is not None and not each.walkover]
        return entrant in self.left and 2 * len(played) < len(mine)

    def points(self, entrant: int) -> Fraction:
        """Return the points of somebody, without games of those whose games are annulled."""
        annulled = {each for each in self.people if self.is_annulled(each)}
        counting = [each for each in self._mine(entrant) if each.worth is not None and not annulled & {*each.seats}]
        return sum((each.worth[each.seats.index(entrant)] for each in counting if each.worth), Fraction(0))

    def is_idle(self, season: Season, entrant: int) -> bool:
        """Return whether fewer than half of somebody's games came to a result."""
        mine = [each for each in season.games if entrant in each.fixture.seats]
        results = 0
        for each in mine:
            opened = each.game is not None
            finished = each.game is not None and each.game.places is not None
            not_there = [seat for seat in each.fixture.seats if seat in self.absent]
            won = not opened and not each.voided and len(not_there) == 1 and entrant not in not_there
            results += finished or each.voided or won
        return 2 * results < len(mine)

    def groups(self, season: Season) -> list[set[int]]:
        """Return the people from the first to the last; those whom only ties tell apart are together."""
        keys = {
            each: (
                each in self.absent,
                self.is_idle(season, each),
                each in self.put_out or self.is_annulled(each),
                each in self.left,
                -self.points(each),
            )
            for each in self.people
        }
        return [{each for each in keys if keys[each] == key} for key in sorted(set(keys.values()))]


def seat_next_season(
    orders: Sequence[Sequence[int]], staying: Collection[int], queue: Sequence[int], sizes: Sequence[int]
) -> list[set[int]]:
    """Return who plays in which division of the next season, by moving one person after the other."""
    where = {who: at for at, order in enumerate(orders) for who in order if who in staying}
    came = dict.fromkeys(where, "stay")
    for at in range(len(orders) - 1):
        upper, lower = orders[at], orders[at + 1]
        count = 2 if min(len(upper), len(lower)) >= 6 else 1
        for who in upper[len(upper) - count :]:
            if who in where:
                where[who], came[who] = at + 1, "down"
        for who in lower[:count]:
            if who in where:
                where[who], came[who] = at, "up"
    for who in queue:
        where[who], came[who] = max(len(orders), len(sizes)), "new"
    rank = {who: number for number, who in enumerate([*(who for order in orders for who in order), *queue])}
    home = {who: at for at, order in enumerate(orders) for who in order} | dict.fromkeys(queue, len(orders))
    for at, size in enumerate(sizes):
        while len(here := sorted((who for who in where if where[who] == at), key=rank.__getitem__)) > size:
            kinds = [[who for who in here if came[who] == kind] for kind in ("stay", "new", "up", "down")]
            last = next(kind[-1] for kind in kinds if kind)
            where[last], came[last] = at + 1, "stay" if came[last] == "up" else "down"
        while sum(each == at for each in where.values()) < size:
            below = [who for who in where if where[who] > at]
            # First who would have gone down, then the division directly below, then the next one.
            next_one = min(below, key=lambda who: (max(home[who], at), rank[who]))
            where[next_one] = at
    return [{who for who in where if where[who] == at} for at in range(len(sizes))]
