"""Check that the catalogues are complete: same keys, same parameters, right plurals, nothing left empty or fuzzy."""

import re
import string
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "bot" / "locales"
_KEY: Final = re.compile(r'^msgid "(.+)"$', re.MULTILINE)


def read(path: Path) -> Catalog:
    """Return a catalogue; PoFileError if its file is broken."""
    with path.open("rb") as file:
        return read_po(file, abort_invalid=True)


def entry_key(message: Message) -> str:
    """Return the symbolic key of an entry."""
    return message.id if isinstance(message.id, str) else message.id[0]


def entry_texts(message: Message) -> tuple[str, ...]:
    """Return the texts of an entry: one, or its plural forms."""
    text = message.string or ""
    return (text,) if isinstance(text, str) else tuple(text)


def parameter_names(text: str) -> set[str]:
    """Return the names that stand in braces in a text."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def find_faults(path: Path) -> Iterator[str]:
    """Yield what is wrong with one catalogue by itself."""
    where = path.relative_to(path.parents[1])
    # Of two entries with the same key a reader gets only the last.
    for name, count in Counter(_KEY.findall(path.read_text(encoding="utf-8"))).items():
        if count > 1:
            yield f"{where}: {name}: twice"
    for message in read(path):
        if not message.id:
            continue
        name = entry_key(message)
        if message.fuzzy:
            yield f"{where}: {name}: fuzzy"
        if not all(text.strip() for text in entry_texts(message)):
            yield f"{where}: {name}: empty"
        for mark in "*`":
            if any(text.count(mark) % 2 for text in entry_texts(message)):
                yield f"{where}: {name}: an odd number of {mark}"


def find_differences(one: Path, other: Path) -> Iterator[str]:
    """Yield what one catalogue has and the other lacks, or says with other parameters."""
    here, there = ({entry_key(message): message for message in read(path) if message.id} for path in (one, other))
    where = other.relative_to(other.parents[1])
    for name in sorted(here.keys() - there.keys()):
        yield f"{where}: {name}: missing"
    for name in sorted(here.keys() & there.keys()):
        ours, theirs = (set().union(*map(parameter_names, entry_texts(each[name]))) for each in (here, there))
        if ours != theirs:
            yield f"{where}: {name}: {{{', '.join(sorted(theirs))}}} instead of {{{', '.join(sorted(ours))}}}"
        if isinstance(here[name].id, str) != isinstance(there[name].id, str):
            yield f"{where}: {name}: a plural in one language only"


def find_problems(locales: Path = LOCALES) -> Iterator[str]:
    """Yield one line for everything that is incomplete."""
    languages = sorted(folder.name for folder in locales.iterdir() if folder.is_dir())
    domains = sorted({path.name for path in locales.glob("*/*.po")})
    for domain in domains:
        paths = [locales / language / domain for language in languages]
        missing = [path for path in paths if not path.exists()]
        yield from (f"{path.relative_to(locales)}: missing" for path in missing)
        if not missing:
            for path in paths:
                yield from find_faults(path)
            for other in paths[1:]:
                yield from find_differences(paths[0], other)
                yield from find_differences(other, paths[0])


if __name__ == "__main__":
    found = list(dict.fromkeys(find_problems()))
    print("\n".join(found) or "translations: complete")
    sys.exit(bool(found))
