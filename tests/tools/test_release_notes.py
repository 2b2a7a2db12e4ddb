"""The text of a release is what the changelog says of it, and a tag that does not fit makes none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.release_notes import ROOT, NotReleasableError, main, notes

CHANGELOG = """# Changelog

## Unreleased

### Added
- What is not yet out.

## 0.2.0 - 2026-12-24

### Fixed
- What was wrong.

## 0.1.0 - 2026-11-22

The first version.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project at version 0.2.0."""
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    return tmp_path


def test_the_section_of_the_version_is_the_text(root: Path) -> None:
    assert notes("v0.2.0", root) == "### Fixed\n- What was wrong.\n"


@pytest.mark.parametrize(
    ("version", "tag", "changed", "said"),
    [
        ("0.2.0", "v0.3.0", ("", ""), "it would be v0.2.0"),
        ("0.2.0", "0.2.0", ("", ""), "it would be v0.2.0"),
        ("0.3.0", "v0.3.0", ("", ""), "says nothing of version 0.3.0"),
        ("0.2.0", "v0.2.0", ("### Fixed\n- What was wrong.\n", ""), "says nothing of version 0.2.0"),
        ("0.2.0", "v0.2.0", (" - 2026-12-24", ""), "when version 0.2.0 was made"),
    ],
)
def test_what_stands_in_the_way_is_said(
    root: Path, version: str, tag: str, changed: tuple[str, str], said: str
) -> None:
    (root / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    (root / "CHANGELOG.md").write_text(CHANGELOG.replace(*changed) if changed[0] else CHANGELOG)
    with pytest.raises(NotReleasableError, match=said):
        notes(tag, root)


def test_the_version_of_today_has_its_section(capsys: pytest.CaptureFixture[str]) -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    headings = [line for line in changelog.splitlines() if line.startswith("## ")]
    assert headings[0] == "## Unreleased"
    version = headings[1].removeprefix("## ").split(" - ")[0]
    assert main([f"v{version}"]) == 0
    assert capsys.readouterr().out
    assert main(["v99"]) == 1
    assert "pyproject.toml" in capsys.readouterr().err
