"""Every statement of SQLAlchemy's that is about to be sent, prepared ones included."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import Engine, event

from storage.sqlite import Connection


@contextmanager
def each_sent(call: Callable[[str, Any], object]) -> Iterator[None]:
    """Call a function with the text and the (first) parameters of every statement before it is sent."""

    def note(connection: Any, _: object, statement: str, parameters: Any, __: object, many: bool) -> None:
        if connection.dialect.name != "sqlite":
            call(statement, parameters[0] if many else parameters)

    run = Connection.run

    async def noted(driver: Connection, work: Any, *arguments: Any, is_short: bool = False) -> None:
        if arguments:
            statement, parameters, *many = arguments
            call(statement, parameters[0] if many else parameters)
        await run(driver, work, *arguments, is_short=is_short)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        with patch.object(Connection, "run", noted):
            yield
    finally:
        event.remove(Engine, "before_cursor_execute", note)
