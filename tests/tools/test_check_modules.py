"""Modules stay small, and the check sees the one that does not."""

from pathlib import Path

from tools.check_modules import MOST_LINES, problems


def test_no_module_is_too_long() -> None:
    assert list(problems()) == []


def test_a_long_module_is_found(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "all.py").write_text("x = 1\n" * (MOST_LINES + 1))
    assert list(problems(tmp_path)) == [f"bot/all.py: {MOST_LINES + 1} lines, more than {MOST_LINES}"]
