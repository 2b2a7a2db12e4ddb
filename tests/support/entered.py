"""Which files and functions of the program are entered while something happens."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("bot", "engine", "render", "storage")


class Entered:
    """The files that were entered, relative to the project, with their functions."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call; this is what `sys.setprofile` calls."""
        if event == "call":
            self._seen.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    @property
    def functions(self) -> dict[str, list[str]]:
        """The program's functions by file."""
        found: dict[str, list[str]] = {}
        for file, function in sorted(self._seen):
            path = Path(file)
            if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PACKAGES:
                found.setdefault(str(path.relative_to(ROOT)), []).append(function)
        return found

    def __str__(self) -> str:
        return "\n".join(f"  {file}: {', '.join(functions)}" for file, functions in self.functions.items())


@contextmanager
def noting_calls() -> Iterator[Entered]:
    """Note what is entered by the main thread of this process, without worker processes and threads."""
    entered, before = Entered(), sys.getprofile()
    sys.setprofile(entered.note)
    try:
        yield entered
    finally:
        sys.setprofile(before)
