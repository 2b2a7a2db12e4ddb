"""Knock-out: the seeded bracket, and who advances."""

from dataclasses import dataclass

from bot.competitions.competition import Competition
from bot.competitions.events import Pairing, RoundPaired, Walkover
from bot.competitions.history import EntrantHistory, entrant_histories


@dataclass(frozen=True)
class BracketMatch:
    """Two slots of the bracket with their entrants (None for nobody), and who advances.

    `settled`: it is known who advances, or that nobody does. `awaited`: a slot is not known yet.
    """

    one: int | None = None
    two: int | None = None
    winner: int | None = None
    settled: bool = False
    awaited: bool = False
    board: int | None = None


def round_count(entrants: int) -> int:
    """Return the number of rounds."""
    return (entrants - 1).bit_length()


def seed_order(rounds: int) -> list[int]:
    """Return the seeds from 0 in the order of the bracket: the best two meet last, the best four just before."""
    order = [0]
    for _ in range(rounds):
        order = [seed for each in order for seed in (each, 2 * len(order) - 1 - each)]
    return order


def bracket(stands: Competition) -> list[list[BracketMatch]]:
    """Return the ties of every round, future ones as far as they are known."""
    seeds = stands.seeded_entrants
    line: list[int | None] = [seeds[at] if at < len(seeds) else None for at in seed_order(round_count(len(seeds)))]
    known = [True] * len(line)
    rounds: list[list[BracketMatch]] = []
    for number in range(round_count(len(seeds))):
        ties = []
        for at in range(0, len(line), 2):
            if known[at] and known[at + 1]:
                ties.append(_tie(stands, number, line[at], line[at + 1]))
            else:
                ties.append(BracketMatch(line[at], line[at + 1], awaited=True))
        rounds.append(ties)
        line, known = [tie.winner for tie in ties], [tie.settled for tie in ties]
    return rounds


def _tie(stands: Competition, number: int, one: int | None, two: int | None) -> BracketMatch:
    """Return a tie with known slots, with the result of its round."""
    if one is None and two is None:
        return BracketMatch(settled=True)
    if number >= len(stands.rounds):
        return BracketMatch(one, two)
    each = stands.rounds[number]
    here = {entrant for entrant in (one, two) if entrant is not None}
    for at, board in enumerate(each.boards):
        if set(board.entrants) == here:
            return BracketMatch(one, two, board.winner, stands.is_done(board), board=at)
    through = {walkover.winner for walkover in each.walkovers} | set(each.byes)
    return BracketMatch(one, two, next(iter(here & through), None), settled=True)


def pair_round(stands: Competition) -> RoundPaired:
    """Return the next round: an entrant without an opponent advances by a walkover."""
    past = entrant_histories(stands)
    pairings, walkovers, byes = [], [], []
    for tie in bracket(stands)[len(stands.rounds)]:
        here = [entrant for entrant in (tie.one, tie.two) if entrant is not None]
        there = [entrant for entrant in here if stands.is_available(entrant)]
        if len(there) == 2:
            pairings.append(Pairing(_seated(stands, there[0], there[1], past)))
        elif there and len(here) == 2:
            walkovers.append(Walkover(there[0], next(entrant for entrant in here if entrant != there[0])))
        elif there:
            byes.append(there[0])
    return RoundPaired(len(stands.rounds) + 1, tuple(pairings), tuple(walkovers), tuple(byes))


def _seated(stands: Competition, one: int, two: int, past: dict[int, EntrantHistory]) -> tuple[int, int]:
    """Return two entrants in the order of their seats: who had the first seat less often, else by lot."""
    first, second = sorted((one, two), key=lambda entrant: (past[entrant].balance, stands.lots.index(entrant)))
    return first, second
