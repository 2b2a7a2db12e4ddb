"""Make the table of characters that look alike, out of Unicode's data for "Unicode Security Mechanisms" (TR 39).

Usage: make_lookalikes.py CONFUSABLES "WHAT IT IS". That is Unicode's own confusables.txt, or the confusables.json that
the package confusable_homoglyphs makes of it: that says which look alike, but not which of them stands for the others.
"""

import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

TARGET: Final = Path(__file__).resolve().parent.parent / "bot" / "kernel" / "lookalikes.txt"

HEAD: Final = """\
# Characters that look alike: on each line what stands for all of them, and those for which it stands, as code points.
# Made by tools/make_lookalikes.py from {origin}: changed in form and order, and closed.
# Copyright 1991-2024 Unicode, Inc. Unicode and the Unicode Logo are registered trademarks of Unicode, Inc.
# Its licence: lookalikes-licence.txt
"""

_MARKS: Final = re.compile("[\u200e\u200f]")
"""Marks of direction that the comments of Unicode's file, and some of the package's keys, have around a character."""
_LINE: Final = re.compile(r"^\ufeff?([0-9A-F]+)\s*;\s*([0-9A-F ]+?)\s*;", re.MULTILINE)


def from_text(text: str) -> dict[str, str]:
    """Return by each character what stands for it, out of Unicode's own file."""
    found = [(one, other.split()) for one, other in _LINE.findall(text)]
    return {chr(int(one, 16)): "".join(chr(int(each, 16)) for each in other) for one, other in found}


def from_pairs(text: str) -> dict[str, str]:
    """Return by each character what stands for it, out of a list of those that look alike.

    What has several that look like it stands for them. Where two have only each other it may be either: the longer
    text, else the one that texts are made of, else the lower number.
    """
    alike: dict[str, set[str]] = {}
    for one, others in json.loads(text).items():
        alike.setdefault(_MARKS.sub("", one), set()).update(_MARKS.sub("", each["c"]) for each in others)
    parts = {part for one in alike if len(one) > 1 for part in one}
    found: dict[str, str] = {}
    for one, others in alike.items():
        for other in others:
            if len(one) == 1 and other != one and one not in found:
                rank = {each: (len(each) > 1, len(alike[each]), each in parts, -ord(each[-1])) for each in (one, other)}
                if rank[other] > rank[one]:
                    found[one] = other
    return found


def close_table(lookalikes: dict[str, str]) -> dict[str, str]:
    """Return the same so that nothing that stands for something is itself stood for."""

    def final(text: str) -> str:
        for _ in range(len(lookalikes)):
            after = unicodedata.normalize("NFD", "".join(lookalikes.get(each, each) for each in text))
            if after == text:
                break
            text = after
        return text

    return {one: final(other) for one, other in sorted(lookalikes.items()) if final(other) != one}


def format_lines(lookalikes: dict[str, str]) -> Iterator[str]:
    """Yield the lines of the table."""
    groups: dict[str, list[str]] = {}
    for one, other in lookalikes.items():
        groups.setdefault(other, []).append(one)
    for other, ones in sorted(groups.items()):
        yield f"{_points(other)}: {_points(ones)}"


def _points(text: Iterable[str]) -> str:
    return " ".join(f"{ord(each):04X}" for each in text)


def main(source: str, origin: str) -> None:
    """Read Unicode's data and write the table."""
    text = Path(source).read_text(encoding="utf-8")
    lookalikes = close_table(from_pairs(text) if source.endswith(".json") else from_text(text))
    TARGET.write_text(HEAD.format(origin=origin) + "\n".join(format_lines(lookalikes)) + "\n", encoding="ascii")
    print(f"{len(lookalikes)} characters, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
