"""Whole games as animations and sheets: what they show, how long, and how large they get."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle, pairwise
from random import Random

import pytest
from PIL import Image, ImageChops, ImageSequence, ImageStat

from engine import CHANCE, Action, State, Turn, games
from engine.turn import group_turns as grouped
from render import THEMES, draw
from render.animation import MAX_BYTES, MAX_FRAMES, Film, animate, key_turns, list_moments, select_key_positions

NAMES = ("Anna", "Bruno", "Chiara", "Dario", "Elena")
KEYS = list(games)
GAP = 12
"""Pixels between the boards of a sheet."""
SLIDE_MS = 40
"""How long a frame with sliding pieces is seen."""


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


def find_stills(shown: list[tuple[Image.Image, int]]) -> list[int]:
    """Return the numbers of the frames that show a position: those between them, in which pieces slide, are shorter."""
    return [number for number, (_, length) in enumerate(shown) if length > SLIDE_MS]


def difference(one: Image.Image, other: Image.Image) -> float:
    """Return by how much two pictures differ on average, 0 to 255."""
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean)


def board(state: State, turn: Turn | None, theme: str = "light") -> Image.Image:
    """Return the picture of a position as `draw` makes it."""
    with Image.open(io.BytesIO(draw(state, last_turn=turn, names=NAMES[: state.seats], theme=theme).png)) as image:
        return image.convert("RGB")


def smaller(whole: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Return a picture in another size; half of it is made from whole pixels, whatever its height."""
    half = whole.reduce(2)
    return half if half.size == size else whole.resize(size, Image.Resampling.BOX)


@dataclass(frozen=True)
class Shown:
    """A film with the game that it shows, and its frames with how long each is seen (ms)."""

    theme: str
    start: State
    turns: list[Turn]
    film: Film
    frames: list[tuple[Image.Image, int]]

    @classmethod
    def of(cls, key: str, actions: int) -> "Shown":
        """Return the film of the beginning of a game, each game's in another theme."""
        theme = dict(zip(KEYS, cycle(THEMES), strict=False))[key]
        start, turns = game(key, longest=actions)
        film = animate(start, turns, names=NAMES, theme=theme)
        return cls(theme, start, turns, film, list(frames(film.gif)))

    def with_turns(self, turns: list[Turn], most: int = MAX_BYTES) -> Film:
        """Return the film of other turns, or one of fewer bytes, that looks the same otherwise."""
        return animate(self.start, turns, most=most, names=NAMES, theme=self.theme)

    @property
    def stills(self) -> list[int]:
        """The numbers of the frames that show a position."""
        return find_stills(self.frames)


