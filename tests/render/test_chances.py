"""How the chances of a game went, as a picture."""

from collections.abc import Sequence
from itertools import combinations
from math import dist

import pytest

from render import THEMES
from render.chances import Mark, draw_chances, edge_colour, height_of_chance
from render.sketch import Sketch
from render.theme import THEMES as COLOURS, contrast
from tests.render.pixels import colours as shades, picture
from tests.support.colour_vision import difference as apart
from tests.support.comparing import TOLERANCE, difference, shrink_picture
from tests.support.samples import NAMES


def points(seats: int, turns: int = 20) -> list[list[float]]:
    """Return chances in which the first seat wins little by little."""
    rows = []
    for turn in range(turns):
        first = 0.5 + 0.5 * turn / (turns - 1)
        rows.append([first, *[(seats / 2 - first) / (seats - 1) * (0.6 + 0.2 * seat) for seat in range(seats - 1)]])
    return rows


@pytest.mark.parametrize(("seats", "theme"), list(zip([2, 3, 5], THEMES, strict=True)))
def test_it_has_the_width_of_the_boards(seats: int, theme: str) -> None:
    chart = draw_chances("Chances · Annuvin", NAMES[:seats], points(seats), [Mark(3, 0)], theme)
    assert chart.size[0] == 900
    assert 600 < chart.size[1] < 1050
    assert picture(chart.png).size == chart.size


@pytest.mark.parametrize("theme", THEMES)
def test_lines_stand_out_from_the_paper(theme: str) -> None:
    colours = COLOURS[theme]
    for inks in colours.sets.values():
        assert contrast(edge_colour(inks, colours) or inks.face, colours.paper) >= 3


@pytest.mark.parametrize("kinds", [("light", "dark"), ("red", "blue"), ("red", "yellow", "green", "blue", "white")])
def test_seats_have_the_colours_and_emblems_that_they_have_on_the_board(kinds: tuple[str, ...]) -> None:
    """Each seat's piece is on the chart as the theme draws it, and whose it is there decides where."""
    course = points(len(kinds))

    def drawn(order: Sequence[str]) -> bytes:
        return draw_chances("", NAMES[: len(order)], course, seat_pieces=[[(kind,) for kind in order]] * 20).png

    chart, found = picture(drawn(kinds)), shades(drawn(kinds))
    for name in kinds:
        assert min(apart(COLOURS["light"].sets[name].face, each) for each in found) < 4, name
    other = picture(drawn(kinds[::-1]))
    assert difference(chart.reduce(3), other.reduce(3)) > TOLERANCE


def test_seats_are_distinguishable_without_colours() -> None:
    """Two games in which two seats have changed places do not look the same in grey."""
    one = points(3)
    other = [[first, third, second] for first, second, third in one]
    grey = [shrink_picture(draw_chances("", ("", "", ""), each).png).convert("L") for each in (one, other)]
    assert difference(*grey) > TOLERANCE


def test_marks_are_seen_and_dice_are_not_choices() -> None:
    marks: tuple[tuple[Mark, ...], ...] = (), (Mark(9, 0),), (Mark(9, 0, dice=True),)
    drawn = [shrink_picture(draw_chances("", NAMES[:2], points(2), each).png) for each in marks]
    for one, other in combinations(drawn, 2):
        assert difference(one, other) > TOLERANCE


def test_marks_side_by_side_do_not_hide_each_other() -> None:
    """Taking away any of three marks of neighbouring turns is seen."""
    whole = [Mark(9, 0), Mark(10, 1), Mark(11, 0)]
    everything = shrink_picture(draw_chances("", NAMES[:2], points(2, 60), whole).png)
    for marks in combinations(whole, 2):
        assert difference(everything, shrink_picture(draw_chances("", NAMES[:2], points(2, 60), marks).png)) > TOLERANCE


def test_a_mark_beyond_the_end_is_left_out() -> None:
    assert draw_chances("", NAMES[:2], points(2), [Mark(99, 0)]).png == draw_chances("", NAMES[:2], points(2)).png


def test_the_small_chances_of_several_are_far_apart() -> None:
    """Of five, most of the height is for what is below 60 %; all in all more chance is always higher."""
    heights = [height_of_chance(value / 100, 5) for value in range(101)]
    assert heights == sorted(heights, reverse=True)
    assert heights[0] - heights[60] > 0.8 * (heights[0] - heights[100])
    assert height_of_chance(0.5, 2) == (height_of_chance(0, 2) + height_of_chance(1, 2)) / 2


def test_symbols_of_several_do_not_hide_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[float, float]] = []

    def draw(sketch: Sketch, *_: object) -> None:
        found.append(sketch.origin)

    monkeypatch.setattr("render.chances.draw_piece", draw)
    draw_chances("", NAMES[:5], points(5, 60))
    plot = [place for place in found if place[1] <= height_of_chance(0, 5)]
    assert len(plot) > 15
    assert all(dist(one, other) > 36 for one, other in combinations(plot, 2))


def test_invalid_chart_data_is_refused() -> None:
    with pytest.raises(ValueError, match="fewer than two"):
        draw_chances("", NAMES[:2], points(2)[:1])
    with pytest.raises(KeyError):
        draw_chances("", NAMES[:2], points(2), theme="pink")
