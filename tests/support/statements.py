"""Statements that one engine has compiled are used by all engines of a test session: nearly every test opens some.

Compiling takes a quarter of the time of a test with a database; the program itself opens its engines once.
"""

from collections import UserDict
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine.interfaces import Compiled


class SharedStatements(UserDict[Any, Compiled]):
    """A cache of compiled statements in which all dialects of one kind are the same: a key begins with its dialect."""

    def get(self, key: object, default: Any = None) -> Any:
        # Not by __getitem__, which would look twice: the hash of a key, which nothing keeps, takes as long as the rest.
        return self.data.get(without_instance(key), default)

    def __setitem__(self, key: object, compiled: Compiled) -> None:
        super().__setitem__(without_instance(key), compiled)


def without_instance(key: object) -> object:
    """Return the key of a compiled statement with the kind of its dialect in place of the dialect."""
    return (type(key[0]), *key[1:]) if isinstance(key, tuple) else key


@pytest.fixture(scope="session", autouse=True)
def shared_statements() -> Iterator[None]:
    """Have every connection of this process use one cache."""
    statements = SharedStatements()

    def share(connection: Connection) -> None:
        connection.execution_options(compiled_cache=statements)

    event.listen(Engine, "engine_connect", share)
    yield
    event.remove(Engine, "engine_connect", share)
