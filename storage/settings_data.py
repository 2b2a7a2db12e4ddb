"""The settings of people and places as they are stored, read so that one damaged value spoils nothing else."""

from collections.abc import Iterable, Mapping
from datetime import MAXYEAR, datetime
from functools import lru_cache, partial
from typing import Annotated, Any, Final, Literal

import structlog
from pydantic import AfterValidator, Field, StrictBool, StrictInt, TypeAdapter, ValidationError

from storage.columns import BROKEN_JSON, Json, Values

HIDDEN: Final = "hidden"
_MAX_LOGGED_VALUES: Final = 1000
"""Maximum number of damaged values of which the process remembers that it has logged them."""

log = structlog.get_logger(__name__)


def _check_time(text: str) -> str:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None or time.year == MAXYEAR:
        raise ValueError("no time that one can reckon with")
    return text


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
    "holiday_until": Annotated[str, AfterValidator(_check_time)],
    "holiday_used": dict[str, StrictInt],
    "blocked": list[StrictInt],
    "return_key": str,
    "team": StrictInt,
    "team_name": str,
}
"""Everything that is stored in the settings of a person or a team, and its type."""

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
"""Everything that is stored in the settings of a place, and its type."""

_adapter = lru_cache(TypeAdapter)


def _is_readable(kind: Any, value: object) -> bool:
    try:
        _adapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


_IF_UNREADABLE: Final[Mapping[str, str]] = {"profile": HIDDEN, "votes": HIDDEN}
"""What holds of a person instead of a value that cannot be read, where the default would show more of them."""


def check_declared(names: Iterable[str], settings: Values) -> None:
    """Raise KeyError for a setting that is not declared."""
    if unknown := sorted(set(names) - settings.keys()):
        raise KeyError(*unknown)


def read_person_settings(person: int, stored: Json) -> Json:
    """Return the settings of a person without what cannot be read, which is logged once."""
    return _read_settings("people", person, stored, PERSON_SETTINGS, _IF_UNREADABLE) if stored else stored


def read_place_settings(place: int, stored: Json) -> Json:
    """Return the settings of a place without what cannot be read, which is logged once."""
    return _read_settings("places", place, stored, PLACE_SETTINGS, {}) if stored else stored


def _read_settings(table: str, row: int, stored: Json, settings: Values, if_unreadable: Mapping[str, str]) -> Json:
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
