"""The short codes by which people call a game."""

from __future__ import annotations

import secrets
from typing import Final

CODE_LENGTH: Final = 6
CODE_ALPHABET: Final = "34679CDFGHJKMNPQRTVWXY"
"""No vowels, so that no words arise, and one only of 0 and O, 1, I and L, 2 and Z, 5 and S, 8 and B, U and V."""


def generate_code() -> str:
    """Return a random code, one of about a hundred million."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


def read_code(text: str) -> str | None:
    """Return the code that somebody typed, in capitals and without what stands around it; None if it is none."""
    code = text.strip(" #\t\n").upper()
    return code if len(code) == CODE_LENGTH and set(code) <= set(CODE_ALPHABET) else None
