"""Leaderboards and the course of a rating as pictures."""

from functools import cache

import pytest

from render import THEMES
from render.charts import Chart, LeaderboardRow, Point, draw_course, draw_leaderboard
from render.theme import contrast
from tests.render.pixels import differ, opened

LINES = [
    LeaderboardRow(1, "Anna", 12, 1, 3, 1534),
    LeaderboardRow(2, "Bruno", 9, 0, 6),
    LeaderboardRow(2, "علي", 0, 1, 0, 980),
]
POINTS = [Point(1500 + 30 * number, 300 - 10 * number, "win") for number in range(8)]


@cache
def leaderboard() -> Chart:
    return draw_leaderboard("Annuvin", LINES)


@pytest.mark.parametrize("theme", THEMES)
def test_every_theme_has_its_charts(theme: str) -> None:
    for chart in (draw_leaderboard("Annuvin", LINES, theme), draw_course("Anna", POINTS, theme)):
        assert opened(chart).getpixel((2, 2)) == THEMES[theme].paper
        assert len(chart.png) < 60_000
    assert contrast(THEMES[theme].ink, THEMES[theme].band) >= 4.5


@pytest.mark.parametrize(
    "changed",
    [
        [LeaderboardRow(1, "Anna", 12, 1, 3, 1535), *LINES[1:]],
        [LeaderboardRow(1, "Anna", 12, 2, 3, 1534), *LINES[1:]],
        [LeaderboardRow(1, "Anne", 12, 1, 3, 1534), *LINES[1:]],
        [LeaderboardRow(3, "Anna", 12, 1, 3, 1534), *LINES[1:]],
        LINES[:2],
    ],
)
def test_every_figure_shows(changed: list[LeaderboardRow]) -> None:
    assert differ(leaderboard(), draw_leaderboard("Annuvin", changed))


def test_the_game_shows() -> None:
    assert differ(leaderboard(), draw_leaderboard("Fagocitare", LINES))


@pytest.mark.parametrize("changed", [POINTS[:-1], [*POINTS[:-1], Point(1710, 230, "loss")], POINTS[::-1]])
def test_every_game_shows(changed: list[Point]) -> None:
    assert differ(draw_course("Anna", POINTS), draw_course("Anna", changed))


def test_long_names_many_games_and_level_ratings_are_drawn() -> None:
    opened(draw_leaderboard("x" * 200, [LeaderboardRow(1000, "W" * 200, 99999, 99999, 99999, 99999)] * 15))
    opened(draw_course("\u202e\x00", [Point(1500, 0, "draw")] * 200))
    opened(draw_course("Anna", [Point(-1e6, 1, "loss"), Point(1e6, 1, "win")]))


def test_empty_charts_are_refused() -> None:
    with pytest.raises(ValueError, match="without lines"):
        draw_leaderboard("Annuvin", [])
    with pytest.raises(ValueError, match="fewer than two"):
        draw_course("Anna", POINTS[:1])
    with pytest.raises(KeyError):
        draw_leaderboard("Annuvin", LINES, "pink")
