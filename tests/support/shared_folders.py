"""Folders that are expensive to fill, made once for all workers of a session."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def make_shared_folder(factory: pytest.TempPathFactory, name: str, fill: Callable[[Path], object]) -> Path:
    """Return a folder that `fill` has filled; the first worker that asks fills it, and the others wait."""
    base = factory.getbasetemp()
    # Each worker of pytest-xdist has a folder of its own below that of the session.
    root = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = root / name
    with FileLock(root / f"{name}.lock"):
        if not folder.exists():
            unfinished = root / f"{name}.unfinished"
            unfinished.mkdir()
            fill(unfinished)
            unfinished.rename(folder)
    return folder
