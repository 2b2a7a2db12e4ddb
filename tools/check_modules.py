"""Check that no module, tests and tools among them, grows past what one subject needs, and that none is a fragment."""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_LINES = 800
MAX_MODULES = 400
"""Of the program, without migrations."""


def find_problems(root: Path = ROOT) -> Iterator[str]:
    """Yield one line for every module that is too long."""
    program = 0
    for package in ("engine", "render", "storage", "bot", "tools", "bench", "tests"):
        for path in sorted((root / package).rglob("*.py")):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > MAX_LINES:
                yield f"{path.relative_to(root)}: {lines} lines, more than {MAX_LINES}"
            program += package not in ("tools", "bench", "tests") and "migrations" not in path.parts
    if program > MAX_MODULES:
        yield f"the program has {program} modules, more than {MAX_MODULES}: what only one other imports belongs to it"


if __name__ == "__main__":
    found = list(find_problems())
    print("\n".join(found) or f"modules: none over {MAX_LINES} lines")
    sys.exit(bool(found))
