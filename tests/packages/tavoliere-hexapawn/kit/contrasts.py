"""What has to stand out on the board of Hexapawn."""

from collections.abc import Iterable

from tavoliere_hexapawn.picture import WOODS

from render.theme import CREAM, DEEP, LINE, PALE, SAFFRON, WATER, Theme
from tests.support.contrasts import Contrast


def contrasts(theme: Theme) -> Iterable[Contrast]:
    """Yield what has to stand out from what."""
    wood = WOODS[theme.key]
    for floor in (wood.maple, wood.walnut):
        yield Contrast("a cell's name", (wood.names,), floor, text=True)
    for floor in (SAFFRON, PALE, WATER, CREAM):
        yield Contrast("a cell's name on a mark", (LINE,), floor, text=True)
    yield Contrast("the mark of a goal", (wood.inlay,), wood.rail)
    for name in ("light", "dark"):
        inks = theme.sets[name]
        for floor in (wood.maple, wood.walnut, SAFFRON, PALE, CREAM):
            yield Contrast(f"a {name} pawn", (inks.face, inks.contour), floor)
        # Around the one that is chosen runs a ring.
        yield Contrast(f"a {name} pawn that is chosen", (inks.face, inks.contour, CREAM), DEEP)
