"""What most changes break, in less than a minute on two cores: `make quick`; it says what it leaves out.

`make test` runs everything. Chosen is what reads the code and the catalogues as a whole, the rules of every game by
their examples, what people do most, and what platforms take; left out is what starts programs, servers or browsers,
plays whole games, tries thousands of inputs or draws many pictures. What is given goes to pytest.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
TESTS: Final = ROOT / "tests"

CHOSEN_TESTS: Final = {
    "test_*.py": "every game is whole, and every document names it",
    "engine/test_*.py": "the contract of the games, notation, records",
    "games/*/test_*.py": "the rules, the words and the lesson of each game",
    "render/test_projector.py": "cells where they belong",
    "storage/test_games.py": "games are stored as they are",
    "storage/test_people.py": "people and their names",
    "bot/test_catalogues.py": "all that is said has words",
    "bot/test_commandline.py": "typed commands",
    "bot/test_completion.py": "completion",
    "bot/test_info.py": "help, rules, settings",
    "bot/test_lesson_plans.py": "lessons as they are written",
    "bot/test_limits.py": "cards keep the limits of platforms",
    "bot/test_listening.py": "platforms that cannot be heard",
    "bot/test_lobby.py": "games are begun",
    "bot/test_logs.py": "what is logged",
    "bot/test_managing.py": "who manages a place",
    "bot/test_offers.py": "draws, takebacks, pauses",
    "bot/test_talk.py": "talk is told from moves",
    "bot/test_words.py": "words, presses, receipts",
    "web/test_guard.py": "what the page refuses",
    "web/test_words.py": "words of the page",
}
"""Modules below tests/, and what they stand for."""
SLOW_TESTS: Final = {
    "test_facts.py": "plays every game",
    "test_kits.py": "starts the tests of a game anew",
    "engine/test_conformance.py": "plays every game through",
    "engine/test_fuzz.py": "tries thousands of inputs",
    "engine/test_refusals.py": "tries many moves",
    "games/*/test_picture.py": "draws many pictures",
    "games/*/test_properties.py": "tries many positions",
}
"""Modules that take too long though they fit a pattern above."""
KINDS: Final = ["-m", "not full and not browser", "-k", "not postgresql"]


def list_modules(patterns: Iterable[str]) -> set[Path]:
    """Return the modules below tests/ that fit one of the patterns."""
    return {path for pattern in patterns for path in TESTS.glob(pattern)}


def choose_modules() -> list[Path]:
    """Return the modules that are run."""
    return sorted(list_modules(CHOSEN_TESTS) - list_modules(SLOW_TESTS))


def list_left_out() -> dict[str, list[str]]:
    """Return the other modules by their folders."""
    found: dict[str, list[str]] = {}
    for path in sorted(list_modules(["**/test_*.py"]) - set(choose_modules())):
        name = path.stem.removeprefix("test_")
        found.setdefault(path.parent.relative_to(TESTS).as_posix(), []).append(name)
    return found


def main() -> int:
    """Run the tests that are chosen and say which are not."""
    paths = [path.relative_to(ROOT).as_posix() for path in choose_modules()]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", *KINDS, *sys.argv[1:], *paths]
    code = subprocess.run(command, cwd=ROOT).returncode
    print("\nLeft out (make test runs them, on PostgreSQL and in a browser, too):")
    for folder, names in list_left_out().items():
        print(f"  tests/{folder}: {', '.join(names)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
