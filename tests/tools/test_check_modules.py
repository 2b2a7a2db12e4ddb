"""Modules stay small, and the check sees the one that does not."""

from pathlib import Path

import pytest

from tools.check_modules import MAX_LINES, find_problems


def test_no_module_is_too_long() -> None:
    assert list(find_problems()) == []


@pytest.mark.parametrize("name", ["bot/all.py", "tools/all.py", "tests/bot/test_all.py"])
def test_a_long_module_is_found(tmp_path: Path, name: str) -> None:
    module = tmp_path / name
    module.parent.mkdir(parents=True)
    module.write_text("x = 1\n" * MAX_LINES)
    assert list(find_problems(tmp_path)) == []
    module.write_text("x = 1\n" * (MAX_LINES + 1))
    assert list(find_problems(tmp_path)) == [f"{name}: {MAX_LINES + 1} lines, more than {MAX_LINES}"]
