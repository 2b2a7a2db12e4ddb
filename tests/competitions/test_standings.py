"""How a table stands: points, the rules that break ties, who is out of it, and what stands in its picture."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from bot.competitions.competition import Competition
from bot.competitions.events import (
    CompetitionEvent,
    CupCreated,
    CupResult,
    CupStarted,
    Entered,
    Excluded,
    GameAttached,
    Left,
    Pairing,
    RoundPaired,
)
from bot.competitions.pairing import start_event
from bot.competitions.standings import (
    StandingRow,
    TieBreak,
    bracket_sheet,
    current_page,
    format_points,
    page_count,
    ranking,
    results_sheet,
    winners,
)
from tests.competitions.playing import SEED, Played, make_terms, replay

Game = tuple[int, int, str]


def state_after(
    form: str, entrants: int, rounds: Sequence[Sequence[Game]], reason: str = "won", **chosen: object
) -> Competition:
    """Return a competition in which just these games were played: who began, the other, and 1, ½ or 0 for the first."""
    events: list[CompetitionEvent] = [CupCreated(make_terms(form, entrants, **chosen), "ABCDEF", "0" * 64)]
    events += [Entered(number, f"web:{number}") for number in range(entrants)]
    events.append(CupStarted(tuple(range(entrants)), {}, 20))
    for number, games in enumerate(rounds, start=1):
        seated = {each for one, two, _ in games for each in (one, two)}
        byes = tuple(each for each in range(entrants) if each not in seated)
        events.append(RoundPaired(number, tuple(Pairing((one, two)) for one, two, _ in games), (), byes))
        for at, (_, _, result) in enumerate(games):
            events.append(GameAttached(number, at, 0, f"G{number}-{at}"))
            events.append(CupResult(number, at, 0, {"1": (1, 2), "½": (1, 1), "0": (2, 1)}[result], reason))
    return replay(events)


def row_of(state: Competition, entrant: int) -> StandingRow:
    return next(row for row in ranking(state).rows if row.entrant == entrant)


def broken(state: Competition, entrant: int, rule: TieBreak) -> Fraction:
    return row_of(state, entrant).breaks[ranking(state).rules.index(rule)]


# Four play all against all; 0 and 1 are level with two points each, and 0 has beaten 1.
ALL = [[(0, 3, "0"), (1, 2, "1")], [(3, 2, "½"), (0, 1, "1")], [(1, 3, "1"), (2, 0, "0")]]


def test_direct_encounter_comes_first() -> None:
    state = state_after("all", 4, ALL)
    found = [(row.entrant, row.place, format_points(row.points)) for row in ranking(state).rows]
    assert found == [(0, 1, "2"), (1, 2, "2"), (3, 3, "1½"), (2, 4, "½")]
    assert broken(state, 0, TieBreak.DIRECT) == 1
    assert broken(state, 1, TieBreak.DIRECT) == 0


def test_direct_encounter_is_repeated_among_still_tied_entrants() -> None:
    # 0 to 3 have two points each; among them 0 and 1 scored two, 2 and 3 one; then 1 has beaten 0, and 3 has beaten 2.
    rounds = [
        [(0, 2, "1"), (1, 3, "1")],
        [(1, 0, "1"), (3, 2, "1")],
        [(0, 3, "1"), (2, 1, "1")],
        [(2, 4, "1")],
        [(3, 4, "1")],
    ]
    state = state_after("all", 5, rounds)
    assert {broken(state, each, TieBreak.DIRECT) for each in (0, 1)} == {2}
    assert {broken(state, each, TieBreak.DIRECT) for each in (2, 3)} == {1}
    assert [(row.entrant, row.place) for row in ranking(state).rows] == [(1, 1), (0, 2), (3, 3), (2, 4), (4, 5)]


def test_sonneborn_berger_counts_the_points_of_the_beaten_and_half_of_those_of_the_drawn() -> None:
    state = state_after("all", 4, ALL)
    assert broken(state, 0, TieBreak.BERGER) == 2 + Fraction(1, 2)  # beat 1 and 2
    assert broken(state, 1, TieBreak.BERGER) == Fraction(1, 2) + Fraction(3, 2)  # beat 2 and 3
    assert broken(state, 3, TieBreak.BERGER) == 2 + Fraction(1, 4)  # beat 0, drew with 2


def test_wins_and_games_in_which_another_began_are_counted() -> None:
    state = state_after("all", 4, ALL)
    assert [broken(state, each, TieBreak.WINS) for each in range(4)] == [2, 2, 0, 1]
    assert [broken(state, each, TieBreak.WORSE_SEAT) for each in range(4)] == [1, 1, 2, 2]


# Five in three rounds of a Swiss; 4, 3 and 2 have a bye each.
SWISS = [[(0, 1, "1"), (2, 3, "1")], [(0, 2, "½"), (1, 4, "1")], [(0, 4, "1"), (3, 1, "0")]]


def test_buchholz_adds_the_points_of_all_one_has_met_and_the_median_leaves_out_the_best_and_the_worst() -> None:
    state = state_after("swiss", 5, SWISS)
    points = {row.entrant: row.points for row in ranking(state).rows}
    assert points == {0: Fraction(5, 2), 1: 2, 2: Fraction(5, 2), 3: 1, 4: 1}
    assert broken(state, 0, TieBreak.BUCHHOLZ) == 2 + Fraction(5, 2) + 1
    assert broken(state, 0, TieBreak.MEDIAN) == 2
    # A bye counts like a game against somebody with as many points.
    assert broken(state, 2, TieBreak.BUCHHOLZ) == 1 + Fraction(5, 2) + Fraction(5, 2)
    assert broken(state, 2, TieBreak.MEDIAN) == Fraction(5, 2)


def test_direct_encounter_counts_only_where_all_of_them_have_met() -> None:
    state = state_after("swiss", 5, SWISS)
    assert {broken(state, each, TieBreak.DIRECT) for each in (3, 4)} == {0}
    assert [broken(state, each, TieBreak.DIRECT) for each in (0, 2)] == [Fraction(1, 2), Fraction(1, 2)]


def test_places_are_shared_where_no_rule_decides() -> None:
    state = state_after("all", 3, [[(0, 1, "½")], [(1, 2, "½")], [(2, 0, "½")]])
    assert [row.place for row in ranking(state).rows] == [1, 1, 1]


@pytest.mark.parametrize(("reason", "points"), [("royal", 2), ("plain", 1)])
def test_wins_for_a_grand_reason_count_double_where_the_maker_wants(reason: str, points: int) -> None:
    state = state_after("all", 3, [[(0, 1, "1")]], reason, double=("royal",))
    assert row_of(state, 0).points == points
    assert row_of(state, 1).points == 0


def test_early_leaver_of_a_round_robin_is_not_counted() -> None:
    played = Played.started("all", 6)
    leaver, other = played.state.board_at(1, 0).entrants
    for where in played.waiting():
        played.end(where, (1, 2))
    assert row_of(played.state, leaver).points == 1
    played.add(Left(leaver))
    row = row_of(played.state, leaver)
    assert (row.place, row.out) == (None, True)
    played.win_by()
    assert winners(played.state) != (leaver,)
    # Nobody has won anything by it, without playing neither.
    assert all(line.points <= 4 for line in ranking(played.state).rows if line.entrant != leaver)
    row = row_of(played.state, other)
    assert row.wins + row.draws + row.losses == 4


def test_who_leaves_later_leaves_their_results_and_the_others_win_without_playing() -> None:
    played = Played.begun(make_terms("all", 4), 4)
    for _ in range(2):
        played.go_on()
        for where in played.waiting():
            played.end(where, (1, 2))
    played.go_on()
    leaver = played.state.lots[0]
    before = row_of(played.state, leaver).points
    played.add(Left(leaver))
    played.win_by()
    row = row_of(played.state, leaver)
    assert row.place is not None
    assert row.points >= before


def test_who_is_put_out_has_no_place() -> None:
    played = Played.started("swiss", 4)
    best = played.state.board_at(1, 0).entrants[0]
    for where in played.waiting():
        played.end(where, (1, 2))
    played.add(Excluded(best))
    assert row_of(played.state, best).place is None
    assert ranking(played.state).rows[-1].entrant == best


def test_at_tables_points_are_the_seats_one_is_ahead_of_as_at_a_full_table() -> None:
    played = Played.started("tables", 7, seats=4, fewest=3)
    four, three = (played.state.board_at(1, board).entrants for board in (0, 1))
    played.end((1, 0, 0), (1, 2, 3, 4))
    played.end((1, 1, 0), (1, 2, 2))
    points = [format_points(row_of(played.state, each).points) for each in (*four, *three)]
    assert points == ["3", "2", "1", "0", "3", "0.75", "0.75"]


def test_a_knock_out_is_ranked_by_the_rounds_survived() -> None:
    played = Played.begun(make_terms("knockout", 8), 8, {number: 2000 - number for number in range(8)})
    played.win_by()
    assert [(row.entrant, row.place) for row in ranking(played.state).rows] == [
        (0, 1), (1, 2), (2, 3), (3, 3), (4, 5), (5, 5), (6, 5), (7, 5),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"), [(Fraction(0), "0"), (Fraction(1, 2), "½"), (Fraction(7, 2), "3½"), (Fraction(8, 3), "2.67")]
)
def test_points_are_written_as_people_write_them(value: Fraction, text: str) -> None:
    assert format_points(value) == text


def test_cross_table_shows_every_pair() -> None:
    labels, lines = results_sheet(state_after("all", 4, ALL), 0, str)
    assert labels == ["1", "2", "3", "4"]
    found = [["".join(each.text for each in cell) or cell[0].kind for cell in line.cells] for line in lines]
    assert found == [["self", "1", "0", "1"], ["0", "self", "1", "1"], ["1", "0", "self", "½"], ["0", "0", "½", "self"]]


def test_a_swiss_table_shows_round_by_round_the_places_of_those_one_has_met() -> None:
    labels, lines = results_sheet(state_after("swiss", 5, SWISS), 0, str)
    assert labels == ["1", "2", "3"]
    found = {int(line.name): [(cell[0].text, cell[0].kind) for cell in line.cells] for line in lines}
    place = {int(line.name): line.place for line in lines}
    assert found[0] == [(place[1], "win"), (place[2], "draw"), (place[4], "win")]
    assert found[4] == [("+", "none"), (place[1], "loss"), (place[0], "loss")]


def test_long_results_are_split_into_pages() -> None:
    played = Played.started("swiss", 40)
    assert page_count(played.state) == 3
    sheets = [results_sheet(played.state, page, str) for page in range(3)]
    names = [line.name for _, lines in sheets for line in lines]
    assert names == [str(row.entrant) for row in ranking(played.state).rows]


@pytest.mark.parametrize(("entrants", "pages"), [(3, 1), (16, 1), (17, 3), (33, 5), (64, 5)])
def test_a_large_bracket_has_parts_and_a_page_of_the_last_rounds(entrants: int, pages: int) -> None:
    played = Played.started("knockout", entrants)
    assert page_count(played.state) == pages
    assert current_page(played.state) == 0
    ties = [[len(column) for column in bracket_sheet(played.state, page)] for page in range(pages)]
    assert all(each[0] <= 8 for each in ties)
    assert ties[-1][-1] == 1
    people = {
        each for page in range(pages) for tie in bracket_sheet(played.state, page)[0] for each in (tie.one, tie.two)
    }
    assert people - {None} == set(range(entrants))
    played.win_by()
    assert current_page(played.state) == pages - 1
    (final,) = bracket_sheet(played.state, pages - 1)[-1]
    assert final.winner == 0


def test_the_one_who_starts_it_has_the_ratings_of_those_alone_who_are_in() -> None:
    state = state_after("swiss", 3, [])
    open_ = replay([CupCreated(state.terms, "ABCDEF", "0" * 64), *(Entered(n, f"web:{n}") for n in range(3))])
    assert start_event(open_, SEED, {0: 1200, 7: 1500}).ratings == {0: 1200}
