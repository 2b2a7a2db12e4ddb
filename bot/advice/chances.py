"""The chart of the chances of an analysed game: what it shows where."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.thinking.analysis import Analysis
from bot.thinking.figures import Figures, Place, positions_in_order
from engine import State, Turn
from engine.core import Values
from render.chances import Mark
from render.games import pictures
from render.seat_pieces import SeatPieces, pieces_of


@dataclass(frozen=True, slots=True)
class ChancesCourse:
    """The points of the chart: where on the axis of turns each is, the chances and the pieces of the seats there."""

    turns: tuple[float, ...]
    points: tuple[Values, ...]
    seat_pieces: tuple[SeatPieces, ...]
    marks: tuple[Mark, ...]


def chances_course(found: Analysis, turns: Sequence[Turn]) -> ChancesCourse:
    """Return what the chart of an analysis shows: every position with a settled figure is a point of it."""
    starts = Figures(turns).starts
    at_start = dict(zip(starts, found.points, strict=True))
    places = [(at, place) for at, place in positions_in_order(starts, found.settled)]
    where = {place: at for at, place in places}
    marks = [Mark(choice.turn, choice.seat, at=where.get((choice.turn, choice.begun))) for choice in found.moments] + [
        Mark(swing.turn, swing.seat, dice=True) for swing in found.swings
    ]
    drawn = bool(turns) and turns[0].before.game.key in pictures
    return ChancesCourse(
        tuple(at for at, _ in places),
        tuple(found.settled.get(place) or at_start[place] for _, place in places),
        tuple(pieces_of(_state_at(turns, place)) for _, place in places) if drawn else (),
        tuple(marks),
    )


def _state_at(turns: Sequence[Turn], place: Place) -> State:
    number, done = place
    if number > len(turns):
        return turns[-1].after
    state = turns[number - 1].before
    for action in turns[number - 1].actions[:done]:
        state = state.play(action)
    return state
