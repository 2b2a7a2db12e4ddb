"""A database that grows for years: each statement that the storage sends in a test finds its rows by an index.

What tests send by themselves does not count.
"""

import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from traceback import walk_stack
from typing import Any, Final

import pytest
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from storage.schema import metadata
from storage.sqlite import Connection

READ_WHOLE: Final = {
    "clock.py": {
        *("people", "key_values", "link_codes", "form_drafts", "webhooks", "interaction_tokens"),
        *("processed_events", "notices", "analysis_boards"),
    },
    "privacy.py": {"identities"},
}
"""Tables that a module of the storage reads whole, and none of which grows with each game for years.

It does so when the clock was set, or the program away (those of the second line: by a day or more), and when a link
of two accounts is taken back.
"""
EXPLAINED: Final = ("SELECT", "UPDATE", "DELETE", "WITH")
SENDERS: Final = ("sqlite.py", "database.py", "engines.py")
"""Modules of the storage by which the others send their statements."""
MIGRATIONS: Final = "migrate.py"

_TABLE: Final = re.compile(rf"SCAN ({'|'.join(metadata.tables)})$")
_connect = sqlite3.connect


class Plans:
    """The plans of all statements so far: the `indexes` that they use, and those that read a `whole` table."""

    def __init__(self) -> None:
        self.indexes: set[str] = set()
        self.whole: list[str] = []
        self._known: set[str] = set()
        self._database = _connect(":memory:", check_same_thread=False)
        for table in metadata.sorted_tables:
            self._database.execute(str(CreateTable(table).compile(dialect=sqlite.dialect())))
            for index in table.indexes:
                self._database.execute(str(CreateIndex(index).compile(dialect=sqlite.dialect())))

    def look_at(self, statement: str, parameters: Any) -> None:
        """Look at a statement that is about to be sent, once."""
        if statement in self._known or not statement.startswith(EXPLAINED) or not (sender := find_sender()):
            return
        self._known.add(statement)
        for *_, plan in self._database.execute(f"EXPLAIN QUERY PLAN {statement}", parameters):
            self.indexes |= set(re.findall(r"INDEX (ix_\w+)", plan))
            table = _TABLE.match(plan)
            if table is not None and table[1] not in READ_WHOLE.get(sender, ()):
                self.whole.append(f"{plan} in {sender}: {statement}")

    def close(self) -> None:
        self._database.close()


def find_sender() -> str:
    """Return the module of the storage that is about to send a statement, empty where a test is, or a migration."""
    for frame, _ in walk_stack(sys._getframe()):
        path = Path(frame.f_code.co_filename)
        if path.parent.name == "storage" and path.name not in SENDERS:
            return "" if "tests" in path.parts or path.name == MIGRATIONS else path.name
    return ""


@pytest.fixture(scope="session", autouse=True)
def plans() -> Iterator[Plans]:
    """The plans of this session's statements."""
    looking, run = Plans(), Connection.run

    async def noted(driver: Connection, work: Callable[..., None], *arguments: Any, is_short: bool = False) -> None:
        if arguments:
            statement, parameters, *many = arguments
            looking.look_at(statement, parameters[0] if many else parameters)
        await run(driver, work, *arguments, is_short=is_short)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "run", noted)
        yield looking
    looking.close()


@pytest.fixture(autouse=True)
def no_whole_tables(plans: Plans) -> Iterator[None]:
    """See that no statement of a test reads a whole table."""
    yield
    whole, plans.whole = plans.whole, []
    assert whole == []
