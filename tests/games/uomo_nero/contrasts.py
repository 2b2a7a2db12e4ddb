"""What has to stand out in the courtyard of Gioco dell'Uomo Nero."""

from collections.abc import Iterable

from engine.games.uomo_nero.board import COLOURS
from render.games.uomo_nero import figures
from render.games.uomo_nero.figures import COURTS
from render.theme import CREAM, DEEP, LINE, PALE, SAFFRON, SAFFRON_WALL, WATER, Theme
from tests.support.contrasts import Contrast


def contrasts(theme: Theme) -> Iterable[Contrast]:
    """Yield what has to stand out from what."""
    court = COURTS[theme.key]
    yield Contrast("a coordinate", (court.text,), court.frame, text=True)
    floors = (court.cell, court.other, court.finish, court.far, SAFFRON, PALE, CREAM)
    for floor in (court.cell, court.other, court.finish, court.far, *court.start.values()):
        yield Contrast("a cell that can be reached", (WATER, DEEP), floor, mark=True)
        yield Contrast("a cell of the last turn", (SAFFRON, LINE), floor, mark=True)
        yield Contrast("a cell of an earlier turn", (PALE, SAFFRON_WALL), floor, mark=True)
    for colour in COLOURS:
        inks = theme.sets[colour]
        line = figures.MOON if theme.key == "dark" else inks.contour
        for floor in (*floors, court.start[colour]):
            yield Contrast(f"a {colour} attacker", (inks.face, inks.contour, line), floor)
        yield Contrast(f"the emblem of {colour}'s start cells", (court.inlay[colour],), court.start[colour])
    for floor in floors:
        yield Contrast("the Man", (figures.CLOAK, figures.edge_colour(court.cell) or figures.CLOAK), floor)
    for dark in (False, True):
        face = LINE if dark else figures.IVORY
        yield Contrast("the pips of a die", (figures.IVORY if dark else LINE,), face)
