"""tools/full.py: what it takes from pytest, and the page that it writes."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from tools.full import run_command

ROOT: Final = Path(__file__).parents[2]
QUICK: Final = "tests/engine/test_notation.py"
FAILING: Final = """
import pytest

@pytest.mark.full
def test_a_long_version():
    assert "long" == "short"

def test_an_ordinary_one():
    pass
"""


def full(page: Path, *arguments: str) -> int:
    """Run it without benchmarks; return its exit code."""
    command = [sys.executable, "tools/full.py", "--bench", "--page", str(page), "--"]
    return subprocess.run([*command, "-n", "0", "-p", "no:cacheprovider", *arguments], cwd=ROOT, timeout=280).returncode


def test_the_page_has_the_date_the_tests_and_the_command(tmp_path: Path) -> None:
    page = tmp_path / "measurements.md"
    counted = "## What it costs\n\nCounted.\n\n<!-- costs -->\n| a | 1 |\n<!-- costs end -->\n"
    counted += "\n## Mutants\n\nKilled.\n\n<!-- mutants end -->\n"
    page.write_text(f"# Old\n\n## Older\n\nGone.\n\n{counted}\n## Oldest\n\nGone.\n", "utf-8")
    assert full(page, QUICK) == 0
    written = page.read_text("utf-8")
    assert f"\n\n{counted}\n## Tests" in written
    assert "Gone" not in written
    assert "Written by `make full` on 20" in written
    assert "## Tests, the long versions" in written
    assert QUICK in written
    assert "1 passed" in written
    assert "Failed" not in written


def test_what_goes_wrong_is_told(tmp_path: Path) -> None:
    page, tests = tmp_path / "measurements.md", tmp_path / "test_long.py"
    tests.write_text(FAILING, "utf-8")
    assert full(page, "-c", "pyproject.toml", QUICK, str(tests)) == 1
    written = page.read_text("utf-8")
    assert "**Failed** (exit code 1)" in written
    assert "1 failed, 1 passed" in written
    assert "::test_a_long_version" in written


def test_what_hangs_is_ended() -> None:
    code, _ = run_command([sys.executable, "-c", "import threading; threading.Event().wait()"], 0.5)
    assert code == -signal.SIGKILL
