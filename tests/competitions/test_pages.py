"""The examples of the pages on competitions, computed: docs/cups.md and docs/leagues.md say what comes out here."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bot.competitions.events import COMPUTER_ENTRANT, Left
from bot.competitions.league import next_divisions
from bot.competitions.pairing import annulled_entrants, bye_points
from bot.competitions.standings import StandingRow, TieBreak, format_points, ranking
from tests.competitions.playing import Played, make_terms

DOCS = Path(__file__).parents[2] / "docs"


def example(page: str, beginning: str) -> str:
    """Return an example of a page on one line."""
    (found,) = [each for each in (DOCS / page).read_text("utf-8").split("\n\n") if each.startswith(beginning)]
    return " ".join(found.split())


def row_of(played: Played, entrant: int) -> tuple[StandingRow, dict[TieBreak, Any]]:
    found = ranking(played.state)
    row = next(each for each in found.rows if each.entrant == entrant)
    return row, dict(zip(found.rules, row.breaks, strict=True))


@pytest.mark.parametrize(("games", "counts"), [(2, False), (3, True)])
def test_who_leaves_early(games: int, counts: bool) -> None:
    played = Played.begun(make_terms("all", 6), 6)
    played.go_on()
    for _ in range(games):
        played.win_round_by()
        played.go_on()
    # The round that has begun is played without them.
    played.add(Left(5))
    assert (5 in annulled_entrants(played.state)) is not counts
    text = example("cups.md", "*Who leaves early.*")
    assert "each has five games" in text
    assert f"leaves after {('two', 'three')[games - 2]}" in text
    assert "the other two win theirs without playing" in text


def test_byes() -> None:
    swiss = Played.begun(make_terms("swiss", 5, rounds=3), 5).state
    table = Played.begun(make_terms("tables", 5, seats=4, fewest=3, rounds=2), 5).state
    text = example("cups.md", "*Byes.*")
    assert f"In a Swiss a bye is worth {format_points(bye_points(swiss))} point" in text
    assert f"At tables for four it is worth {format_points(bye_points(table))}: half of the 3 " in text
    assert 2 * bye_points(table) == 3


def test_computers_at_tables() -> None:
    played = Played.begun(make_terms("tables", 3, seats=4, fewest=3, computers="1", rounds=1), 3)
    played.win_by()
    assert COMPUTER_ENTRANT in played.state.rounds[0].boards[0].entrants
    points = [row_of(played, entrant)[0].points for entrant in range(3)]
    buchholz = row_of(played, 0)[1][TieBreak.BUCHHOLZ]
    text = example("cups.md", "*Computers at tables.*")
    assert f"Anna has {points[0]} points, Bruno {points[1]} and Carla {points[2]}" in text
    assert f"on average, {format_points(buchholz)};" in text
    assert buchholz == Fraction(points[1] + points[2], 2)


def test_buchholz_and_its_median() -> None:
    played = Played.begun(make_terms("swiss", 6, rounds=3), 6, {number: 2000 - number for number in range(6)})
    played.win_by()
    met = [seat for _, _, _, game in played.state.games() if 0 in game.seats for seat in game.seats if seat]
    points = sorted((row_of(played, each)[0].points for each in met), reverse=True)
    breaks = row_of(played, 0)[1]
    text = example("cups.md", "*Buchholz and its median.*")
    assert "three who have {}, {} and {} points".format(*points) in text
    assert f"her Buchholz is {breaks[TieBreak.BUCHHOLZ]}, and its median" in text
    assert f"the worst of them, {breaks[TieBreak.MEDIAN]}." in text
    early = Played.begun(make_terms("swiss", 6, rounds=2), 6)
    early.win_by()
    assert all(
        values[TieBreak.MEDIAN] == values[TieBreak.BUCHHOLZ] for _, values in (row_of(early, 0), row_of(early, 1))
    )


def test_three_divisions_of_which_three_people_leave() -> None:
    found = next_divisions([range(1, 7), range(7, 13), range(13, 19)], range(1, 16), [])
    text = example("leagues.md", "*Example.* Three divisions of six")
    one, two, three = re.split("; ", text.split(": ", 2)[2])
    for division, said in zip(found, (one, two, three), strict=True):
        assert {*map(int, re.findall(r"\d+", said))} == {*division}, said
