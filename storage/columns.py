"""Column types (UTC times, text that every database accepts, JSON) and tolerant readers of stored JSON."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import cache, cached_property, lru_cache, partial
from typing import Annotated, Any, Final, Literal, get_origin

import sqlalchemy
import structlog
from pydantic import AfterValidator, Field, StrictBool, StrictInt, TypeAdapter, ValidationError
from sqlalchemy import JSON, ColumnElement, DateTime, Dialect, Float, RowMapping, Select, Text, TypeDecorator

from storage.shapes import Time

Json = dict[str, Any]
Values = Mapping[str, Any]
"""Values by the names of their columns or parameters."""
RowData = RowMapping | Values
"""The columns of a row by their names."""
AnySelect = Select[*tuple[Any, ...]]
Condition = ColumnElement[bool]

LARGEST_FIGURE: Final = 1000.0
"""Maximum of a rating figure. Real ones are far below; above it, the probability of a win underflows."""
UNKNOWN_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The value of a time column that holds no valid time."""
UNKNOWN_DATE: Final = UNKNOWN_TIME.date().isoformat()
"""The value of a date column that holds no valid date."""


class Undecodable(str):
    """Text that could not be decoded as UTF-8, with U+FFFD in place of invalid bytes."""

    __slots__ = ()


class DecodeErrorCounter:
    """Counts how often this process read a value that it could not decode."""

    count = 0


class Utc(TypeDecorator[datetime]):
    """A time in UTC; times without a time zone are refused, and an invalid stored value reads as UNKNOWN_TIME."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    @staticmethod
    def is_readable(text: str) -> bool:
        """Return True if a stored time is valid."""
        try:
            return bool(datetime.fromisoformat(text))
        except ValueError:
            return False

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        read: Any = self.impl_instance.result_processor(dialect, coltype)

        def process(value: Any) -> Any:
            if value is None:
                return None
            try:
                found = value if read is None else read(value)
                return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
            except (ValueError, TypeError):
                DecodeErrorCounter.count += 1
                return UNKNOWN_TIME

        return process


class _Tolerant:
    """A column type in which SQLite may hold values of another type, which are read as `if_unreadable`."""

    is_readable: Callable[[Any], bool] = str.__instancecheck__
    """Returns True for a value of this type; it is asked for every value that is read."""
    if_unreadable: Any = None

    def repair(self, value: Any) -> Any:
        """Return the value that is read instead of an unreadable one."""
        return self.if_unreadable

    def result_processor(self, *_: object) -> Any:
        def process(value: Any) -> Any:
            if value is None or self.is_readable(value):
                return value
            DecodeErrorCounter.count += 1
            return self.repair(value)

        return process


class _TolerantNumber(_Tolerant):
    is_readable = int.__instancecheck__
    if_unreadable = 0


class Count(_TolerantNumber, TypeDecorator[int]):
    """A count."""

    impl = sqlalchemy.Integer
    cache_ok = True

    def is_readable(self, value: object) -> bool:
        return isinstance(value, int) and value >= 0


class Integer(_TolerantNumber, sqlalchemy.Integer):
    """An integer."""


class BigInteger(_TolerantNumber, sqlalchemy.BigInteger):
    """A large integer."""


class _TolerantText(_Tolerant):
    def repair(self, value: Any) -> Any:
        return Undecodable(value.decode(errors="replace") if isinstance(value, bytes) else value)


class String(_TolerantText, sqlalchemy.String):
    """A short text; a value of another type is read as Undecodable."""


class DateText(_Tolerant, sqlalchemy.String):
    """A calendar date as text, such as 2026-11-21."""

    if_unreadable = UNKNOWN_DATE

    def __init__(self) -> None:
        super().__init__(10)

    def is_readable(self, value: object) -> bool:
        try:
            return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
        except ValueError:
            return False


class Figure(_Tolerant, TypeDecorator[float]):
    """A figure of a rating; one beyond LARGEST_FIGURE counts as unreadable."""

    impl = Float
    cache_ok = True

    def __init__(self, if_unreadable: float | None = None) -> None:
        super().__init__()
        self.if_unreadable = if_unreadable

    def is_readable(self, value: object) -> bool:
        return isinstance(value, (int, float)) and abs(value) <= LARGEST_FIGURE


class PlainText(_TolerantText, TypeDecorator[str]):
    """Text from people and platforms; characters that databases refuse (NUL, lone surrogates) become U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None or (value.isascii() and "\0" not in value):
            return value
        return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# ASCII, because both databases accept an escaped NUL or surrogate; no NaN, which is not JSON.
to_json = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
BROKEN_JSON: Final = {"broken": "json"}
"""The value of a JSON column that holds no valid JSON: the game is set aside, and the others can still be listed."""


@cache
def _build_check(shape: Any) -> Callable[[str], object]:
    """Return the function that raises ValueError for JSON of another shape.

    Building it is slow, and every engine has copies of its columns' types.
    """
    return partial(TypeAdapter(shape).validate_json, strict=True)


