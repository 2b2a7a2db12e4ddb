"""Suggested turns on the boards: as they were, with marks that mean something."""

from dataclasses import replace
from itertools import combinations

import pytest
from PIL import Image

from render import Hint, HintStep, draw
from tests.support import kits
from tests.support.comparing import TOLERANCE, difference, shrink_picture
from tests.support.exact import assert_exact
from tests.support.present import present
from tests.support.samples import Suggestion, choices_of

STORED = [Suggestion.from_json(data) for key in kits.with_kit() for data in kits.entries(key, "hints.json")]
CASES = {each.name: each for each in STORED}
"""All kept positions with a suggested turn."""
EVERY_ONE = pytest.mark.parametrize("name", CASES)
FIRST_OF_EACH_GAME = pytest.mark.parametrize("name", {one.state.game.key: name for name, one in CASES.items()}.values())


def picture(suggestion: Suggestion) -> Image.Image:
    return shrink_picture(suggestion.drawn().png)


@EVERY_ONE
def test_it_looks_as_it_did(name: str) -> None:
    (file,) = kits.files(CASES[name].state.game.key, f"pictures/hints/{name}.png")
    png = CASES[name].drawn().png
    with Image.open(file) as golden:
        apart = difference(golden, shrink_picture(png))
    assert apart <= TOLERANCE, f"{name} differs by {apart}; if it is meant to: make golden"
    assert_exact(name, png)


@pytest.mark.parametrize("key", kits.with_kit())
def test_every_kept_picture_is_compared(key: str) -> None:
    drawn = {name for name, each in CASES.items() if each.state.game.key == key and each.hint.steps}
    assert {file.stem for file in kits.files(key, "pictures/hints/*.png")} == drawn


@EVERY_ONE
def test_every_step_is_seen(name: str) -> None:
    whole = CASES[name]
    for steps in combinations(whole.hint.steps, len(whole.hint.steps) - 1):
        assert difference(picture(whole), picture(replace(whole, hint=replace(whole.hint, steps=steps)))) > TOLERANCE


@pytest.mark.parametrize("name", [name for name, one in CASES.items() if any(step.capture for step in one.hint.steps)])
def test_capture_hint_looks_unlike_a_move_hint(name: str) -> None:
    one = CASES[name]
    other = replace(one, hint=Hint(tuple(replace(step, capture=not step.capture) for step in one.hint.steps)))
    # Not by its colour alone.
    assert difference(*([picture(each).convert("L") for each in (one, other)])) > TOLERANCE


@FIRST_OF_EACH_GAME
def test_cells_that_are_not_there_are_left_out(name: str) -> None:
    state = CASES[name].state
    cell = next(iter(draw(state).spots))
    strange = Hint((HintStep("zz99"), HintStep(cell, source="zz98")))
    plain = Hint((HintStep(cell),))
    assert draw(state, hint=strange).png == draw(state, hint=plain).png


@FIRST_OF_EACH_GAME
def test_choices_are_kept_beside_a_suggestion(name: str) -> None:
    state, choices = CASES[name].state, present(choices_of(CASES[name].state))
    hint = Hint((HintStep(list(draw(state).spots)[-1]),))
    assert draw(state, choices=choices, hint=hint).png != draw(state, hint=hint).png
