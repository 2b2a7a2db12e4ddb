"""The automatic steps of a league: seasons, their games, and departures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, Literal

from bot.competitions import pairing, rules_1
from bot.competitions.competition import Competition, CupBoard, CupGame, CupRound, Entrant
from bot.competitions.events import (
    COMPUTER_ENTRANT,
    RULES_VERSION,
    CupTerms,
    Entrants,
    Events,
    Format,
    Leaving,
    Left,
    Seats,
    Walkover,
    people_of,
)
from bot.competitions.league import (
    MIN_MEMBERS,
    Fixture,
    FixtureVoided,
    League,
    LeagueDivision,
    LeagueGame,
    LeagueTerms,
    Member,
    Season,
    SeasonEnded,
    SeasonStarted,
    cut_into_divisions,
    movers,
    next_divisions,
)
from bot.competitions.pairing import NO_BLOCKS, Blocked, berger_table, count_blocked
from bot.competitions.standings import StandingRow, ranking

MAX_TWICE: Final = 4
"""In divisions up to this size, computers included, everybody meets twice."""
OPENING_PAUSE: Final = timedelta(hours=1)
"""Time after which members who are playing get another game, and interval of the job's looks at a league."""
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
        options=terms.options,
        seats=terms.seats,
        fewest=terms.fewest,
        computers=terms.computers,
        double=terms.double,
        rated=terms.rated,
    )


def division_competition(state: League, season: Season, number: int) -> Competition:
    """Return a division (from 1) of a season as a running cup."""
    division = season.divisions[number - 1]
    members = state.members_of(season)
    games = season.games_of(number)
    last = max((each.fixture.round for each in games), default=0)
    rounds = tuple(
        _round(state, season, at, [each for each in games if each.fixture.round == at]) for at in range(1, last + 1)
    )
    entrants = {each: members[each] for each in division.members}
    size = len(division.members) + division.computers
    return Competition(
        terms=division_terms(state.terms, size),
        code=state.code,
        seed_hash=state.seed_hash,
        stage="running",
        entrants=entrants,
        lots=division.members,
        planned=last,
        rounds=rounds,
        rules_version=season.rules_version,
        behind=frozenset(each for each in season.gone if each in entrants),
    )


def division_rows(state: League, season: Season, number: int) -> tuple[StandingRow, ...]:
    """Return the standings of a division (from 1) of a season, best first."""
    return ranking(division_competition(state, season, number)).rows


def final_order(state: League, season: Season, number: int) -> Entrants:
    """Return a division's members from the first to the last place at the end of a season.

    Members with results in fewer than half of their games come last, followed only by those who have left.
    """
    return tuple(
        sorted(
            (row.entrant for row in division_rows(state, season, number)),
            key=lambda entrant: (_is_gone(season.members_at_end[entrant]), _is_idle(season, number, entrant)),
        )
    )


def end_season(state: League, season: Season) -> Season:
    """Return a season as it would be if it ended now; a season that is over is unchanged."""
    return season if season.is_over else replace(season, is_over=True, members_at_end=state.members_of(season))


def expected_moves(state: League, season: Season, number: int) -> dict[int, Literal["up", "down"]]:
    """Return who goes up and down from a division (from 1); for a running season, as if it ended now."""
    sizes = [len(division.members) for division in season.divisions]
    order = final_order(state, end_season(state, season), number)
    rising, falling = movers(sizes)[number - 1 : number + 1]
    found: dict[int, Literal["up", "down"]] = dict.fromkeys(order[:rising], "up")
    return found | dict.fromkeys(order[len(order) - falling :], "down")


def champions(state: League, season: Season) -> Entrants:
    """Return the winners of a finished season: first place of the first division, several if it is shared."""
    rows = {row.entrant: row for row in division_rows(state, season, 1)}
    order = final_order(state, season, 1)
    best = rows[order[0]]
    first = [entrant for entrant in order if rows[entrant].place == best.place and best.points > 0]
    return tuple(
        entrant
        for entrant in first
        if not _is_gone(season.members_at_end[entrant]) and not _is_idle(season, 1, entrant)
    )


