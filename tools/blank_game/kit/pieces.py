"""Whose pieces are which in Game Key."""

# New game: read it from the position if seats change their pieces.

from collections.abc import Mapping
from typing import Any


def kinds(_position: Mapping[str, Any]) -> list[set[str]]:
    """Return the kinds of pieces of each seat, as `GamePicture.sets` names them."""
    return [{"light"}, {"dark"}]
