"""Whole games as animations and sheets: what they show, how long, and how large they get."""

from __future__ import annotations

import io
from collections.abc import Iterator
from random import Random

import pytest
from PIL import Image, ImageChops, ImageSequence, ImageStat

from engine import Action, State, Turn, games
from engine.turn import turns as grouped
from render import THEMES, draw
from render.animation import MOST_FRAMES, animate, key_turns, moments, sheet

NAMES = ("Anna", "Bruno", "Chiara", "Dario", "Elena")
KEYS = list(games)


def game(key: str, seed: int = 0, longest: int = 3000) -> tuple[State, list[Turn]]:
    """Return a random game from its beginning, with as many seats as it has at most."""
    rng, start = Random(seed), games[key].start(games[key].seats[-1])
    state, actions = start, list[Action]()
    while state.to_move is not None and len(actions) < longest:
        actions.append(state.random_action(rng))
        state = state.advance(actions[-1])
    return start, list(grouped(start, actions))


def frames(gif: bytes) -> Iterator[tuple[Image.Image, int]]:
    """Yield every frame of a GIF as it is seen, and how long (ms)."""
    with Image.open(io.BytesIO(gif)) as image:
        for frame in ImageSequence.Iterator(image):
            yield frame.convert("RGB"), int(frame.info["duration"])


def difference(one: Image.Image, other: Image.Image) -> float:
    """Return by how much two pictures differ on average, 0 to 255."""
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean)


def drawn(state: State, turn: Turn | None, size: tuple[int, int], theme: str = "light") -> Image.Image:
    """Return the picture of a position as `draw` makes it, in another size."""
    with Image.open(io.BytesIO(draw(state, last_turn=turn, names=NAMES[: state.seats], theme=theme).png)) as image:
        return image.convert("RGB").resize(size, Image.Resampling.BOX)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("key", KEYS)
def test_every_turn_is_shown_as_its_picture_shows_it(key: str, theme: str) -> None:
    start, turns = game(key, longest=16)
    film = animate(start, turns, names=NAMES, theme=theme)
    shown = moments(start, turns)
    seen = list(frames(film.gif))
    assert len(seen) == film.frames == len(shown)
    assert {frame.size for frame, _ in seen} == {film.size}
    for (frame, _), moment in zip(seen, shown, strict=True):
        assert difference(frame, drawn(moment.state, moment.turn, film.size, theme)) < 2
    turned = [moment for moment in shown if moment.turn is not None and moment.turn.actions == turns[-1].actions]
    assert turned[-1].state == turns[-1].after


@pytest.mark.parametrize("key", KEYS)
def test_a_whole_game_is_small_and_ends_with_a_pause(key: str) -> None:
    start, turns = game(key, longest=90)
    film = animate(start, turns, names=NAMES)
    assert len(film.gif) < 10_000 * film.frames + 60_000
    assert len(film.gif) < 5_000_000
    shown = [length for _, length in frames(film.gif)]
    assert shown[-1] == max(shown) > 3 * sorted(shown)[len(shown) // 2]
    assert sum(shown) == round(film.seconds * 1000)
    assert b"NETSCAPE2.0\x03\x01\x00\x00" in film.gif[:900]


def test_turns_in_several_steps_are_shown_step_by_step() -> None:
    start = games["annuvin"].load(
        {
            "game": "annuvin",
            "options": {"board": "hexagon", "setup": "classic"},
            "to_move": 0,
            "pieces": [["d5", "a1", "g7"], ["c4", "c3", "a2", "e7"]],
            "reserve": [0, 0],
            "lost": [3, 2],
            "moving": None,
            "dropped": [],
            "outcome": None,
        }
    )
    actions = start.parse("d5xc4xc3xa2")
    turns = list(grouped(start, actions))
    shown = moments(start, turns)
    assert [len(moment.turn.actions) if moment.turn else 0 for moment in shown] == [0, 1, 2, 3]
    assert shown[1].shown < 1000 < shown[-1].shown
    seen = [frame for frame, _ in frames(animate(start, turns).gif)]
    assert len({frame.tobytes() for frame in seen}) == 4


@pytest.mark.parametrize("key", [key for key in KEYS if games[key].facts.rolls])
def test_dice_alone_are_no_step(key: str) -> None:
    start, turns = game(key, longest=120)
    for moment in moments(start, turns):
        assert moment.turn is None or moment.turn in turns or not start.game.facts.by_chance(moment.turn.actions[-1])


def test_what_does_not_change_is_not_drawn_again() -> None:
    start, turns = game("annuvin", longest=12)
    few, many = animate(start, turns[:1]), animate(start, turns[:9])
    assert (len(many.gif) - len(few.gif)) / (many.frames - few.frames) < len(few.gif) / 3


def test_a_turn_that_changes_nothing_prolongs_the_picture_before() -> None:
    start, turns = game("annuvin", longest=1)
    again = animate(start, [turns[0], turns[0]])
    once = animate(start, turns)
    assert again.frames == once.frames
    assert again.seconds > once.seconds


def test_long_games_are_shown_faster_and_not_without_end() -> None:
    start, turns = game("vedova-nera", longest=30)
    line = (turns * 200)[:5000]
    shown = moments(start, line)
    assert len(shown) <= MOST_FRAMES
    assert shown[-1].turn == line[-1]
    quick = [moment.shown for moment in shown[1:-1]]
    assert max(quick) < 300
    assert moments(start, turns)[2].shown > 2 * max(quick)


def test_what_is_too_large_becomes_smaller() -> None:
    start, turns = game("real-queen", longest=20)
    film = animate(start, turns)
    smaller = animate(start, turns, most=len(film.gif) - 1)
    assert smaller.size[0] < film.size[0]
    assert len(smaller.gif) < len(film.gif)
    assert smaller.frames == film.frames


@pytest.mark.parametrize("key", KEYS)
def test_a_sheet_shows_the_beginning_the_end_and_what_changed_most(key: str) -> None:
    start, turns = game(key, longest=120)
    made = sheet(start, turns, names=NAMES)
    assert len(made.numbers) == 9
    assert made.numbers[0] == 0
    assert made.numbers[-1] == turns[-1].number
    assert list(made.numbers) == sorted(set(made.numbers))
    with Image.open(io.BytesIO(made.png)) as image:
        assert image.size == made.size
        picture = image.convert("RGB")
    end = turns[-1]
    wide, high = 450, (made.size[1] - 12) // 3 - 12
    corner = picture.crop((made.size[0] - 12 - wide, made.size[1] - 12 - high, made.size[0] - 12, made.size[1] - 12))
    assert difference(corner, drawn(end.after, end, corner.size)) < 2
    assert len(made.png) < 400_000


@pytest.mark.parametrize("count", range(10))
def test_a_short_game_is_on_the_sheet_whole(count: int) -> None:
    start, turns = game("fagocitare", longest=count)
    assert key_turns(turns, 9) == ([None, *turns] if count < 9 else key_turns(turns, 9))
    made = sheet(start, turns)
    assert made.numbers == tuple(range(count + 1)) if count < 9 else len(made.numbers) == 9


def test_captures_are_key_turns() -> None:
    start, turns = game("fagocitare", seed=3)
    captures = [turn.number for turn in turns if turn.before.to_json()["dead"] != turn.after.to_json()["dead"]]
    chosen = sheet(start, turns).numbers
    assert len(set(captures) & set(chosen)) >= min(len(captures), 4)
