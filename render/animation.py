"""Whole games in one picture: an animation, and a sheet of key positions."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final, TypedDict, Unpack

from PIL import GifImagePlugin, Image, ImageChops, features

from engine.core import CHANCE, State
from engine.turn import Turn
from render.canvas import Box, Canvas, Layer, Spots, Tile
from render.games import pictures
from render.scene import NotationWords, Scene, find_box
from render.theme import Palette, load

_WEBP_EFFORT: Final = 2
"""The effort at which Pillow packs a board in 40 ms; with more it is hardly shorter."""
_OVERHANG: Final = 40
"""Pixels by which pieces may extend beyond the cells of the board."""


@dataclass(frozen=True)
class Slide:
    """A tile that moves from one place to another, both given as upper left corners in the picture."""

    tile: Tile
    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True)
class Bare:
    """A position without marks: its canvas, and the box around its board."""

    canvas: Canvas
    board: Box

    @classmethod
    def of(cls, canvas: Canvas, spots: Spots) -> Bare:
        """Return a painted position."""
        left, top, right, bottom = find_box(spots)
        return cls(canvas, (left - _OVERHANG, top - _OVERHANG, right + _OVERHANG, bottom + _OVERHANG))

    def holds(self, layer: Layer) -> bool:
        """Return whether a tile lies on the board."""
        tile, left, top = layer
        x, y = left + tile.width / 2, top + tile.height / 2
        return self.board[0] < x < self.board[2] and self.board[1] < y < self.board[3]


def list_slides(before: Bare, after: Bare) -> list[Slide]:
    """Return the slides from one position to the next, from bottom to top: each tile to the nearest place."""
    if before.canvas.ground is not after.canvas.ground:
        return []
    gone = Counter(before.canvas.layers) - Counter(after.canvas.layers)
    come = Counter(after.canvas.layers) - Counter(before.canvas.layers)
    found = []
    for layer in before.canvas.layers:
        if not gone[layer] or not before.holds(layer):
            continue
        tile, left, top = layer
        ends = [each for each in come if come[each] and each[0] is tile and after.holds(each)]
        if ends:
            end = min(ends, key=lambda each: math.hypot(each[1] - left, each[2] - top))
            gone[layer] -= 1
            come[end] -= 1
            found.append(Slide(tile, (left, top), (end[1], end[2])))
    return found


def draw_slides(
    before: Bare, moved: Sequence[Slide], last: Image.Image, palette: Palette, count: int
) -> Iterator[Image.Image]:
    """Yield a number of frames between two positions, at the size of the film.

    `last` is the frame (palette indices) shown before; what lies around the board stays as it is there.
    """
    canvas = Canvas(before.canvas.ground)
    canvas.take(before.canvas, [(slide.tile, *slide.start) for slide in moved])
    scale = last.width / canvas.size[0]
    bare, still = _fit(palette.picture(canvas.indices()), last.width), last.copy()
    left, top, right, bottom = (round(each * scale) for each in before.board)
    box = _clip((left, top, right, bottom), last)
    still.paste(palette.indices(bare.crop(box)), box[:2])
    images = [_shrink_tile(slide.tile, scale) for slide in moved]
    for number in range(1, count + 1):
        # Slowly at the beginning and at the end.
        part = (1 - math.cos(math.pi * number / (count + 1))) / 2
        places = []
        for slide, image in zip(moved, images, strict=True):
            x, y = ((start + (end - start) * part) * scale for start, end in zip(slide.start, slide.end, strict=True))
            places.append((round(x), round(y), image))
        left, top = min(x for x, _, _ in places), min(y for _, y, _ in places)
        right = max(x + image.width for x, _, image in places)
        bottom = max(y + image.height for _, y, image in places)
        box = _clip((left, top, right, bottom), last)
        shown, frame = bare.crop(box), still.copy()
        for x, y, image in places:
            shown.paste(image, (x - box[0], y - box[1]), image)
        frame.paste(palette.indices(shown), box[:2])
        yield frame


def _fit(picture: Image.Image, width: int) -> Image.Image:
    """Return a picture scaled down to the width of a film."""
    if 2 * width == picture.width:
        return picture.reduce(2)
    return picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.BOX)


def _clip(box: Box, picture: Image.Image) -> Box:
    """Return what of a box lies in a picture."""
    left, top, right, bottom = box
    return max(0, left), max(0, top), min(picture.width, right), min(picture.height, bottom)


def _shrink_tile(tile: Tile, scale: float) -> Image.Image:
    size = max(1, round(tile.width * scale)), max(1, round(tile.height * scale))
    # Alpha must not bleed: colours are weighted with it while the tile is made smaller.
    return tile.image.convert("RGBa").resize(size, Image.Resampling.BOX).convert("RGBA")


MAX_BYTES: Final = 2_500_000
"""Bytes above which an animation is made smaller."""
MAX_FRAMES: Final = 1200
"""Maximum number of frames of an animation; a longer game loses turns in between."""

_WIDTHS_BY_FRAMES: Final = ((60, 600), (250, 450), (MAX_FRAMES, 400))
"""Widths by maximum number of frames; a film that is too large gets the last width, halved."""
_WIDTH_STEP: Final = 0.86
"""Factor by which a film with sliding pieces is narrowed per attempt: its bytes shrink with its width."""
_FRAME_MS_RANGE: Final = (1000, 180)
"""Maximum and minimum time of a turn, in milliseconds."""
_MAX_DURATION_MS: Final = 75_000
"""Maximum length of an animation in milliseconds, as far as the minimum time of a turn allows."""
_FIRST_FRAME_MS: Final = 1500
_LAST_FRAME_MS: Final = 6000
_STEP_SECONDS: Final = 0.6
"""Time of a step within a turn, as a fraction of a turn's time."""
_SLIDE_FRAME_MS: Final = 40
"""Time of each frame of sliding pieces, in milliseconds."""
_SLIDE_FRAMES: Final = ((150, 4), (250, 3), (MAX_FRAMES, 2))
"""Frames between two positions, by maximum number of positions."""
_UNCHANGED_INDEX: Final = 255
"""The index, outside every palette, of unchanged pixels."""
_GAP: Final = 12


