"""What the program asks of its database, counted at the driver: of a process by its /metrics, in a test as a list.

Statements are all but what begins and ends transactions, savepoints included. Round trips are those to a server: each
is something that the driver sends and waits for.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final
from unittest.mock import patch

from prometheus_client import Counter

STATEMENTS: Final = "counted_statements_total"
TRANSACTIONS: Final = "counted_transactions_total"
ROUND_TRIPS: Final = "counted_round_trips_total"
PICTURES: Final = "counted_pictures_total"
_ENDS: Final = ("COMMIT", "ROLLBACK;", "ROLLBACK", "END")
BEGIN: Final = "BEGIN"
"""How the beginning of a transaction begins, and all that a list has of it."""
BACKGROUND_TASKS: Final = ("standing connection", "release")
"""Tasks that ask a server for something by the clock, whatever people do."""
_CALLS: Final = ("prepare", "bind", "bind_execute", "bind_execute_many", "execute", "query", "close_statement")


def is_statement(statement: str) -> bool:
    """Say whether a statement is counted as such."""
    start = statement[:9].upper()
    return not start.startswith(("--", "PRAGMA", BEGIN, *_ENDS)) and not start.isspace() and bool(start)


def _traced(note: Callable[[str], None]) -> Callable[..., sqlite3.Connection]:
    connect = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(note)
        return connection

    return traced


@contextmanager
def listed_statements() -> Iterator[list[str]]:
    """Give the statements that connections to SQLite opened inside carry out, and each BEGIN."""
    listed: list[str] = []
    connect = sqlite3.connect
    vars(sqlite3)["connect"] = _traced(partial(_list_statement, listed))
    try:
        yield listed
    finally:
        vars(sqlite3)["connect"] = connect


@contextmanager
def listed_server_statements() -> Iterator[list[str]]:
    """Give the statements that people have connections to PostgreSQL carry out inside, and each BEGIN."""
    from asyncpg import protocol

    listed: list[str] = []

    def noted(call: Any) -> Any:
        async def noting(self: Any, *arguments: Any, **options: Any) -> Any:
            task = asyncio.current_task()
            if task is None or task.get_name() not in BACKGROUND_TASKS:
                sent: Any = arguments[0] if arguments else options.get("state", options.get("query"))
                _list_statement(listed, sent if isinstance(sent, str) else sent.query)
            return await call(self, *arguments, **options)

        return noting

    calls = {name: noted(getattr(protocol.Protocol, name)) for name in ("query", "bind_execute", "bind_execute_many")}
    with patch.multiple(protocol.Protocol, **calls):
        yield listed


def _list_statement(listed: list[str], statement: str) -> None:
    if statement.startswith(BEGIN):
        listed.append(BEGIN)
    elif is_statement(statement):
        listed.append(statement)


def count_database() -> None:
    """Count from now on, in this process, what its connections to SQLite and PostgreSQL do."""
    from bot.kernel.operations.metrics import REGISTRY

    statements, transactions, trips = (
        Counter(name, "Counted at the driver.", registry=REGISTRY) for name in (STATEMENTS, TRANSACTIONS, ROUND_TRIPS)
    )

    def note(statement: str) -> None:
        if statement.startswith(BEGIN):
            transactions.inc()
        elif is_statement(statement):
            statements.inc()

    vars(sqlite3)["connect"] = _traced(note)
    try:
        from asyncpg import connect_utils, protocol
    except ModuleNotFoundError:
        return

    def counted(name: str) -> Any:
        call = getattr(protocol.Protocol, name)

        async def count(self: Any, *arguments: Any, **options: Any) -> Any:
            trips.inc()
            if name == "query":
                note(arguments[0])
            elif name in ("bind_execute", "bind_execute_many"):
                statements.inc()
            return await call(self, *arguments, **options)

        return count

    made = type("Protocol", (protocol.Protocol,), {name: counted(name) for name in _CALLS})
    vars(connect_utils.protocol)["Protocol"] = made


def count_work() -> None:
    """Count from now on, in this process, what it does with its database, and the pictures that it draws."""
    count_database()
    from bot.kernel.operations.metrics import REGISTRY
    from render.pool import Painter

    pictures = Counter(PICTURES, "Drawn, not taken from those that are kept.", registry=REGISTRY)
    begin = Painter._work

    def counted(painter: Painter, work: Any) -> Any:
        pictures.inc()
        return begin(painter, work)

    vars_of: Any = Painter
    vars_of._work = counted
