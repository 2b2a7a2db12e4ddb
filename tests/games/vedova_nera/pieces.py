"""Whose pieces are which: each seat has chosen a colour, or has none yet."""

from collections.abc import Mapping
from typing import Any


def kinds(position: Mapping[str, Any]) -> list[set[str]]:
    """Return the kinds of pieces of each seat, as `GamePicture.sets` names them."""
    return [set() if colour is None else {colour} for colour in position["colours"]]
