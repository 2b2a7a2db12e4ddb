"""Paths that pages and comments name lead somewhere, and the check sees the one that does not."""

from pathlib import Path

import pytest

from tools.check_paths import find_problems


def test_every_path_leads_somewhere() -> None:
    assert list(find_problems()) == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project."""
    pages = {
        "README.md": "# All of it\n\n## What it's *for*\n\n## `make` it, twice\n\n## Again\n\n## Again\n",
        "docs/rules/hex.md": "# Hex\n\n```\n# Not a heading\n```\n",
        "docs/boards.png": "",
        "bot/kernel/words/hex.py": "",
        "tests/games/hex/perft.json": "",
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "[all](../README.md) and [why](../README.md#what-its-for), [how](../README.md#make-it-twice)",
        "[once](../README.md#again) and [twice](../README.md#again-1), [here](#a-page)",
        '![boards](boards.png "The boards") and <img src="boards.png">',
        "[a site](https://example.org/docs/none.md), [a letter](mailto:anna@example.org), https://example.org/bot/none.py",
        "the folder [rules](rules/) has `docs/rules/hex.md`, `rules/hex.md` beside `bot/kernel/words/hex`",
        "[nothing]: boards.png",
        "`docs/rules/<key>.md`, `tests/games/KEY/perft.json`, `bot/kernel/words/*.py`, and `.it.md` of each",
        "and/or, `[a](none.png)` in code",
    ],
)
def test_what_leads_somewhere_is_no_problem(root: Path, line: str) -> None:
    (root / "docs/page.md").write_text(f"# A page\n\n{line}\n\n```\n[a](none.png)\n```\n")
    assert list(find_problems(root)) == []


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("see [that](none.md)", "none.md"),
        ("![boards](../boards.png)", "../boards.png"),
        ("[gone]: rules/gone.md", "rules/gone.md"),
        ("in `docs/rules/gone.md`", "docs/rules/gone.md"),
        ("in `tests/games/KEY/golden.json`", "tests/games/KEY/golden.json"),
        ("in bot/kernel/words/<key>.txt", "bot/kernel/words/<key>.txt"),
        ("by `engine/gone.py`.", "engine/gone.py"),
    ],
)
def test_a_page_that_points_nowhere_is_found(root: Path, line: str, named: str) -> None:
    (root / "docs/page.md").write_text(f"# A page\n\n{line}\n")
    assert list(find_problems(root)) == [f"docs/page.md:3: {named} leads nowhere"]


@pytest.mark.parametrize("anchor", ["none", "not-a-heading", "What-its-for"])
def test_an_anchor_without_a_heading_is_found(root: Path, anchor: str) -> None:
    (root / "docs/page.md").write_text(f"[a](../README.md#{anchor})\n[b](rules/hex.md#hex)\n[c](#none)\n")
    assert list(find_problems(root)) == [
        f"docs/page.md:1: ../README.md#{anchor}: the page has no such heading",
        "docs/page.md:3: #none: the page has no such heading",
    ]


def test_comments_and_docstrings_that_point_nowhere_are_found(root: Path) -> None:
    (root / "bot/module.py").write_text(
        '"""What it does (rules/hex.md,\ndocs/rules/hex.md, End)."""\n'
        "x = 'tests/none.py'  # in bot/none.py\n"
        '"""As docs/none.md says."""\n\n\n'
        "def y() -> None:\n"
        '    """See engine/none/."""\n'
        "    # See bot/kernel/words/hex.py\n"
    )
    assert sorted(find_problems(root)) == [
        "bot/module.py:1: rules/hex.md leads nowhere",
        "bot/module.py:3: bot/none.py leads nowhere",
        "bot/module.py:4: docs/none.md leads nowhere",
        "bot/module.py:8: engine/none/ leads nowhere",
    ]


@pytest.mark.parametrize(
    "name", ["pyproject.toml", "compose.yaml", ".github/workflows/check.yml", "Makefile", ".env.example"]
)
def test_comments_of_settings_are_followed(root: Path, name: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("a: b  # as docs/rules/hex.md says\n# not docs/none.md\n")
    assert list(find_problems(root)) == [f"{name}:2: docs/none.md leads nowhere"]
