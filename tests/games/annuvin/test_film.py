"""Annuvin as an animation: a turn of several captures is shown capture by capture."""

import io

from PIL import Image, ImageSequence

from engine.turn import group_turns as grouped
from render.animation import animate, list_moments
from tests.games.annuvin.board import load


def test_turns_in_several_steps_are_shown_step_by_step() -> None:
    start = load("d5 a1 g7", "c4 c3 a2 e7")
    turns = list(grouped(start, start.parse("d5xc4xc3xa2")))
    shown = list_moments(start, turns)
    assert [len(still.turn.actions) if still.turn else 0 for still in shown] == [0, 1, 2, 3]
    assert shown[1].shown < 1000 < shown[-1].shown
    with Image.open(io.BytesIO(animate(start, turns).gif)) as film:
        frames = [(frame.info["duration"], frame.convert("RGB").tobytes()) for frame in ImageSequence.Iterator(film)]
    # Pieces slide in frames of 40 ms; what stands longer than that is a position.
    stand = [pixels for lasts, pixels in frames if lasts > 40]
    assert len(stand) == len(set(stand)) == 4
    assert len(frames) > 4
