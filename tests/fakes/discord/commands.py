"""What makes a set of commands acceptable beyond its fields' types."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from tests.fakes.discord.messages import invalid
from tests.fakes.discord.schema import Json

MOST_COMMANDS: Final = 100
MOST_CHARACTERS: Final = 8000
_NAME: Final = re.compile(r"[-_'\w]{1,32}")


def check_commands(commands: list[Json]) -> None:
    """Raise an ApiError for commands that cannot be."""
    found: list[str] = []
    if len(commands) > MOST_COMMANDS:
        found.append(f"{len(commands)} commands")
    found += [f"command {name!r} twice" for name, count in _names(commands).items() if count > 1]
    for command in commands:
        found += _check_command(command)
    if found:
        raise invalid(*found)


def size(command: Json) -> int:
    """Return how many characters a command counts for; of each text its longest translation."""
    total = _longest(command, "name") + _longest(command, "description")
    for choice in command.get("choices") or []:
        total += _longest(choice, "name") + len(str(choice["value"]))
    return total + sum(size(option) for option in command.get("options") or [])


def _longest(part: Json, field: str) -> int:
    return max(map(len, (part.get(field) or "", *(part.get(f"{field}_localizations") or {}).values())))


def _names(parts: list[Json]) -> Counter[str]:
    return Counter(part["name"] for part in parts)


def _check_command(command: Json) -> list[str]:
    name, options = command["name"], command.get("options") or []
    found = [f"{name}: {option!r} twice" for option, count in _names(options).items() if count > 1]
    if not command.get("description"):
        found.append(f"{name}: no description")
    if size(command) > MOST_CHARACTERS:
        found.append(f"{name}: {size(command)} characters")
    required = [bool(option.get("required")) for option in options]
    if required != sorted(required, reverse=True):
        found.append(f"{name}: a required option after one that is not")
    for part in (command, *options):
        for said in (part["name"], *(part.get("name_localizations") or {}).values()):
            if not _NAME.fullmatch(said) or said != said.lower():
                found.append(f"{name}: {said!r} is no name")
    for option in options:
        choices = option.get("choices") or []
        if choices and option.get("autocomplete"):
            found.append(f"{name}.{option['name']}: choices and completion")
        values = Counter(choice["value"] for choice in choices)
        found += [f"{name}.{option['name']}: {value!r} twice" for value, count in values.items() if count > 1]
        for low, high in (("min_value", "max_value"), ("min_length", "max_length")):
            if option.get(low) is not None and option.get(high) is not None and option[low] > option[high]:
                found.append(f"{name}.{option['name']}: {low} above {high}")
    return found
