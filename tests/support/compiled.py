"""Statements that are compiled once for all tests of a process, not for each test's database anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import util
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from storage import engines


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """Let all SQLite engines share what SQLAlchemy has compiled: by its own way each has that for itself.

    The program makes its engines once, tests make thousands, and an eighth of the suite went into compiling the same
    statements. All these engines are made alike, so that one's compiled statements are every other's.
    """
    shared = util.LRUCache[Any, Any](2_000)

    def create(*values: Any, **named: Any) -> AsyncEngine:
        engine = create_async_engine(*values, **named)
        if isinstance(engine.dialect, SQLiteDialect_aiosqlite):
            engine.sync_engine._compiled_cache = shared
        return engine

    with pytest.MonkeyPatch.context() as patch:
        # A dialect is part of what a compiled statement is found by.
        patch.setattr(SQLiteDialect_aiosqlite, "__eq__", lambda one, other: type(one) is type(other), raising=False)
        patch.setattr(SQLiteDialect_aiosqlite, "__hash__", lambda one: hash(type(one)), raising=False)
        patch.setattr(engines, "create_async_engine", create)
        yield
