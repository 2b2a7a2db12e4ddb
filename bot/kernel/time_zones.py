"""Time zones: parsing of what people type, and lookup of stored names on this machine."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import structlog
from babel import Locale
from babel.core import get_global

from bot.kernel.names import fold_text, log_unknown_name

UTC_NAME: Final = "UTC"
_AREAS: Final = frozenset(
    ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
)
"""The areas of the time zone database; names without an area are older names of the same zones, or no place's zone."""
_ABBREVIATIONS: Final = frozenset(
    ("CET", "CST6CDT", "EET", "EST", "EST5EDT", "HST", "MET", "MST", "MST7MDT", "PST8PDT", "WET")
)
"""Abbreviations in the database that people use both with and without summer time."""
_NO_CITIES: Final = frozenset(("act", "lhi", "north", "nsw", "samoa", "south", "virgin", "west"))
"""Last parts of older names that would be mistaken for something else."""
_CITY_LANGUAGES: Final = ("en", "it")
_EARLIEST_MINUTES: Final = -12 * 60
_LATEST_MINUTES: Final = 14 * 60
_OFFSET_STEP_MINUTES: Final = 15
_MAX_CACHED_ZONES: Final = 1000
_OFFSET_PATTERN: Final = re.compile(r"(?:utc|gmt)? ?([+-]) ?(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
_UTC_PATTERN: Final = re.compile(r"(?:etc/)?(?:utc|gmt|z|zulu|uct)", re.IGNORECASE)
_COPIES_PATTERN: Final = re.compile(r"(?:posix|right)/")
"""Folders with copies of all zones, on some systems."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _ZoneNames:
    """The zones of places in a country, in order; and all zones by folded name, and by folded city."""

    listed: tuple[str, ...]
    by_name: Mapping[str, str]
    by_city: Mapping[str, str]


def load_time_zone(stored: object) -> tzinfo:
    """Return the time zone of a stored name; UTC for no name, and for an unknown one, which is logged once."""
    if not stored:
        return UTC
    zone = find_time_zone(stored) if isinstance(stored, str) else None
    if zone is None:
        log_unknown_name("timezone", str(stored))
    return zone or UTC


@lru_cache(maxsize=_MAX_CACHED_ZONES)
def find_time_zone(name: str) -> tzinfo | None:
    """Return the time zone of a stored name, None if it is unknown here; its text is the name."""
    if name == UTC_NAME or (offset := _read_offset(name)) == 0:
        return UTC
    if offset is not None:
        return timezone(timedelta(minutes=offset), name)
    name = _COPIES_PATTERN.sub("", name)
    # Some systems omit the older names.
    return _load_zone(name) or _load_zone(get_global("zone_aliases").get(name, ""))


def read_time_zone(text: str) -> str | None:
    """Return the name to store for a typed time zone, None if the text is no time zone.

    People type a zone (Europe/Rome), its city in a supported language (Rome, Roma, New York), or an offset from UTC
    (UTC+1, +01:00, GMT-3:30).
    """
    typed = " ".join(unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-").split())
    if _UTC_PATTERN.fullmatch(typed):
        return UTC_NAME
    offset = _read_offset(typed)
    if offset is not None:
        return _format_offset(offset)
    names, folded = _zone_names(), fold_text(typed)
    return names.by_name.get(folded) if "/" in typed else names.by_city.get(folded) or names.by_name.get(folded)


def list_time_zones(language: str) -> list[tuple[str, str]]:
    """Return the zones to offer, each with the name of its city in a language."""
    cities = Locale(language).time_zones
    return [(name, cities.get(name, {}).get("city") or _last_part(name)) for name in (UTC_NAME, *_zone_names().listed)]


def _read_offset(text: str) -> int | None:
    """Return the minutes by which a clock is ahead of UTC, None if a text is no such offset."""
    match = _OFFSET_PATTERN.fullmatch(text)
    if match is None or (match[3] and int(match[3]) % _OFFSET_STEP_MINUTES):
        return None
    minutes = int(match[2]) * 60 + int(match[3] or 0)
    offset = -minutes if match[1] == "-" else minutes
    return offset if int(match[3] or 0) < 60 and _EARLIEST_MINUTES <= offset <= _LATEST_MINUTES else None


def _format_offset(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return f"{UTC_NAME}{sign}{hours}{f':{rest:02}' if rest else ''}" if minutes else UTC_NAME


def _load_zone(name: str) -> ZoneInfo | None:
    # A path that is no file of a zone, such as a folder, raises an OSError.
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(name)
    return None


@cache
def _zone_names() -> _ZoneNames:
    try:
        # The time zone data installed with the program.
        folder = files("tzdata")
        table = (folder / "zoneinfo" / "zone.tab").read_text("utf-8").splitlines()
        known = (folder / "zones").read_text("utf-8").split()
        listed = tuple(sorted(line.split("\t")[2] for line in table if not line.startswith("#")))
    except (ModuleNotFoundError, OSError):
        known = sorted(available_timezones())
        log.error("time-zones-missing", known=len(known))
        listed = tuple(name for name in known if name.partition("/")[0] in _AREAS)
    aliases: Mapping[str, str] = get_global("zone_aliases")
    newest = {aliases.get(name, name): name for name in listed}
    zones = {name: newest[aliases.get(name, name)] for name in sorted(known) if aliases.get(name, name) in newest}
    zones = {name: zone for name, zone in zones.items() if name not in _ABBREVIATIONS}
    by_name = {fold_text(name): zone for name, zone in zones.items()}
    by_city = _fold_cities((name, zone) for name, zone in zones.items() if name.partition("/")[0] in _AREAS)
    by_city = {city: zone for city, zone in by_city.items() if city not in _NO_CITIES}
    for language in _CITY_LANGUAGES:
        cities = {name: about["city"] for name, about in Locale(language).time_zones.items() if "city" in about}
        by_city |= {fold_text(city): zones[name] for name, city in cities.items() if name in zones}
    return _ZoneNames(listed, by_name, by_city | _fold_cities(zip(listed, listed, strict=True)))


def _fold_cities(zones: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {fold_text(_last_part(name)): zone for name, zone in zones}


def _last_part(name: str) -> str:
    return name.rpartition("/")[2].replace("_", " ")