@pytest.fixture(scope="module", autouse=True)
def half_as_wide() -> Iterator[None]:
    """Have short films half as wide as the boards: they cost half as much, and golden ones are as wide as elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("render.animation._WIDTHS_BY_FRAMES", ((60, 450), (MAX_FRAMES, 400)))
        yield


@pytest.fixture(scope="module", params=KEYS)
def made(request: pytest.FixtureRequest) -> Shown:
    """The film that several tests look at."""
    return Shown.of(request.param, 18)


@pytest.fixture(scope="module", params=KEYS)
def short(request: pytest.FixtureRequest) -> Shown:
    """A short one, for tests that make others beside it."""
    return Shown.of(request.param, 4)


def test_every_turn_is_shown_as_its_picture_shows_it(made: Shown) -> None:
    film, turns = made.film, made.turns
    shown = list_moments(made.start, turns)
    assert {frame.size for frame, _ in made.frames} == {film.size}
    assert len(made.stills) == len(shown)
    compared = list(zip((made.frames[number][0] for number in made.stills), shown, strict=True))
    for frame, still in (*compared[:: max(1, len(compared) // 4)], compared[-1]):
        assert difference(frame, smaller(board(still.state, still.turn, made.theme), film.size)) < 2
    turned = [still for still in shown if still.turn is not None and still.turn.actions == turns[-1].actions]
    assert turned[-1].state == turns[-1].after


def test_a_whole_game_is_small_and_ends_with_a_pause(made: Shown) -> None:
    film = made.film
    assert len(film.gif) < 10_000 * len(made.frames) + 60_000
    assert len(film.gif) < 5_000_000
    shown = [length for _, length in made.frames]
    assert shown[-1] == max(shown) > 3 * sorted(shown)[len(shown) // 2]
    assert sum(shown) >= sum(still.shown for still in list_moments(made.start, made.turns))
    assert b"NETSCAPE2.0\x03\x01\x00\x00" in film.gif[:900]


def test_pieces_slide_from_one_position_to_the_next(made: Shown) -> None:
    """Between two positions, what has gone from one cell and come to another is nearer and nearer to the second."""
    moved = [turn for turn in made.turns if any(action.source and action.target for action in turn.actions)]
    if not moved:
        assert len(made.frames) == len(made.stills)  # nothing ever moves there
        return
    assert len(made.frames) > len(made.stills)
    seen = [frame for frame, _ in made.frames]
    slid = 0
    for first, second in pairwise(made.stills):
        between = seen[first + 1 : second]
        for one, other in pairwise(between):
            assert difference(one, other) > 0
        if len(between) > 2:
            end = seen[second]
            assert difference(between[-1], end) <= difference(between[0], end) + 0.5
            slid += 1
    assert slid


@pytest.mark.parametrize("key", KEYS)
def test_dice_alone_are_no_step(key: str) -> None:
    start, turns = game(key, longest=120)
    for still in list_moments(start, turns):
        if still.turn is not None and still.turn not in turns:
            state, by_player = still.turn.before, False
            for action in still.turn.actions:
                by_player = by_player or state.to_move != CHANCE
                state = state.advance(action)
            assert by_player


def test_animation_frames_store_only_changes(made: Shown) -> None:
    few = made.with_turns(made.turns[:1])
    # Header and footer change with every turn, also below a board that is itself quickly drawn.
    more = len(made.frames) - len(list(frames(few.gif)))
    assert (len(made.film.gif) - len(few.gif)) / more < max(len(few.gif) / 3, 6_000)


def test_a_turn_that_changes_nothing_prolongs_the_picture_before(short: Shown) -> None:
    again = list(frames(short.with_turns([*short.turns, short.turns[-1]]).gif))
    assert len(again) == len(short.frames)
    assert sum(length for _, length in again) > sum(length for _, length in short.frames)


@pytest.mark.parametrize("key", KEYS)
def test_long_games_are_shown_faster_and_not_without_end(key: str) -> None:
    start, turns = game(key, longest=30)
    line = [replace(turn, number=number) for number, turn in zip(range(5000), cycle(turns), strict=False)]
    shown = list_moments(start, line)
    assert len(shown) <= MAX_FRAMES
    assert shown[-1].turn == line[-1]
    quick = [still.shown for still in shown[1:-1]]
    assert max(quick) < 300
    assert list_moments(start, turns)[2].shown > 2 * max(quick)


def test_too_large_animation_is_reduced(short: Shown) -> None:
    other = short.with_turns(short.turns, most=len(short.film.gif) - 1)
    assert len(other.gif) < len(short.film.gif)
    # Where it has to be much smaller, pieces jump, and it is narrower.
    least = short.with_turns(short.turns, most=1)
    assert least.size[0] < short.film.size[0]
    seen = list(frames(least.gif))
    assert len(seen) == len(find_stills(seen)) == len(short.stills)
    assert len(find_stills(list(frames(other.gif)))) == len(seen)


@pytest.mark.parametrize("key", KEYS)
def test_a_sheet_shows_the_beginning_the_end_and_what_changed_most(key: str) -> None:
    start, turns = game(key, longest=120)
    made = select_key_positions(start, turns, names=NAMES)
    assert (len(made.numbers), made.numbers[0]) == (min(9, len(turns) + 1), 0)
    assert (made.numbers[-1], list(made.numbers)) == (turns[-1].number, sorted(set(made.numbers)))
    with Image.open(io.BytesIO(made.png)) as image:
        assert image.size == made.size
        picture = image.convert("RGB")
    end = board(turns[-1].after, turns[-1]).reduce(2)
    columns = (made.size[0] - GAP) // (end.width + GAP)
    row, column = divmod(len(made.numbers) - 1, columns)
    left, top = GAP + column * (end.width + GAP), GAP + row * (end.height + GAP)
    assert difference(picture.crop((left, top, left + end.width, top + end.height)), end) < 2
    assert len(made.png) < 400_000


@pytest.mark.parametrize("key", KEYS)
def test_a_short_game_is_on_the_sheet_whole(key: str) -> None:
    start, turns = game(key, longest=60)
    for count in range(min(len(turns), 8) + 1):
        assert key_turns(turns[:count], 9) == [None, *turns[:count]]
    for count in (0, 3):
        assert select_key_positions(start, turns[:count]).numbers == (0, *(turn.number for turn in turns[:count]))
    assert len(key_turns(turns, 9)) == min(9, len(turns) + 1)
