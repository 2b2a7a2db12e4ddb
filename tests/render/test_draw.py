"""Every picture of every game: what holds whatever it shows."""

import random
from dataclasses import replace
from statistics import median

import pytest
from PIL import ImageChops

from engine import CHANCE, Action, games
from render import STRIP_HEIGHT, THEMES, Choices, Target, canvas, draw
from render.frame import HEADER_HEIGHT
from render.games import pictures
from render.scene import Scene
from render.theme import MARKS, MAX_COLOURS, SAFFRON, list_inks
from tests.render import pixels
from tests.render.pixels import EVERY, KEYS, amount, cell_box, chunks, colours, picture, rows, sample_states
from tests.support import kits
from tests.support.present import present
from tests.support.samples import NAMES, choices_of


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("key", KEYS)
def test_it_can_draw_every_state_of_seeded_games(key: str, step: int) -> None:
    rng = random.Random(5)
    sizes = []
    for number, (state, turn) in enumerate(sample_states(key)[::step]):
        theme = list(THEMES)[number % 3]
        viewer = rng.randrange(state.seats) if number % 4 else None
        choices = choices_of(state, number) if number % 2 else None
        drawing = draw(state, last_turn=turn, viewer=viewer, choices=choices, names=NAMES, theme=theme)
        assert drawing.size[0] == 900
        assert 0 < drawing.size[1] <= 1200
        sizes.append(len(drawing.png))
    assert max(sizes) < 120_000
    assert median(sizes) < kits.fact(key, "picture_bytes", 70_000)


