"""Round robin: the Berger tables of the FIDE handbook (C.05, annex 1), and pairings by them."""

from functools import lru_cache

from bot.competitions.competition import Competition
from bot.competitions.events import COMPUTER_ENTRANT, Format, Pairing, RoundPaired, Walkover


@lru_cache(maxsize=32)
def berger_table(players: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the pairs of players (from 0) of each round; the first of a pair has the first seat.

    For an odd number there is a dummy with number `players`: its opponent has a bye.
    """
    even = players + players % 2
    circle, last = even - 1, even - 1
    rounds = []
    for number in range(circle):
        first = number * (even // 2) % circle
        pairs = [(first, last) if number % 2 == 0 else (last, first)]
        pairs += [((first + step) % circle, (first - step) % circle) for step in range(1, even // 2)]
        rounds.append(tuple(pairs))
    return tuple(rounds)


def round_count(players: int, twice: bool) -> int:
    """Return the number of rounds."""
    return len(berger_table(players)) * (2 if twice else 1)


def pair_round(stands: Competition) -> RoundPaired:
    """Return the next round: players are numbered by lot, and in the second half seats are changed.

    An entrant wins by a walkover against one who is not available; computers, if the cup has them, play against byes.
    """
    number = len(stands.rounds)
    table = berger_table(len(stands.lots))
    pairs = table[number % len(table)]
    if stands.terms.format == Format.TWICE and number >= len(table):
        pairs = tuple((second, first) for first, second in pairs)
    pairings, walkovers, byes = [], [], []
    for at in pairs:
        seats = tuple(stands.lots[each] if each < len(stands.lots) else COMPUTER_ENTRANT for each in at)
        there = [entrant for entrant in seats if entrant != COMPUTER_ENTRANT and stands.is_available(entrant)]
        if len(there) == 2 or (there and COMPUTER_ENTRANT in seats and stands.terms.computers):
            pairings.append(Pairing(seats))
        elif there and COMPUTER_ENTRANT in seats:
            byes.append(there[0])
        elif there:
            loser = next(entrant for entrant in seats if entrant != there[0])
            walkovers.append(Walkover(there[0], loser))
    return RoundPaired(number + 1, tuple(pairings), tuple(walkovers), tuple(byes))
