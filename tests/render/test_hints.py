"""Suggested turns on the boards: as they were, with marks that mean something."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from PIL import Image

from render import Choices, Hint, Step, draw
from render.golden import TOLERANCE, difference, small
from render.samples import Suggestion
from tests.render.pixels import KEYS

FOLDER = Path(__file__).resolve().parent.parent / "data" / "pictures" / "hints"


@lru_cache(maxsize=1)
def suggestions() -> dict[str, Suggestion]:
    """Return all kept positions with a suggested turn."""
    data = json.loads((FOLDER / "scenes.json").read_text(encoding="utf-8"))
    return {each["name"]: Suggestion.from_json(each) for each in data}


def picture(suggestion: Suggestion) -> Image.Image:
    return small(suggestion.drawn().png)


@pytest.mark.parametrize("name", sorted(file.stem for file in FOLDER.glob("*.png")))
def test_it_looks_as_it_did(name: str) -> None:
    with Image.open(FOLDER / f"{name}.png") as golden:
        apart = difference(golden, picture(suggestions()[name]))
    assert apart <= TOLERANCE, f"{name} differs by {apart}; if it is meant to: make golden"


@pytest.mark.parametrize("key", KEYS)
def test_every_game_has_one(key: str) -> None:
    assert [each for each in suggestions().values() if each.state.game.key == key and each.hint.steps]


@pytest.mark.parametrize("name", ["annuvin-chain", "real-queen-line", "uomo-nero-man", "vedova-nera-marble"])
def test_every_step_is_seen(name: str) -> None:
    whole = suggestions()[name]
    for number in range(len(whole.hint.steps)):
        steps = whole.hint.steps[:number] + whole.hint.steps[number + 1 :]
        assert difference(picture(whole), picture(replace(whole, hint=replace(whole.hint, steps=steps)))) > TOLERANCE


@pytest.mark.parametrize("name", ["annuvin-square-capture", "fagocitare-dot"])
def test_a_capture_is_told_from_a_move(name: str) -> None:
    one = suggestions()[name]
    other = replace(one, hint=Hint(tuple(replace(step, capture=not step.capture) for step in one.hint.steps)))
    # Not by its colour alone.
    grey = [picture(each).convert("L") for each in (one, other)]
    assert difference(*grey) > TOLERANCE


def test_cells_that_are_not_there_are_left_out() -> None:
    state = suggestions()["fagocitare-dot"].state
    strange = Hint((Step("z9"), Step("c3", source="z1")))
    plain = Hint((Step("c3"),))
    assert draw(state, hint=strange).png == draw(state, hint=plain).png


def test_choices_are_kept_beside_a_suggestion() -> None:
    state = suggestions()["annuvin-chain"].state
    cell = state.legal_actions()[0].source
    assert cell is not None
    hint = Hint((Step("d4"),))
    with_choices = draw(state, choices=Choices(movable=(cell,)), hint=hint)
    assert with_choices.png != draw(state, hint=hint).png
