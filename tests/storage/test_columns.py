"""Columns: times are stored as the text of SQLAlchemy's own type, with which older rows are compared; text and JSON."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import DateTime
from sqlalchemy.dialects import sqlite

from storage import columns
from storage.columns import PlainText, Utc, encode_without_floats, to_json
from storage.schema import games

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


ANY_TEXT = st.text(st.characters(exclude_categories=()))
WITHOUT_FLOATS = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
    max_leaves=20,
)


@given(WITHOUT_FLOATS)
def test_json_without_floats_reads_back_as_that_of_the_other_encoder(value: object) -> None:
    """Large integers, lone surrogates and NUL included, which a position of any game may hold."""
    assert json.loads(encode_without_floats(value)) == json.loads(to_json(value)) == value


def test_positions_are_written_where_the_faster_encoder_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_fast_dumps", None)
    assert json.loads(encode_without_floats({"a": [1, None, "città"]})) == {"a": [1, None, "città"]}


def test_a_position_is_json_whose_order_and_none_are_kept() -> None:
    bind = games.c.position.type.dialect_impl(sqlite.dialect()).bind_processor(sqlite.dialect())
    assert bind is not None
    assert bind({"b": [1, None], "a": 2**70}) == '{"b":[1,null],"a":1180591620717411303424}'
    assert bind(None) is None


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
