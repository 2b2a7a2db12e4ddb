"""Whose pieces are which: colours are picked anew in each round, and one of the seats is the Man."""

from collections.abc import Mapping
from typing import Any


def kinds(position: Mapping[str, Any]) -> list[set[str]]:
    """Return the kinds of pieces of each seat, as `GamePicture.sets` names them."""
    found: list[set[str]] = [set() for _ in range(position["seats"])]
    for attacker in position["attackers"]:
        assert position["colours"][attacker["colour"]] == attacker["seat"]
        found[attacker["seat"]].add(attacker["colour"])
    if position["man_seat"] is not None:
        assert not found[position["man_seat"]]
        found[position["man_seat"]].add("man")
    return found
