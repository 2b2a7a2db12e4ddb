"""Every statement of SQLAlchemy's that is about to be sent, prepared ones included."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import Engine, event

from storage import sqlite
from storage.sqlite import Connection, Cursor


@contextmanager
def each_sent(call: Callable[[str, Any], object]) -> Iterator[None]:
    """Call a function with the text and the (first) parameters of every statement before it is sent."""

    def note(_: object, __: object, statement: str, parameters: Any, ___: object, many: bool) -> None:
        call(statement, parameters[0] if many else parameters)

    send = sqlite.send_prepared

    async def noted(driver: Connection, sql: str, values: Sequence[Any]) -> Cursor:
        call(sql, values)
        return await send(driver, sql, values)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        with patch.object(sqlite, "send_prepared", noted):
            yield
    finally:
        event.remove(Engine, "before_cursor_execute", note)