class JsonText(TypeDecorator[Any]):
    """JSON of a `shape`: `dict`, or a type of which pydantic knows every key.

    A stored value of another shape is read as `if_unreadable`, by default BROKEN_JSON or an empty list; with
    `in_parts`, the caller uses the parts that it can read.
    """

    impl = JSON
    cache_ok = True

    def __init__(self, shape: Any, *, in_parts: bool = False, if_unreadable: Any = BROKEN_JSON) -> None:
        super().__init__(none_as_null=True)
        self.if_unreadable = if_unreadable
        self.shape = shape
        self.in_parts = in_parts
        self.reads_tuples = get_origin(shape) is tuple
        self.kind: type = list if self.reads_tuples or get_origin(shape) is list else dict
        """The type that all values have."""

    @cached_property
    def _check(self) -> Callable[[str], object]:
        """The function that raises ValueError for a text of another shape."""
        return str if self.shape is dict else _build_check(self.shape)

    def is_readable(self, text: str) -> bool:
        """Return True for JSON of the shape, including all parts."""
        try:
            found = json.loads(text)
            self._check(text)
        except (ValueError, RecursionError):
            return False
        return isinstance(found, self.kind)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        read = super().result_processor(dialect, coltype)
        if read is None:
            return (lambda value: value and tuple(value)) if self.reads_tuples else None

        def process(value: Any) -> Any:
            if value is None:
                return None
            try:
                found: Any = None if type(value) is Undecodable else read(value)
                if not self.in_parts:
                    self._check(value)
            except (ValueError, TypeError, RecursionError):
                found = None
            if not isinstance(found, self.kind):
                DecodeErrorCounter.count += 1
                found = [] if self.kind is list else self.if_unreadable and dict(self.if_unreadable)
            return tuple(found) if self.reads_tuples else found

        return process


HIDDEN: Final = "hidden"
_MAX_LOGGED_VALUES: Final = 1000
"""Maximum number of damaged values that the process remembers having logged."""

log = structlog.get_logger(__name__)


Hour = Annotated[StrictInt, Field(ge=0, le=23)]

PERSON_SETTINGS: Final[Values] = {
    "language": str,
    "theme": str,
    "side": str,
    "text": StrictBool,
    "challenges": str,
    "notices": str,
    "notices_apart": StrictBool,
    "reminders": StrictBool,
    "profile": Literal["public", "hidden"],
    "votes": Literal["named", "hidden"],
    "puzzles": StrictBool,
    "timezone": str,
    "quiet": tuple[Hour, Hour],
    "digest_hour": Hour,
    "holiday_until": Time,
    "holiday_used": dict[str, StrictInt],
    "blocked": list[StrictInt],
    "return_key": str,
    "team": StrictInt,
    "team_name": str,
}
"""All settings of a person or a team, with their types."""

PLACE_SETTINGS: Final[Values] = {
    "language": str,
    "theme": str,
    "side": str,
    "text": StrictBool,
    "newest_only": StrictBool,
    "threads": StrictBool,
    "playing": StrictBool,
    "sound": StrictBool,
    "monthly": StrictBool,
    "public": StrictBool,
    "team_table": StrictBool,
    "games": list[str],
    "timezone": str,
    "own_language": str,
    "own_theme": str,
    "own_side": str,
    "own_text": StrictBool,
    "own_timezone": str,
}
"""All settings of a place, with their types."""

_adapter = lru_cache(TypeAdapter)


def _is_readable(kind: Any, value: object) -> bool:
    try:
        _adapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


_IF_UNREADABLE: Final[Mapping[str, str]] = {"profile": HIDDEN, "votes": HIDDEN}
"""Replacements for unreadable settings of a person whose default would reveal more about them."""


def merge_settings(stored: Json, changes: Values, declared: Values) -> Json:
    """Return settings with some changes, of which None deletes one; KeyError for a setting that is not declared."""
    if unknown := sorted(changes.keys() - declared.keys()):
        raise KeyError(*unknown)
    return {name: value for name, value in {**stored, **changes}.items() if value is not None}


def read_settings(table: Literal["people", "places"], row: int, stored: Json) -> Json:
    """Return the settings of a person or a place without unreadable values, which are logged once."""
    if not stored:
        return stored
    settings, if_unreadable = (PERSON_SETTINGS, _IF_UNREADABLE) if table == "people" else (PLACE_SETTINGS, {})
    if stored == BROKEN_JSON:
        _log_damage(table, row, "settings")
        return dict(if_unreadable)
    wrong = [name for name, value in stored.items() if name in settings and not _is_readable(settings[name], value)]
    if not wrong:
        return stored
    for name in wrong:
        _log_damage(table, row, name)
    instead: Json = {name: if_unreadable[name] for name in wrong if name in if_unreadable}
    return {name: value for name, value in stored.items() if name not in wrong} | instead


@lru_cache(maxsize=_MAX_LOGGED_VALUES)
def _log_damage(table: str, row: int, setting: str) -> None:
    log.warning("setting-unreadable", table=table, row=row, setting=setting)


def _check_settings(settings: Values, stored: Json) -> Json:
    if any(name not in settings or not _is_readable(settings[name], value) for name, value in stored.items()):
        raise ValueError("settings with parts that are not known")
    return stored


PersonSettings = Annotated[Json, AfterValidator(partial(_check_settings, PERSON_SETTINGS))]
PlaceSettings = Annotated[Json, AfterValidator(partial(_check_settings, PLACE_SETTINGS))]
