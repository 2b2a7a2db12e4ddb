"""Which files and functions of the program are entered while something happens."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
PREFIXES = tuple(f"{ROOT}/{package}/" for package in ("bot", "engine", "render", "storage"))


class Entered:
    """The calls into the program, in order; a coroutine that is resumed counts as a call again."""

    def __init__(self) -> None:
        self._calls: list[tuple[str, str]] = []

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call; this is what `sys.setprofile` calls."""
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(PREFIXES):
            self._calls.append((file[len(str(ROOT)) + 1 :], frame.f_code.co_qualname))

    @property
    def functions(self) -> dict[str, list[str]]:
        """The program's functions by file, whose path is relative to the project."""
        found: dict[str, list[str]] = {}
        for file, function in sorted(set(self._calls)):
            found.setdefault(file, []).append(function)
        return found

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The numbers of calls, of functions, of files, and how often one file's function follows another file's.

        Comprehensions and lambdas are no functions here.
        """
        calls = [call for call in self._calls if not call[1].rpartition(".")[2].startswith("<")]
        files = [file for file, _ in calls]
        changes = sum(file != following for file, following in pairwise(files))
        return len(calls), len(set(calls)), len(set(files)), changes

    def __str__(self) -> str:
        return "\n".join(f"  {file}: {', '.join(functions)}" for file, functions in self.functions.items())


@contextmanager
def noting_calls(*, with_threads: bool = False) -> Iterator[Entered]:
    """Note what is entered by this thread, and `with_threads` by threads that begin inside; never worker processes."""
    entered, before = Entered(), sys.getprofile()
    if with_threads:
        threading.setprofile(entered.note)
    sys.setprofile(entered.note)
    try:
        yield entered
    finally:
        sys.setprofile(before)
        if with_threads:
            threading.setprofile(None)
