"""Columns: times are stored as the text of SQLAlchemy's own type; text and JSON."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy.dialects import sqlite

from storage.columns import PlainText, Utc, to_json
from tests.support.present import present

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
def test_times_are_stored_in_utc(at: datetime) -> None:
    assert bind_utc(at) == at.astimezone(UTC).isoformat(" ", "microseconds").removesuffix("+00:00")


def test_no_time_is_stored_as_null_and_one_without_a_zone_is_refused() -> None:
    assert bind_utc(None) is None
    with pytest.raises(ValueError, match="time zone"):
        bind_utc(datetime(2026, 11, 27))  # noqa: DTZ001 - that is what is refused


def bind_utc(at: datetime | None) -> object:
    """Return what SQLite is given for a time."""
    dialect = sqlite.dialect()
    return present(Utc().dialect_impl(dialect).bind_processor(dialect))(at)


def test_json_keeps_the_order_of_keys_and_large_integers() -> None:
    assert to_json({"b": [1, None], "a": 2**70}) == '{"b":[1,null],"a":1180591620717411303424}'


def test_a_number_that_is_none_is_never_stored_as_json() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        to_json({"value": float("nan")})


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("plain", "plain"),
        ("città", "città"),
        ("a\0b", "a\ufffdb"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\udc00", "\ufffd"),
    ],
)
def test_text_is_stored_without_what_databases_refuse(text: str, stored: str) -> None:
    assert PlainText().process_bind_param(text, sqlite.dialect()) == stored
