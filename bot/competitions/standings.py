"""Standings: places by points; ties are broken by the usual rules in the order of the format."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations
from typing import Final

from bot.competitions.competition import Competition, CupGame
from bot.competitions.events import Ending, Entrants, Format
from bot.competitions.pairing import (
    BracketMatch,
    Histories,
    annulled_entrants,
    bracket,
    bye_points,
    count_knockout_rounds,
    ended_games,
    entrant_histories,
    game_points,
)
from render.tournaments import GridCell, GridLine, Move


class TieBreak(StrEnum):
    """A tie-break rule; higher values are better.

    DIRECT: points in the games among the tied, if all of them have met; repeated among those who are still tied.
    BERGER (Sonneborn-Berger): the points of beaten opponents plus half of those of drawn ones. BUCHHOLZ: the points of
    all opponents; MEDIAN: without the best and the worst one. WINS: games won at the board. WORSE_SEAT: games in which
    another began.
    """

    DIRECT = "direct"
    BERGER = "berger"
    MEDIAN = "median"
    BUCHHOLZ = "buchholz"
    WINS = "wins"
    WORSE_SEAT = "worse-seat"


_ROUND_ROBIN_TIE_BREAKS: Final = (TieBreak.DIRECT, TieBreak.BERGER, TieBreak.WINS, TieBreak.WORSE_SEAT)
_SWISS_TIE_BREAKS: Final = (
    TieBreak.DIRECT,
    TieBreak.MEDIAN,
    TieBreak.BUCHHOLZ,
    TieBreak.BERGER,
    TieBreak.WINS,
    TieBreak.WORSE_SEAT,
)


@dataclass(frozen=True)
class StandingRow:
    """An entrant's row: place, points, games by result, and the tie-break values in the order of the rules.

    In a knock-out the points are the rounds survived. `out`: they have left or were excluded. An entrant who is not
    ranked (excluded, or games annulled) has no place.
    """

    entrant: int
    place: int | None
    points: Fraction
    wins: int
    draws: int
    losses: int
    breaks: tuple[Fraction, ...] = ()
    out: bool = False


@dataclass(frozen=True)
class Standings:
    """The rows, best first, and the tie-break rules in their order."""

    rows: tuple[StandingRow, ...]
    rules: tuple[TieBreak, ...]


def ranking(state: Competition) -> Standings:
    """Return the standings after all finished games; places are shared if no rule decides."""
    past = entrant_histories(state)
    points = {entrant: each.points for entrant, each in past.items()}
    rules: tuple[TieBreak, ...] = _ROUND_ROBIN_TIE_BREAKS if state.terms.format.is_round_robin else _SWISS_TIE_BREAKS
    if state.terms.format == Format.KNOCKOUT:
        points, rules = _survived(state), ()
    count = _Count(state, past, points)
    results = {entrant: Counter(game.result_of(entrant) for game in each.games) for entrant, each in past.items()}
    direct = count.direct() if TieBreak.DIRECT in rules else dict.fromkeys(state.lots, ())
    measures: dict[TieBreak, Callable[[int], Fraction]] = {
        TieBreak.DIRECT: lambda entrant: direct[entrant][0],
        TieBreak.BERGER: count.berger,
        TieBreak.MEDIAN: lambda entrant: count.buchholz(entrant, median=True),
        TieBreak.BUCHHOLZ: count.buchholz,
        TieBreak.WINS: lambda entrant: Fraction(results[entrant]["win"]),
        TieBreak.WORSE_SEAT: count.worse_seats,
    }
    last = count.unranked
    breaks = {entrant: tuple(measures[rule](entrant) for rule in rules) for entrant in state.lots}
    keys = {
        entrant: (
            entrant not in last,
            entrant not in state.behind,
            points[entrant],
            direct[entrant],
            breaks[entrant][1:],
        )
        for entrant in state.lots
    }
    order = sorted(state.seeded_entrants, key=keys.__getitem__, reverse=True)
    rows = []
    for entrant in order:
        place = None if entrant in last else 1 + sum(keys[other] > keys[entrant] for other in order)
        wins, draws, losses = (results[entrant][result] for result in ("win", "draw", "loss"))
        out = state.entrants[entrant].state != "in"
        rows.append(StandingRow(entrant, place, points[entrant], wins, draws, losses, breaks[entrant], out))
    return Standings(tuple(rows), rules)


def winners(state: Competition) -> Entrants:
    """Return the winners of a cup that was played to its end, several if first place is shared."""
    if state.ending != Ending.PLAYED:
        return ()
    return tuple(row.entrant for row in ranking(state).rows if row.place == 1 and row.points > 0)


def format_points(value: Fraction) -> str:
    """Return points as people write them: 3, 3½, 2.67."""
    whole, rest = divmod(value, 1)
    if rest == Fraction(1, 2):
        return f"{whole or ''}½"
    return str(whole) if rest == 0 else f"{float(value):.2f}".rstrip("0")


def _survived(state: Competition) -> dict[int, Fraction]:
    """Return the number of knock-out rounds that each entrant has survived."""
    found = Counter(tie.winner for ties in bracket(state) for tie in ties if tie.settled)
    return {entrant: Fraction(found[entrant]) for entrant in state.lots}


class _Count:
    """Counts over the finished games for the tie-break rules."""

    def __init__(self, state: Competition, past: Histories, points: Mapping[int, Fraction]) -> None:
        self.state, self.past, self.points = state, past, points
        ended = [*ended_games(state)]
        self.games = [game for game in ended if not game.is_unplayed]
        self.unplayed = [game for game in ended if game.is_unplayed]
        self.annulled = annulled_entrants(state)
        self.unranked = self.annulled | {each for each in state.lots if state.entrants[each].state == "excluded"}

    def worse_seats(self, entrant: int) -> Fraction:
        """Return the number of games in which another began."""
        later = [game for game in self.past[entrant].games if game.seats[0] != entrant and not game.absent]
        return Fraction(len(later))

    def direct(self) -> dict[int, tuple[Fraction, ...]]:
        """Return the points of all in games among those with equal points, 0 if not all of these have met.

        They are followed by the points among those who are still tied, until no more ties are broken.
        """
        found: dict[int, tuple[Fraction, ...]] = dict.fromkeys(self.points, ())
        tied = {entrant: self._level(entrant) for entrant in self.points}
        while True:
            direct = {entrant: self._points_among(entrant, same) for entrant, same in tied.items()}
            found = {entrant: (*points, direct[entrant]) for entrant, points in found.items()}
            still = {
                entrant: {other for other in same if direct[other] == direct[entrant]} for entrant, same in tied.items()
            }
            if still == tied:
                return found
            tied = still

    def _level(self, entrant: int) -> set[int]:
        level = {other for other, points in self.points.items() if points == self.points[entrant]}
        return level - self.unranked

    def _points_among(self, entrant: int, same: set[int]) -> Fraction:
        games = [game for game in self.games if len(same.intersection(game.seats)) > 1]
        if not all(any({*pair} <= {*game.seats} for game in games) for pair in combinations(same, 2)):
            return Fraction(0)
        total = Fraction(0)
        for game in games:
            if entrant in game.seats and self.state.terms.seats == 2:
                total += game_points(self.state, game)[game.seats.index(entrant)]
            elif entrant in game.seats:
                total += sum(self._score_ahead(game, entrant, other) for other in same & {*game.seats} - {entrant})
        return total

    def berger(self, entrant: int) -> Fraction:
        """Return the points of all opponents behind the entrant, plus half the points of those they tied with."""
        total = Fraction(0)
        for game in self.past[entrant].games:
            for other in game.others(entrant):
                total += self._score_ahead(game, entrant, other) * self.points[other]
        for walkover in (each for rounds in self.state.rounds for each in rounds.walkovers):
            if walkover.winner == entrant and walkover.loser not in self.annulled:
                total += self.points[walkover.loser]
        for game in self.unplayed:
            if entrant in game.here:
                total += sum((self.points[each] for each in game.seats if each not in game.here), Fraction(0))
        # A bye counts as a game against an opponent with equal points.
        byes = sum(entrant in each.byes for each in self.state.rounds)
        return total + byes * bye_points(self.state) * self.points[entrant]

    def buchholz(self, entrant: int, median: bool = False) -> Fraction:
        """Return the points of all opponents; for a larger table, the average of the others' points.

        A round without a human opponent counts as one against an opponent with equal points.
        """
        met = []
        for game in self.past[entrant].games:
            if others := game.others(entrant):
                met.append(sum((self.points[other] for other in others), Fraction(0)) / len(others))
        done = len(self.state.rounds) - (0 if self.state.is_round_done else 1)
        met += [self.points[entrant]] * max(0, done - len(met))
        met.sort()
        return sum(met[1:-1] if median and len(met) > 2 else met, Fraction(0))

    def _score_ahead(self, game: CupGame, entrant: int, other: int) -> Fraction:
        """Return 1 if one was ahead of another in a game, ½ for a tie, else 0."""
        places = game.places or ()
        own, theirs = places[game.seats.index(entrant)], places[game.seats.index(other)]
        return Fraction(1) if own < theirs else Fraction(1, 2) if own == theirs else Fraction(0)


ROWS_PER_PAGE: Final = 16
"""Rows of a table, or slots of a bracket's first round, on a page."""
_BRACKET_ROUNDS_PER_PAGE: Final = 4
_MAX_ROUNDS_PER_PAGE: Final = 12
"""Maximum number of rounds on a page, the newest ones."""
WALKOVER: Final = "+"
LOST_WALKOVER: Final = "–"
NO_MOVES: Final[Mapping[int, Move]] = {}


