"""The engine compiled by `make compiled`, for processes that search; otherwise they use the plain modules.

A game from another package always uses the plain modules: the compiled ones have no room for its classes.
"""

import hashlib
from pathlib import Path
from typing import Final

import engine

_SOURCES: Final = Path(engine.__file__).resolve().parent
COMPILED_FOLDER: Final = _SOURCES.parent / "out" / "compiled"
FINGERPRINT_FILE: Final = "fingerprint.txt"
"""The file with the digest of the sources of the compiled modules."""


_CHECKSUM_BYTES: Final = 32
"""Bytes at the end of a data file that identify it."""


def search_path(place: Path = COMPILED_FOLDER) -> list[str]:
    """Return the entries to prepend to a search process's path: none if nothing current was compiled."""
    try:
        made_from = (place / FINGERPRINT_FILE).read_text(encoding="utf-8")
    except OSError:
        return []
    return [str(place)] if made_from == fingerprint() else []


def fingerprint() -> str:
    """Return a digest of the engine's sources."""
    digest = hashlib.sha256()
    for path in sorted(_SOURCES.rglob("*.py")):
        digest.update(path.relative_to(_SOURCES).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    for path in sorted(_SOURCES.rglob("*.bin")):
        # The files are large: each ends with its checksum.
        with path.open("rb") as file:
            file.seek(-min(path.stat().st_size, _CHECKSUM_BYTES), 2)
            digest.update(path.name.encode() + b"\0" + file.read() + b"\0")
    return digest.hexdigest()
