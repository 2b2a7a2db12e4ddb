"""The short codes that name a game in a chat."""

import secrets
from typing import Final

from storage.plain_text import make_plain

CODE_LENGTH: Final = 6
CODE_ALPHABET: Final = "34679CDFGHJKMNPQRTVWXY"
"""No vowels, so that no words arise, and only one of each look-alike pair: 0 O, 1 I L, 2 Z, 5 S, 8 B, U V."""


def generate_code() -> str:
    """Return a random code out of about a hundred million."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


def read_code(text: str) -> str | None:
    """Return the code in a typed text, in capitals and without surrounding characters; None if there is none."""
    code = make_plain(text).strip(" #\t\n").upper()
    return code if len(code) == CODE_LENGTH and set(code) <= set(CODE_ALPHABET) else None
