"""Whole games in one picture: an animation, and a sheet of the positions that tell most."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

from PIL import GifImagePlugin, Image, ImageChops

from engine.core import CHANCE, State
from engine.turn import Turn
from render.games import pictures
from render.palette import Palette
from render.scene import Scene
from render.sliding import Bare, Slider, slides

MAX_BYTES: Final = 2_500_000
"""How large an animation may become before it is made smaller."""
MAX_FRAMES: Final = 1200
"""How many frames an animation has at most: of a game with more turns, turns in between are left out."""

_WIDTHS_BY_FRAMES: Final = ((60, 600), (250, 450), (MAX_FRAMES, 400))
"""Up to how many frames an animation is how wide; one that is too large gets the last width, halved."""
_WIDTH_STEP: Final = 0.86
"""How much narrower a film is tried where pieces slide: its bytes shrink with its width."""
_FRAME_MS_RANGE: Final = (1000, 180)
"""How long a turn stays at most and at least, in milliseconds."""
_MAX_DURATION_MS: Final = 75_000
"""How long a whole animation should be, in milliseconds, where the least time of a turn allows it."""
_FIRST_FRAME_MS: Final = 1500
_LAST_FRAME_MS: Final = 6000
_STEP: Final = 0.6
"""What a step within a turn stays, as a part of what a turn stays."""
_SLIDE_FRAME_MS: Final = 40
"""How long each frame is shown in which pieces slide, in milliseconds."""
_SLIDE_FRAMES: Final = ((150, 4), (250, 3), (MAX_FRAMES, 2))
"""Up to how many positions a game has how many frames between two of them."""
_UNCHANGED_INDEX: Final = 255
"""The index, beyond every palette, of pixels that stay as they are."""
_GAP: Final = 12


@dataclass(frozen=True)
class Film:
    """An animation: the GIF, its size in pixels, how many frames it has and how many seconds it takes.

    `stills` are the numbers of the frames that show a position; pieces slide in those between them.
    """

    gif: bytes
    size: tuple[int, int]
    frames: int
    seconds: float
    stills: tuple[int, ...] = ()


@dataclass(frozen=True)
class ContactSheet:
    """A PNG of several positions, and its size in pixels; `numbers` are the turns after which they stood."""

    png: bytes
    size: tuple[int, int]
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Shot:
    """A position of a game with the turn that led to it, perhaps unfinished, and how long it is shown (ms)."""

    state: State
    turn: Turn | None
    shown: int


def animate(
    start: State,
    turns: Sequence[Turn],
    *,
    names: Sequence[str] = (),
    theme: str = "light",
    viewer: int | None = None,
    most: int = MAX_BYTES,
) -> Film:
    """Return the animation of a game: a still a turn, more where it goes step by step, the end for longest.

    Pieces slide from one still to the next. It runs again and again, has one palette, and each frame holds only what
    has changed. Where it would have more than `most` bytes it is made narrower, then jumps, and then is made smaller
    still. KeyError for a game or theme that does not exist.
    """
    shown = moments(start, turns)
    width = next((wide for frames, wide in _WIDTHS_BY_FRAMES if len(shown) <= frames), _WIDTHS_BY_FRAMES[-1][1])
    between = next((count for stills, count in _SLIDE_FRAMES if len(shown) <= stills), 0)
    film = _film(shown, names, theme, viewer, width, between)
    for narrower, fewer in ((round(width * _WIDTH_STEP), between), (width, 0), (_WIDTHS_BY_FRAMES[-1][1] // 2, 0)):
        if len(film.gif) > most and (not fewer or len(film.gif) * _WIDTH_STEP < most):
            film = _film(shown, names, theme, viewer, narrower, fewer)
    return film


def moments(start: State, turns: Sequence[Turn]) -> list[Shot]:
    """Return what an animation of a game shows, and how long."""
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
            found += [Shot(state, begun, int(pace * _STEP) // 10 * 10) for state, begun in _steps(turn)]
        found.append(Shot(turn.after, turn, pace))
    last = found[-1]
    found[-1] = Shot(last.state, last.turn, _LAST_FRAME_MS)
    return found


def sheet(
    start: State,
    turns: Sequence[Turn],
    *,
    names: Sequence[str] = (),
    theme: str = "light",
    viewer: int | None = None,
    most: int = 9,
) -> ContactSheet:
    """Return the telling positions of a game, at most so many, side by side in their order; the last is the end."""
    chosen = key_turns(turns, most)
    boards: list[Image.Image] = []
    for turn in chosen:
        # One after the other: nine boards in full size and colour would be the largest thing in the program.
        picture, palette = _board(Shot(turn.after if turn else start, turn, 0), names, theme, viewer)
        boards.append(palette.indices(picture.reduce(2)))
    columns = min(3, len(boards)) if len(boards) != 4 else 2
    rows = -(-len(boards) // columns)
    width, height = boards[0].size
    size = columns * (width + _GAP) + _GAP, rows * (height + _GAP) + _GAP
    whole = boards[0].crop((0, 0, 1, 1)).resize(size)
    for number, board in enumerate(boards):
        row, column = divmod(number, columns)
        whole.paste(board, (_GAP + column * (width + _GAP), _GAP + row * (height + _GAP)))
    return ContactSheet(_png(palette, whole), size, tuple(turn.number if turn else 0 for turn in chosen))


def key_turns(turns: Sequence[Turn], most: int) -> list[Turn | None]:
    """Return the turns that change most, one from each part of the game, and the last one; None is the beginning."""
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
    """Yield what a turn goes through if its player does several things in it."""
    state, acted = turn.before, False
    for number, action in enumerate(turn.actions[:-1], 1):
        by_player = state.to_move != CHANCE
        state = state.advance(action)
        if by_player:
            acted = True
        if acted:
            yield state, Turn(turn.number, turn.seat, turn.actions[:number], turn.before)


def _change(turn: Turn) -> int:
    """Return how much a turn changes: what vanishes from the position counts twice, as captures do."""
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


def _board(shot: Shot, names: Sequence[str], theme: str, viewer: int | None) -> tuple[Image.Image, Palette]:
    """Return a position's picture in RGB, and the palette that its game and theme have."""
    scene = Scene.of(shot.state, shot.turn, viewer, None, names, theme)
    canvas, _ = pictures[shot.state.game.key].paint(scene)
    palette = canvas.ground.palette
    return palette.picture(canvas.indices()), palette


