"""Positions of La Vedova Nera for the tests, written shortly."""

from collections.abc import Sequence
from typing import Any

from engine.core import State
from engine.games.vedova_nera import GAME as VEDOVA_NERA, Play
from engine.games.vedova_nera.rules import COLOURS, PAWNS_BY_SEATS, WEB

_DEALT = {
    "red": "a1,a2,a3,a4,b1",
    "green": "b2,b3,b4,c1,c2",
    "yellow": "c3,c4,d1,d2,d3",
    "blue": "d4,e1,e2,e3,e4",
    "white": "f1,f2,f3,f4,g1",
    "black": "h4",
}
DEAL_FOR_3 = " ".join(["deal", *(f"{colour}:{cells}" for colour, cells in _DEALT.items())])
OUTSIDE_IN = sorted(WEB.names, key=lambda name: (-int(name[1]), name[0]))


def position(
    *pawns: str,
    goals: Sequence[str] = (),
    counsellor: str = "h1",
    to_move: int | None = 0,
    ban: str | None = None,
    last_entry: str | None = None,
    entry_ban: Sequence[str | None] = (),
    **more: Any,
) -> dict[str, Any]:
    """Return the dictionary of a position of the phase `play`, cells separated by spaces.

    The number of lists of pawns is that of the seats; pawns not named are off the board. Goals not named are
    filled in from the outermost ring inwards, none under an own pawn, so that they make nothing stable.
    """
    seats = len(pawns)
    pieces = PAWNS_BY_SEATS[seats]
    given = [list(cells.split()) for cells in goals] + [[] for _ in range(seats - len(goals))]
    taken = {cell for cells in given for cell in cells}
    for seat, cells in enumerate(given):
        for cell in OUTSIDE_IN:
            if len(cells) < pieces and cell not in taken and cell not in pawns[seat].split():
                cells.append(cell)
                taken.add(cell)
    return {
        "game": "vedova-nera",
        "options": {},
        "seats": seats,
        "to_move": to_move,
        "phase": "play",
        "colours": list(COLOURS[:seats]),
        "marbles": {colour: sorted(cells) for colour, cells in zip(COLOURS, given, strict=False)},
        "pawns": [sorted(cells.split()) for cells in pawns],
        "off": [pieces - len(cells.split()) for cells in pawns],
        "counsellor": counsellor,
        "counsellor_ban": ban,
        "last_entry": last_entry,
        "entry_ban": list(entry_ban) or [None] * seats,
        **more,
    }


def load(*args: Any, **kwargs: Any) -> Play:
    """Return the state of the position that `position` makes of the same arguments."""
    state = VEDOVA_NERA.load(position(*args, **kwargs))
    assert isinstance(state, Play)
    return state


def play(state: State, *texts: str) -> State:
    """Return the state after actions in canonical text, each checked."""
    for text in texts:
        state = state.play(state.read(text))
    return state


def texts(state: State, verb: str | None = None) -> list[str]:
    """Return the legal actions as texts, those of one verb if it is given."""
    return [action.text for action in state.legal_actions() if verb in (None, action.verb)]


def pawns(state: State) -> list[str]:
    """Return the pawns of each seat, separated by spaces."""
    return [" ".join(cells) for cells in state.to_json()["pawns"]]


def stable(state: State, seat: int) -> str:
    """Return the stable pawns of a seat, separated by spaces."""
    assert isinstance(state, Play)
    return " ".join(WEB.cells(state.stable(seat)))
