"""What makes a set of commands acceptable beyond its fields' types."""

import json
import re
from collections import Counter
from functools import lru_cache
from typing import Final

from tests.fakes.discord.messages import invalid
from tests.fakes.discord.schema import Json

MAX_COMMANDS: Final = 100
MAX_CHARACTERS: Final = 8000
CHAT: Final = 1
_NAME: Final = re.compile(r"[-_'\w]{1,32}")
_MENU_NAME: Final = re.compile(r".{1,32}")


def check_commands(commands: list[Json]) -> None:
    """Raise an ApiError for commands that cannot be."""
    found: list[str] = []
    if len(commands) > MAX_COMMANDS:
        found.append(f"{len(commands)} commands")
    kinds = Counter((each["name"], each.get("type") or CHAT) for each in commands)
    found += [f"command {name!r} twice" for (name, _), count in kinds.items() if count > 1]
    for command in commands:
        found += _check_command(json.dumps(command))
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


@lru_cache(maxsize=256)
def _check_command(text: str) -> list[str]:
    """Say what is wrong with a command in JSON: bots of many tests register the same ones."""
    command: Json = json.loads(text)
    name, options = command["name"], command.get("options") or []
    names = Counter(option["name"] for option in options)
    found = [f"{name}: {option!r} twice" for option, count in names.items() if count > 1]
    if (command.get("type") or CHAT) != CHAT:
        return _check_menu(command)
    if not command.get("description"):
        found.append(f"{name}: no description")
    if size(command) > MAX_CHARACTERS:
        found.append(f"{name}: {size(command)} characters")
    required = [bool(option.get("required")) for option in options]
    if required != sorted(required, reverse=True):
        found.append(f"{name}: a required option after one that is not")
    for part in (command, *options):
        for said in (part["name"], *(part.get("name_localizations") or {}).values()):
            if not _NAME.fullmatch(said) or said != said.lower():
                found.append(f"{name}: {said!r} is no name")
    for locale in {locale for option in options for locale in option.get("name_localizations") or {}}:
        found += _check_told_apart(name, options, locale)
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


def _check_menu(command: Json) -> list[str]:
    """Say what is wrong with what is offered for a person or a message (page Application Commands, Naming)."""
    name = command["name"]
    found = [f"{name}: {field} belongs to chat commands" for field in ("description", "options") if command.get(field)]
    said = (name, *(command.get("name_localizations") or {}).values())
    return found + [f"{name}: {each!r} is no name" for each in said if not _MENU_NAME.fullmatch(each)]


def _check_told_apart(command: str, options: list[Json], locale: str) -> list[str]:
    """Say which translated names of options are another's, in their language or by default (same page)."""
    translated = {option["name"]: (option.get("name_localizations") or {}).get(locale) for option in options}
    counts = Counter(each for each in translated.values() if each is not None)
    found = [f"{command}: {each!r} twice in {locale}" for each, count in counts.items() if count > 1]
    for name, each in translated.items():
        if each is not None and each != name and each in translated:
            found.append(f"{command}: {each!r} in {locale} is another option's default name")
    return found
