"""Output on any terminal and into any pipe: what its encoding lacks is printed as plainer signs, never an error."""

import codecs
import io
import sys
from typing import Final
from unicodedata import combining, normalize

_ERRORS: Final = "tavoliere.plain"
"""The name of the error handler of codecs."""
_PLAIN_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’‚‹›", "'"),
        **dict.fromkeys("–—−‐‑", "-"),
        "…": "...",
        "×": "x",
        "·": ".",
        "•": "-",
        "●": "*",
        "○": "o",
        "◀": "<",
        "▶": ">",
        "→": "->",
        "←": "<-",
    }
)
"""Plain signs for those of our texts and boards; different pieces stay different."""


def make_plain(text: str) -> str:
    """Return a text in ASCII: letters without their accents, and `?` for what has no plainer form."""
    signs = (sign for sign in normalize("NFKD", text.translate(_PLAIN_SIGNS)) if not combining(sign))
    return "".join(signs).encode("ascii", "replace").decode("ascii")


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return make_plain(error.object[error.start : error.end]), error.end


def adapt_streams() -> None:
    """Have stdout and stderr take every text, and stdin give one whatever comes."""
    codecs.register_error(_ERRORS, _replace)
    for stream, errors in ((sys.stdout, _ERRORS), (sys.stderr, _ERRORS), (sys.stdin, "replace")):
        # Another program that runs us may have put something else there.
        if isinstance(stream, io.TextIOWrapper) and stream.errors != errors:
            stream.reconfigure(errors=errors)
