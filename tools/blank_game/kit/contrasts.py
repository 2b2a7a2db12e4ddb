"""What has to stand out in Game Key's picture."""

# New game: every text, every kind of piece and every mark, with each ground that it can stand on.

from collections.abc import Iterable

from render.theme import Theme
from tests.support.contrasts import Contrast


def contrasts(theme: Theme) -> Iterable[Contrast]:
    """Yield what has to stand out from what."""
    yield Contrast("a coordinate", (theme.ink,), theme.paper, text=True)
    for name in ("light", "dark"):
        inks = theme.sets[name]
        yield Contrast(f"a {name} piece", (inks.face, inks.contour), theme.sets["green"].tint)