@dataclass(frozen=True)
class Film:
    """An animation: the GIF and its size in pixels; between the frames that show positions, pieces slide."""

    gif: bytes
    size: tuple[int, int]


class Look(TypedDict, total=False):
    """How the positions of a game are drawn, as `render.draw` describes it."""

    names: Sequence[str]
    theme: str
    viewer: int | None
    words: NotationWords


@dataclass(frozen=True)
class ContactSheet:
    """A PNG of several positions and its size in pixels; `numbers` are the turns that led to them."""

    png: bytes
    size: tuple[int, int]
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Shot:
    """A position with the turn that led to it, perhaps unfinished, and how long it is shown (ms)."""

    state: State
    turn: Turn | None
    shown: int


def animate(start: State, turns: Sequence[Turn], *, most: int = MAX_BYTES, **look: Unpack[Look]) -> Film:
    """Return the animation of a game: one still per turn, more for turns in steps, the last one longest.

    Pieces slide from still to still. It loops, has one palette, and each frame holds only what has changed. Above
    `most` bytes it is made narrower, then loses the sliding, and then shrinks further. KeyError for an unknown game or
    theme.
    """
    shown = list_moments(start, turns)
    width = next((wide for frames, wide in _WIDTHS_BY_FRAMES if len(shown) <= frames), _WIDTHS_BY_FRAMES[-1][1])
    between = next((count for stills, count in _SLIDE_FRAMES if len(shown) <= stills), 0)
    film = _film(shown, look, width, between)
    for narrower, fewer in ((round(width * _WIDTH_STEP), between), (width, 0), (_WIDTHS_BY_FRAMES[-1][1] // 2, 0)):
        if len(film.gif) > most and (not fewer or len(film.gif) * _WIDTH_STEP < most):
            film = _film(shown, look, narrower, fewer)
    return film


def list_moments(start: State, turns: Sequence[Turn]) -> list[Shot]:
    """Return the positions of an animation and how long each is shown."""
    # A GIF counts time in hundredths of a second.
    pace = max(_FRAME_MS_RANGE[1], min(_FRAME_MS_RANGE[0], _MAX_DURATION_MS // (len(turns) + 1))) // 10 * 10
    chosen = list(turns)
    if len(chosen) >= MAX_FRAMES:
        every = -(-len(chosen) // (MAX_FRAMES - 1))
        chosen = [turn for number, turn in enumerate(chosen) if number % every == every - 1 or turn is turns[-1]]
    found = [Shot(start, None, _FIRST_FRAME_MS)]
    in_steps = sum(len(turn.actions) for turn in chosen) < MAX_FRAMES
    for turn in chosen:
        if in_steps:
            found += [Shot(state, begun, int(pace * _STEP_SECONDS) // 10 * 10) for state, begun in _steps(turn)]
        found.append(Shot(turn.after, turn, pace))
    last = found[-1]
    found[-1] = Shot(last.state, last.turn, _LAST_FRAME_MS)
    return found


def select_key_positions(start: State, turns: Sequence[Turn], *, most: int = 9, **look: Unpack[Look]) -> ContactSheet:
    """Return at most `most` key positions of a game side by side in order; the last is the end."""
    chosen = key_turns(turns, most)
    palette = load(start.game.key, look.get("theme", "light"))
    boards: list[Image.Image] = []
    for turn in chosen:
        # One after the other: nine boards in full size and colour would be the largest thing in the program.
        picture = _board(Shot(turn.after if turn else start, turn, 0), look)
        boards.append(palette.indices(picture.reduce(2)))
    columns = min(3, len(boards)) if len(boards) != 4 else 2
    rows = -(-len(boards) // columns)
    width, height = boards[0].size
    size = columns * (width + _GAP) + _GAP, rows * (height + _GAP) + _GAP
    whole = boards[0].crop((0, 0, 1, 1)).resize(size)
    for number, board in enumerate(boards):
        row, column = divmod(number, columns)
        whole.paste(board, (_GAP + column * (width + _GAP), _GAP + row * (height + _GAP)))
    return ContactSheet(palette.png(whole), size, tuple(turn.number if turn else 0 for turn in chosen))


def key_turns(turns: Sequence[Turn], most: int) -> list[Turn | None]:
    """Return the turns that change most, one from each part of the game, and the last one; None is the start."""
    if len(turns) < most:
        return [None, *turns]
    before, parts = turns[:-1], most - 2
    chosen: list[Turn | None] = [None]
    for part in range(parts):
        stretch = before[len(before) * part // parts : len(before) * (part + 1) // parts]
        # Of equals the last: positions then lie further from the beginning, where little has happened.
        chosen.append(max(stretch, key=lambda turn: (_change(turn), turn.number)))
    return [*chosen, turns[-1]]


def _steps(turn: Turn) -> Iterator[tuple[State, Turn]]:
    """Yield the steps of a turn in which the player does several things."""
    state, acted = turn.before, False
    for number, action in enumerate(turn.actions[:-1], 1):
        by_player = state.to_move != CHANCE
        state = state.advance(action)
        if by_player:
            acted = True
        if acted:
            yield state, Turn(turn.number, turn.seat, turn.actions[:number], turn.before)


def _change(turn: Turn) -> int:
    """Return how much a turn changes: cells that become empty count twice, as captures do."""
    before, after = (Counter(_words(state.to_json())) for state in (turn.before, turn.after))
    return 2 * (before - after).total() + (after - before).total()


def _words(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            if key not in ("extra", "outcome"):
                yield from _words(value)
    elif isinstance(data, list):
        for value in data:
            yield from _words(value)


def _board(shot: Shot, look: Look) -> Image.Image:
    """Return a position's picture in RGB."""
    canvas, _ = pictures[shot.state.game.key].paint(Scene.of(shot.state, shot.turn, **look))
    return canvas.ground.palette.picture(canvas.indices())


def _film(shown: Sequence[Shot], look: Look, width: int, between: int) -> Film:
    game, theme = shown[0].state.game.key, look.get("theme", "light")
    palette = load(game, theme)
    reel = _Reel(palette)
    bare: Bare | None = None
    for shot in shown:
        rest, small = shot.shown, _fit(_board(shot, look), width)
        before = bare
        if between:
            bare = Bare.of(*pictures[game].paint(Scene.of(shot.state, **look)))
        moved = list_slides(before, bare) if before is not None and bare is not None else []
        if moved and before is not None and reel.last is not None:
            for frame in draw_slides(before, moved, reel.last, palette, between):
                reel.add(frame, _SLIDE_FRAME_MS)
            rest = max(_SLIDE_FRAME_MS * 2, rest - _SLIDE_FRAME_MS * between) if rest < _FIRST_FRAME_MS else rest
        reel.add(palette.indices(small), rest)
    return reel.finished()


class _Reel:
    """A GIF under construction: one palette for all frames, each drawn over the one before, looping."""

    def __init__(self, palette: Palette) -> None:
        self.last: Image.Image | None = None
        self._palette = palette
        self._parts: list[bytes] = []
        self._waiting: tuple[Image.Image, tuple[int, int], int] | None = None

    def add(self, frame: Image.Image, shown: int) -> None:
        """Add a frame, storing only what has changed; an unchanged frame prolongs the one before."""
        last, self.last = self.last, frame
        if last is None:
            self._waiting = frame, (0, 0), shown
            return
        change = ImageChops.difference(frame, last)
        box = change.getbbox()
        if box is None and self._waiting is not None:
            self._waiting = *self._waiting[:2], self._waiting[2] + shown
        elif box is not None:
            self._write()
            part = frame.crop(box)
            part.paste(_UNCHANGED_INDEX, mask=change.crop(box).point([255] + [0] * 255))
            self._waiting = part, box[:2], shown

    def finished(self) -> Film:
        """Return the finished film."""
        self._write()
        size = self.last.size if self.last else (0, 0)
        head = b"GIF89a" + struct.pack("<HHBBB", *size, 0xF7, 0, 0) + self._palette.bytes.ljust(768, b"\0")
        gif = b"".join([head, b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", *self._parts, b";"])
        return Film(gif, size)

    def _write(self) -> None:
        if self._waiting is not None:
            image, at, shown = self._waiting
            # Disposal 1 leaves a frame in place for the next.
            self._parts += GifImagePlugin.getdata(image, at, duration=shown, disposal=1, transparency=_UNCHANGED_INDEX)
            self._waiting = None


def recode_picture(png: bytes) -> bytes:
    """Return a picture as a lossless WebP, about half as long as the PNG; unchanged where Pillow has no WebP."""
    if not features.check("webp"):
        return png
    out = BytesIO()
    with Image.open(BytesIO(png)) as picture:
        picture.convert("RGB").save(out, "WEBP", lossless=True, method=_WEBP_EFFORT)
    return out.getvalue()


def shrink_picture(png: bytes, width: int) -> bytes:
    """Return a picture scaled down to a width, or unchanged if it is not wider."""
    with Image.open(BytesIO(png)) as picture:
        if picture.width <= width:
            return png
        small = _scale_down(picture, width)
    out = BytesIO()
    small.save(out, "PNG")
    return out.getvalue()


THUMBNAIL_QUALITY: Final = 45
"""WebP quality of thumbnails, out of 100: a tenth of the bytes of the same PNG."""


def draw_thumbnail(png: bytes, width: int) -> bytes:
    """Return a picture scaled down to a width, at most its own, as WebP."""
    with Image.open(BytesIO(png)) as picture:
        small = _scale_down(picture, min(width, picture.width))
    out = BytesIO()
    small.save(out, "WEBP", quality=THUMBNAIL_QUALITY)
    return out.getvalue()


def _scale_down(picture: Image.Image, width: int) -> Image.Image:
    height = max(1, round(picture.height * width / picture.width))
    return picture.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
