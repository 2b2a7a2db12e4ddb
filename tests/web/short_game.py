"""A whole game of Annuvin on the square board, as short as one with every kind of turn can be.

Found by random playouts in which White takes what it can and Black lets itself be taken: seven turns with a chain
of captures that is broken off, one that wins, and pieces lost on both sides.
"""

from collections.abc import AsyncIterator
from typing import Final

from tests.web.browser import Tab

OPTIONS: Final = {"board": "square"}

TURNS: Final = (("d1-d2",), ("d4-c3",), ("d2xc3",), ("b4-b2",), ("b1xb2",), ("c4xc3", "xb2", "stop"), ("a1xb2", "xa4"))
"""The turns, White's first, each in single actions."""

REFUSED: Final = (3, "b4-b1")
"""In this turn (counted from 0), a move that goes too far."""


async def play(starter: Tab, other: Tab) -> AsyncIterator[int]:
    """Have two people play it without a screen, open to anybody; yield how many turns have been played, from 0 on."""
    code: str = (await starter.say("/play annuvin board:square")).data["open"]
    await other.say(f"/join {code}")
    for tab in (starter, other):
        await tab.begin(code)
    yield 0
    first = (await starter.looks(code))["table"]["mover"] != starter.me["name"]
    for number, moves in enumerate(TURNS):
        await (starter, other)[(number + first) % 2].say(f"/move {' '.join(moves)} game:{code}")
        yield number + 1
