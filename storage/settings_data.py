"""The settings of people and places as they are stored, read so that one damaged value spoils nothing else."""

from collections.abc import Callable, Iterable, Mapping
from datetime import MAXYEAR, datetime
from functools import lru_cache, partial
from typing import Annotated, Any, Final

import structlog
from pydantic import AfterValidator

from storage.columns import BROKEN_JSON, read_flag, read_integer, read_integers, read_pair, read_text
from storage.rows import Json

HIDDEN: Final = "hidden"
_LAST_HOUR: Final = 23
_MAX_LOGGED_VALUES: Final = 1000
"""Maximum number of damaged values of which the process remembers that it has logged them."""

log = structlog.get_logger(__name__)

Reader = Callable[[object], object | None]
"""Returns a stored value, or None if it is not what the setting may hold."""


def _read_hour(value: object) -> int | None:
    hour = read_integer(value)
    return hour if hour is not None and 0 <= hour <= _LAST_HOUR else None


def _read_hours(value: object) -> tuple[int, int] | None:
    hours = read_pair(value)
    return hours if hours is not None and all(_read_hour(hour) is not None for hour in hours) else None


def _read_time(value: object) -> str | None:
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return str(value) if time is not None and time.tzinfo is not None and time.year < MAXYEAR else None


def _read_counts(value: object) -> dict[str, int] | None:
    return value if isinstance(value, dict) and all(read_integer(each) is not None for each in value.values()) else None


def _read_texts(value: object) -> list[str] | None:
    return value if isinstance(value, list) and all(isinstance(each, str) for each in value) else None


def _read_one_of(*values: str) -> Reader:
    return lambda value: value if isinstance(value, str) and value in values else None


PERSON_SETTINGS: Final[Mapping[str, Reader]] = {
    "language": read_text,
    "theme": read_text,
    "side": read_text,
    "text": read_flag,
    "challenges": read_text,
    "notices": read_text,
    "notices_apart": read_flag,
    "reminders": read_flag,
    "profile": _read_one_of("public", HIDDEN),
    "votes": _read_one_of("named", HIDDEN),
    "puzzles": read_flag,
    "timezone": read_text,
    "quiet": _read_hours,
    "digest_hour": _read_hour,
    "holiday_until": _read_time,
    "holiday_used": _read_counts,
    "blocked": read_integers,
    "return_key": read_text,
    "team": read_integer,
    "team_name": read_text,
}
"""Everything that is stored in the settings of a person or a team."""

PLACE_SETTINGS: Final[Mapping[str, Reader]] = {
    "language": read_text,
    "theme": read_text,
    "side": read_text,
    "text": read_flag,
    "newest_only": read_flag,
    "threads": read_flag,
    "playing": read_flag,
    "sound": read_flag,
    "monthly": read_flag,
    "public": read_flag,
    "team_table": read_flag,
    "games": _read_texts,
    "timezone": read_text,
    "own_language": read_text,
    "own_theme": read_text,
    "own_side": read_text,
    "own_text": read_flag,
    "own_timezone": read_text,
}
"""Everything that is stored in the settings of a place."""

_IF_UNREADABLE: Final[Mapping[str, str]] = {"profile": HIDDEN, "votes": HIDDEN}
"""What holds of a person instead of a value that cannot be read, where the default would show more of them."""


def check_declared(names: Iterable[str], readers: Mapping[str, Reader]) -> None:
    """Raise KeyError for a setting that no reader checks when it is read."""
    if unknown := sorted(set(names) - readers.keys()):
        raise KeyError(*unknown)


def read_person_settings(person: int, stored: Json) -> Json:
    """Return the settings of a person without what cannot be read, which is logged once."""
    return _read_settings("people", person, stored, PERSON_SETTINGS, _IF_UNREADABLE) if stored else stored


def read_place_settings(place: int, stored: Json) -> Json:
    """Return the settings of a place without what cannot be read, which is logged once."""
    return _read_settings("places", place, stored, PLACE_SETTINGS, {}) if stored else stored


def _read_settings(
    table: str, row: int, stored: Json, readers: Mapping[str, Reader], if_unreadable: Mapping[str, str]
) -> Json:
    if stored == BROKEN_JSON:
        _log_damage(table, row, "settings")
        return dict(if_unreadable)
    wrong = [name for name, value in stored.items() if name in readers and readers[name](value) is None]
    if not wrong:
        return stored
    for name in wrong:
        _log_damage(table, row, name)
    instead: dict[str, Any] = {name: if_unreadable[name] for name in wrong if name in if_unreadable}
    return {name: value for name, value in stored.items() if name not in wrong} | instead


@lru_cache(maxsize=_MAX_LOGGED_VALUES)
def _log_damage(table: str, row: int, setting: str) -> None:
    log.warning("setting-unreadable", table=table, row=row, setting=setting)


def _check_settings(readers: Mapping[str, Reader], stored: Json) -> Json:
    if any(name not in readers or readers[name](value) is None for name, value in stored.items()):
        raise ValueError("settings with parts that are not known")
    return stored


PersonSettings = Annotated[dict[str, Any], AfterValidator(partial(_check_settings, PERSON_SETTINGS))]
PlaceSettings = Annotated[dict[str, Any], AfterValidator(partial(_check_settings, PLACE_SETTINGS))]
