"""What has to stand out in a game's picture, as the `contrasts.py` of its kit says it."""

from dataclasses import dataclass

from render.theme import RGB


@dataclass(frozen=True)
class Contrast:
    """Something that has to stand out from its ground: text (4.5:1) or a piece or mark (3:1).

    One of the inks has to do it: a piece may do so by its face or by its contour. A `mark` has to be told from its
    ground by eyes that see few colours or none: by one of its inks, that of its edge perhaps.
    """

    what: str
    inks: tuple[RGB, ...]
    ground: RGB
    text: bool = False
    mark: bool = False
