"""The long versions: every test with many more examples, then all benchmarks, written with date and machine
into docs/measurements.md.

Figures of different days or machines cannot be compared; the ratios within one page can.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "measurements.md"


def ran(command: list[str]) -> tuple[int, str]:
    """Run a command from the root, showing what it prints; return its exit code and its output."""
    print("$", *command, flush=True)
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = []
    for line in process.stdout or ():
        print(line, end="", flush=True)
        lines.append(line)
    return process.wait(), "".join(lines)


def machine() -> str:
    """Return what the figures were measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"Python {platform.python_version()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}"


def section(title: str, command: Iterable[str], output: str) -> str:
    """Return one part of the page."""
    return f"## {title}\n\n`{' '.join(command)}`\n\n```\n{output.strip()}\n```\n"


def main() -> int:
    """Run everything and write the page; return 1 if a test or a benchmark failed."""
    started = datetime.now(UTC)
    python = sys.executable
    tests = ["-m", "pytest", "-n", "2", "--dist", "worksteal", "-q", "--hypothesis-profile=long", *sys.argv[1:]]
    code, output = ran([python, *tests])
    failed = code != 0
    last = next((line for line in reversed(output.splitlines()) if " in " in line), "no closing line")
    parts = [section("Tests, the long versions", ["python", *tests], last.strip("= "))]
    for path in sorted((ROOT / "bench").glob("[a-z]*.py")):
        code, output = ran([python, f"bench/{path.name}"])
        failed = failed or code != 0
        parts.append(section(path.stem.capitalize(), ["python", f"bench/{path.name}"], output))
    minutes = (datetime.now(UTC) - started).total_seconds() / 60
    head = (
        "# Measurements\n\n"
        f"Written by `make full` on {started:%Y-%m-%d} ({machine()}; {minutes:.0f} minutes).\n"
        "Only figures of one run can be compared with each other.\n"
    )
    PAGE.write_text("\n".join([head, *parts]), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
