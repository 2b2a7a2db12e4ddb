"""Pictures compared with kept ones, and whether the comparison can tell what matters from what does not."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageFilter

from engine import State
from engine.core import InvalidPosition
from render import THEMES, draw
from tests.render.pixels import board_of, picture
from tests.support import kits
from tests.support.comparing import SMALLER, TOLERANCE, difference, shrink_picture
from tests.support.exact import FILE, are_kept_here, assert_exact, keep, list_names, other_pictures
from tests.support.present import present
from tests.support.samples import Sample

OTHER_PICTURES = other_pictures()
EVERY_GAME = pytest.mark.parametrize("key", kits.with_kit())


@cache
def scenes(key: str) -> dict[str, Sample]:
    """Return the kept samples of a game by their names."""
    return {data["name"]: Sample.from_json(data) for data in kits.entries(key, "pictures.json")}


def moments(key: str, kind: str) -> list[Sample]:
    """Return the kept samples of one kind: `start`, `turn`, `choice`, `end` or `pieces`."""
    return [sample for name, sample in scenes(key).items() if name.endswith(f"-{kind}")]


def golden_cases(every: int = 1) -> list[Any]:
    """Return the game, the file, the name and the theme of each kept picture, or of some of each game."""
    return [
        pytest.param(key, file, *file.stem.rsplit("-", 1), id=file.stem)
        for key in kits.with_kit()
        for file in kits.files(key, "pictures/*.png")[::every]
    ]


@cache
def png_as_kept(key: str, name: str, theme: str) -> bytes:
    sample = scenes(key)[name]
    return draw(sample.state, **sample.arguments(), theme=theme).png


@cache
def drawn_as_kept(key: str, name: str, theme: str) -> Image.Image:
    return shrink_picture(png_as_kept(key, name, theme))


def drawn(sample: Sample, theme: str, **changes: Any) -> Image.Image:
    """Return a small picture of a sample, some of `draw`'s arguments changed."""
    return shrink_picture(draw(sample.state, **{**sample.arguments(), "theme": theme, **changes}).png)


@pytest.mark.parametrize(("key", "file", "name", "theme"), golden_cases())
def test_it_looks_as_it_did(key: str, file: Path, name: str, theme: str) -> None:
    with Image.open(file) as golden:
        apart = difference(golden, drawn_as_kept(key, name, theme))
    assert apart <= TOLERANCE, f"{name} in {theme} differs by {apart}; if it is meant to: make golden"
    assert_exact(file.stem, png_as_kept(key, name, theme))


@pytest.mark.parametrize("name", OTHER_PICTURES)
def test_charts_films_and_previews_are_what_they_were(name: str) -> None:
    assert_exact(name, OTHER_PICTURES[name]())


def test_every_picture_has_a_digest_that_holds_for_the_versions_of_the_tests() -> None:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    assert list(stored["pictures"]) == list_names() or not are_kept_here(), "make golden"
    constraints = (kits.ROOT / "constraints.txt").read_text(encoding="utf-8")
    versions = dict(each.split(" ") for each in stored["drawn_with"].lower().split(", ")[:3])
    for name in ("pillow", "uharfbuzz"):
        assert f"{name}=={versions[name]}" in constraints.splitlines(), "make golden"


