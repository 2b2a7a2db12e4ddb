"""What has to stand out on the floor of Annuvin."""

from collections.abc import Iterable

from render.games.annuvin import BOARDS
from render.theme import CREAM, CROSS, DEEP, LINE, PALE, SAFFRON, WATER, Theme
from tests.support.contrasts import Contrast


def contrasts(theme: Theme) -> Iterable[Contrast]:
    """Yield what has to stand out from what."""
    board = BOARDS[theme.key]
    for floor in (board.tile, board.other):
        yield Contrast("a cell's name", (board.names,), floor, text=True)
        yield Contrast("a tile that can be reached", (WATER, DEEP), floor, mark=True)
        yield Contrast("a tile of the last turn", (SAFFRON, LINE), floor, mark=True)
        yield Contrast("a tile of an earlier turn", (PALE, LINE), floor, mark=True)
        yield Contrast("the edge of a tile that the enemy reaches", (CROSS, CREAM), floor, mark=True)
    for floor in (SAFFRON, PALE, WATER):
        yield Contrast("a cell's name on a mark", (LINE,), floor, text=True)
    for name in ("light", "dark"):
        inks = theme.sets[name]
        for floor in (board.tile, board.other, SAFFRON, PALE, CREAM):
            yield Contrast(f"a {name} piece", (inks.face, inks.contour), floor)
        # Around the one that is chosen runs a ring.
        yield Contrast(f"a {name} piece that is chosen", (inks.face, inks.contour, CREAM), DEEP)
