"""Tables of competitions as pictures: results and brackets."""

from dataclasses import replace
from functools import cache

import pytest
from PIL import ImageChops

from render import THEMES
from render.charts import WIDTH, Chart
from render.theme import CREAM, DEEP, LINE, SAFFRON, SAFFRON_WALL, WATER, contrast
from render.tournaments import MAX_LINES, BracketTie, GridCell, GridLine, draw_bracket, draw_grid
from tests.render.pixels import differ, opened

WIN, DRAW, LOSS = GridCell("1", "win"), GridCell("½", "draw"), GridCell("0", "loss")
LABELS = ("1", "2", "3")
LINES = [
    GridLine("1", "Anna", ((GridCell(kind="self"),), (WIN,), (DRAW,)), "1½"),
    GridLine("2", "Bruno", ((LOSS,), (GridCell(kind="self"),), ()), "0"),
    GridLine("", "علي", ((DRAW,), (GridCell("+"),), (GridCell(kind="self"),)), "½", gone=True),
]
TIES = [[BracketTie(("Anna", "Bruno"), 0), BracketTie(("Chiara", "Dario"))], [BracketTie(("Anna", ""))]]


@cache
def grid() -> Chart:
    return draw_grid("Annuvin", LABELS, LINES)


@pytest.mark.parametrize("theme", THEMES)
def test_tournament_charts_have_enough_contrast_in_every_theme(theme: str) -> None:
    for chart in (draw_grid("Annuvin", LABELS, LINES, theme), draw_bracket("Annuvin", TIES, theme)):
        assert opened(chart).getpixel((2, chart.size[1] - 2)) == THEMES[theme].paper
    colours = THEMES[theme]
    for ink, ground in ((CREAM, DEEP), (LINE, WATER), (LINE, SAFFRON), (colours.ink, colours.band)):
        assert contrast(ink, ground) >= 4.5
    for ground in (colours.paper, colours.band):
        assert contrast(colours.second, ground) >= 4.5


@pytest.mark.parametrize(
    "changed",
    [
        replace(LINES[0], place="2"),
        replace(LINES[0], name="Anne"),
        replace(LINES[0], points="2½"),
        replace(LINES[0], gone=True),
        replace(LINES[0], number="3"),
        replace(LINES[0], cells=(LINES[0].cells[0], (DRAW,), (DRAW,))),
        replace(LINES[0], cells=(LINES[0].cells[0], (GridCell("1", "loss"),), (DRAW,))),
        replace(LINES[0], cells=(LINES[0].cells[0], (WIN,), ())),
    ],
)
def test_everything_in_a_line_shows(changed: GridLine) -> None:
    assert differ(grid(), draw_grid("Annuvin", LABELS, [changed, *LINES[1:]]))


@pytest.mark.parametrize("winner", [None, 1])
def test_a_bracket_shows_who_goes_on(winner: int | None) -> None:
    changed = [[replace(TIES[0][0], winner=winner), TIES[0][1]], TIES[1]]
    assert differ(draw_bracket("Annuvin", TIES), draw_bracket("Annuvin", changed))


def test_a_bye_is_no_open_place_and_the_winner_has_a_cup() -> None:
    open_place = [[BracketTie(("Anna", "")), BracketTie(("Bruno", "Chiara"))], [BracketTie(("Anna", ""))]]
    bye = [[BracketTie(("Anna", ""), 0), open_place[0][1]], open_place[1]]
    assert bye[0][0].is_bye
    assert not open_place[0][0].is_bye
    assert differ(draw_bracket("Annuvin", open_place), draw_bracket("Annuvin", bye))
    won = opened(draw_bracket("Annuvin", [TIES[0], [BracketTie(("Anna", "Chiara"), 0)]]))
    middle_of_final = won.width // 2
    shades = {won.getpixel((x, y)) for x in range(middle_of_final, won.width) for y in range(96, 160)}
    assert SAFFRON_WALL in shades


def test_sixteen_who_meet_twice_fit_with_names_of_any_length() -> None:
    names = ["Wolfeschlegelsteinhausenbergerdorff" * 3, "x", "Maria Teresa Giovanna di Savoia", "山田太郎"] * 4
    cells = tuple((WIN, DRAW) for _ in names)
    lines = [GridLine(str(at + 1), name, cells, "22½") for at, name in enumerate(names)]
    picture = opened(draw_grid("A title that is longer than any title of a game has ever been", ("16",) * 16, lines))
    assert picture.size[1] < 1500
    long, short = (
        opened(draw_grid("x", ("1",), [GridLine("1", name, ((WIN,),), "1")])).crop((780, 100, WIDTH, 200))
        for name in names[:2]
    )
    # Nothing of a name is written over what stands at its right; colours may differ by a shade.
    assert max(ImageChops.difference(long, short).tobytes()) < 40


@pytest.mark.parametrize("lines", [[], LINES * 6, [replace(LINES[0], cells=())]])
def test_a_table_that_does_not_fit_is_refused(lines: list[GridLine]) -> None:
    with pytest.raises(ValueError, match=r"table of|cells"):
        draw_grid("Annuvin", LABELS, lines)


@pytest.mark.parametrize("columns", [[], [TIES[1], TIES[0]], [[BracketTie(("", ""))] * MAX_LINES]])
def test_a_bracket_that_is_none_is_refused(columns: list[list[BracketTie]]) -> None:
    with pytest.raises(ValueError, match="a bracket of"):
        draw_bracket("Annuvin", columns)
