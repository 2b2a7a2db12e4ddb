"""What the files of games and competitions may say of people and times: names, dates, and years that can be."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Final

MAX_NAME_LENGTH: Final = 32
"""Maximum length of a name in characters."""
FORGOTTEN_NAME: Final = "…"
"""The name of everybody who wanted to be forgotten."""
ELLIPSIS: Final = "…"
"""What a name ends with that was too long."""
FIRST_YEAR: Final = 2000
LAST_YEAR: Final = 2199


def find_bad_name(names: Iterable[str]) -> str | None:
    """Return the first name that is empty, too long, or was there before, None if there is none."""
    known = set[str]()
    for name in names:
        if not name or len(name) > MAX_NAME_LENGTH or name in known:
            return name
        known |= {name} - {FORGOTTEN_NAME}
    return None


def cut_name(name: str, length: int = MAX_NAME_LENGTH) -> str:
    """Return a name of at most `length` characters; one that had to be cut ends with an ellipsis."""
    return name if len(name) <= length else name[: length - len(ELLIPSIS)].rstrip() + ELLIPSIS


def make_names_distinct(
    names: Sequence[str], look: Callable[[str], str] = str, length: int = MAX_NAME_LENGTH
) -> tuple[str, ...]:
    """Return names that `find_bad_name` finds nothing in: the second of equal ones becomes `Anna (2)`.

    Names are equal if what `look` returns for them is; they have at most `length` characters.
    """
    found: list[str] = []
    taken = set[str]()
    for written in names:
        name = cut_name(written, length) or FORGOTTEN_NAME
        number, distinct = 2, name
        while look(distinct) in taken and distinct != FORGOTTEN_NAME:
            ending = f" ({number})"
            number, distinct = number + 1, cut_name(name, length - len(ending)) + ending
        found.append(distinct)
        taken.add(look(distinct))
    return tuple(found)


def is_date(text: str) -> bool:
    """Return True for a date of the calendar, 2026-11-21, in a year in which there can have been a game."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return False
    return found.isoformat() == text and is_possible_year(found)


def is_possible_year(when: date | datetime) -> bool:
    """Return True for a date in a year in which there can have been a game."""
    return FIRST_YEAR <= when.year <= LAST_YEAR
