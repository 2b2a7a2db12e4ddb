"""The fixtures of a season: a round robin in each division, or tables at which everybody meets everybody."""

from collections.abc import Sequence
from dataclasses import replace

from bot.competitions import tables
from bot.competitions.boards import CupBoard, CupGame, CupRound
from bot.competitions.competition import Competition
from bot.competitions.events import COMPUTER_ENTRANT
from bot.competitions.history import NO_BLOCKS, Blocked
from bot.competitions.league.events import Fixture, LeagueDivision, LeagueTerms
from bot.competitions.league.tables import MAX_TWICE, division_terms
from bot.competitions.roundrobin import berger_table
from bot.competitions.state import Entrant


def plan_fixtures(
    terms: LeagueTerms,
    divisions: Sequence[LeagueDivision],
    season: int,
    blocked: Blocked = NO_BLOCKS,
    rules_version: int = 1,
) -> tuple[Fixture, ...]:
    """Return all games of a season, round by round, division by division.

    Games of two follow the Berger tables, with seats changed from one season to the next. Blocks matter only for larger
    tables, where other pairings may be possible.
    """
    found: list[Fixture] = []
    for number, division in enumerate(divisions, start=1):
        if terms.seats == 2:
            found += _all_play_all(division, number, season)
        else:
            found += _fixtures_at_tables(terms, division, number, blocked, rules_version)
    return tuple(sorted(found, key=lambda each: each.round))


def _all_play_all(division: LeagueDivision, number: int, season: int) -> list[Fixture]:
    size = len(division.members) + division.computers
    rounds = berger_table(size)
    found = []
    for at in range(len(rounds) * (2 if size <= MAX_TWICE else 1)):
        turned = (at >= len(rounds)) != (season % 2 == 0)
        for pair in rounds[at % len(rounds)]:
            seats = tuple(division.members[each] if each < len(division.members) else COMPUTER_ENTRANT for each in pair)
            if max(pair) < size and {*seats} != {COMPUTER_ENTRANT}:
                found.append(Fixture(number, at + 1, seats[::-1] if turned else seats))
    return found


def _fixtures_at_tables(
    terms: LeagueTerms, division: LeagueDivision, number: int, blocked: Blocked, rules_version: int
) -> list[Fixture]:
    rounds = tables.default_rounds(len(division.members), terms.seats)
    stands = Competition(
        division_terms(terms, len(division.members)),
        code=str(number),
        seed_hash="0" * 64,
        stage="running",
        entrants={each: Entrant(each, "") for each in division.members},
        lots=division.members,
        planned=rounds,
        rules_version=rules_version,
    )
    found = []
    for at in range(1, rounds + 1):
        paired = tables.pair_round(stands, blocked)
        found += [Fixture(number, at, each.seats) for each in paired.pairings]
        boards = tuple(CupBoard((CupGame(each.seats),)) for each in paired.pairings)
        stands = replace(stands, rounds=(*stands.rounds, CupRound(at, boards, (), paired.byes)))
    return found
