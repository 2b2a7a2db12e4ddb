"""tools/full.py: what it takes from pytest, and the figures that it puts into the page."""

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


def test_figures_are_replaced_and_what_is_said_of_them_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full, "run_command", lambda *_: (0, "=== 1 passed in 0.10s ===\n0.05s call     test_x\n"))
    page = tmp_path / "measurements.md"
    monkeypatch.setattr("sys.argv", ["full", "--bench", "crowd", "year", "--page", str(page), "--", "-k", "x"])
    by_hand = "# Measurements\n\nWhat is here.\n\n## Mutants\n\nKilled.\n\n"
    old = "`python old` on 2020-01-01:\n\n**Failed** (exit code 1).\n\n```\nold\n```\n"
    page.write_text(f"{by_hand}## Crowd\n\nWhat it means.\n\n{old}\nMore of it.\n\n## Others\n\nThese.\n", "utf-8")
    assert full.main() == 0
    written = page.read_text("utf-8")
    assert written.startswith(f"{by_hand}## Crowd\n\nWhat it means.\n\n`python -m bench.crowd` on 20")
    for each in (
        "```\n=== 1 passed in 0.10s ===\n0.05s call     test_x\n```\n\nMore of it.\n\n## Others\n\nThese.\n\n## Tests",
        "## Tests, the long versions\n\n`python -m pytest ",
        "-n 2 --dist worksteal -k x` on 20",
        "## Year\n\n`python -m bench.year` on 20",
    ):
        assert each in written
    assert "old" not in written
    assert "Failed" not in written
    assert full.main() == 0
    assert page.read_text("utf-8") == written


def test_a_failure_is_reported(tmp_path: Path) -> None:
    page, tests = tmp_path / "measurements.md", tmp_path / "test_long.py"
    tests.write_text(FAILING, "utf-8")
    command = [sys.executable, "tools/full.py", "--bench", "--page", str(page), "--", "-c", "pyproject.toml"]
    command += ["-n", "0", "-p", "no:cacheprovider", "tests/tools/test_left_out.py", str(tests)]
    assert subprocess.run(command, cwd=ROOT, timeout=280).returncode == 1
    written = page.read_text("utf-8")
    for each in ("**Failed** (exit code 1)", "1 failed, 3 deselected", "::test_a_long_version"):
        assert each in written


def test_a_command_that_hangs_is_ended() -> None:
    code, _ = run_command([sys.executable, "-c", "import threading; threading.Event().wait()"], 0.5)
    assert code == -signal.SIGKILL
