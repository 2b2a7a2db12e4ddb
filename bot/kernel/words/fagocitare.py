"""Fagocitare in words."""

from collections.abc import Iterator
from typing import Final

from bot.kernel.texts import Speaker, Text
from bot.kernel.words.teller import GameWords, Losses, Names, PositionTeller
from engine import State, Turn


def _seat(teller: PositionTeller, seat: int) -> Iterator[str]:
    position = teller.position
    dead, lines = position["dead"][seat], position["lines"][seat]
    yield from teller.cells("position.dots", position["dots"][seat])
    if teller.brief:
        yield from teller.count("position.score", len(dead))
        return
    yield from teller.cells("position.dead", dead)
    yield from teller.cells("position.lines", ["-".join(line) for line in lines])


def _cells(teller: PositionTeller) -> dict[str, str]:
    """Return the dots by seat colour; a seat's `dead` list holds the dots that it captured."""
    position = teller.position
    return teller.owned("cell", position["dots"]) | teller.owned("cell.dead", reversed(position["dead"]))


def _find_captures(turn: Turn) -> Losses:
    before, after = turn.json_before["dead"], turn.json_after["dead"]
    return {1 - seat: [cell for cell in after[seat] if cell not in before[seat]] for seat in (0, 1)}


def _describe_scores(speaker: Speaker, state: State, names: Names) -> Iterator[Text]:
    dead = state.to_json()["dead"]
    for seat in (0, 1):
        yield speaker.say("over.captured", who=names[seat], n=len(dead[seat]))


WORDS: Final = GameWords(_seat, _find_captures, scored=_describe_scores, cells=_cells)
