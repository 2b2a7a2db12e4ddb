"""The long versions of the tests, property tests with five times their examples and new ones each time, then all
benchmarks; their figures are put into docs/measurements.md with date and machine. It takes hours on two cores.

Tests without a long version are part of `make test` and are not run again. Each command has a section of the page: its
figures are replaced, what is said of them stays, and so does all else on the page. Failures and timeouts are reported
there, and the rest goes on. Arguments after `--` go to pytest.
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
REPORT_ARGUMENTS = ["-q", "--timeout=1800", "--durations=5"]
PARALLEL_ARGUMENTS = [*SELECTION_ARGUMENTS, *REPORT_ARGUMENTS, "-n", "2", "--dist", "worksteal"]
# What kills and crowds the program has the machine to itself.
DURABILITY_FOLDER = "tests/durability"
SERIAL_ARGUMENTS = [DURABILITY_FOLDER, "-m", "full", *REPORT_ARGUMENTS, "-n", "0"]
TESTS_END = 3600.0
BENCH_ENDS = 1200.0
"""Seconds after which something hangs."""

_FIGURES = re.compile(r"^`python .*?^```\n.*?^```\n", re.DOTALL | re.MULTILINE)
_CLOSING = re.compile(r"(\d+ (passed|failed|errors?|deselected)\b|no tests ran).* in [\d.]+s")
_FAILURE = re.compile(r"(FAILED|ERROR) \S")
_DURATION = re.compile(r"[\d.]+s (call|setup|teardown)\b")


def run_command(command: list[str], limit: float) -> tuple[int, str]:
    """Run a command from the root, showing what it prints; return its exit code and its output.

    After so many seconds it is killed with whatever it has started.
    """
    print("$", shlex.join(command), flush=True)
    with subprocess.Popen(
        command,
        cwd=ROOT,
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


def format_figures(command: Iterable[str], code: int, output: str) -> str:
    """Return what a command printed, with when and on what it was run."""
    failed = f"**Failed** (exit code {code}).\n\n" if code else ""
    line = f"`{shlex.join(command)}` on {datetime.now(UTC):%Y-%m-%d} ({describe_machine()}):"
    return f"{line}\n\n{failed}```\n{output.strip()}\n```\n"


def put_figures(page: str, title: str, figures: str) -> str:
    """Return the page with new figures in a section: what is said of them stays. A section that is missing is added."""
    before, heading, rest = page.partition(f"\n## {title}\n")
    if not heading:
        return f"{page.rstrip()}\n\n## {title}\n\n{figures}"
    section, following, after = rest.partition("\n## ")
    section, replaced = _FIGURES.subn(lambda _: figures, section, count=1)
    if not replaced:
        section = f"\n{section.strip()}\n\n{figures}"
    return before + heading + section + following + after


def find_summary(output: str) -> str:
    """Return pytest's last line, which counts what passed and failed; what came last if there is none."""
    found = [line.strip("= ") for line in output.splitlines() if _CLOSING.search(line)]
    return found[-1] if found else "\n".join(["no closing line:", *output.splitlines()[-20:]])


def main() -> int:
    """Run everything and write the page; return 1 if a test or a benchmark failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--no-tests", action="store_true", help="the benchmarks alone")
    parser.add_argument("--bench", nargs="*", metavar="NAME", help="only these benchmarks (all)")
    parser.add_argument("--page", type=Path, default=PAGE, help="what to write (docs/measurements.md)")
    parser.add_argument("pytest", nargs="*", metavar="ARGUMENT", help="further arguments for pytest")
    arguments = parser.parse_args()
    failed = False

    def record_figures(title: str, command: list[str], code: int, output: str) -> None:
        nonlocal failed
        failed = failed or code != 0
        page = arguments.page.read_text(encoding="utf-8") if arguments.page.exists() else "# Measurements\n"
        figures = format_figures(["python", *command], code, output)
        arguments.page.write_text(put_figures(page, title, figures), encoding="utf-8")

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
            record_figures(title, tests, code, "\n".join(lines))
    for path in sorted((ROOT / "bench").glob("[a-z]*.py")):
        if arguments.bench is None or path.stem in arguments.bench:
            title, command = path.stem.replace("_", " ").capitalize(), ["-m", f"bench.{path.stem}"]
            record_figures(title, command, *run_command([sys.executable, *command], BENCH_ENDS))
    print(f"written: {arguments.page}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
