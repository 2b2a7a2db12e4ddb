"""The long versions: every test with many more examples, then all benchmarks, written with date and machine
into docs/measurements.md. It takes some hours.

Figures of different days or machines cannot be compared; the ratios within one page can. What follows `--` goes to
pytest.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "measurements.md"
LONG = ["-n", "2", "--dist", "worksteal", "-q", "--hypothesis-profile=long", "--timeout=7200", "--durations=15"]

_CLOSING = re.compile(r"(\d+ (passed|failed|errors?|deselected)\b|no tests ran).* in [\d.]+s")
_DURATION = re.compile(r"[\d.]+s (call|setup|teardown)\b")


def ran(command: list[str]) -> tuple[int, str]:
    """Run a command from the root, showing what it prints; return its exit code and its output."""
    print("$", *command, flush=True)
    # As `python -m pytest` does it: scripts see the tests' helpers, too.
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
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


def closing(output: str) -> str:
    """Return pytest's last line, which counts what passed and failed."""
    found = [line.strip("= ") for line in output.splitlines() if _CLOSING.search(line)]
    return found[-1] if found else "no closing line"


def slowest(output: str) -> list[str]:
    """Return pytest's lines about the tests that took longest."""
    return [line for line in output.splitlines() if _DURATION.match(line)]


def main() -> int:
    """Run everything and write the page; return 1 if a test or a benchmark failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--no-tests", action="store_true", help="the benchmarks alone")
    parser.add_argument("--bench", nargs="*", metavar="NAME", help="only these benchmarks (all)")
    parser.add_argument("--page", type=Path, default=PAGE, help="what to write (docs/measurements.md)")
    parser.add_argument("pytest", nargs="*", metavar="ARGUMENT", help="further arguments for pytest")
    arguments = parser.parse_args()
    started = datetime.now(UTC)
    python, parts, failed = sys.executable, [], False
    if not arguments.no_tests:
        tests = ["-m", "pytest", *LONG, *arguments.pytest]
        code, output = ran([python, *tests])
        failed = code != 0
        told = "\n".join([closing(output), "", "The longest:", *slowest(output)])
        parts.append(section("Tests, the long versions", ["python", *tests], told))
    for path in sorted((ROOT / "bench").glob("[a-z]*.py")):
        if arguments.bench is not None and path.stem not in arguments.bench:
            continue
        code, output = ran([python, f"bench/{path.name}"])
        failed = failed or code != 0
        parts.append(section(path.stem.capitalize(), ["python", f"bench/{path.name}"], output))
    minutes = (datetime.now(UTC) - started).total_seconds() / 60
    head = (
        "# Measurements\n\n"
        f"Written by `make full` on {started:%Y-%m-%d} ({machine()}; {minutes:.0f} minutes).\n"
        "Only figures of one run can be compared with each other.\n"
    )
    arguments.page.write_text("\n".join([head, *parts]), encoding="utf-8")
    print(f"written: {arguments.page}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
