"""What is wrong with one game, the worst first: what `pytest --game KEY` says at its end.

A rule that is broken, and a part that is missing, make other tests fail in ways that are hard to read. So all of it is
said together, one line for each, in the order in which it is best repaired.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import pytest

UNREADABLE: Final = "It cannot be read"
RULES: Final = "Rules"
MISSING: Final = "Missing parts"
PLAYER: Final = "Computer player"
PICTURES: Final = "Pictures"
WORDS: Final = "Words, lesson and pages"
PLATFORMS: Final = "On the platforms"
HEADINGS: Final = (UNREADABLE, RULES, MISSING, PLAYER, PICTURES, WORDS, PLATFORMS)
"""The worst first."""

_PLACES: Final = (
    (MISSING, re.compile(r"tests/test_whole\.py")),
    (PLAYER, re.compile(r"tests/engine/search/|/test_(player|contest|appraisal)\w*\.py")),
    (PICTURES, re.compile(r"tests/render/|/test_(picture|film|make_gallery)\w*\.py")),
    (PLATFORMS, re.compile(r"tests/(discord|telegram|web)/")),
    (WORDS, re.compile(r"tests/(bot|cli)/|/test_(documents|docs|statements|words|why|lesson|\w+_in_words)\w*\.py")),
)
MAX_LINE: Final = 160
_WORKER: Final = re.compile(r"\[gw\d+\] ")
"""The line by which a failure says which worker process had it."""


def heading_of(node: str) -> str:
    """Return under which heading a failed test belongs; what is none of the other parts is about the rules."""
    return next((heading for heading, pattern in _PLACES if pattern.search(node)), RULES)


def report_lines(failures: Iterable[tuple[str, str, bool]]) -> Iterator[str]:
    """Yield headings and lines for failures: a test's id, what it said, whether it could not be collected."""
    found: dict[str, list[str]] = {heading: [] for heading in HEADINGS}
    for node, said, collecting in failures:
        heading = UNREADABLE if collecting else heading_of(node)
        if heading == MISSING:
            found[heading] += [line for line in said.splitlines() if line.strip() and not _WORKER.match(line)]
        else:
            found[heading].append(f"{node}: {reason(said)}"[:MAX_LINE])
    for heading, lines in found.items():
        if lines:
            yield f"{heading} ({len(lines)})"
            yield from (f"  {line}" for line in lines)


def reason(said: str) -> str:
    """Return the line of a failure that says why: the last one that pytest marks, else the last one."""
    lines = [line for line in said.splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (marked or lines or [""])[0 if marked else -1].strip()


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what is wrong with the game that was asked for."""
    if not config.getoption("game"):
        return
    reports = [*terminalreporter.stats.get("error", []), *terminalreporter.stats.get("failed", [])]
    failures = [(each.nodeid, each.longreprtext, isinstance(each, pytest.CollectReport)) for each in reports]
    lines = list(report_lines(failures))
    if lines:
        terminalreporter.section(f"{config.getoption('game')}: what is left to do, the worst first")
        for line in lines:
            terminalreporter.line(line)