@pytest.mark.parametrize(("key", "theme"), EVERY)
def test_it_is_a_sound_png_with_the_palette_of_its_game_and_theme(key: str, theme: str) -> None:
    for state, turn in pixels.lines_in(key, theme, 20):
        drawing = draw(state, last_turn=turn, names=NAMES, theme=theme)
        width, height = drawing.size
        assert [kind for kind, _ in chunks(drawing.png)] == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
        unpacked = rows(drawing.png)
        assert len(unpacked) == (width + 1) * height
        assert not any(unpacked[:: width + 1])
        palette = dict(chunks(drawing.png))[b"PLTE"]
        assert len(palette) // 3 <= MAX_COLOURS
        assert not unpacked.translate(None, bytes(range(len(palette) // 3)))
        assert picture(drawing.png).size == drawing.size


@pytest.mark.parametrize(("key", "theme"), EVERY)
def test_named_colours_are_met_exactly(key: str, theme: str) -> None:
    shown = THEMES[theme]
    needed = {*list_inks(shown), *MARKS, *pictures[key].colours(shown)}
    palette = dict(chunks(draw(sample_states(key)[0][0], theme=theme).png))[b"PLTE"]
    assert needed <= ({(palette[at], palette[at + 1], palette[at + 2]) for at in range(0, len(palette), 3)})
    seen = set()
    for sample, turn in sample_states(key)[::90]:
        for choices in (None, choices_of(sample)):
            seen |= colours(draw(sample, last_turn=turn, choices=choices, names=NAMES, theme=theme).png)
    assert {shown.paper, shown.band, shown.ink} <= seen
    # Most of the game's own colours are seen in a handful of positions, and none is replaced by a neighbour.
    own = set(pictures[key].colours(shown))
    assert len(own & seen) >= len(own) * 0.6


@pytest.mark.parametrize("key", KEYS)
def test_every_cell_of_an_action_has_a_spot_inside_the_picture(key: str) -> None:
    for state, _ in sample_states(key)[::10]:
        drawing = draw(state)
        width, height = drawing.size
        for x, y, r in drawing.spots.values():
            assert r >= 12
            assert r <= x <= width - r
            assert r <= y <= height - r
        places = [(x, y) for x, y, _ in drawing.spots.values()]
        assert len(set(places)) == len(places)
        if state.to_move is not None and state.to_move != CHANCE:
            for action in state.legal_actions():
                assert {cell for cell in (action.source, action.target) if cell} <= set(drawing.spots)


@pytest.mark.parametrize(("key", "theme"), EVERY)
def test_action_changes_the_picture_at_its_target(key: str, theme: str) -> None:
    tried = 0
    rng = random.Random(8)
    for state, _ in pixels.lines_in(key, theme, 12):
        if state.to_move is None or state.to_move == CHANCE:
            continue
        action = state.random_action(rng)
        if action.target is None or state.advance(action).to_json() == state.to_json():
            continue
        before, after = draw(state, viewer=0, theme=theme), draw(state.advance(action), viewer=0, theme=theme)
        assert amount(before, after, cell_box(before, action.target)) > 60, str(action)
        tried += 1
    assert tried > 0


@pytest.mark.parametrize(("key", "theme"), EVERY)
def test_the_last_turn_is_marked(key: str, theme: str) -> None:
    tried = 0
    for state, turn in pixels.lines_in(key, theme, 8):
        cells = [action.target for action in turn.actions if action.target] if turn else []
        if not turn or not cells or state.turn == turn.before.turn:
            continue
        plain, marked = draw(state, theme=theme), draw(state, last_turn=turn, theme=theme)
        assert amount(plain, marked, cell_box(plain, cells[-1])) > 60, turn.actions
        tried += 1
    assert tried > 0


@pytest.mark.parametrize(("key", "theme"), EVERY)
def test_choices_are_marked_and_captures_apart_from_moves(key: str, theme: str) -> None:
    tried = 0
    states = [state for state, _ in pixels.lines_in(key, theme, 18)]
    asked = [(state, choices) for state in states if (choices := choices_of(state, 1)) and choices.targets]
    for state, choices in asked:
        plain, shown = draw(state, theme=theme), draw(state, choices=choices, theme=theme)
        for target in choices.targets:
            assert amount(plain, shown, cell_box(plain, target.cell)) > 60
        tried += 1
        if not games[key].facts.takes:
            continue
        first = choices.targets[0]
        other = Choices(choices.movable, choices.chosen, (Target(first.cell, not first.capture, first.label),))
        same = Choices(choices.movable, choices.chosen, (first,))
        one, another = (draw(state, choices=each, theme=theme) for each in (same, other))
        assert amount(one, another, cell_box(plain, first.cell)) > 60
    assert tried > 0


@pytest.mark.parametrize("key", KEYS)
def test_cells_that_do_not_exist_are_passed_over(key: str) -> None:
    state = sample_states(key)[0][0]
    assert draw(state, choices=Choices(("z99",), "y88", (Target("x77", True, "1"), Target("w66", False, "2")))).png


@pytest.mark.parametrize("key", KEYS)
def test_a_drop_is_drawn(key: str) -> None:
    for state, turn in sample_states(key)[::40]:
        if state.to_move is None or turn is None:
            continue
        seat = next(seat for seat in range(state.seats) if state.is_playing(seat))
        action = Action.drop(seat)
        last = replace(turn, actions=(*turn.actions, action))
        after = state.play(action)
        with_flag, without = draw(after, last_turn=last, names=NAMES), draw(state, last_turn=turn, names=NAMES)
        assert with_flag.png != without.png


@pytest.mark.parametrize("key", KEYS)
def test_the_winner_is_seen_without_words(key: str) -> None:
    ended = [state for state, _ in sample_states(key) if state.outcome]
    assert ended
    for state in ended[:4]:
        assert SAFFRON in colours(draw(state).png)


@pytest.mark.parametrize("key", KEYS)
def test_a_theme_that_does_not_exist_is_refused(key: str) -> None:
    with pytest.raises(KeyError):
        draw(games[key].start(games[key].seats[0]), theme="sepia")


@pytest.mark.parametrize(("key", "theme"), EVERY)
def test_the_wide_shape_shows_the_same_and_is_as_wide_as_high(key: str, theme: str) -> None:
    """Three players and more beside the board: names and numbers can be read where a picture is 350 pixels high."""
    lines = pixels.lines_in(key, theme, 22)
    for state, turn in lines if pictures[key].paint_wide else lines[:1]:
        drawing = draw(state, last_turn=turn, names=NAMES, theme=theme)
        wide = draw(state, last_turn=turn, names=NAMES, theme=theme, wide=True)
        if pictures[key].paint_wide is None or state.seats < 3:
            assert wide.png == drawing.png
            continue
        across, high = wide.size
        assert across >= high
        assert len(wide.png) < 120_000
        assert not rows(wide.png).translate(None, bytes(range(len(dict(chunks(wide.png))[b"PLTE"]) // 3)))
        there_and_here = zip(wide.spots.values(), drawing.spots.values(), strict=True)
        moved = {(there[0] - here[0], there[1] - here[1]) for there, here in there_and_here}
        board, wide_board = pixels.board_of(drawing), pixels.board_of(wide)
        if len(moved) == 1:
            both = picture(drawing.png).crop(board), picture(wide.png).crop(wide_board)
            assert ImageChops.difference(*both).getbbox() is None
        else:
            # A board of its own: what lies on a cell is the same there, or nothing lies on it.
            empty = state.game.start(state.seats)
            shown = [(each, draw(empty, theme=theme, wide=each is wide)) for each in (drawing, wide)]
            for cell in wide.spots:
                here, free_here, there, free_there = (
                    picture(each.png).crop(cell_box(each, cell, 6)).tobytes() for pair in shown for each in pair
                )
                assert here == there or (here == free_here and there == free_there), cell
        nameless = draw(state, last_turn=turn, theme=theme, wide=True)
        assert present(pixels.changed_mask(wide, nameless).getbbox())[0] > wide_board[2]
        # The smallest form of a name: half of its letters' height is half a line of text where it is 350 high.
        assert 44 * 350 / high >= 13


def test_words_of_the_notation_are_the_reader_s() -> None:
    """What is played is written with the reader's words, and only that changes."""
    scene = Scene.of(games[KEYS[0]].start(), None, 0, None, (), "light", words=(("stay", "resta"), ("pass", "passo")))
    written = ("stay/8", "a1–a5/3 stay/4", "pass", "d5×c4×c3  xa1", "")
    said = ("resta/8", "a1–a5/3 resta/4", "passo", "d5×c4×c3  xa1", "")
    assert tuple(map(scene.translate_notation, written)) == said
    state, turn = next(each for each in sample_states(KEYS[0]) if each[1] is not None)
    word = present(turn).actions[0].text
    plain, other = (draw(state, last_turn=turn, words=words) for words in ((), ((word, "xxxxxx"),)))
    changed = ImageChops.difference(picture(plain.png).convert("RGB"), picture(other.png).convert("RGB")).getbbox()
    assert changed is None or changed[3] <= HEADER_HEIGHT
    assert draw(state, last_turn=turn, words=(("never", "mai"),)).png == plain.png


@pytest.mark.parametrize("theme", THEMES)
def test_a_caption_stands_above_the_picture_and_moves_its_cells_down(theme: str) -> None:
    state, turn = sample_states(KEYS[0])[5]
    plain = draw(state, last_turn=turn, theme=theme)
    captioned, tried = (draw(state, last_turn=turn, theme=theme, **{kind: "Puzzle"}) for kind in ("caption", "tried"))  # type: ignore[arg-type]
    whole = picture(captioned.png)
    assert captioned.size == whole.size == (plain.size[0], plain.size[1] + STRIP_HEIGHT)
    assert {cell: (x, y - STRIP_HEIGHT, r) for cell, (x, y, r) in captioned.spots.items()} == plain.spots
    below = whole.convert("RGB").crop((0, STRIP_HEIGHT, *whole.size))
    assert ImageChops.difference(below, picture(plain.png).convert("RGB")).getbbox() is None
    assert whole.convert("RGB").getpixel((2, 2)) == SAFFRON
    assert captioned.png != tried.png


def test_a_caption_that_is_too_long_is_written_small_and_cut() -> None:
    state, _ = sample_states(KEYS[0])[5]
    long, longer, other = (draw(state, caption=caption).png for caption in ("x " * 60, "x " * 90, "x " * 30))
    assert long == longer != other


def test_without_isal_zlib_packs_the_same_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    state, turn = sample_states(KEYS[0])[20]
    packed = draw(state, last_turn=turn).png
    monkeypatch.setattr(canvas, "_ISAL", None)
    canvas.pack_band.cache.clear()
    assert rows(draw(state, last_turn=turn).png) == rows(packed)
