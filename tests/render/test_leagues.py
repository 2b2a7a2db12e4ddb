"""Divisions of leagues as pictures: who goes up and down, which division it is, and how far the season has come."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from PIL import Image

from render import THEMES
from render.charts import EMBLEM_KINDS, WIDTH, Chart, Emblem, draw_emblems
from render.theme import CREAM, DEEP, contrast
from render.tournaments import Division, GridCell, GridLine, Move, draw_grid
from tests.render.pixels import RGB, Box, differ, opened
from tests.support.colour_vision import ALL_EYES, EYES, difference, simulate_colour

WIN, LOSS = GridCell("1", "win"), GridCell("0", "loss")
SELF = (GridCell(kind="self"),)
LINES = (
    GridLine("1", "Anna", (SELF, (WIN,), (WIN,)), "2"),
    GridLine("2", "Bruno", ((LOSS,), SELF, ()), "0"),
    GridLine("3", "Chiara", ((LOSS,), (), SELF), "0", gone=True),
)
DIVISION = Division(2, 3, 2, 3)
NARROW_WIDTH = 400
"""How wide pictures are at least on people's screens."""
APART = 10
"""How different two colours have to look that are to be told apart at a glance (CIEDE2000)."""


@cache
def draw_moved(
    division: Division,
    moves: tuple[Move, ...] = ("up", "", "down"),
    lines: tuple[GridLine, ...] = LINES,
    theme: str = "light",
) -> Chart:
    moved = [replace(line, move=move) for line, move in zip(lines, moves, strict=True)]
    return draw_grid("Annuvin · 3", ("1", "2", "3"), moved, theme, division)


def share_that_differs(one: Sequence[RGB], other: Sequence[RGB], eyes: str) -> float:
    """Return which part of two pictures of one size is clearly different to somebody with such eyes."""
    pairs = Counter(zip(one, other, strict=True))
    different = sum(count for (a, b), count in pairs.items() if a != b and look_apart(a, b, eyes))
    return different / pairs.total()


@cache
def look_apart(one: RGB, other: RGB, eyes: str) -> bool:
    return difference(one, other, eyes) > APART


@pytest.mark.parametrize("theme", THEMES)
def test_division_charts_have_enough_contrast_in_every_theme(theme: str) -> None:
    chart = draw_moved(DIVISION, theme=theme)
    assert opened(chart).getpixel((2, chart.size[1] - 2)) == THEMES[theme].paper
    colours = THEMES[theme]
    for ink, ground in ((CREAM, DEEP), (colours.ink, colours.band), (colours.ink, colours.paper)):
        for eyes in ALL_EYES:
            seen = [simulate_colour(each, eyes) if eyes in EYES else each for each in (ink, ground)]
            assert contrast(*seen) >= 4.5


@pytest.mark.parametrize(
    "changed",
    [
        replace(DIVISION, number=1),
        replace(DIVISION, number=3),
        replace(DIVISION, divisions=4),
        replace(DIVISION, divisions=1, number=1),
        replace(DIVISION, played=3),
        replace(DIVISION, over=True),
    ],
)
def test_everything_about_a_division_shows(changed: Division) -> None:
    assert differ(draw_moved(DIVISION), draw_moved(changed))


@pytest.mark.parametrize("moves", [("", "", ""), ("down", "", "down"), ("champion", "", "down")])
def test_who_goes_up_and_down_shows(moves: tuple[Move, ...]) -> None:
    assert differ(draw_moved(DIVISION), draw_moved(DIVISION, moves))


def test_nine_people_with_long_names_fit_and_the_last_of_many_divisions_is_numbered() -> None:
    cells = tuple((WIN,) for _ in range(9))
    lines = tuple(GridLine(str(at + 1), "Wolfeschlegelsteinhausenbergerdorff" * 3, cells, "12½") for at in range(9))
    lines = (replace(lines[0]), replace(lines[1]), *lines[2:])
    title, division = "A title that is longer than any title of a game has ever been", Division(40, 40, 120, 360)
    assert draw_grid(title, tuple("123456789"), lines, division=division).size[0] == WIDTH


@pytest.mark.parametrize("eyes", ALL_EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_emblems_and_arrows_are_distinguishable_on_a_narrow_screen(theme: str, eyes: str) -> None:
    emblems, arrows = narrow_emblems(theme), narrow_arrows(theme)
    for one, other in [*combinations(emblems, 2), *combinations(arrows, 2)]:
        assert share_that_differs(one, other, eyes) > 0.1


@cache
def narrow_emblems(theme: str) -> list[list[RGB]]:
    whole = [opened(draw_emblems("x", [Emblem(kind, 1)], theme)) for kind in EMBLEM_KINDS]
    return [narrow(each, (18, 108, 135, 210)) for each in whole]


@cache
def narrow_arrows(theme: str) -> list[list[RGB]]:
    moves: tuple[Move, ...] = ("", "up", "down", "champion")
    whole = opened(draw_moved(DIVISION, moves, LINES[:1] * 4, theme))
    return [narrow(whole, (835, 140 + 58 * at, 882, 198 + 58 * at)) for at in range(4)]


def narrow(picture: Image.Image, extent: Box) -> list[RGB]:
    """Return the colours of a part of a picture as it looks on a narrow screen, reduced to a few, pixel by pixel."""
    part = picture.crop(extent)
    width, height = (round(each * NARROW_WIDTH / WIDTH) for each in part.size)
    few = part.resize((width, height), Image.Resampling.LANCZOS).quantize(8).convert("RGB").tobytes()
    return [(few[at], few[at + 1], few[at + 2]) for at in range(0, len(few), 3)]
