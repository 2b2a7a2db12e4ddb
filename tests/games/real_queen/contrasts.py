"""What has to stand out in the tray of Real Queen."""

from collections.abc import Iterable

from render.games.real_queen import GOLD_CROWN, TRAYS
from render.theme import CREAM, CROSS, DEEP, LINE, PALE, SAFFRON, SAFFRON_WALL, WATER, Theme
from tests.support.contrasts import Contrast


def contrasts(theme: Theme) -> Iterable[Contrast]:
    """Yield what has to stand out from what."""
    tray = TRAYS[theme.key]
    yield Contrast("a coordinate", (tray.text,), tray.frame, text=True)
    for name in ("light", "dark"):
        inks = theme.sets[name]
        face = (inks.face, inks.contour) if theme.outline else (inks.face,)
        yield Contrast(f"a {name} marble", face, tray.hollow if name == "light" else tray.field)
    yield Contrast("the white queen's crown", (LINE,), theme.sets["light"].face)
    yield Contrast("the black queen's crown", (GOLD_CROWN,), theme.sets["dark"].face)
    for floor in (tray.field, tray.hollow, tray.near):
        yield Contrast("a hollow that can be reached", (WATER, DEEP), floor, mark=True)
        yield Contrast("a hollow of the last turn", (SAFFRON, LINE), floor, mark=True)
        yield Contrast("a hollow of an earlier turn", (PALE, LINE), floor, mark=True)
    for floor in (tray.field, tray.hollow, tray.near, WATER):
        yield Contrast("what captures", (CROSS, CREAM), floor, mark=True)
    for floor in (SAFFRON, PALE, CREAM):
        yield Contrast("a black marble on a mark", (theme.sets["dark"].face,), floor)
    yield Contrast("a white marble on a mark", (SAFFRON_WALL, LINE), CREAM)
    yield Contrast("a line on a mark", (LINE,), SAFFRON)
    yield Contrast("a line on a pale mark", (LINE,), PALE)
