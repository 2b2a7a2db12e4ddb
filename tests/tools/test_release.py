"""A release is checked, built and explained; what stands in its way is said all at once."""

import subprocess
from pathlib import Path

import pytest

from tools.release import ROOT, NotReleasableError, main, read_changelog, read_version, release_notes

CHANGELOG = """# Changelog

## Unreleased

## 0.2.0 - 2026-11-24

### Fixed
- What was wrong.

## 0.1.0 - 2026-11-22

The first version.
"""
PROJECT = """[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "tavoliere"
version = "0.2.0"
"""


def git(root: Path, *arguments: str) -> None:
    """Run git as somebody who has no settings of their own."""
    named = ["-c", "user.name=Anna", "-c", "user.email=anna@example.org"]
    subprocess.run(["git", *named, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A committed project at version 0.2.0."""
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / "tavoliere.py").write_text("")
    (tmp_path / ".gitignore").write_text("dist/\nbuild/\n*.egg-info/\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "Version 0.2.0")
    return tmp_path


def test_the_section_of_the_version_is_the_text(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--notes", "v0.2.0"], root) == 0
    assert capsys.readouterr().out == "### Fixed\n- What was wrong.\n"


@pytest.mark.parametrize("tag", ["v0.3.0", "0.2.0"])
def test_a_tag_that_is_not_the_version_has_no_text(root: Path, tag: str) -> None:
    with pytest.raises(NotReleasableError, match=r"it would be v0\.2\.0"):
        release_notes(tag, root)


def test_release_builds_the_version_and_prints_the_next_steps(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "dist").mkdir()
    (root / "dist/tavoliere-0.1.0.tar.gz").write_text("of the version before")
    assert main([], root) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    built = {file.name for file in (root / "dist").iterdir()}
    assert built == {"tavoliere-0.2.0-py3-none-any.whl", "tavoliere-0.2.0.tar.gz"}
    assert all(name in out for name in built)
    assert 'git tag --annotate v0.2.0 --message "Version 0.2.0"' in out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("## Unreleased\n", "## Unreleased\n\n### Added\n- More.\n", "still has lines under Unreleased"),
        ("## Unreleased\n\n", "", "does not begin with '## Unreleased'"),
        ("### Fixed\n- What was wrong.\n", "", "says nothing of version 0.2.0"),
        (" - 2026-11-24", "", "when version 0.2.0 was made"),
        ("2026-11-24", "2026-13-24", "when version 0.2.0 was made"),
        ("2026-11-24", "2999-01-01", "which is still to come"),
        ("### Fixed", "### Mended", "'Mended' is none of Added, Changed"),
        ("## 0.1.0", "## 0.3.0", "not in order"),
        ("## 0.1.0", "## one", "no three numbers: one"),
        ("## Unreleased\n", "## Unreleased\n\n## 0.3.0 - 2026-11-24\n", "CHANGELOG.md's newest is 0.3.0"),
    ],
)
def test_changelog_errors_are_reported(
    root: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    assert CHANGELOG.count(old) == 1
    (root / "CHANGELOG.md").write_text(CHANGELOG.replace(old, new))
    assert main([], root) == 1
    error = capsys.readouterr().err
    assert said in error
    assert "not committed" in error, "all that is in the way is said at once"
    assert not (root / "dist").exists()


def test_a_version_that_was_released_is_never_changed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(root, "tag", "v0.2.0")
    (root / "CHANGELOG.md").write_text(CHANGELOG.replace("wrong", "very wrong"))
    git(root, "commit", "--quiet", "--all", "--message", "More")
    assert main([], root) == 1
    assert "v0.2.0 names another commit" in capsys.readouterr().err


def test_the_version_of_today_has_its_section() -> None:
    assert (read_changelog()[0].version, read_changelog()[1].version) == ("Unreleased", read_version(ROOT))
    assert release_notes(f"v{read_version()}")
