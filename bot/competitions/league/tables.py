"""Tables of divisions: a division's season is viewed as a cup, so that the same rules give points and ties."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal

from bot.competitions.boards import CupBoard, CupGame, CupRound
from bot.competitions.competition import Competition
from bot.competitions.events import COMPUTER_ENTRANT, MAX_ROUND_ROBIN_ENTRANTS, CupTerms, Format, Walkover
from bot.competitions.league.divisions import movers
from bot.competitions.league.events import LeagueTerms
from bot.competitions.league.league import League, LeagueGame, Member, Season
from bot.competitions.standings import ranking
from bot.competitions.state import Entrant

MAX_TWICE: Final = 4
"""In divisions up to this size, computers included, everybody meets twice."""
BLOCKED_REASON: Final = "blocked"
UNFINISHED_REASON: Final = "unfinished"


def division_terms(terms: LeagueTerms, size: int) -> CupTerms:
    """Return the terms of a division of this size, computers included, as terms of a cup."""
    two = terms.seats == 2
    form = Format.TABLES if not two else Format.TWICE if size <= MAX_TWICE else Format.ALL
    return CupTerms(
        game=terms.game,
        format=form,
        clock=terms.clock,
        options=dict(terms.options),
        seats=terms.seats,
        fewest=terms.fewest,
        most=MAX_ROUND_ROBIN_ENTRANTS,
        computers=terms.computers,
        double=terms.double,
        rated=terms.rated,
    )


def division_competition(stands: League, season: Season, number: int) -> Competition:
    """Return a division (from 1) of a season as a running cup."""
    division = season.divisions[number - 1]
    members = stands.members_of(season)
    games = [each for each in season.games if each.fixture.division == number]
    last = max((each.fixture.round for each in games), default=0)
    rounds = tuple(
        _round(stands, season, at, [each for each in games if each.fixture.round == at]) for at in range(1, last + 1)
    )
    entrants = {
        each: Entrant(each, members[each].cause, members[each].state, asked=members[each].asked)
        for each in division.members
    }
    size = len(division.members) + division.computers
    return Competition(
        terms=division_terms(stands.terms, size),
        code=stands.code,
        seed_hash=stands.seed_hash,
        stage="running",
        entrants=entrants,
        lots=division.members,
        ratings={},
        planned=last,
        rounds=rounds,
        rules_version=season.rules_version,
        behind=frozenset(each for each in season.gone if each in entrants),
    )


def final_order(stands: League, season: Season, number: int) -> tuple[int, ...]:
    """Return a division's members from the first to the last place at the end of a season.

    Behind all others are members of whose games fewer than half came to a result, and behind them those who have left.
    """
    rows = ranking(division_competition(stands, season, number)).rows
    return tuple(
        sorted(
            (row.entrant for row in rows),
            key=lambda entrant: (_is_gone(season.members_at_end[entrant]), _is_idle(season, number, entrant)),
        )
    )


def end_season(stands: League, season: Season) -> Season:
    """Return a season as it would be if it ended now; one that is over as it is."""
    return season if season.is_over else replace(season, is_over=True, members_at_end=stands.members_of(season))


def expected_moves(stands: League, season: Season, number: int) -> dict[int, Literal["up", "down"]]:
    """Return who goes up and down from a division (from 1); during a season, who would if it ended now."""
    sizes = [len(division.members) for division in season.divisions]
    order = final_order(stands, end_season(stands, season), number)
    rising = movers(sizes[number - 2], sizes[number - 1]) if number > 1 else 0
    falling = movers(sizes[number - 1], sizes[number]) if number < len(sizes) else 0
    found: dict[int, Literal["up", "down"]] = dict.fromkeys(order[:rising], "up")
    return found | dict.fromkeys(order[len(order) - falling :], "down")


def champions(stands: League, season: Season) -> tuple[int, ...]:
    """Return the winners of a finished season: first place of the first division; several if they are equal."""
    rows = {row.entrant: row for row in ranking(division_competition(stands, season, 1)).rows}
    order = final_order(stands, season, 1)
    best = rows[order[0]]
    fit = [
        entrant
        for entrant in order
        if not _is_gone(season.members_at_end[entrant]) and not _is_idle(season, 1, entrant)
    ]
    return tuple(entrant for entrant in fit if rows[entrant].place == best.place and best.points > 0)


def _is_gone(member: Member) -> bool:
    return member.state != "in" or member.asked


def _is_idle(season: Season, number: int, entrant: int) -> bool:
    """Return whether fewer than half of a member's games came to a result, played or not."""
    mine = [each for each in season.games if each.fixture.division == number and entrant in each.fixture.seats]
    counted = 0
    for each in mine:
        if each.game is not None:
            counted += each.game.places is not None
        elif each.voided:
            counted += season.rules_version > 1  # drawn, as nobody is to lose by a block
        else:
            there = _remaining_players(season.members_at_end, each)
            counted += entrant in there and len(there) < len(each.fixture.seats)
    return 2 * counted < len(mine)


def _remaining_players(members: Mapping[int, Member], game: LeagueGame, *, silent: bool = False) -> list[int]:
    """Return the seats of an unopened game whose members have not left; with `silent` also silent members."""
    return [
        each
        for each in game.fixture.seats
        if each == COMPUTER_ENTRANT or (members[each].state == "in" and (silent or not members[each].asked))
    ]


def _round(stands: League, season: Season, number: int, games: list[LeagueGame]) -> CupRound:
    boards: list[CupBoard] = []
    walkovers: list[Walkover] = []
    byes: list[int] = []
    members = stands.members_of(season)
    for each in games:
        seats = each.fixture.seats
        nobody = season.rules_version > 1 and not any(
            entrant == COMPUTER_ENTRANT or members[entrant].state == "in" for entrant in seats
        )
        if nobody and (each.game is None or (season.is_over and each.game.places is None)):
            continue  # nothing counts between two who have left
        there = _remaining_players(members, each, silent=not season.is_over)
        if each.game is not None:
            unfinished = season.is_over and each.game.places is None
            game = CupGame(each.game.seats, each.game.id, _drawn(each.game.seats), UNFINISHED_REASON)
            boards.append(CupBoard((game if unfinished else each.game,)))
        elif each.voided:
            boards.append(CupBoard((CupGame(seats, None, _drawn(seats), BLOCKED_REASON),)))
        elif len(seats) == 2 and len(there) == 1:
            winner = there[0]
            loser = next(other for other in seats if other != winner)
            if COMPUTER_ENTRANT not in seats:
                walkovers.append(Walkover(winner, loser))
        elif len(there) >= max(2, stands.terms.fewest):
            left = tuple(there)
            boards.append(
                CupBoard((CupGame(left, None, _drawn(left), UNFINISHED_REASON) if season.is_over else CupGame(left),))
            )
        else:
            byes += [entrant for entrant in there if entrant != COMPUTER_ENTRANT]
    return CupRound(number, tuple(boards), tuple(walkovers), tuple(byes))


def _drawn(seats: tuple[int, ...]) -> tuple[int, ...]:
    return (1,) * len(seats)
