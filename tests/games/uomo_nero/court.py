"""Positions of Gioco dell'Uomo Nero for the tests, written shortly."""

from typing import Any

from engine.core import State
from engine.games.uomo_nero import GAME as UOMO_NERO

COLOURS = ("red", "yellow", "green", "blue")
OWNERS = {2: (1, 1, 1, 1), 3: (1, 2, 1, 2), 4: (1, 2, 3), 5: (1, 2, 3, 4)}
"""Whose the colours are in the positions of the tests, by seats; seat 0 is the Man."""


def court(
    red: str = "",
    yellow: str = "",
    green: str = "",
    blue: str = "",
    *,
    seats: int = 2,
    man: str | None = "h7",
    dice: tuple[int, int] | None = None,
    to_move: int | None = 1,
    man_turns: int = 20,
    scores: str = "",
    **changes: Any,
) -> dict[str, Any]:
    """Return the dictionary of a position of round 1, cells separated by spaces; the phase follows from the rest.

    `scores` are the attack scores of earlier rounds and then the Man scores, `-` for none; with them the round
    is the one after.
    """
    owners = dict(zip(COLOURS, OWNERS[seats], strict=False))
    attackers: list[dict[str, Any]] = [
        {"seat": owners[colour], "colour": colour, "cell": cell}
        for colour, cells in zip(COLOURS, (red, yellow, green, blue), strict=True)
        for cell in cells.split()
    ]
    attack = [0] * seats
    mans: list[int | None] = [None] * seats
    if scores:
        numbers = [None if word == "-" else int(word) for word in scores.split()]
        attack, mans = [number or 0 for number in numbers[:seats]], numbers[seats:]
    place = sum(score is not None for score in mans) + 1
    return {
        "game": "uomo-nero",
        "options": {},
        "seats": seats,
        "to_move": to_move,
        "phase": "roll" if dice is None else "attack" if to_move else "man",
        "round": place,
        # the Man is seat 0 in every round, so those before were Men before it
        "order": [(seat - place + 1) % seats for seat in range(seats)],
        "man_seat": 0,
        "man": man,
        "attackers": sorted(attackers, key=lambda one: (one["cell"][0], int(one["cell"][1:]))),
        "colours": owners,
        "dice": None if dice is None else list(dice),
        "used": None,
        "captured": [],
        "man_turns": man_turns,
        "attack_scores": attack,
        "man_scores": mans,
        **changes,
    }


def load(*args: Any, **kwargs: Any) -> State:
    return UOMO_NERO.load(court(*args, **kwargs))


def play(state: State, *texts: str) -> State:
    """Return the state after the actions, chance and drops included."""
    for text in texts:
        state = state.play(state.read(text))
    return state


def texts(state: State, verb: str = "") -> set[str]:
    """Return the texts of the legal actions, of one verb if it is given."""
    return {action.text for action in state.legal_actions() if verb in ("", action.verb)}


def rolled_off(seats: int = 3) -> State:
    """Return the position after the roll-off: seat 0 is to pick its first cell as the Man."""
    return play(UOMO_NERO.start(seats), "roll 1 1", *["roll 6 6"] * (seats - 1))


def begin_round(seats: int = 3, man: str = "d13") -> State:
    """Return the first roll of the first round: seat 0 is the Man, colours are picked in the order of COLOURS."""
    state = play(rolled_off(seats), man)
    while state.to_json()["phase"] == "colours":
        state = state.play(state.legal_actions()[0])
    return state
