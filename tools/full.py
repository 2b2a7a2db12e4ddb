"""The long versions of the tests, property tests with five times their examples and new ones each time, then all
benchmarks; written with date and machine into docs/measurements.md. It takes about 45 minutes on two cores.

Tests without a long version are part of `make test` and are not run again. Failures and timeouts are reported on the
page, and the rest goes on. Figures of different days or machines cannot be compared; ratios within one page can.
Arguments after `--` go to pytest.
"""

import argparse
import os
import platform
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "measurements.md"
# The marker `hypothesis` is put on property tests by Hypothesis itself.
SELECTION_ARGUMENTS = ["-m", "full or hypothesis", "--hypothesis-profile=long"]
REPORT_ARGUMENTS = ["-q", "--timeout=1800", "--durations=20"]
PARALLEL_ARGUMENTS = [*SELECTION_ARGUMENTS, *REPORT_ARGUMENTS, "-n", "2", "--dist", "worksteal"]
# What kills and crowds the program has the machine to itself.
DURABILITY_FOLDER = "tests/durability"
SERIAL_ARGUMENTS = [DURABILITY_FOLDER, "-m", "full", *REPORT_ARGUMENTS, "-n", "0"]
TESTS_END = 3600.0
BENCH_ENDS = 1200.0
"""Seconds after which something hangs."""

_COUNTED = re.compile(r"^## [^\n]*\n(?:(?!^## ).)*?^<!-- (?:costs|mutants) end -->\n", re.DOTALL | re.MULTILINE)
_CLOSING = re.compile(r"(\d+ (passed|failed|errors?|deselected)\b|no tests ran).* in [\d.]+s")
_FAILURE = re.compile(r"(FAILED|ERROR) \S")
_DURATION = re.compile(r"[\d.]+s (call|setup|teardown)\b")


def run_command(command: list[str], limit: float) -> tuple[int, str]:
    """Run a command from the root, showing what it prints; return its exit code and its output.

    After so many seconds it is killed with whatever it has started.
    """
    print("$", shlex.join(command), flush=True)
    # As `python -m pytest` does it: scripts see the tests' helpers, too.
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        late = Timer(limit, os.killpg, [process.pid, signal.SIGKILL])
        late.start()
        lines = []
        try:
            for line in process.stdout or ():
                print(line, end="", flush=True)
                lines.append(line)
            return process.wait(), "".join(lines)
        finally:
            late.cancel()
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)  # Ctrl+C does not reach another session


def describe_machine() -> str:
    """Return what the figures were measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"Python {platform.python_version()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}"


def format_section(title: str, command: Iterable[str], code: int, output: str) -> str:
    """Return one part of the page."""
    failed = f"**Failed** (exit code {code}).\n\n" if code else ""
    return f"## {title}\n\n`{shlex.join(command)}`\n\n{failed}```\n{output.strip()}\n```\n"


def find_summary(output: str) -> str:
    """Return pytest's last line, which counts what passed and failed; what came last if there is none."""
    found = [line.strip("= ") for line in output.splitlines() if _CLOSING.search(line)]
    return found[-1] if found else "\n".join(["no closing line:", *output.splitlines()[-20:]])


def format_head(started: datetime) -> str:
    """Return how the page begins."""
    minutes = (datetime.now(UTC) - started).total_seconds() / 60
    return (
        "# Measurements\n\n"
        f"Written by `make full` on {started:%Y-%m-%d} ({describe_machine()}; {minutes:.0f} minutes).\n"
        "Only figures of one run can be compared with each other.\n"
    )


def find_counted_part(page: Path) -> str:
    """Return the sections of the page that other tools counted (tools/make_costs.py, tools/mutants.py)."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    return "\n".join(found[0] for found in _COUNTED.finditer(text))


def main() -> int:
    """Run everything and write the page; return 1 if a test or a benchmark failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--no-tests", action="store_true", help="the benchmarks alone")
    parser.add_argument("--bench", nargs="*", metavar="NAME", help="only these benchmarks (all)")
    parser.add_argument("--page", type=Path, default=PAGE, help="what to write (docs/measurements.md)")
    parser.add_argument("pytest", nargs="*", metavar="ARGUMENT", help="further arguments for pytest")
    arguments = parser.parse_args()
    started = datetime.now(UTC)
    counted = find_counted_part(arguments.page)
    parts: list[str] = [counted] if counted else []
    failed = False

    def record_section(title: str, command: list[str], code: int, output: str) -> None:
        nonlocal failed
        failed = failed or code != 0
        parts.append(format_section(title, ["python", *command], code, output))
        arguments.page.write_text("\n".join([format_head(started), *parts]), encoding="utf-8")

    if not arguments.no_tests:
        runs = {
            "Tests, the long versions": [*PARALLEL_ARGUMENTS, *(arguments.pytest or [f"--ignore={DURABILITY_FOLDER}"])]
        }
        if not arguments.pytest:
            runs = {"Tests that kill and crowd the program": SERIAL_ARGUMENTS, **runs}
        for title, chosen in runs.items():
            tests = ["-m", "pytest", *chosen]
            code, output = run_command([sys.executable, *tests], TESTS_END)
            lines = [
                find_summary(output),
                *[line for line in output.splitlines() if _FAILURE.match(line)],
                "",
                "The longest:",
                *[line for line in output.splitlines() if _DURATION.match(line)],
            ]
            record_section(title, tests, code, "\n".join(lines))
    for path in sorted((ROOT / "bench").glob("[a-z]*.py")):
        if arguments.bench is None or path.stem in arguments.bench:
            command = [f"bench/{path.name}"]
            record_section(path.stem.capitalize(), command, *run_command([sys.executable, *command], BENCH_ENDS))
    print(f"written: {arguments.page}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
