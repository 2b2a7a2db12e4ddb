"""Whole games as they were played when their rules were last looked at; `make golden` writes them anew."""

from __future__ import annotations

import pytest

from engine import games
from tools.make_golden import FOLDER, playthroughs

TEXTS = dict(playthroughs())


@pytest.mark.parametrize("name", TEXTS)
def test_a_golden_game_is_played_as_before(name: str) -> None:
    assert TEXTS[name] == (FOLDER / name).read_text(encoding="utf-8")


def test_every_file_belongs_to_a_game() -> None:
    assert {path.name for path in FOLDER.glob("*.txt")} == set(TEXTS)


@pytest.mark.parametrize("key", games)
def test_every_registered_game_has_a_golden_game(key: str) -> None:
    assert any(name.startswith(f"{key}-") for name in TEXTS)
