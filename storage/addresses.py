"""Database addresses, file paths and typed text.

Files other than ordinary ones are refused. In typed text the typographic signs of phones, keyboards and input methods
are replaced by plain ones.

That is done here because names are compared in plain form (`storage.people.name_key`); other typed text is made plain
on arrival. Text that people write for others (names, titles, notes) keeps its typography.
"""

import secrets
import stat
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from storage.errors import InvalidUrl, StorageError

_URL_PARAMETERS: Final = {"host", "port", "sslmode", "ssl", "prepared_statement_cache_size"}


def read_url(address: str | Path) -> URL:
    """Return the URL for the path of an SQLite file, or for an sqlite: or postgresql: address; InvalidUrl.

    A string is an address: a path given as a string would silently create a new, empty database.
    """
    if isinstance(address, Path):
        return URL.create("sqlite+aiosqlite", database=str(address.absolute()))
    try:
        url = make_url(address)
        for host in (url.host or "", *url.normalized_query.get("host", ())):
            if not host.startswith("/"):  # the folder of a socket
                host.encode("idna")  # the driver does the same, and does not handle a failure
    except (ArgumentError, ValueError) as error:
        raise InvalidUrl(address=address.partition("://")[0]) from error
    kind = url.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        unknown = sorted(set(url.query) - _URL_PARAMETERS)
        if unknown:
            raise InvalidUrl(address=kind, parameters=unknown)
        # The driver's name for sslmode.
        return url.set(
            drivername="postgresql+asyncpg",
            query={"ssl" if name == "sslmode" else name: value for name, value in url.query.items()},
        )
    if kind == "sqlite" and url.database and url.database != ":memory:":
        return URL.create("sqlite+aiosqlite", database=str(Path(url.database).absolute()))
    raise InvalidUrl(address=kind)


def database_file(address: str | Path) -> Path | None:
    """Return the SQLite file of a path or an address, None for a database server; InvalidUrl."""
    url = read_url(address)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


_DATABASE_SUFFIXES: Final = ("-wal", "-shm", "-journal", "")


def add_suffix(path: Path, suffix: str) -> Path:
    """Return the path of a file in the same folder, whose name has a suffix more."""
    return path.with_name(path.name + suffix)


def list_files(database: Path) -> list[Path]:
    """Return the paths of the files of an SQLite database, existing or not; the database file itself comes last."""
    return [add_suffix(database, suffix) for suffix in _DATABASE_SUFFIXES]


class SpecialFile(StorageError):
    """A pipe, a socket or a device where a file is needed; `path`."""

    default = "special-file"


def refuse_special_files(*paths: Path) -> None:
    """Raise SpecialFile for a path that exists and is neither a file nor a folder, without opening it."""
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue  # opening it says why it cannot be used
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise SpecialFile(path=str(path))


def refuse_special_database(database: Path) -> None:
    """Raise SpecialFile if one of the files of an SQLite database is no ordinary file."""
    refuse_special_files(*list_files(database))


_STAND_INS: Final[Mapping[str, str]] = {
    '"': "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\u275d\u275e\u300c\u300d\u300e\u300f\u301d\u301e\u301f",
    "'": "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u2035\u00b4\u02b9\u02bb\u02bc\u02c8\u055a\u05f3\u275b\u275c\ua78c",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2e3a\u2e3b\u05be\u1806",
    ":": "\u2236\ua789\u05c3",
    ";": "\u061b",
    ",": "\u060c\u066b\u066c\u3001",
    ".": "\u3002\u06d4\uff61",
    "?": "\u061f",
    "%": "\u066a",
    "/": "\u2044\u2215\u29f8",
    "x": "\u00d7\u2715\u2716\u2a2f\u2a09\u2573",
    "*": "\u2217",
    "~": "\u301c\u223c",
    "->": "\u2192\u27f6\u279c\u2794\u27a1",
    "<-": "\u2190",
    "...": "\u2026\u22ef",
    "..": "\u2025",
}
"""Plain signs, each with the typographic signs that are replaced by it."""
_PLAIN_SIGNS: Final = {stand_in: plain for plain, stand_ins in _STAND_INS.items() for stand_in in stand_ins}
_COMPATIBLE: Final = frozenset({"<wide>", "<narrow>", "<small>", "<font>", "<noBreak>", "<fraction>", "<super>"})
"""Decomposition types of the Unicode Character Database that yield plain signs; `<compat>` does so for letters only."""
_LINE_ENDS: Final = "\t\n\v\f\r\x85\u2028\u2029"
_INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u20e3")
"""Invisible marks and letters, and the frame of keycap digits."""


def make_plain(text: str) -> str:
    """Return a typed text with plain signs, digits, letters and spaces.

    Quotes, dashes, spaces, full-width forms, digits of all scripts and typographic signs become ASCII; invisible
    characters are removed; letters are composed (NFC). Other signs and letters stay.
    """
    return text if text.isascii() else align_plain(text)[0]


def align_plain(text: str) -> tuple[str, str, tuple[int, ...]]:
    """Return the plain text, the composed typed text, and for each plain character its index in the composed text.

    The indices end with the length of the composed text: `plain[start:end]` was typed as
    `typed[indices[start]:indices[end]]`.
    """
    typed = unicodedata.normalize("NFC", text)
    parts = [_replace(character) for character in typed]
    plain = "".join(parts)
    composed = unicodedata.normalize("NFC", plain)
    if composed != plain:
        # A mark was composed with a letter that was made plain: the origin of each character is no longer known.
        return composed, composed, tuple(range(len(composed) + 1))
    indices = [index for index, part in enumerate(parts) for _ in part]
    return plain, typed, (*indices, len(typed))


@lru_cache(maxsize=4096)
def _replace(character: str) -> str:
    """Return the plain replacement of a character; empty for an invisible one."""
    if character.isascii():
        return character
    if character in _PLAIN_SIGNS:
        return _PLAIN_SIGNS[character]
    category = unicodedata.category(character)
    if category == "Zs":
        return " "
    if character in _LINE_ENDS:
        return "\n"
    if category in _INVISIBLE_CATEGORIES or character in _INVISIBLE or "\ufe00" <= character <= "\ufe0f":
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    kind, _, _ = unicodedata.decomposition(character).partition(" ")
    if kind in _COMPATIBLE or (kind == "<compat>" and category in ("Ll", "Lu", "Lt")):
        other = unicodedata.normalize("NFKC", character)
        return "".join(map(_replace, other)) if other != character else character
    return character


def find_unreadable_sign(text: str) -> str | None:
    """Return the first character of a plain text that is neither a letter, a mark nor ASCII; None if there is none."""
    return next((each for each in text if not each.isascii() and unicodedata.category(each)[0] not in "LM"), None)


CODE_LENGTH: Final = 6
CODE_ALPHABET: Final = "34679CDFGHJKMNPQRTVWXY"
"""No vowels, so that codes spell no words, and only one of each look-alike group: 0 O, 1 I L, 2 Z, 5 S, 8 B, U V."""


def generate_code() -> str:
    """Return a random code out of about a hundred million."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


def read_code(text: str) -> str | None:
    """Return the code in a typed text, in capitals and without surrounding characters; None if there is none."""
    code = make_plain(text).strip(" #\t\n").upper()
    return code if len(code) == CODE_LENGTH and set(code) <= set(CODE_ALPHABET) else None
