"""Whole games as they were played when their rules were last looked at; `make golden` writes them anew."""

import pytest

from tests.support import kits
from tools.make_golden import list_variants, write_playthrough

CASES = [pytest.param(key, *each, id=each[0]) for key in kits.with_kit() for each in list_variants(key)]


@pytest.mark.parametrize(("key", "name", "seats", "options"), CASES)
def test_a_golden_game_is_played_as_before(key: str, name: str, seats: int, options: dict[str, str | int]) -> None:
    (golden,) = kits.files(key, f"golden/{name}.txt")
    assert write_playthrough(key, seats, options) == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("key", kits.with_kit())
def test_every_golden_file_is_compared(key: str) -> None:
    assert {path.stem for path in kits.files(key, "golden/*")} == {name for name, *_ in list_variants(key)}
