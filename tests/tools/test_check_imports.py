"""Imports point one way, and the check sees it where they do not."""

from pathlib import Path

import pytest

from tools.check_imports import problems


def test_the_house_imports_one_way() -> None:
    assert list(problems()) == []


@pytest.mark.parametrize(
    ("package", "line", "said"),
    [
        ("engine", "import aiohttp", "engine may not import aiohttp"),
        ("engine", "from render.marks import Choices", "engine may not import render"),
        ("render", "import storage.store", "render may not import storage"),
        ("render", "def late():\n    from bot import cards", "render may not import bot"),
        ("storage", "from engine import games", "storage may not import engine"),
        ("bot", "from tests.support import stores", "bot may not import tests"),
    ],
)
def test_an_import_against_the_grain_is_found(tmp_path: Path, package: str, line: str, said: str) -> None:
    for name in ("engine", "render", "storage", "bot"):
        (tmp_path / name).mkdir()
    (tmp_path / package / "module.py").write_text(f"import json\n{line}\n")
    assert [problem.split(": ", 1)[1] for problem in problems(tmp_path)] == [said]


def test_imports_with_the_grain_are_no_problem(tmp_path: Path) -> None:
    for name in ("engine", "render", "storage", "bot"):
        (tmp_path / name).mkdir()
    (tmp_path / "bot" / "module.py").write_text("import aiohttp, engine.core, render, storage.store\nfrom . import x\n")
    (tmp_path / "render" / "module.py").write_text("from engine import State\nfrom PIL import Image\n")
    assert list(problems(tmp_path)) == []
