"""The types of columns: times in UTC, text that every database takes, JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import JSON, DateTime, Dialect, Text, TypeDecorator

UNKNOWN_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""What is read where a value is no time (any more)."""


class Undecodable(str):
    """Text that cannot be decoded, with U+FFFD for what is no UTF-8."""

    __slots__ = ()


class DecodeErrorCounter:
    """How many values of this process's databases could not be read as what they should be, each time counted."""

    count = 0


class Utc(TypeDecorator[datetime]):
    """A time in UTC; one without a time zone is refused, and what is no time reads as UNKNOWN_TIME."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        read = super().result_processor(dialect, coltype)
        if read is None:
            return None

        def process(value: Any) -> Any:
            try:
                return read(value)
            except (ValueError, TypeError):
                DecodeErrorCounter.count += 1
                return UNKNOWN_TIME

        return process


class PlainText(TypeDecorator[str]):
    """Text from people and platforms; what no database takes (NUL, lone surrogates) becomes U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# ASCII, because an escaped NUL or surrogate is taken by both databases; no NaN, which is no JSON.
to_json = partial(json.dumps, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
BROKEN_JSON: Final = {"broken": "json"}
"""What is read where a value is no JSON (any more): a game with it is set aside, and all others can still be listed."""


class JsonText(TypeDecorator[Any]):
    """JSON, of one `kind` if one is given; what cannot be read as such reads as BROKEN_JSON, or as an empty list."""

    impl = JSON
    cache_ok = True

    def __init__(self, kind: type[dict[str, Any]] | type[list[Any]] | None = None) -> None:
        super().__init__(none_as_null=True)
        self.kind = kind

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        read = super().result_processor(dialect, coltype)
        if read is None:
            return None

        def process(value: Any) -> Any:
            try:
                found = None if type(value) is Undecodable else read(value)
            except (ValueError, TypeError, RecursionError):
                found = None
            if value is None or (found is not None and (self.kind is None or isinstance(found, self.kind))):
                return found
            if self.kind is None and type(value) is not Undecodable and value == "null":
                return None
            DecodeErrorCounter.count += 1
            return [] if self.kind is list else dict(BROKEN_JSON)

        return process
