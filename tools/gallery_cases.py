"""What the gallery shows besides kept positions: hints, names of all the world, charts, films, boards in words."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Final

from bot.kernel.texts import Texts
from bot.kernel.words.describe import BoardWords
from engine.diagram import draw_diagram
from engine.turn import Turn
from render import THEMES, draw
from render.animation import animate
from render.chances import Mark, draw_chances, pieces_of
from render.charts import LeaderboardRow, Point, draw_course, draw_leaderboard
from tests.support import kits
from tests.support.samples import Sample, Suggestion, random_playout

WORLD: Final = (
    "नित्या क्षत्रिय",
    "محمد عبد الله علي",
    "สมชาย ใจดี",
    "Đặng Thị Hương Giang von und zu Oberhohenfels",
    "김민준 田中さくら",
)
"""Names that need a shaper, run from the right, or are longer than the room for them."""
_TURNS: Final = 6
"""How many turns a film of the gallery has: it is there to see pieces move."""

Shown = tuple[str, bytes]
"""A file's name and what is in it."""


def list_cases(sample: Sample) -> Iterator[Shown]:
    """Yield what is shown once a game, of the game and with the seats of one of its positions in the middle."""
    key = sample.state.game.key
    for data in kits.entries(key, "hints.json"):
        suggestion = Suggestion.from_json(data)
        yield f"hint-{suggestion.name}.png", suggestion.drawn().png
    for theme in THEMES:
        yield (
            f"{sample.name}-world-{theme}.png",
            draw(sample.state, last_turn=sample.turn, viewer=sample.viewer, names=WORLD, theme=theme).png,
        )
        yield f"{sample.name}-chances-{theme}.png", _chances(sample, theme)
    yield f"{sample.name}-film.gif", _film(sample)


def list_charts() -> Iterator[Shown]:
    """Yield the charts that belong to no game."""
    rng = Random(1)
    rows = [
        LeaderboardRow(place, name, rng.randrange(30), rng.randrange(9), rng.randrange(30), 1600 - 40 * place)
        for place, name in enumerate((*WORLD, "Anna", "Bruno"), 1)
    ]
    points = [1500.0]
    for _ in range(40):
        points.append(points[-1] + rng.uniform(-24, 28))
    course = [
        Point(each, 300 / (1 + number / 4), rng.choice(("win", "draw", "loss"))) for number, each in enumerate(points)
    ]
    for theme in THEMES:
        yield f"leaderboard-{theme}.png", draw_leaderboard("Annuvin", rows, theme).png
        yield f"course-{theme}.png", draw_course("Anna", course, theme).png


def texts_of(sample: Sample) -> Iterator[str]:
    """Yield a position as a terminal and as a screen reader have it, the latter in every language."""
    state = sample.state
    yield draw_diagram(state.topology, state.game.symbols(state.to_json()))
    texts = Texts()
    for language in texts.languages:
        voice = texts.speaker(language).of(state.game.key)
        yield "\n".join(BoardWords(voice, state, sample.turn, sample.names).sentences())


def _chances(sample: Sample, theme: str) -> bytes:
    state, rng = sample.state, Random(sample.name)
    points = [[1 / state.seats] * state.seats]
    for _ in range(30):
        moved = [max(0.02, each + rng.uniform(-0.08, 0.08)) for each in points[-1]]
        points.append([each / sum(moved) for each in moved])
    marks = [Mark(9, 0), Mark(17, state.seats - 1), Mark(24, 0, dice=True)]
    seat_pieces = [pieces_of(state)] * len(points)
    return draw_chances(sample.name, sample.names, points, marks, theme, state.game.key, seat_pieces).png


def _film(sample: Sample) -> bytes:
    state = sample.state
    options = state.to_json()["options"]
    line = random_playout(state.game, 3, state.seats, options)
    turns: dict[int, Turn] = {}
    for _, turn in islice(line, 200):
        if turn is not None:
            turns[turn.number] = turn
        if len(turns) > _TURNS:
            break
    start = state.game.start(state.seats, options)
    return animate(start, list(turns.values())[:_TURNS], names=sample.names).gif