def _is_gone(member: Member) -> bool:
    return member.state != "in" or member.asked


def _is_idle(season: Season, number: int, entrant: int) -> bool:
    """Return whether fewer than half of a member's games have a result, played or not."""
    own = [each for each in season.games_of(number) if entrant in each.fixture.seats]
    counted = 0
    for each in own:
        if each.game is not None:
            counted += each.game.places is not None
        elif each.voided:
            counted += season.rules_version > 1  # a draw, because a block must not cost anyone a game
        else:
            there = _remaining_players(season.members_at_end, each)
            counted += entrant in there and len(there) < len(each.fixture.seats)
    return 2 * counted < len(own)


def _remaining_players(members: Mapping[int, Member], game: LeagueGame, *, silent: bool = False) -> list[int]:
    """Return the seats of an unopened game whose members have not left; with `silent` also silent members."""
    return [
        each
        for each in game.fixture.seats
        if each == COMPUTER_ENTRANT or (members[each].state == "in" and (silent or not members[each].asked))
    ]


def _round(state: League, season: Season, number: int, games: list[LeagueGame]) -> CupRound:
    boards: list[CupBoard] = []
    walkovers: list[Walkover] = []
    byes: list[int] = []
    members = state.members_of(season)
    for each in games:
        seats = each.fixture.seats
        is_deserted = season.rules_version > 1 and not _remaining_players(members, each, silent=True)
        if is_deserted and (each.game is None or (season.is_over and each.game.places is None)):
            continue  # games between members who have left do not count
        there = _remaining_players(members, each, silent=not season.is_over)
        if each.is_planned and len(seats) == 2 and len(there) == 1:
            if COMPUTER_ENTRANT not in seats:
                walkovers.append(Walkover(there[0], next(other for other in seats if other != there[0])))
        elif each.is_planned and len(there) < state.terms.fewest:
            byes += people_of(there)
        else:
            game = each.game or CupGame(seats if each.voided else tuple(there))
            if game.places is None and (each.voided or season.is_over):
                reason = BLOCKED_REASON if each.voided else UNFINISHED_REASON
                game = replace(game, places=(1,) * len(game.seats), reason=reason)
            boards.append(CupBoard((game,)))
    return CupRound(number, tuple(boards), tuple(walkovers), tuple(byes))


def plan_fixtures(
    terms: LeagueTerms,
    divisions: Sequence[LeagueDivision],
    season: int,
    blocked: Blocked = NO_BLOCKS,
    rules_version: int = 1,
) -> tuple[Fixture, ...]:
    """Return all games of a season, round by round, division by division.

    Games of two follow the Berger tables, with seats changed from one season to the next. Blocks only affect larger
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
    line = [*division.members, *[COMPUTER_ENTRANT] * division.computers]
    rounds = berger_table(len(line))
    found = []
    for at in range(len(rounds) * (2 if len(line) <= MAX_TWICE else 1)):
        turned = (at >= len(rounds)) != (season % 2 == 0)
        for pair in rounds[at % len(rounds)]:
            seats = tuple(line[each] for each in pair if each < len(line))
            if len(seats) == 2 and people_of(seats):
                found.append(Fixture(number, at + 1, seats[::-1] if turned else seats))
    return found


def _fixtures_at_tables(
    terms: LeagueTerms, division: LeagueDivision, number: int, blocked: Blocked, rules_version: int
) -> list[Fixture]:
    rounds = pairing.default_rounds(len(division.members), terms.seats)
    state = Competition(
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
        paired = pairing.pair_tables(state, blocked)
        found += [Fixture(number, at, each.seats) for each in paired.pairings]
        boards = tuple(CupBoard((CupGame(each.seats),)) for each in paired.pairings)
        state = replace(state, rounds=(*state.rounds, CupRound(at, boards, (), paired.byes)))
    return found


FILLED_DIVISION: Final = 6
"""Computers fill a division up to this size, if the league has them."""


def people_needed(state: League) -> int:
    """Return the number of members with which the next season begins automatically: enough for a table."""
    least = MIN_MEMBERS if state.season.number else state.terms.least
    return max(least, state.terms.fewest)


def is_start_due(state: League) -> bool:
    """Return whether the next season is to begin; silent members must be removed first."""
    if state.over or state.is_season_on:
        return False
    return len(state.present) >= people_needed(state)


def start_season(
    state: League, now: datetime, ratings: Mapping[int, int], blocked: Blocked = NO_BLOCKS
) -> SeasonStarted:
    """Return the event that begins the next season; the first season's divisions follow from `ratings`, in points."""
    known = {} if state.season.number else {each: ratings[each] for each in state.present if each in ratings}
    divisions = make_divisions(state, known, RULES_VERSION)
    number = state.season.number + 1
    fixtures = plan_fixtures(state.terms, divisions, number, blocked, RULES_VERSION)
    ends_at = now + timedelta(days=state.terms.days)
    return SeasonStarted(number, ends_at, divisions, fixtures, known, RULES_VERSION)


