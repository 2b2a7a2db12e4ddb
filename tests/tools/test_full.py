"""tools/full.py: what it takes from pytest, and the page that it writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
QUICK: Final = "tests/durability/test_atomic.py"


def full(page: Path, *arguments: str) -> int:
    """Run it without benchmarks; return its exit code."""
    command = [sys.executable, "tools/full.py", "--bench", "--page", str(page), "--"]
    return subprocess.run([*command, "-p", "no:cacheprovider", *arguments], cwd=ROOT, timeout=280).returncode


def test_the_page_has_the_date_the_tests_and_the_command(tmp_path: Path) -> None:
    page = tmp_path / "measurements.md"
    assert full(page, QUICK) == 0
    written = page.read_text("utf-8")
    assert "Written by `make full` on 20" in written
    assert "## Tests, the long versions" in written
    assert QUICK in written
    assert " passed in " in written


def test_what_goes_wrong_is_told(tmp_path: Path) -> None:
    page = tmp_path / "measurements.md"
    assert full(page, QUICK, "-k", "there_is_no_such_test") == 1
    assert "no tests ran" in page.read_text("utf-8")
