"""Leagues as pure functions: divisions, going up and down, vacated places, unfinished games, and years by chance."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations, product
from random import Random

import pytest

from bot.competitions import rules_1
from bot.competitions.events import COMPUTER_ENTRANT, RULES_VERSION, Entered, Excluded, InvalidCompetition, Left, Stays
from bot.competitions.file import LeagueFile, check_file
from bot.competitions.league import (
    LEAGUE_CODEC,
    MAX_DIVISION,
    MIN_DIVISION,
    FixtureAttached,
    FixtureVoided,
    League,
    LeagueCreated,
    LeagueGame,
    LeagueLimited,
    LeagueTerms,
    SeasonStarted,
    division_sizes,
    movers,
    next_divisions,
)
from bot.competitions.seasons import (
    OPENING_PAUSE,
    champions,
    division_competition,
    expected_moves,
    final_order,
    next_opening,
)
from bot.competitions.standings import ranking
from tests.competitions.league_reference import SimpleTable, seat_next_season
from tests.competitions.leagues import BEGIN, Living
from tests.support.present import present


def test_divisions_are_of_five_to_eight() -> None:
    for people, before in product(range(3, 201), (0, 1, 3, 20)):
        sizes = division_sizes(people, before)
        assert sum(sizes) == people
        assert max(sizes) - min(sizes) <= 1
        if people >= MIN_DIVISION and people != MAX_DIVISION + 1:
            assert all(MIN_DIVISION <= size <= MAX_DIVISION for size in sizes)
        else:
            assert len(sizes) == 1
        if before and 5 * before <= people <= 8 * before and people > 9:
            assert len(sizes) == before


def test_the_first_divisions_are_by_rating_those_without_one_last() -> None:
    first, second = Living.begun(12, ratings={0: 1000, 1: 1200, 2: 900, 5: 1500}).season.divisions
    assert first.members == (5, 1, 0, 2, 3, 4)
    assert second.members == (6, 7, 8, 9, 10, 11)


def test_in_a_division_all_play_all_once_twice_where_small() -> None:
    for people, times in ((6, 1), (4, 2)):
        season = Living.begun(people).season
        met = [frozenset(each.fixture.seats) for each in season.games]
        assert sorted(map(sorted, met)) == sorted(times * [list(pair) for pair in combinations(range(people), 2)])


def test_the_best_go_up_and_the_last_go_down() -> None:
    assert movers((6, 5, 6, 7)) == [0, 1, 1, 2, 0]
    divisions = next_divisions([range(6), range(6, 12), range(12, 18)], range(18), [])
    assert [set(each) for each in divisions] == [{0, 1, 2, 3, 6, 7}, {4, 5, 8, 9, 12, 13}, {10, 11, 14, 15, 16, 17}]


def test_the_table_says_who_would_go_up_and_down_and_who_has_left_goes_first() -> None:
    living = Living.begun(12)
    living.play()
    moves = [expected_moves(living.state, living.season, number) for number in (1, 2)]
    assert moves == [{4: "down", 5: "down"}, {6: "up", 7: "up"}]
    living.add(Left(0))
    assert expected_moves(living.state, living.season, 1) == {5: "down", 0: "down"}
    living.end_season()
    assert expected_moves(living.state, living.season, 1) == {5: "down", 0: "down"}


def test_a_vacated_place_is_filled_by_the_usual_rule() -> None:
    # Anna (0) leaves the first division of six; so the fifth does not go down.
    orders = [[1, 2, 3, 4, 5, 0], [6, 7, 8, 9, 10, 11]]
    divisions = next_divisions(orders, range(1, 12), [])
    assert set(divisions[0]) == {1, 2, 3, 4, 6, 7}
    assert set(divisions[1]) == {5, 8, 9, 10, 11}
    # Three have left: both who would have gone down are among those; one more comes up.
    orders = [[1, 2, 3, 0, 4, 5], [6, 7, 8, 9, 10, 11]]
    divisions = next_divisions(orders, [1, 2, 3, *range(6, 12)], [12, 13])
    assert set(divisions[0]) == {1, 2, 3, 6, 7, 8}
    assert set(divisions[1]) == {9, 10, 11, 12, 13}


def test_who_enters_meanwhile_waits_and_starts_below() -> None:
    living = Living.begun(12)
    living.add(Entered(12, "web:12"))
    living.ratings[12] = 3000
    living.play()
    living.next_season()
    season = living.season
    assert (season.number, season.divisions[-1].members[-1]) == (2, 12)
    # With the best two up and the last two down.
    assert set(season.divisions[0].members[:7]) >= {0, 1, 2, 3, 6, 7}


def test_who_falls_silent_is_asked_once_and_out_of_the_next_season_unless_they_say() -> None:
    for stays in (True, False):
        living = Living.begun(6)
        going = living.going_on()
        who = living.game(going[0]).seats[1]
        living.end(going[0], (1, 2), absent=(1,))
        assert living.state.entrants[who].asked
        # No further game is opened for them, until they say that they are there.
        while found := [each for each in living.going_on() if each not in going]:
            assert all(who not in living.game(each).seats for each in found)
            living.end(found[0], (1, 1))
        if stays:
            living.add(Stays(who))
            living.go_on()
        living.play()
        living.next_season()
        assert (living.season.division_of(who) is not None) == stays
        assert living.state.entrants[who].state == ("in" if stays else "left")


def test_unfinished_games_are_draws_and_inactive_entrants_rank_last() -> None:
    living = Living.begun(6)
    living.play(without=0)
    living.end_season()
    over = living.season
    table = division_competition(living.state, over, 1)
    points = {row.entrant: row.points for row in ranking(table).rows}
    assert points[0] * 2 == 5  # five draws
    assert points[1] * 2 == 9
    assert final_order(living.state, over, 1) == (1, 2, 3, 4, 5, 0)
    assert champions(living.state, over) == (1,)


@pytest.mark.parametrize("rules_version", [1, 2])
def test_blocked_people_never_meet_and_their_games_are_drawn(rules_version: int) -> None:
    living = Living.begun(6, rules_version, blocked=[(0, other) for other in range(1, 6)])
    assert sum(isinstance(event, FixtureVoided) for _, event in living.events) == 5
    living.play()
    living.end_season()
    # By the old rules such games were no results, and who blocked everyone came last.
    assert final_order(living.state, living.season, 1).index(0) == (5 if rules_version == 1 else 2)


def test_nobody_comes_last_because_others_have_blocked_them() -> None:
    """Of a division of five, three have blocked the fourth, who wins the only game that is left."""
    living = Living.begun(5, blocked=[(0, other) for other in (1, 2, 3)])
    living.play()
    living.end_season()
    assert final_order(living.state, living.season, 1)[:2] == (1, 0)


def test_who_leaves_a_season_is_out_of_it_and_comes_back_for_the_next_below() -> None:
    living = Living.begun(12)
    while living.season.games_going_on()[0] or not any(each.is_done for each in living.season.games):
        living.play_one(0)
    living.add(Left(0))
    living.add(Entered(0, "web:0"))
    opened = living.opened
    living.play()
    assert living.opened > opened
    assert sum(0 in each.game.seats for each in living.season.games if each.game is not None) == 3, (
        "none is opened anew"
    )
    assert expected_moves(living.state, living.season, 1) == {5: "down", 0: "down"}
    rows = ranking(division_competition(living.state, living.season, 1)).rows
    assert [(row.entrant, row.place) for row in rows] == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (0, 6)]
    living.next_season()
    assert set(living.season.divisions[0].members) == {1, 2, 3, 4, 6, 7}
    assert living.season.divisions[1].members[-1] == 0
    # By the old rules they played on, and took a place from somebody else.
    living = Living.begun(12, rules_version=1)
    living.add(Left(0))
    living.add(Entered(0, "web:0"))
    living.play()
    assert sum(0 in each.game.seats for each in living.season.games if each.game is not None) == 5


def test_who_would_have_stayed_goes_down_before_anybody_who_came_up() -> None:
    orders: list[Sequence[int]] = [range(6), range(6, 12), range(12, 18)]
    # The last three have left.
    assert list(map(set, next_divisions(orders, range(15), []))) == [
        {0, 1, 2, 6, 7}, {3, 4, 5, 12, 13}, {8, 9, 10, 11, 14},
    ]  # fmt: skip
    # The first four have left, and four enter: nobody climbs two divisions past somebody who is there.
    orders = [[4, 5, 0, 1, 2, 3], range(6, 12), range(12, 18)]
    assert list(map(set, next_divisions(orders, range(4, 18), range(18, 22)))) == [
        {4, 5, 6, 7, 8, 9}, {10, 11, 12, 13, 14, 15}, {16, 17, 18, 19, 20, 21},
    ]  # fmt: skip
    assert 12 in rules_1.next_divisions(orders, range(4, 18), range(18, 22))[0], "as it was"


def test_nothing_counts_between_two_who_have_left() -> None:
    living = Living.begun(6, blocked=[(0, 1)])
    living.play()
    for who in (0, 1):
        living.add(Left(who))
    living.end_season()
    table = division_competition(living.state, living.season, 1)
    assert not any({0, 1} == {*board.entrants} for each in table.rounds for board in each.boards)


def test_arrows_are_the_final_order_if_the_season_ended_now() -> None:
    """Who has lost every game that they have played stands before who has not come to half of theirs."""
    living = Living.begun(12)
    living.play(without=0)
    arrows = expected_moves(living.state, living.season, 1)
    living.end_season()
    assert arrows == expected_moves(living.state, living.season, 1) == {5: "down", 0: "down"}


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 3000), marks=pytest.mark.full)])
@pytest.mark.timeout(1800)
def test_tables_and_next_seasons_are_those_of_a_second_simple_computation(seeds: range) -> None:
    """By docs/leagues.md alone, while people come, go, fall silent, block, link and are forgotten."""
    started = 0
    for seed in seeds:
        chance = Random(f"second {seed}")
        living = Living.begun(chance.randrange(3, 40), computers=chance.choice(("", "", "1")))
        living.seen = _compare_tables
        living.live(chance, 4)
        state: League | None = None
        for at, event in living.events:
            if isinstance(event, SeasonStarted) and state is not None:
                _compare_divisions(state, event)
                started += 1
            state = League.created(at, event) if state is None else state.apply(at, event)
    assert started >= 2 * len(seeds)


@pytest.mark.parametrize("rules_version", [1, RULES_VERSION])
def test_files_of_old_and_new_rules_verify(rules_version: int) -> None:
    """Also one in which seasons of the new rules follow some of the old ones."""
    chance = Random(rules_version)
    living = Living.begun(17, rules_version)
    living.live(chance, 2)
    if rules_version == 1:
        assert "rules_version" not in file_of(living).text()
        living.rules_version = RULES_VERSION
        living.live(chance, 2)
        assert {event.rules_version for event in living.seasons()} == {1, RULES_VERSION}
    for text in (file_of(living).text(), file_of(living).json()):
        assert "rules_version" in text
        assert check_file(LeagueFile.read(text)).events == len(living.events)


def file_of(living: Living) -> LeagueFile:
    names = {number: f"Member {number}" for number in living.state.entrants}
    return LeagueFile(names, tuple(living.events))


def _compare_tables(state: League) -> None:
    season = state.season
    for number, division in enumerate(season.divisions, start=1):
        table = SimpleTable(season, number)
        rows = {row.entrant: row for row in ranking(division_competition(state, season, number)).rows}
        assert {who: rows[who].points for who in division.members if not table.is_annulled(who)} == {
            who: table.points(who) for who in division.members if not table.is_annulled(who)
        }
        order = list(final_order(state, season, number))
        for group in table.groups(season):
            assert {order.pop(0) for _ in group} == group


def _compare_divisions(state: League, event: SeasonStarted) -> None:
    season = state.season
    orders = [final_order(state, season, number) for number in range(1, len(season.divisions) + 1)]
    staying = {each for each in state.present if each not in state.queue}
    sizes = division_sizes(len(state.present), len(orders))
    wanted = seat_next_season(orders, staying, state.queue, sizes)
    assert [set(division.members) for division in event.divisions] == wanted


def test_a_season_s_games_do_not_come_all_at_once() -> None:
    living = Living.begun(3)
    season = replace(living.season, games=tuple(LeagueGame(each.fixture) for each in living.season.games))
    state = replace(living.state, season=season)
    opened = list[int]()
    for now in (living.now, living.now + OPENING_PAUSE / 2, living.now + OPENING_PAUSE):
        while (opening := next_opening(state, now)) is not None:
            state = state.apply(now, FixtureAttached(opening[0], f"G{opening[0]:05}", opening[1]))
        opened.append(sum(each.game is not None for each in present(state.season).games))
    assert opened == [2, 2, 3]
    assert next_opening(state, living.now - OPENING_PAUSE) is not None, "a clock that was set back stops nothing"


def test_running_games_respect_the_limit_of_each_entrant() -> None:
    living = Living.begun(8)
    assert max(living.season.games_going_on().values()) <= 3
    living.add(LeagueLimited(0, 7))
    for each in range(1, 8):
        living.add(LeagueLimited(each, 7))
    living.go_on()
    assert living.season.games_going_on()[0] == 7
    living.add(LeagueLimited(1, 1))
    living.go_on()
    living.play()
    assert not living.going_on()


def test_computers_fill_divisions_up_and_are_no_lines_of_the_table() -> None:
    living = Living.begun(4, computers="1")
    season = living.season
    assert season.divisions[0].computers == 2
    assert sum(COMPUTER_ENTRANT in each.fixture.seats for each in season.games) == 8
    living.play()
    living.end_season()
    assert champions(living.state, living.season) == (0,)
    assert set(final_order(living.state, living.season, 1)) == {0, 1, 2, 3}


@pytest.mark.parametrize(("people", "seats"), [(5, 3), (7, 3), (8, 4), (5, 5), (3, 3)])
def test_games_for_three_and_more_count_by_places(people: int, seats: int) -> None:
    living = Living.begun(people, seats=seats, fewest=3)
    living.play()
    living.end_season()
    assert final_order(living.state, living.season, 1)[0] == 0


def test_clocks_too_slow_for_a_season_are_none() -> None:
    with pytest.raises(InvalidCompetition, match="clock-too-slow"):
        League.created(BEGIN, LeagueCreated(LeagueTerms(game="any", clock=7 * 86_400, days=30), "ABCDEF", "0" * 64))


def test_early_leaver_is_not_counted_and_late_leaver_forfeits_the_rest() -> None:
    living = Living.begun(8)
    living.add(Left(2))
    living.play()
    points = {row.entrant: row for row in ranking(division_competition(living.state, living.season, 1)).rows}
    assert points[2].place is None
    living = Living.begun(6)
    for _ in range(12):
        living.end(living.going_on()[0], (1, 1))
    living.add(Excluded(5))
    living.go_on()
    living.play()
    living.next_season()
    assert living.season.division_of(5) is None


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 1000), marks=pytest.mark.full)])
@pytest.mark.timeout(1800)
def test_random_seasons_end_with_consistent_divisions_and_events(seeds: range) -> None:
    for seed in seeds:
        chance = Random(seed)
        seats = chance.choice((2, 2, 2, 3, 4))
        computers = chance.choice(("", "", "1"))
        living = Living.begun(chance.randrange(3, 40), seats=seats, fewest=min(seats, 3), computers=computers)
        living.seen = _see_season
        living.live(chance, 4)
        for event in living.seasons():
            people = [each for division in event.divisions for each in division.members]
            assert len(set(people)) == len(people)
            sizes = [len(division.members) for division in event.divisions]
            assert tuple(sizes) == division_sizes(len(people), len(sizes))
            assert all(MIN_DIVISION <= size <= MAX_DIVISION for size in sizes) or sizes[1:] == []
            assert max(sizes) <= MAX_DIVISION + 1
        assert living.now < living.season.ends_at or living.season.is_over
        stored = [
            (at, LEAGUE_CODEC.from_json(LEAGUE_CODEC.kind_of(event), LEAGUE_CODEC.to_json(event)))
            for at, event in living.events
        ]
        assert League.replay(stored) == living.state


def test_refusing_to_play_leads_to_relegation() -> None:
    """Somebody who stays, but never plays, goes down season by season, whatever they say."""
    living = Living.begun(18)
    divisions = []
    for _ in range(3):
        divisions.append(living.season.division_of(0))
        while found := [each for each in living.going_on() if 0 not in (living.game(each).seats)]:
            living.end(found[0], (1, 1))
        living.next_season()
    assert divisions == [1, 2, 3]


def _see_season(state: League) -> None:
    season = state.season
    for number, division in enumerate(season.divisions, start=1):
        assert sorted(final_order(state, season, number)) == sorted(division.members)
        assert len(ranking(division_competition(state, season, number)).rows) == len(division.members)


def test_a_table_depends_on_its_results_alone() -> None:
    """However games are ordered in time, the same results give the same table."""
    tables = []
    for seed in range(3):
        living = Living.begun(7)
        chance = Random(seed)
        while found := living.going_on():
            number = chance.choice(found)
            seats = living.game(number).seats
            first = (7 * min(seats) + max(seats)) % 3
            better = (1, 2) if seats[0] < seats[1] else (2, 1)
            living.now += timedelta(hours=1)
            living.end(number, ((1, 1), better, better[::-1])[first])
        tables.append(ranking(division_competition(living.state, living.season, 1)))
    assert tables[0] == tables[1] == tables[2]
