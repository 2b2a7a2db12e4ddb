"""Whose pieces are which: the seats keep their colours for the whole game."""

from collections.abc import Mapping
from typing import Any


def kinds(_position: Mapping[str, Any]) -> list[set[str]]:
    """Return the kinds of pieces of each seat, as `GamePicture.sets` names them."""
    return [{"light"}, {"dark"}]
