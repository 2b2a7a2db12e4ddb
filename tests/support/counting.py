"""What a process of the program asks of its database, counted at the driver and told by its /metrics.

Statements are all but what begins and ends transactions, savepoints included. Round trips are those to a server: each
is something that the driver sends and waits for.
"""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from prometheus_client import Counter

STATEMENTS: Final = "counted_statements_total"
TRANSACTIONS: Final = "counted_transactions_total"
ROUND_TRIPS: Final = "counted_round_trips_total"
_ENDS: Final = ("COMMIT", "ROLLBACK;", "ROLLBACK", "END")
_CALLS: Final = ("prepare", "bind", "bind_execute", "bind_execute_many", "execute", "query", "close_statement")


def count_database() -> None:
    """Count from now on, in this process, what its connections to SQLite and PostgreSQL do."""
    from bot.operations.metrics import REGISTRY

    statements, transactions, trips = (
        Counter(name, "Counted at the driver.", registry=REGISTRY) for name in (STATEMENTS, TRANSACTIONS, ROUND_TRIPS)
    )

    def note(statement: str) -> None:
        text = statement.lstrip().upper()
        if text.startswith("BEGIN"):
            transactions.inc()
        elif text and not text.startswith(("--", "PRAGMA")) and text.rstrip(";").strip() not in _ENDS:
            statements.inc()

    connect = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(note)
        return connection

    vars(sqlite3)["connect"] = traced
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
