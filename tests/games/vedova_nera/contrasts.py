"""What has to stand out on the web of La Vedova Nera."""

from collections.abc import Iterable

from engine.games.vedova_nera.rules import COLOURS
from render.games.vedova_nera.board import BOARDS, marble_edge, needs_light_line, plaque_edge
from render.theme import CREAM, CROSS, DEEP, LINE, PALE, SAFFRON, SAFFRON_WALL, WATER, Theme
from tests.support.contrasts import Contrast


def contrasts(theme: Theme) -> Iterable[Contrast]:
    """Yield all coordinates, pieces, marbles, goals and marks with the grounds on which they can lie."""
    board = BOARDS[theme.key]
    for ground in (board.slab, board.bezel):
        yield Contrast("a coordinate", (board.text,), ground, text=True)
    yield Contrast("a coordinate on the way of the last turn", (LINE,), SAFFRON, text=True)
    yield Contrast("the threads", (board.thread,), board.slab)
    yield Contrast("what can be reached", (WATER, LINE), board.slab)
    yield Contrast("a hollow that can be reached", (WATER, LINE), board.tray)
    for ground in (board.slab, board.tray):
        yield Contrast("a place that can be reached", (WATER, DEEP), ground, mark=True)
        yield Contrast("a place of the last turn", (SAFFRON, LINE), ground, mark=True)
        yield Contrast("a place of an earlier turn", (PALE, SAFFRON_WALL), ground, mark=True)
    for ground in (board.slab, WATER):
        yield Contrast("what captures", (CROSS, CREAM), ground, mark=True)
    yield Contrast("a piece that can act", (DEEP, CREAM), board.slab)
    yield Contrast("a marble that can move", (CREAM, LINE), board.tray)
    tints = [theme.sets[colour].tint for colour in COLOURS]
    for name in (*COLOURS, "counsellor"):
        inks = theme.sets[name]
        for ground in (board.slab, SAFFRON, PALE, CREAM):
            lines = (inks.contour, inks.tint) if needs_light_line(theme) else (inks.contour,)
            yield Contrast(f"{name} on the web", (inks.face, *lines), ground)
        for ground in tints:
            yield Contrast(f"{name} on a plaque", (inks.face, inks.contour, LINE), ground)
        yield Contrast(f"{name} in the tray", (marble_edge(theme, inks),), board.tray)
        yield Contrast(f"a goal of {name}", (inks.face, inks.contour, inks.emblem), board.goal)
    for name in COLOURS:
        inks = theme.sets[name]
        edge = plaque_edge(theme, inks)
        yield Contrast(f"{name}'s plaques", (inks.tint, edge), board.slab)
        yield Contrast(f"the emblem on {name}'s plaques", (edge,), inks.tint)
        yield Contrast(f"the legs on {name}'s plaques", (theme.ink, LINE), inks.tint)
    yield Contrast("a spider's legs", (theme.ink,), board.slab)
    for ground in (SAFFRON, PALE):
        yield Contrast("the legs of the spider that moved", (LINE,), ground)
