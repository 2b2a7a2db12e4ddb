"""What has to stand out on the sheet of Fagocitare."""

from collections.abc import Iterable

from render.games.fagocitare import INKS
from render.theme import CREAM, CROSS, DEEP, LINE, WATER, Theme
from tests.support.contrasts import Contrast


def contrasts(theme: Theme) -> Iterable[Contrast]:
    """Yield what has to stand out from what."""
    inks = INKS[theme.key]
    yield Contrast("a coordinate", (inks.text,), inks.sheet, text=True)
    yield Contrast("a number of captured dots", (inks.figure,), inks.sheet, text=True)
    for ground_ink in (inks.sheet, inks.rim):
        yield Contrast("a cell that can be drawn on", (WATER, DEEP), ground_ink, mark=True)
        yield Contrast("the highlighter", (inks.highlight, inks.glow, inks.pen), ground_ink, mark=True)
    for ground_ink in (inks.sheet, inks.rim, inks.pale):
        for name, ink in (("red", inks.red), ("blue", inks.blue), ("the pen's", inks.pen)):
            yield Contrast(f"{name} ink", (ink,), ground_ink)
        yield Contrast("a dead red dot", (inks.red_gone,), ground_ink)
        yield Contrast("a dead blue dot", (inks.blue_dead,), ground_ink)
    # The dot drawn last is circled by the pen.
    for name, ink in (("red", inks.red), ("blue", inks.blue)):
        yield Contrast(f"{name} dot drawn last", (ink, inks.pen), inks.highlight)
    yield Contrast("a choice", (LINE,), WATER)
    for ground_ink in (inks.sheet, inks.rim, WATER):
        yield Contrast("what captures", (CROSS, CREAM), ground_ink, mark=True)
