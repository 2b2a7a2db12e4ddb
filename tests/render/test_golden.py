"""Pictures compared with kept ones, and whether the comparison can tell what matters from what does not."""

from __future__ import annotations

import io
import json
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageFilter

from engine import State
from engine.core import InvalidPosition
from render import THEMES, Choices, draw
from render.golden import TOLERANCE, difference, small
from render.samples import Sample
from tests.render.pixels import KEYS

FOLDER = Path(__file__).resolve().parent.parent / "data" / "pictures"


@lru_cache(maxsize=1)
def scenes() -> dict[str, Sample]:
    """Return all kept samples by their names."""
    data = json.loads((FOLDER / "scenes.json").read_text(encoding="utf-8"))
    return {each["name"]: Sample.from_json(each) for each in data}


def kept() -> list[Any]:
    """Return the name and theme of each kept picture."""
    return [pytest.param(*file.stem.rsplit("-", 1), id=file.stem) for file in sorted(FOLDER.glob("*.png"))]


def drawn(sample: Sample, theme: str, **changes: Any) -> Image.Image:
    """Return a small picture of a sample, some of `draw`'s arguments changed."""
    state = changes.pop("state", sample.state)
    return small(draw(state, **{**sample.arguments(), "theme": theme, **changes}).png)


@pytest.mark.parametrize(("name", "theme"), kept())
def test_it_looks_as_it_did(name: str, theme: str) -> None:
    with Image.open(FOLDER / f"{name}-{theme}.png") as golden:
        apart = difference(golden, drawn(scenes()[name], theme))
    assert apart <= TOLERANCE, f"{name} in {theme} differs by {apart}; if it is meant to: make golden"


@pytest.mark.parametrize("key", KEYS)
def test_every_game_is_kept_in_every_theme(key: str) -> None:
    files = {file.stem for file in FOLDER.glob(f"{key}-*.png")}
    for theme in THEMES:
        for moment in ("start", "turn", "choice", "end"):
            assert any(name.endswith(f"{moment}-{theme}") for name in files), (moment, theme)


@pytest.mark.parametrize("theme", THEMES)
def test_one_moved_piece_is_caught(theme: str) -> None:
    sample = scenes()["annuvin-hexagon-classic-start"]
    position = sample.state.to_json()
    position["pieces"][0] = sorted([*position["pieces"][0][1:], "b2"])
    moved = sample.state.game.load(position)
    assert difference(drawn(sample, theme), drawn(sample, theme, state=moved)) > TOLERANCE


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("key", KEYS)
def test_one_step_of_any_game_is_caught(key: str, theme: str) -> None:
    sample = next(each for each in scenes().values() if each.name.startswith(key) and each.name.endswith("choice"))
    state = sample.state
    actions = [action for action in state.legal_actions() if action.target]
    for action in actions[:: max(1, len(actions) // 5)]:
        before = small(draw(state, viewer=0, theme=theme).png)
        after = small(draw(state.advance(action), viewer=0, theme=theme).png)
        for picture in (before, after):
            _hide_players(picture, beside=key == "uomo-nero")
        assert difference(before, after) > TOLERANCE, str(action)


def _hide_players(picture: Image.Image, beside: bool) -> None:
    """Leave nothing but the board, so that whose turn it is does not count."""
    width, height = picture.size
    picture.paste((0, 0, 0), (0, 0, width, 31))
    picture.paste((0, 0, 0), (width - 67, 0, width, height) if beside else (0, height - 45, width, height))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("key", KEYS)
def test_one_wrong_colour_is_caught(key: str, theme: str) -> None:
    sample = next(each for each in scenes().values() if each.name.startswith(key) and _recoloured(each))
    other = _recoloured(sample)
    assert other is not None
    pictures = [drawn(sample, theme, state=state, last_turn=None, choices=None) for state in (sample.state, other)]
    for picture in pictures:
        _hide_players(picture, beside=key == "uomo-nero")
    assert difference(*pictures) > TOLERANCE


def _recoloured(sample: Sample) -> State | None:
    """Return a position in which one piece has another's colour and the other way round; None without two colours."""
    game, position = sample.state.game, sample.state.to_json()
    stand = game.symbols(position)
    for (one, piece), (other, rival) in combinations(sorted(stand.items()), 2):
        for field in position if piece != rival else ():
            try:
                state = game.load(position | {field: _exchanged(position[field], one, other)})
            except InvalidPosition:
                continue
            if game.symbols(state.to_json()) == stand | {one: rival, other: piece}:
                return state
    return None


def _exchanged(data: Any, one: str, other: str) -> Any:
    """Return data in which two cells have taken each other's place."""
    if isinstance(data, dict):
        return {name: _exchanged(value, one, other) for name, value in data.items()}
    if isinstance(data, list):
        return [_exchanged(each, one, other) for each in data]
    return {one: other, other: one}.get(data, data) if isinstance(data, str) else data


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("key", KEYS)
def test_missing_marks_are_caught(key: str, theme: str) -> None:
    turn = next(each for each in scenes().values() if each.name.startswith(key) and each.name.endswith("turn"))
    assert difference(drawn(turn, theme), drawn(turn, theme, last_turn=None)) > TOLERANCE
    choice = next(each for each in scenes().values() if each.name.startswith(key) and each.name.endswith("choice"))
    marks = choice.choices
    assert marks is not None
    assert marks.targets
    fewer = Choices(marks.movable, marks.chosen, marks.targets[:-1], marks.kind)
    assert difference(drawn(choice, theme), drawn(choice, theme, choices=fewer)) > TOLERANCE
    if len(marks.movable) > 1:
        still = tuple(cell for cell in marks.movable if cell == marks.chosen)
        assert difference(drawn(choice, theme), drawn(choice, theme, choices=Choices(still, *_rest(marks)))) > TOLERANCE


def _rest(marks: Choices) -> tuple[Any, ...]:
    return marks.chosen, marks.targets, marks.kind


@pytest.mark.parametrize(("name", "theme"), kept()[::5])
def test_small_differences_of_rendering_pass(name: str, theme: str) -> None:
    sample = scenes()[name]
    png = draw(sample.state, **sample.arguments(), theme=theme).png
    with Image.open(io.BytesIO(png)) as opened:
        whole = opened.convert("RGB")
    third = whole.resize(whole.size, Image.Resampling.BICUBIC, (0.33, 0.33, whole.width, whole.height))
    versions = [
        whole.filter(ImageFilter.GaussianBlur(0.6)),
        whole.point(lambda value: min(255, value + 3)),
        whole.quantize(128, dither=Image.Dither.NONE).convert("RGB"),
        third,
    ]
    with Image.open(FOLDER / f"{name}-{theme}.png") as golden:
        for version in versions:
            file = io.BytesIO()
            version.save(file, "PNG")
            assert difference(golden, small(file.getvalue())) <= TOLERANCE
