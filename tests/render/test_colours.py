"""Contrast by computation, and whether pieces are told apart by eyes that see fewer colours."""

from functools import cache
from itertools import combinations, product

import pytest
from PIL import Image, ImageChops

from render import THEMES, draw, pieces
from render.games import pictures
from render.scene import Scene
from render.sketch import Sketch
from render.theme import CREAM, CROSS, DEEP, LINE, PALE, RGB, SAFFRON, SEATS, WATER, Set, Theme, contrast, luminance
from tests.render.pixels import EVERY, cell_box, count_colours, picture, sample_states
from tests.support import kits
from tests.support.colour_vision import ALL_EYES, EYES, difference, lab, simulate_colour
from tests.support.contrasts import Contrast
from tests.support.present import present

PLAYERS = (*SEATS, "counsellor")
EVERY_THEME = pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.key)
EVERY_EYES = pytest.mark.parametrize("eyes", ALL_EYES)
APART = 10.0
"""How different two colours have to look that are to be told apart at a glance (CIEDE2000)."""


@EVERY_THEME
def test_frame_text_has_enough_contrast(theme: Theme) -> None:
    for ink, ground in (
        *product((theme.ink, theme.second), (theme.paper, theme.band)),
        *product((theme.on_ink, theme.second_on_ink), (theme.ink,)),
        *product((LINE,), (SAFFRON, PALE, WATER)),
        *product((CREAM,), (LINE, CROSS, DEEP)),
    ):
        for eyes in ALL_EYES:
            assert contrast(looks(ink, eyes), looks(ground, eyes)) >= 4.5, (ink, ground, eyes)


def looks(colour: RGB, eyes: str) -> RGB:
    """Return what a colour looks like to some eyes."""
    return simulate_colour(colour, eyes) if eyes in EYES else colour


@EVERY_EYES
@pytest.mark.parametrize(("key", "theme"), [each for each in EVERY if kits.module(each[0], "contrasts")])
def test_text_and_pieces_of_the_board_stand_out_to_all_eyes(key: str, theme: str, eyes: str) -> None:
    needed: list[Contrast] = list(present(kits.module(key, "contrasts")).contrasts(THEMES[theme]))
    assert any(not each.text for each in needed)
    weak = []
    for each in needed:
        if each.mark:
            best, least = max(difference(ink, each.ground, eyes) for ink in each.inks), APART
        else:
            best = max(contrast(looks(ink, eyes), looks(each.ground, eyes)) for ink in each.inks)
            least = 4.5 if each.text else 3
        if best < least:
            weak.append((each.what, round(best, 2), "{:02X}{:02X}{:02X}".format(*each.ground)))
    assert weak == []


def test_contrast_is_that_of_wcag() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((0x77, 0x77, 0x77), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


@EVERY_EYES
@EVERY_THEME
def test_seats_differ_to_all_eyes(theme: Theme, eyes: str) -> None:
    for a, b in combinations(PLAYERS, 2):
        assert difference(theme.sets[a].face, theme.sets[b].face, eyes) >= APART, (a, b)
    assert difference(theme.sets["light"].face, theme.sets["dark"].face, eyes) > 50


@EVERY_EYES
@EVERY_THEME
def test_emblems_stand_out_from_their_pieces_to_all_eyes(theme: Theme, eyes: str) -> None:
    for name in PLAYERS:
        inks = theme.sets[name]
        assert abs(lab(inks.face, eyes)[0] - lab(inks.emblem, eyes)[0]) > 25, name


def test_emblems_differ_without_any_colour() -> None:
    theme = THEMES["light"]
    shapes = {name: _emblem(theme.sets[name]) for name in (*PLAYERS, "light", "dark")}
    for a, b in (*combinations(PLAYERS, 2), ("light", "dark")):
        share = ImageChops.logical_xor(shapes[a], shapes[b]).histogram()[255] / (3.14159 * 25 * 25)
        # Dot and square are the nearest; the dot is dark on its piece, the square light.
        opposite = (luminance(theme.sets[a].emblem) > 0.5) != (luminance(theme.sets[b].emblem) > 0.5)
        assert share > (0.03 if opposite else 0.05), (a, b)


def _emblem(inks: Set) -> Image.Image:
    sketch = Sketch(60, 60, (30, 30), (255, 255, 255))
    pieces.draw_emblem(sketch, 0, 0, 25, inks, (0, 0, 0))
    return sketch.reduced().convert("L").point(lambda value: 255 if value < 128 else 0).convert("1")


@EVERY_EYES
def test_marks_differ_to_all_eyes(eyes: str) -> None:
    for mark in (SAFFRON, PALE):
        # What can be reached has an edge.
        assert max(difference(mark, ink, eyes) for ink in (WATER, DEEP)) >= APART
    assert difference(SAFFRON, PALE, eyes) >= APART / 2


def test_differences_are_those_of_ciede2000() -> None:
    assert difference((70, 90, 200), (70, 90, 200)) == 0
    # Greys differ by their lightness alone, which is 53.59 and 63.22 here and counts less far from the middle.
    assert difference((128, 128, 128), (153, 153, 153)) == pytest.approx(9.63 / 1.11, abs=0.1)
    assert difference((0, 0, 0), (255, 255, 255)) == pytest.approx(100, abs=0.1)


def test_the_simulation_leaves_greys_and_confuses_what_such_eyes_confuse() -> None:
    for eyes in EYES:
        for value in (0, 90, 255):
            assert all(abs(part - value) <= 2 for part in simulate_colour((value, value, value), eyes))
    # Strong red and green of the right lightness are nearly one colour without red or green cones.
    red, green = (160, 100, 0), (100, 120, 0)
    for eyes in ("protanopia", "deuteranopia"):
        assert difference(red, green, eyes) < difference(red, green) / 2


@EVERY_EYES
@pytest.mark.parametrize(("key", "theme"), EVERY)
def test_pieces_contrast_with_their_cells_for_all_colour_vision(key: str, theme: str, eyes: str) -> None:
    for cell, under, inks in _pieces_on_cells(key, theme):
        ground = looks(under, eyes)
        assert max(contrast(looks(ink, eyes), ground) for ink in inks) >= 3, cell


@cache
def _pieces_on_cells(key: str, theme: str) -> list[tuple[str, RGB, list[RGB]]]:
    """Return cells with a piece: the colour of what is left of the cell, and the colours of the piece."""
    found = []
    own = {ink for each in THEMES[theme].sets.values() for ink in (each.face, each.wall, each.rim, each.contour)}
    for state, _ in sample_states(key)[1::60]:
        drawing = draw(state, theme=theme)
        image = picture(drawing.png)
        empty = pictures[key].paint(Scene.of(state, None, None, None, (), theme))[0].ground.picture
        taken = state.game.symbols(state.to_json())
        for cell in sorted(taken.keys() & drawing.spots.keys()):
            box = cell_box(drawing, cell)
            under, inside = count_colours(empty.crop(box)), count_colours(image.crop(box))
            ground = max(under, key=lambda ink: min(under[ink], inside.get(ink, 0)))
            if min(under[ground], inside.get(ground, 0)) < sum(inside.values()) // 50:
                # Such a cell is tinted: its ground is what is seen most of the board's own inks.
                ground = max(set(pictures[key].colours(THEMES[theme])) - own, key=lambda ink: inside.get(ink, 0))
            # What there is much more of than without the piece: face, edge, emblem.
            found.append((cell, ground, [ink for ink, count in inside.items() if count >= 40 + under.get(ink, 0)]))
    assert found
    return found
