"""The short codes by which people call a game."""

from __future__ import annotations

import secrets
from typing import Final

LENGTH: Final = 6
ALPHABET: Final = "34679CDFGHJKMNPQRTVWXY"
"""No vowels, so that no words arise, and one only of 0 and O, 1, I and L, 2 and Z, 5 and S, 8 and B, U and V."""


def new_code() -> str:
    """Return a random code, one of about a hundred million."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def read_code(text: str) -> str | None:
    """Return the code that somebody typed, in capitals and without what stands around it; None if it is none."""
    code = text.strip(" #\t\n").upper()
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else None
