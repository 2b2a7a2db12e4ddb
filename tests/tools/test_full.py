"""tools/full.py: what it takes from pytest, and the page that it writes."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tools import full
from tools.full import run_command

ROOT: Final = Path(__file__).parents[2]
FAILING: Final = """
import pytest

@pytest.mark.full
def test_a_long_version():
    assert "long" == "short"

def test_an_ordinary_one():
    pass
"""


def test_the_page_has_the_date_the_tests_and_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full, "run_command", lambda *_: (0, "=== 1 passed in 0.10s ===\n0.05s call     test_x\n"))
    monkeypatch.setattr("sys.argv", ["full", "--bench", "--page", str(tmp_path / "measurements.md"), "--", "-k", "x"])
    page = tmp_path / "measurements.md"
    counted = "## What it costs\n\nCounted.\n\n<!-- costs -->\n| a | 1 |\n<!-- costs end -->\n"
    counted += "\n## Mutants\n\nKilled.\n\n<!-- mutants end -->\n"
    page.write_text(f"# Old\n\n## Older\n\nGone.\n\n{counted}\n## Oldest\n\nGone.\n", "utf-8")
    assert full.main() == 0
    written = page.read_text("utf-8")
    assert f"\n\n{counted}\n## Tests" in written
    assert "Gone" not in written
    assert "Written by `make full` on 20" in written
    assert "## Tests, the long versions" in written
    for each in ("-n 2 --dist worksteal -k x`", "1 passed", "0.05s call     test_x"):
        assert each in written
    assert "Failed" not in written


def test_a_failure_is_reported(tmp_path: Path) -> None:
    page, tests = tmp_path / "measurements.md", tmp_path / "test_long.py"
    tests.write_text(FAILING, "utf-8")
    command = [sys.executable, "tools/full.py", "--bench", "--page", str(page), "--", "-c", "pyproject.toml"]
    command += ["-n", "0", "-p", "no:cacheprovider", "tests/tools/test_names.py", str(tests)]
    assert subprocess.run(command, cwd=ROOT, timeout=280).returncode == 1
    written = page.read_text("utf-8")
    for each in ("**Failed** (exit code 1)", "1 failed, 2 deselected", "::test_a_long_version"):
        assert each in written


def test_a_command_that_hangs_is_ended() -> None:
    code, _ = run_command([sys.executable, "-c", "import threading; threading.Event().wait()"], 0.5)
    assert code == -signal.SIGKILL
