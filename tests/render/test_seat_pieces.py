"""The pieces beside a name are those that the seat has in that position, in previews and in charts."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from engine import State, games
from render import THEMES
from render.chances import draw_chances, draw_piece, height_of_chance, pieces_of
from render.preview import PreviewBoard, PreviewText, draw_preview
from render.sketch import Sketch
from render.theme import THEMES as COLOURS
from tests.render.pixels import KEYS, sample_states
from tests.support import kits
from tests.support.present import present
from tests.support.samples import NAMES, random_playout

WITH_KIT = [key for key in KEYS if kits.module(key, "pieces")]


def owned(state: State) -> list[set[str]]:
    """Return the kinds of pieces of each seat as the game's kit reads them from the position."""
    found: list[set[str]] = present(kits.module(state.game.key, "pieces")).kinds(state.to_json())
    return found


def line_of(key: str, seats: int, seed: int) -> list[State]:
    return [state for state, _ in random_playout(games[key], seed, seats, {})]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float, float]]:
    """Pieces that previews and charts draw from here on: the kind and the place of each."""
    found: list[tuple[str, float, float]] = []

    def draw(sketch: Sketch, theme: Any, game: str, kind: str, *more: Any) -> None:
        found.append((kind, *sketch.origin))
        draw_piece(sketch, theme, game, kind, *more)

    for user in ("preview", "chances"):
        monkeypatch.setattr(f"render.{user}.draw_piece", draw)
    return found


def rows(drawn: Sequence[tuple[str, float, float]]) -> Iterator[set[str]]:
    """Yield what was drawn, line by line from the top."""
    for line in sorted({y for _, _, y in drawn}):
        yield {kind for kind, _, y in drawn if y == line}


def test_every_game_of_this_tree_says_whose_pieces_are_which() -> None:
    assert {key for key in KEYS if kits.in_tree(key)} <= set(WITH_KIT)


@pytest.mark.parametrize("key", WITH_KIT)
def test_names_get_the_pieces_that_the_seat_has_in_every_position_of_random_games(key: str) -> None:
    for seats in games[key].seats:
        for state in line_of(key, seats, 0):
            assert [set(kinds) for kinds in pieces_of(state)] == owned(state), state.to_json()


@pytest.mark.parametrize("key", KEYS)
def test_no_two_seats_have_the_same_pieces(key: str) -> None:
    for state, _ in sample_states(key):
        kinds = [kind for seat in pieces_of(state) for kind in seat]
        assert len(kinds) == len(set(kinds))
        assert len(pieces_of(state)) == state.seats


@pytest.mark.parametrize("key", WITH_KIT)
def test_a_preview_shows_each_seats_pieces_beside_its_name(
    key: str, drawn: list[tuple[str, float, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The board beside them, and packing the picture, took nearly all of the time.
    monkeypatch.setattr("render.preview._finish", lambda *_: None)
    states = [state for state, _ in sample_states(key)]
    for state in Random(7).sample(states, 12):
        drawn.clear()
        draw_preview(PreviewBoard(state, None, NAMES[: state.seats]), PreviewText(key, ""))
        assert list(rows(drawn)) == [kinds for kinds in owned(state) if kinds], state.to_json()


@pytest.mark.parametrize("key", WITH_KIT)
def test_a_chart_shows_the_pieces_that_each_seat_had_at_the_time(
    key: str, drawn: list[tuple[str, float, float]]
) -> None:
    """Each seat has a height of its own; its pieces change along its line, and the legend has those of the end."""
    seats = games[key].seats[-1]
    line = line_of(key, seats, 5)[::4]
    course = [[0.1 + 0.8 * seat / seats for seat in range(seats)]] * len(line)
    draw_chances("", NAMES[:seats], course, (), "light", key, [pieces_of(state) for state in line])
    for seat in range(seats):
        wanted = height_of_chance(course[0][seat], seats)
        shown = {kind for kind, _, y in drawn if y == pytest.approx(wanted)}
        assert shown <= {kind for state in line for kind in owned(state)[seat]}
        assert shown or not any(owned(state)[seat] for state in line[len(line) // 4 :])
    legend = [(kind, x, y) for kind, x, y in drawn if y > height_of_chance(0, seats) + 10]
    assert {kind for kind, _, _ in legend} == {kind for kinds in owned(line[-1]) for kind in kinds}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("key", KEYS)
def test_every_kind_that_is_named_can_be_drawn(key: str, theme: str) -> None:
    for kind in {kind for state, _ in sample_states(key) for seat in pieces_of(state) for kind in seat}:
        sketch = Sketch(80, 80, paper=COLOURS[theme].paper)
        empty = sketch.reduced().tobytes()
        draw_piece(sketch.at(40, 40), COLOURS[theme], key, kind, 20)
        assert sketch.reduced().tobytes() != empty, kind


def test_a_kind_that_does_not_exist_is_an_error() -> None:
    for game in ("annuvin", "no such game"):
        with pytest.raises(KeyError):
            draw_piece(Sketch(80, 80), COLOURS["light"], game, "no such piece", 20)


def test_a_game_without_a_picture_claims_no_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    state = games["annuvin"].start(2)
    assert [len(kinds) for kinds in pieces_of(state)] == [1, 1]
    monkeypatch.setattr("render.chances.pictures", {})
    assert list(pieces_of(state)) == [(), ()]


def test_each_point_of_a_chart_needs_its_pieces() -> None:
    with pytest.raises(ValueError, match="each point"):
        draw_chances("", NAMES[:2], [[0.5, 0.5]] * 3, seat_pieces=[(("light",), ("dark",))])
