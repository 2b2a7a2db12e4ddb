"""Columns: SQLite stores times as the text of SQLAlchemy's own type, with which older rows are compared."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import DateTime
from sqlalchemy.dialects import sqlite

from storage.columns import Utc

ROME = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    "at",
    [
        datetime(2026, 11, 27, 6, 30, tzinfo=UTC),
        datetime(2026, 11, 27, 6, 30, 1, 7, tzinfo=UTC),
        datetime(2027, 1, 1, 0, 30, 0, 999_999, tzinfo=ROME),
        datetime(1, 1, 1, tzinfo=UTC),
    ],
)
def test_times_are_stored_as_the_text_of_sqlalchemys_type(at: datetime) -> None:
    dialect = sqlite.dialect()
    usual = DateTime().dialect_impl(dialect).bind_processor(dialect)
    assert usual is not None
    assert Utc().bind_processor(dialect)(at) == usual(at.astimezone(UTC).replace(tzinfo=None))


def test_no_time_is_stored_as_null_and_one_without_a_zone_is_refused() -> None:
    bind = Utc().bind_processor(sqlite.dialect())
    assert bind(None) is None
    with pytest.raises(ValueError, match="time zone"):
        bind(datetime(2026, 11, 27))  # noqa: DTZ001 - that is what is refused
