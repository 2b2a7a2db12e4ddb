"""Reads the words for a position back into its JSON, with the templates of the catalogues: what is not said is lost.

What only one game's positions have is read by `reading.py` in that game's kit: `read(reader, over)` returns it, and
`details(reader, reason)`, where there is one, what an outcome has beyond its places.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any

from bot.kernel.texts import GENERAL_DOMAIN, Texts
from engine import games
from tests.support import kits
from tests.support.present import present

_BETWEEN = re.compile(r", and | and |, | ed? ")


@cache
def make_pattern(template: str) -> re.Pattern[str]:
    """Return what matches every text that is made from a template."""
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(template)))


@dataclass
class Reader:
    """One text, line by line; lines that were understood are struck out."""

    texts: Texts
    language: str
    names: Sequence[str]
    lines: list[str]
    game: str = ""
    seats: list[list[str]] = field(default_factory=list)

    def templates(self, key: str) -> Iterator[str]:
        for domain in (self.game, GENERAL_DOMAIN):
            catalogue = self.texts.catalogue(self.language, domain)
            if catalogue is not None and key in catalogue.keys:
                yield from {catalogue.find(key, n).replace("*", "") for n in (0, 1, 2)}
                return
        raise KeyError(key)

    def match(self, key: str, text: str) -> dict[str, str] | None:
        """Return the parameters of a text, None if it is not made from the template."""
        for template in self.templates(key):
            found = make_pattern(template).fullmatch(text)
            if found:
                return found.groupdict()
        return None

    def take(self, key: str, lines: list[str] | None = None) -> dict[str, str] | None:
        """Return the parameters of the first line made from a template, and strike it out; None if there is none."""
        lines = self.lines if lines is None else lines
        for number, line in enumerate(lines):
            found = self.match(key, line)
            if found is not None:
                del lines[number]
                return found
        return None

    def cells(self, key: str, lines: list[str] | None = None) -> list[str]:
        found = self.take(key, lines)
        return found["cells"].split(", ") if found else []

    def value(self, key: str, name: str, lines: list[str] | None = None) -> str | None:
        found = self.take(key, lines)
        return found[name] if found else None

    def number(self, key: str, lines: list[str] | None = None) -> int:
        """Return the number that a template says, 0 if nothing is said; words for 1 alone may leave it out."""
        found = self.take(key, lines)
        return int(found.get("n", 1)) if found else 0

    def seat(self, name: str) -> int:
        return self.names.index(name)

    def seats_of(self, listing: str) -> list[int]:
        return [self.seat(name) for name in _BETWEEN.split(listing)]


def read_back(texts: Texts, language: str, names: Sequence[str], text: str) -> dict[str, Any]:
    """Return the position's JSON without `extra`; AssertionError for a line that says something unheard of."""
    reader = Reader(texts, language, names, text.split("\n"))
    title = present(reader.take("alt.title"))
    reader.game = next(key for key in games if texts.speaker(language).game_name(key) == title["game"])
    reader.lines.pop(0)  # the last turn
    over, to_move = _mover(reader)
    for name in names:
        lines = [found for line in reader.lines if (found := reader.match("position.seat", line))]
        mine = next(found for found in lines if re.fullmatch(re.escape(name) + r"( \(\w+\))?", found["who"]))
        reader.seats.append(mine["parts"].split("; "))
        reader.lines.remove(f"{mine['who']}: {mine['parts']}.")
    gone = reader.value("position.dropped", "who")
    position: dict[str, Any] = {
        "game": reader.game,
        "options": dict(_options(reader)),
        "to_move": to_move,
        "dropped": reader.seats_of(gone) if gone else [],
        "outcome": _outcome(reader) if over else None,
    }
    position |= _kit(reader.game).read(reader, over)
    for parts in reader.seats:
        reader.take("position.nothing", parts)
    assert not reader.lines, reader.lines
    assert not any(reader.seats), reader.seats
    return position


def _kit(key: str) -> ModuleType:
    """Return the part of a game's kit that reads its positions; AssertionError with its path where there is none."""
    found = kits.module(key, "reading")
    assert found is not None, f"{key} has nothing that reads its positions back: {kits.kit(key)}/reading.py"
    return found


def _mover(reader: Reader) -> tuple[bool, int | None]:
    if reader.take("alt.over") is not None:
        return True, None
    for line in reader.lines:
        found = reader.match("alt.to-move", line)
        if found is not None and found["who"] in reader.names:
            reader.lines.remove(line)
            return False, reader.seat(found["who"])
    return False, None


def _options(reader: Reader) -> Iterator[tuple[str, str | int]]:
    voice = reader.texts.speaker(reader.language).of(reader.game)
    for name, option in games[reader.game].options.items():
        for value in option.values:
            line = f"{voice.line(f'option.{name}')}: {voice.line(f'option.{name}.{value}')}."
            if line in reader.lines:
                reader.lines.remove(line)
                yield name, value


def _outcome(reader: Reader) -> dict[str, Any]:
    keys = {
        key
        for domain in (reader.game, GENERAL_DOMAIN)
        for key in getattr(reader.texts.catalogue(reader.language, domain), "keys", ())
        if key.startswith("reason.")
    }
    reason = next(key for key in sorted(keys) if reader.take(key) is not None).removeprefix("reason.")
    winner = reader.value("over.win", "who")
    first = winner or reader.value("over.draw", "who") or reader.value("over.shared", "who") or ""
    firsts = reader.seats_of(first)
    places = [1 if seat in firsts else 2 for seat in range(len(reader.names))]
    if len(places) > 2:
        line = next(line for line in reader.lines if re.match(r"1\. ", line))
        reader.lines.remove(line)
        for entry in line.removesuffix(".").split(", "):
            found = present(reader.match("over.place", entry))
            places[reader.seat(found["who"])] = int(found["place"])
        assert [seat for seat, place in enumerate(places) if place == 1] == sorted(firsts)
    outcome: dict[str, Any] = {"reason": reason, "places": places}
    details = getattr(_kit(reader.game), "details", None)
    found = details(reader, reason) if details else {}
    return outcome | ({"details": found} if found else {})
