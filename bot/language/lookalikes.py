"""Names that look alike: the form in which they are compared where nobody is to pass for somebody else.

The skeleton of Unicode TR 39 (https://www.unicode.org/reports/tr39/#Confusable_Detection), whatever the case, with an i
for an l: a capital I is one in many typefaces. No name is ever shown in that form.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from bot.language.names import is_ignorable

_DATA_FILE: Final = "lookalikes.txt"
_CACHE_SIZE: Final = 8192
"""How many normalised names are cached: each newcomer's name is compared with all others."""


@lru_cache(_CACHE_SIZE)
def skeleton(name: str) -> str:
    """Return what all names that look like a name have in common, and no others."""
    seen = unicodedata.normalize("NFKD", name)
    if not seen.isascii():
        seen = "".join(character for character in seen if not is_ignorable(character))
    folded = _stood_for(_stood_for(seen).casefold())
    return " ".join(folded.replace("i", "l").split())


def _stood_for(text: str) -> str:
    return unicodedata.normalize("NFD", text.translate(_table()))


@cache
def _table() -> Mapping[int, str]:
    """Return by the code of each character what stands for it; tools/make_lookalikes.py made the file."""
    found: dict[int, str] = {}
    for line in files(__package__ or "").joinpath(_DATA_FILE).read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            one, others = line.split(":")
            stands = "".join(chr(int(point, 16)) for point in one.split())
            found |= dict.fromkeys([int(point, 16) for point in others.split()], stands)
    return found
