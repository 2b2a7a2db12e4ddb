"""What the program asks of its database, counted at the driver: of a process by its /metrics, in a test as a list.

Statements are all but what begins and ends transactions, savepoints included. Round trips are those to a server: each
is something that the driver sends and waits for.
"""

import re
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
"""How the beginning of a transaction is named in a list of statements."""
_CALLS: Final = ("prepare", "bind", "bind_execute", "bind_execute_many", "execute", "query", "close_statement")
_WITH: Final = re.compile(r"WITH \w+ AS\s+\(.*?\)\s+(?=UPDATE|INSERT|SELECT)", re.DOTALL)
_TABLE: Final = re.compile(r"(SELECT|DELETE)\b.*?\bFROM (\w+)|(UPDATE|INSERT INTO) (\w+)", re.DOTALL)


def is_statement(statement: str) -> bool:
    """Say whether a statement is counted as such, with less work than naming it: counting must not be measured."""
    start = statement[:9].upper()
    return not start.startswith(("--", "PRAGMA", BEGIN, *_ENDS)) and not start.isspace() and bool(start)


def name_statement(statement: str) -> str | None:
    """Return BEGIN, or a statement by its verb and table ("UPDATE games"); None for what is not counted."""
    text = statement.strip()
    upper = text.upper()
    if upper.startswith(BEGIN):
        return BEGIN
    if not text or upper.startswith(("--", "PRAGMA")) or upper.rstrip(";").strip() in _ENDS:
        return None
    found = _TABLE.match(_WITH.sub("", text))
    if found is None:
        return text.split(maxsplit=1)[0].upper()
    return " ".join(filter(None, found.groups())).replace("INSERT INTO", "INSERT")


def _traced(note: Callable[[str], None]) -> Callable[..., sqlite3.Connection]:
    connect = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(note)
        return connection

    return traced


@contextmanager
def listed_statements() -> Iterator[list[str]]:
    """Give the statements, by verb and table, that connections to SQLite opened inside carry out, and each BEGIN."""
    listed: list[str] = []
    connect = sqlite3.connect
    vars(sqlite3)["connect"] = _traced(partial(_list_statement, listed))
    try:
        yield listed
    finally:
        vars(sqlite3)["connect"] = connect


@contextmanager
def listed_server_statements() -> Iterator[list[str]]:
    """Give the statements, by verb and table, that all connections to PostgreSQL carry out inside, and each BEGIN."""
    from asyncpg import protocol

    listed: list[str] = []

    def noted(call: Any) -> Any:
        async def noting(self: Any, *arguments: Any, **options: Any) -> Any:
            asked: Any = arguments[0] if arguments else options.get("state", options.get("query"))
            _list_statement(listed, asked if isinstance(asked, str) else asked.query)
            return await call(self, *arguments, **options)

        return noting

    calls = {name: noted(getattr(protocol.Protocol, name)) for name in ("query", "bind_execute", "bind_execute_many")}
    with patch.multiple(protocol.Protocol, **calls):
        yield listed


def _list_statement(listed: list[str], statement: str) -> None:
    if (name := name_statement(statement)) is not None:
        listed.append(name)


def count_database() -> None:
    """Count from now on, in this process, what its connections to SQLite and PostgreSQL do."""
    from bot.operations.metrics import REGISTRY

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
    from bot.operations.metrics import REGISTRY
    from render.pool import Painter

    pictures = Counter(PICTURES, "Drawn, not taken from those that are kept.", registry=REGISTRY)
    begin = Painter._begun

    def counted(painter: Painter, work: Any) -> Any:
        pictures.inc()
        return begin(painter, work)

    vars_of: Any = Painter
    vars_of._begun = counted
