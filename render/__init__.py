"""Pictures of positions, charts and films, as pure functions of their arguments."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypedDict, Unpack

from PIL import Image

from engine.core import State
from engine.turn import Turn
from render import text as lettering
from render.canvas import Canvas, Spots
from render.games import pictures
from render.pieces import put_hint
from render.scene import Choices, Hint, HintStep, NotationWords, Scene, Target
from render.sketch import Sketch
from render.theme import LINE, SAFFRON, THEMES

STRIP_HEIGHT: Final = 60
"""Height in pixels of the strip that is added above a picture."""
_FRAME_WIDTH: Final = 10
_STRIPE_WIDTH: Final = 30
_TEXT_SIZES: Final = (34, lettering.MIN_SIZE)


def put_caption(canvas: Canvas, caption: str, *, framed: bool) -> bytes:
    """Return a PNG of a picture with a caption on a strip above; `framed` with a striped frame around it, too."""
    width, height = canvas.size
    palette, theme = canvas.ground.palette, canvas.theme
    result = Image.new("L", (width, height + STRIP_HEIGHT))
    result.paste(canvas.indices(), (0, STRIP_HEIGHT))
    paper, ink = (theme.ink, theme.on_ink) if framed else (SAFFRON, LINE)
    strip = Sketch(width, STRIP_HEIGHT, paper=paper)
    words, size = lettering.fit_text(lettering.clean(caption), width - 80, *_TEXT_SIZES)
    strip.centred(width / 2, STRIP_HEIGHT / 2, words, size, ink)
    result.paste(palette.indices(strip.reduced()))
    if framed:
        _put_stripes(result, [palette.index(paper), palette.index(ink)])
    return palette.png(result)


def _put_stripes(picture: Image.Image, inks: Sequence[int]) -> None:
    """Put a striped frame around a picture, below its strip; inks are indices of its palette."""
    width, height = picture.size
    for at in range(STRIP_HEIGHT, height, _STRIPE_WIDTH):
        ink = inks[at // _STRIPE_WIDTH % 2]
        for left in (0, width - _FRAME_WIDTH):
            picture.paste(ink, (left, at, left + _FRAME_WIDTH, min(at + _STRIPE_WIDTH, height)))
    for left in range(0, width, _STRIPE_WIDTH):
        right = min(left + _STRIPE_WIDTH, width)
        picture.paste(inks[left // _STRIPE_WIDTH % 2], (left, height - _FRAME_WIDTH, right, height))


__all__ = ["THEMES", "Choices", "DrawOptions", "Drawing", "Hint", "HintStep", "Target", "draw"]


@dataclass(frozen=True)
class Drawing:
    """A finished picture: the PNG file, its size in pixels, and each cell's centre and radius in it."""

    png: bytes
    size: tuple[int, int]
    spots: Spots


class DrawOptions(TypedDict, total=False):
    """The arguments of `draw` besides the position, as it describes them."""

    last_turn: Turn | None
    viewer: int | None
    choices: Choices | None
    names: Sequence[str]
    theme: str
    hint: Hint | None
    wide: bool
    goals_of: int | None
    earlier: Sequence[Turn]
    tried: str
    caption: str
    words: NotationWords
    reach: Sequence[str]


def draw(state: State, **options: Unpack[DrawOptions]) -> Drawing:
    """Return the picture of a position, 900 pixels wide and at most 1200 high.

    `wide` selects the shape for places that show pictures low, if the game has one: three or more players then stand
    beside the board in large letters. Other games and positions stay unchanged. `tried` is the caption of a strip that
    marks a position that no one has played, `caption` that of one that says what a picture is, as a puzzle; either
    makes the picture higher.

    `last_turn` is marked (pale while a person chooses), and so are the `earlier` turns before it, oldest first, more
    quietly. `viewer` is the seat at the bottom where the board has sides, `goals_of` the seat whose goals stand out
    where each has its own (the viewer's if None), `names` are the players' by seat, as typed. `hint` is a suggested
    turn, marked in place of choices. `reach` are cells that the others reach, marked where a game can be asked for them
    (`State.find_reach`); `words` are those of the notation in the reader's language. KeyError for an unknown game or
    theme.
    """
    hint, wide = options.pop("hint", None), options.pop("wide", False)
    tried, caption = options.pop("tried", ""), options.pop("caption", "")
    if hint is not None and options.get("choices") is None:
        options["choices"] = Choices(kind=hint.kind)
    seen: Any = options
    scene = Scene.of(state, **seen)
    picture = pictures[state.game.key]
    paint = picture.paint_wide if wide and state.seats > 2 and picture.paint_wide else picture.paint
    canvas, spots = paint(scene)
    if hint is not None:
        names_again = picture.put_names
        put_hint(canvas, hint, spots, names_again and partial(names_again, canvas, scene))
    if tried or caption:
        moved = {cell: (x, y + STRIP_HEIGHT, r) for cell, (x, y, r) in spots.items()}
        png = put_caption(canvas, tried or caption, framed=bool(tried))
        return Drawing(png, (canvas.size[0], canvas.size[1] + STRIP_HEIGHT), moved)
    return Drawing(canvas.png(), canvas.size, spots)