def _film(
    shown: Sequence[Shot], names: Sequence[str], theme: str, viewer: int | None, width: int, between: int
) -> Film:
    film: _Reel | None = None
    frame: Image.Image | None = None
    bare: Bare | None = None
    for shot in shown:
        picture, palette = _board(shot, names, theme, viewer)
        size = width, round(picture.height * width / picture.width)
        small = picture.reduce(2) if 2 * width == picture.width else picture.resize(size, Image.Resampling.BOX)
        film = film or _Reel(palette, small.size)
        before, rest = bare, shot.shown
        if between:
            bare = Bare.of(*pictures[shot.state.game.key].paint(Scene.of(shot.state, None, viewer, None, names, theme)))
        moved = slides(before, bare) if before is not None and bare is not None else []
        if moved and before is not None and frame is not None:
            stage = Slider(before, moved, frame, palette)
            for number in range(1, between + 1):
                # Slowly at the beginning and at the end.
                part = (1 - math.cos(math.pi * number / (between + 1))) / 2
                film.add(stage.at(part), _SLIDE_FRAME_MS)
            rest = max(_SLIDE_FRAME_MS * 2, rest - _SLIDE_FRAME_MS * between) if rest < _FIRST_FRAME_MS else rest
        frame = palette.indices(small)
        film.add(frame, rest, still=True)
    if film is None:
        raise ValueError("an animation of nothing")
    return film.finished()


class _Reel:
    """A GIF in the making: one palette for all frames, each of them put over the one before, for ever again."""

    def __init__(self, palette: Palette, size: tuple[int, int]) -> None:
        self._size = size
        self._parts = [
            b"GIF89a",
            struct.pack("<HHBBB", *size, 0xF7, 0, 0),
            palette.bytes.ljust(768, b"\0"),
            b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0",
        ]
        self._last: Image.Image | None = None
        self._waiting: tuple[Image.Image, tuple[int, int], int] | None = None
        self._frames = self._shown = 0
        self._stills: list[int] = []

    def add(self, frame: Image.Image, shown: int, *, still: bool = False) -> None:
        """Add a frame: of it only what has changed; one without any change prolongs the one before."""
        self._put(frame, shown)
        if still and self._stills[-1:] != [self._frames]:
            self._stills.append(self._frames)

    def _put(self, frame: Image.Image, shown: int) -> None:
        self._shown += shown
        last, self._last = self._last, frame
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
        """Return the whole."""
        self._write()
        gif = b"".join([*self._parts, b";"])
        return Film(gif, self._size, self._frames, self._shown / 1000, tuple(self._stills))

    def _write(self) -> None:
        if self._waiting is not None:
            image, at, shown = self._waiting
            # Disposal 1 leaves a frame in place for the next.
            self._parts += GifImagePlugin.getdata(image, at, duration=shown, disposal=1, transparency=_UNCHANGED_INDEX)
            self._frames += 1
            self._waiting = None


def _png(palette: Palette, indices: Image.Image) -> bytes:
    image = Image.frombytes("P", indices.size, indices.tobytes())
    image.putpalette(palette.bytes)
    file = BytesIO()
    image.save(file, "PNG", compress_level=9)
    return file.getvalue()
