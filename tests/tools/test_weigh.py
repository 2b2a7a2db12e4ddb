"""tools/weigh.py and tools/walk_ways.py: what is counted is syntax and what is entered."""

import subprocess
from pathlib import Path

import pytest

from storage import Store
from tests.bot.party import Party
from tools.walk_ways import walk_ways
from tools.weigh import weigh, weigh_module


@pytest.mark.parametrize(
    ("text", "statements", "functions"),
    [
        ('"""Only words."""\n', 0, 0),
        ("x = 1\n", 1, 0),
        ('async def f():\n    """Words."""\n    return 1\n', 2, 1),
    ],
)
def test_docstrings_weigh_no_statement(text: str, statements: int, functions: int) -> None:
    weight = weigh_module(text)
    assert (weight["statements"], weight["functions"]) == (statements, functions)


def test_formatting_does_not_count() -> None:
    assert weigh_module("f(1, 2)")["nodes"] == weigh_module("f(\n    1,\n    2,\n)")["nodes"]


def test_the_source_is_what_its_packages_are_without_migrations(tmp_path: Path) -> None:
    names = ("engine/a.py", "render/b.py", "storage/c.py", "storage/migrations/d.py", "bot/e.py", "docs/f.py")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    for git in (("init", "-q"), ("add", ".")):
        subprocess.run(["git", *git], cwd=tmp_path, check=True)
    found = {name: weight["statements"] for name, weight in weigh(tmp_path).items()}
    packages = dict.fromkeys(("engine", "render", "storage", "bot", "migrations"), 1)
    assert found == {**packages, "source": 4, "tests": 0, "tools": 0, "bench": 0}


async def test_each_way_enters_something(tmp_path: Path, store: Store) -> None:
    async with Party(store) as party:
        ways = {name: entered.counts async for name, entered in walk_ways(party)}
    assert list(ways) == ["choice", "move", "delivery", "clocks", "lesson", "cup"]
    assert all(calls >= functions >= files > 1 for calls, functions, files, _ in ways.values())