def make_divisions(state: League, ratings: Mapping[int, int], rules_version: int) -> tuple[LeagueDivision, ...]:
    """Return the next season's divisions: the first time by rating, later by the last season's tables."""
    season = state.season
    if not season.number:
        found = cut_into_divisions(sorted(state.present, key=lambda each: (-ratings.get(each, -1_000_000), each)))
    else:
        orders = [final_order(state, season, number) for number in range(1, len(season.divisions) + 1)]
        staying = set(state.present) - set(state.queue)
        follow = rules_1.next_divisions if rules_version == 1 else next_divisions
        found = follow(orders, staying, state.queue)
    fills = bool(state.terms.computers) and state.terms.seats == 2
    return tuple(LeagueDivision(each, max(0, FILLED_DIVISION - len(each)) if fills else 0) for each in found)


def due_events(state: League, now: datetime, blocked: Blocked = NO_BLOCKS) -> Events:
    """Return the automatic events that are due, except opened games and the start of a season."""
    season = state.season
    if state.over:
        return ()
    if not season.is_over:
        if season.ends_at <= now:
            return (SeasonEnded(season.number),)
        return tuple(
            FixtureVoided(number)
            for number, each in enumerate(season.games)
            if each.is_planned and count_blocked(each.fixture.seats, blocked)
        )
    # Members who did not confirm leave before the next season begins.
    silent = [each for each in state.present if state.entrants[each].asked]
    return tuple(Left(each, Leaving.SILENT) for each in silent)


def next_opening(state: League, now: datetime, blocked: Blocked = NO_BLOCKS) -> tuple[int, Seats] | None:
    """Return the next game to open and its seats, None while there is none.

    Members who have a game already get another one only after `OPENING_PAUSE`, unless it is the first of one of them,
    so that a season's games do not open all at once.
    """
    season = state.season
    if season.is_over or state.over:
        return None
    recent = _just_opened(season, now)
    busy = season.games_going_on()
    planned = ((number, each) for number, each in enumerate(season.games) if each.is_planned)
    for number, each in planned:
        there = tuple(entrant for entrant in each.fixture.seats if state.is_available(entrant))
        people = people_of(there)
        if len(there) < state.terms.fewest or not people or count_blocked(there, blocked):
            continue
        if any(state.entrants[entrant].asked for entrant in people_of(each.fixture.seats)):
            continue  # a larger table does not begin without a member who may still come back
        waits = all(busy[entrant] for entrant in people) and not recent.isdisjoint(people)
        if not waits and all(busy[entrant] < state.entrants[entrant].most for entrant in people):
            return number, there
    return None


def _just_opened(season: Season, now: datetime) -> set[int]:
    """Return the members for whom a game was opened within the last `OPENING_PAUSE`."""
    opened = ((each.game, each.opened_at) for each in season.games if each.game is not None)
    return {
        entrant
        for game, at in opened
        if at is not None and timedelta() <= now - at < OPENING_PAUSE  # if the clock was set back, no one waits
        for entrant in game.seats
    }
