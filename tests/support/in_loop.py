"""SQLite statements of tests run in the event loop: a visit to a connection's thread costs ten times what they take.

Each statement is still a point at which other tasks get their turn. Tests of the storage itself, and programs that
tests start, use the threads as the program does.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from storage.sqlite import Connection

FOLDERS_WITH_THREADS = ("storage", "durability")
"""Folders of tests in which statements run in the connections' threads."""


async def execute_in_loop(connection: Connection, work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Run a function of an open connection after other tasks had their turn."""
    await asyncio.sleep(0)
    if not connection._running or connection._connection is None:
        raise ValueError("Connection closed")
    return work(*arguments, **options)


@pytest.fixture(autouse=True)
def statements_in_loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the statements of a test in the event loop, unless its folder is about the storage."""
    root = request.config.rootpath
    # A package's kit may lie anywhere.
    folder = request.path.relative_to(root).parts[1] if request.path.is_relative_to(root) else ""
    if folder not in FOLDERS_WITH_THREADS:
        monkeypatch.setattr(Connection, "_execute", execute_in_loop)