def test_digests_are_made_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who draws a game of their own with other versions leaves ours as they are."""
    file = Path(shutil.copy(FILE, tmp_path))
    monkeypatch.setattr("tests.support.exact.FILE", file)
    monkeypatch.setattr("sysconfig.get_platform", lambda: "macosx-14.0-arm64")
    keep({})
    assert file.read_bytes() == FILE.read_bytes()


@EVERY_GAME
def test_every_game_is_kept_in_every_theme(key: str) -> None:
    names = {file.stem for file in kits.files(key, "pictures/*.png")}
    for theme in THEMES:
        for stage in ("start", "turn", "choice", "end"):
            assert any(name.endswith(f"-{stage}-{theme}") for name in names), (stage, theme)


def board(state: State, theme: str) -> Image.Image:
    """Return a small picture of the cells alone, so that the player to move does not count."""
    drawing = draw(state, viewer=0, theme=theme)
    left, top, right, bottom = board_of(drawing)
    box = (left // SMALLER, top // SMALLER, -(-right // SMALLER), -(-bottom // SMALLER))
    return shrink_picture(drawing.png).crop(box)


@pytest.mark.parametrize("theme", THEMES)
@EVERY_GAME
def test_one_step_of_any_game_is_caught(key: str, theme: str) -> None:
    state = moments(key, "choice")[0].state
    actions = [action for action in state.legal_actions() if action.target]
    before = board(state, theme)
    for action in actions[:: max(1, len(actions) // 3)]:
        assert difference(before, board(state.advance(action), theme)) > TOLERANCE, str(action)


@pytest.mark.parametrize("theme", THEMES)
@EVERY_GAME
def test_two_pieces_that_changed_places_are_caught(key: str, theme: str) -> None:
    state, other = exchanged(key)
    assert difference(board(state, theme), board(other, theme)) > TOLERANCE


@cache
def exchanged(key: str) -> tuple[State, State]:
    """Return a kept position, and the same with two different pieces in each other's places."""
    for sample in scenes(key).values():
        state = sample.state
        spots = draw(state).spots
        standing = {cell: sign for cell, sign in state.game.symbols(state.to_json()).items() if cell in spots}
        for one, other in combinations(standing, 2):
            if standing[one] != standing[other] and (found := _exchanged(state, one, other)):
                return state, found
    pytest.skip("no two pieces of this game can change places")


def _exchanged(state: State, one: str, other: str) -> State | None:
    """Return the position with two cells' names exchanged wherever they stand; None if that is none, or the same."""
    places = {one: other, other: one}
    position = {name: value for name, value in state.to_json().items() if name != "extra"}
    try:
        found = state.game.load(_renamed(position, places))
    except InvalidPosition:
        return None
    return found if found != state else None


def _renamed(value: Any, places: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _renamed(each, places) for name, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, places) for each in value]
    return places.get(value, value) if isinstance(value, str) else value


@pytest.mark.parametrize("theme", THEMES)
@EVERY_GAME
def test_missing_marks_are_caught(key: str, theme: str) -> None:
    turn = moments(key, "turn")[0]
    assert difference(drawn_as_kept(key, turn.name, theme), drawn(turn, theme, last_turn=None)) > TOLERANCE
    choice = moments(key, "choice")[0]
    whole, marks = drawn_as_kept(key, choice.name, theme), present(choice.choices)
    if marks.targets:
        assert difference(whole, drawn(choice, theme, choices=replace(marks, targets=marks.targets[:-1]))) > TOLERANCE
    if len(marks.movable) > 1:
        still = tuple(cell for cell in marks.movable if cell == marks.chosen)
        assert difference(whole, drawn(choice, theme, choices=replace(marks, movable=still))) > TOLERANCE


@pytest.mark.parametrize(("key", "file", "name", "theme"), golden_cases(every=24))
def test_small_differences_of_rendering_pass(key: str, file: Path, name: str, theme: str) -> None:
    sample = scenes(key)[name]
    whole = picture(draw(sample.state, **sample.arguments(), theme=theme).png)
    third = whole.resize(whole.size, Image.Resampling.BICUBIC, (0.33, 0.33, whole.width, whole.height))
    versions = [
        whole.filter(ImageFilter.GaussianBlur(0.6)),
        whole.point(lambda value: min(255, value + 3)),
        whole.quantize(128, dither=Image.Dither.NONE).convert("RGB"),
        third,
    ]
    with Image.open(file) as golden:
        for version in versions:
            assert difference(golden, version.reduce(SMALLER)) <= TOLERANCE