def page_count(state: Competition) -> int:
    """Return the number of pages; a large bracket has one for each part, and one for the last rounds."""
    if state.terms.format == Format.KNOCKOUT:
        rounds = count_knockout_rounds(len(state.lots))
        return 1 if rounds <= _BRACKET_ROUNDS_PER_PAGE else (1 << (rounds - _BRACKET_ROUNDS_PER_PAGE)) + 1
    return max(1, -(-len(state.lots) // ROWS_PER_PAGE))


def current_page(state: Competition) -> int:
    """Return the page to show first: the top of a table; for a large bracket the last rounds once they are played."""
    last = page_count(state) - 1
    return last if state.terms.format == Format.KNOCKOUT and len(state.rounds) > _BRACKET_ROUNDS_PER_PAGE else 0


def results_sheet(
    state: Competition, page: int, name: Callable[[int], str], moves: Mapping[int, Move] = NO_MOVES
) -> tuple[list[str], list[GridLine]]:
    """Return a page of the table, its labels and lines: results crosswise, or by rounds with the opponents' numbers.

    `name` returns the name of an entrant; `moves` marks who goes up and down.
    """
    table = ranking(state)
    is_distinct = len({row.place for row in table.rows if row.place is not None}) == len(table.rows)
    numbers = {row.entrant: str(at) for at, row in enumerate(table.rows, start=1)}
    rounds = range(max(0, len(state.rounds) - _MAX_ROUNDS_PER_PAGE), len(state.rounds))
    is_crossed = state.terms.format.is_round_robin
    lines = [
        GridLine(
            "" if row.place is None else str(row.place),
            name(row.entrant),
            tuple(_crossing(state, row.entrant, other.entrant) for other in table.rows)
            if is_crossed
            else tuple(_round_cells(state, row.entrant, number, numbers) for number in rounds),
            format_points(row.points),
            row.out,
            "" if is_distinct else numbers[row.entrant],
            moves.get(row.entrant, ""),
        )
        for row in rows_of_page(table, page)
    ]
    return list(numbers.values()) if is_crossed else [str(number + 1) for number in rounds], lines


def rows_of_page(table: Standings, page: int) -> tuple[StandingRow, ...]:
    """Return the rows on a page of the standings."""
    return table.rows[page * ROWS_PER_PAGE : (page + 1) * ROWS_PER_PAGE]


def bracket_sheet(state: Competition, page: int = 0) -> list[list[BracketMatch]]:
    """Return the columns of a page of the bracket."""
    rounds = bracket(state)
    parts = page_count(state) - 1
    if not parts:
        return rounds
    if page == parts:
        return rounds[_BRACKET_ROUNDS_PER_PAGE:]
    return [
        column[page * len(column) // parts : (page + 1) * len(column) // parts]
        for column in rounds[:_BRACKET_ROUNDS_PER_PAGE]
    ]


def _crossing(state: Competition, entrant: int, other: int) -> tuple[GridCell, ...]:
    """Return the results of one entrant against another; two if they meet twice."""
    if entrant == other:
        return (GridCell("", "self"),)
    found = []
    for each in state.rounds:
        for board in each.boards:
            for game in board.games if {entrant, other} <= set(board.entrants) else ():
                if game.places is not None:
                    points = game_points(state, game)[game.seats.index(entrant)]
                    found.append(_game_cell(game, entrant, format_points(points)))
        for walkover in each.walkovers:
            if {entrant, other} == {walkover.winner, walkover.loser}:
                found.append(GridCell(WALKOVER if walkover.winner == entrant else LOST_WALKOVER, "none"))
    return tuple(found)


def _game_cell(game: CupGame, entrant: int, text: str) -> GridCell:
    """Return the cell with a text for an entrant's game, coloured by its result, if it has one."""
    if game.is_unplayed:
        return GridCell(WALKOVER if entrant in game.here else LOST_WALKOVER, "none")
    return GridCell(text, "none" if game.places is None else game.result_of(entrant))


def _round_cells(state: Competition, entrant: int, number: int, numbers: Mapping[int, str]) -> tuple[GridCell, ...]:
    """Return an entrant's results in a round: the opponent, or the place at a larger table."""
    each = state.rounds[number]
    for board in each.boards:
        if entrant in board.entrants:
            game, others = board.last, board.games[0].others(entrant)
            text = numbers[others[0]] if others else ""
            if state.terms.seats > 2 and not game.is_unplayed:
                if game.places is None:
                    return ()
                text = str(game.places[game.seats.index(entrant)])
            return (_game_cell(game, entrant, text),)
    if entrant in each.byes or any(walkover.winner == entrant for walkover in each.walkovers):
        return (GridCell(WALKOVER, "none"),)
    return ()
