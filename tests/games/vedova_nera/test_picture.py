"""La Vedova Nera's picture: the web and the tray, spiders, the viewer's goals, every kind of turn, every phase."""

import math
import random
from itertools import combinations, starmap
from typing import Final

import pytest

from engine import State, games
from engine.topology import web
from render import THEMES, Choices, Drawing, Hint, HintStep, Target, draw
from render.games.vedova_nera.board import USUAL, WIDE, Web
from render.theme import CREAM, CROSS, DEEP, PALE, SAFFRON, WATER
from tests.games.vedova_nera.board import load
from tests.render.pixels import (
    RGB,
    amount,
    box_around,
    cell_box,
    changed_mask,
    check_inks,
    check_marks,
    inks_within,
    turn,
)
from tests.support.present import present

GAME = games["vedova-nera"]
LIGHT = THEMES["light"]
NODES, HOLLOWS = USUAL.nodes, USUAL.hollows
RED_GOALS, GREEN_GOALS = "a1 b1 c1 d1 e3 e4", "a3 b3 c3 d3 g4 h4"


def position(red: str, green: str, /, counsellor: str = "h1", goals: str = RED_GOALS) -> State:
    return load(red, green, goals=[goals, GREEN_GOALS], counsellor=counsellor)


def inks_at(drawing: Drawing, place: tuple[int, int], reach: int = 26) -> set[RGB]:
    return inks_within(drawing, box_around(place, reach))


def test_the_spots_are_the_nodes_where_the_web_has_them() -> None:
    spots = draw(GAME.start(2)).spots
    board = web(8, 4)
    assert set(spots) == set(board.names)
    for name, (x, y) in zip(board.names, board.positions, strict=True):
        px, py, _ = spots[name]
        if abs(x) > 0.1:
            assert (px > 450) == (x > 0)
        if abs(y) > 0.1:
            assert (py < 535) == (y > 0)


def test_the_spots_are_the_hollows_while_a_marble_is_chosen() -> None:
    state = position("a1 b1 c1 d1", "f2")
    assert {cell: (x, y) for cell, (x, y, _) in draw(state).spots.items()} == dict(NODES)
    spots = draw(state, choices=Choices(kind="marble")).spots
    assert {cell: (x, y) for cell, (x, y, _) in spots.items()} == dict(HOLLOWS)


@pytest.mark.parametrize("theme", THEMES)
def test_one_moved_pawn_changes_its_two_nodes_and_nothing_else_on_the_board(theme: str) -> None:
    first, second = (draw(position("f2 f4", at), theme=theme) for at in ("g2", "e2"))
    for cell in first.spots:
        assert (amount(first, second, cell_box(first, cell)) > 700) == (cell in {"g2", "e2"}), cell
    assert amount(first, second, (0, first.size[1] - 118, 900, first.size[1])) == 0


@pytest.mark.parametrize("theme", THEMES)
def test_a_stable_pawn_grows_legs(theme: str) -> None:
    stable = draw(position("d1", "f2"), viewer=1, theme=theme)
    loose = draw(position("d1", "f2", goals="a1 b1 c1 d2 e3 e4"), viewer=1, theme=theme)
    x, y = NODES["d1"]
    legs = (x - 44, y - 44, x + 44, y + 44)
    body = (x - 18, y - 18, x + 18, y + 14)
    assert amount(stable, loose, legs) - amount(stable, loose, body) > 400


def test_the_viewers_goals_are_plaques_and_those_of_the_others_are_not() -> None:
    state = position("f2", "f4")
    for viewer, own, other in ((0, RED_GOALS, GREEN_GOALS), (1, GREEN_GOALS, RED_GOALS)):
        drawing = draw(state, viewer=viewer)
        tint = LIGHT.sets[("red", "green")[viewer]].tint
        for cell in own.split():
            assert tint in inks_at(drawing, NODES[cell])
        for cell in other.split():
            assert LIGHT.sets[("green", "red")[viewer]].tint not in inks_at(drawing, NODES[cell])


MARKS: Final[dict[str, tuple[State, str, dict[str, set[RGB]], dict[str, set[RGB]], int]]] = {
    # what a turn shows: before it, the turn, which inks are seen on cells and which are not, and how far around
    "a step shows from and to": (
        position("d3 g3", "e3 e4", counsellor="h1"),
        "g3-f3",
        {"g3 f3": {SAFFRON}},
        {},
        40,
    ),
    "and the caught pawn": (
        position("d3 g3", "e3 e4", counsellor="h1"),
        "g3-f3",
        {"e3": {PALE, CROSS}},
        {"e4": {CROSS}},
        20,
    ),
    "the Counsellor's way is drawn over the nodes that it passes": (
        position("d2", "f4", counsellor="b2"),
        "Kg2",
        {"b2 a2 h2 g2": {SAFFRON}},
        {},
        40,
    ),
    "and over no others": (position("d2", "f4", counsellor="b2"), "Kg2", {}, {"c2 e2 f2": {SAFFRON}}, 26),
    "he is shown to go the shorter way where both are free": (
        position("d3", "f4", counsellor="b2"),
        "Kh2",
        {"a2": {SAFFRON}},
        {"e2": {SAFFRON}},
        26,
    ),
    "an entry": (position("f2 d2 d3", "f4"), "+a4", {"a4": {SAFFRON}}, {}, 40),
}


@pytest.mark.parametrize("what", MARKS)
def test_a_turn_is_shown(what: str) -> None:
    check_marks(*MARKS[what])


def test_after_an_entry_one_pawn_less_is_off_the_web() -> None:
    before = position("f2 d2 d3", "f4")
    first, second = draw(before, viewer=0), draw(before.play(before.read("+a4")), viewer=0)
    assert amount(first, second, (230, first.size[1] - 45, 300, first.size[1] - 10)) > 100


def test_a_marble_shows_in_the_tray_and_on_its_new_goal() -> None:
    after, last = turn(position("a1 b1 c1 d1", "f2"), "Me4-f4")
    for viewer in (0, 1):
        shown = draw(after, last_turn=last, viewer=viewer)
        assert SAFFRON in inks_at(shown, HOLLOWS["e4"], 15)
        assert SAFFRON in inks_at(shown, HOLLOWS["f4"], 22)
        assert SAFFRON in inks_at(shown, NODES["f4"], 45)
        assert SAFFRON not in inks_at(shown, NODES["e4"])


def test_last_turn_is_pale_during_a_choice() -> None:
    state = position("d3 g3", "e3")
    check_marks(state, "g3-f3", {"f3": {PALE}}, {"f3": {SAFFRON}}, 40, Choices())


def test_pieces_that_can_act_the_chosen_one_and_its_targets_are_marked() -> None:
    state = position("f2 d2", "f4", counsellor="e1")
    shown = draw(state, choices=Choices(("d2", "f2"), "d2", (Target("d3", False, "1"),), kind="step"))
    check_inks(draw(state, choices=Choices(("d2", "f2"), kind="step")), {"d2 f2": {DEEP, CREAM}}, {}, 42)
    # The chosen one stands out: what could act as well keeps but a thin ring.
    check_inks(shown, {"d2": {DEEP, CREAM}, "f2": {DEEP}}, {"f2": {CREAM}}, 42)
    check_inks(shown, {"d3": {WATER}}, {}, 34)
    check_inks(draw(state), {}, {"d3": {DEEP, WATER}}, 34)


def test_marbles_that_can_move_and_where_are_marked_in_the_tray() -> None:
    state = position("a1 b1 c1 d1", "f2")
    shown = draw(state, choices=Choices(("a1", "e4"), "e4", (Target("f4", False, "1"),), kind="marble"))
    assert CREAM in inks_at(shown, HOLLOWS["a1"], 24)
    assert DEEP in inks_at(shown, HOLLOWS["e4"], 28)
    assert WATER in inks_at(shown, HOLLOWS["f4"], 22)
    assert WATER not in inks_at(shown, NODES["f4"], 34)
    assert DEEP not in inks_at(shown, NODES["a1"], 42)


def test_pieces_that_can_act_are_marked_before_the_kind_is_chosen() -> None:
    state = position("a1 b1 c1 d1", "f2")
    sources = tuple(sorted({action.source for action in state.legal_actions() if action.source}))
    shown = draw(state, choices=Choices(sources))
    assert DEEP in inks_at(shown, NODES["h1"], 40)
    assert DEEP in inks_at(shown, NODES["d1"], 40)
    assert CREAM in inks_at(shown, HOLLOWS["e4"], 24)
    assert DEEP not in inks_at(shown, NODES["e4"], 40)


@pytest.mark.parametrize(("seats", "theme"), list(zip([2, 3, 4, 5], ["light", *THEMES], strict=True)))
def test_deal_and_choice_of_colours_are_drawn(seats: int, theme: str) -> None:
    state = GAME.start(seats)
    empty = draw(state, theme=theme)
    dealt = state.play(state.sample_chance(random.Random(seats)))
    shown = draw(dealt, theme=theme)
    for colour, cells in dealt.to_json()["marbles"].items():
        for cell in cells:
            for places, reach in ((NODES, 16), (HOLLOWS, 14)):
                assert amount(empty, shown, box_around(places[cell], reach)) > 100, (colour, cell)
    assert amount(shown, draw(dealt.play(dealt.read("green")), theme=theme), (0, 1012, 900 // seats, 1130)) > 500


def test_the_footer_counts_spiders() -> None:
    none, four = (draw(position(red, "f2"), viewer=0) for red in ("a2 b2 c2 d2", "a1 b1 c1 d1"))
    assert amount(none, four, (140, 1080, 180, 1125)) > 60


def test_numbers_and_hints_leave_the_faces_of_marbles_free() -> None:
    state = position("a1 b1", "h4", goals="a1 b1 c1 d1 e1 e2")
    plain = draw(state, choices=Choices(kind="marble"))
    numbers = tuple((cell, str(number)) for number, cell in enumerate(("a1", "b1", "c1", "d1", "e1", "e2"), 1))
    numbered = draw(state, choices=Choices(kind="marble", numbers=numbers))
    hinted = draw(state, hint=Hint((HintStep("e3", "e2"),), "marble"))
    assert changed_mask(plain, hinted).crop(box_around(HOLLOWS["e3"], 8)).getbbox() is not None
    for cell, other in [*((cell, numbered) for cell, _ in numbers), ("e2", hinted)]:
        assert changed_mask(plain, other).crop(box_around(HOLLOWS[cell], 5)).getbbox() is None, cell


@pytest.mark.parametrize("theme", THEMES)
def test_whose_pawn_was_removed_is_seen_under_the_mark(theme: str) -> None:
    sets, shown = THEMES[theme].sets, {}
    for number, colour in enumerate(("green", "yellow")):
        caught = ["", ""]
        caught[number], caught[1 - number] = "c2", "f3"
        before = load("c1 d3", *caught, goals=["a1", "b4", "d4"], counsellor="h1")
        after, last = turn(before, "d3-c3")
        shown[colour] = draw(after, last_turn=last, viewer=0, theme=theme)
        assert CROSS in inks_at(shown[colour], NODES["c2"], 32)
        assert sets[colour].face in inks_at(shown[colour], NODES["c2"], 20)
    assert amount(shown["green"], shown["yellow"], box_around(NODES["c2"], 20)) > 300


@pytest.mark.parametrize(("web", "theme"), [(USUAL, "light"), (WIDE, "contrast")], ids=["usual", "wide"])
def test_the_letters_of_the_spokes_are_never_covered(web: Web, theme: str) -> None:
    outermost = [f"{spoke}4" for spoke in "abcdefgh"]
    targets = tuple(Target(f"{spoke}4", spoke in "aceg", "20") for spoke in "abcdefgh")
    marks = [None, Choices(targets=targets, kind="enter"), Choices(targets=targets, kind="step", beforehand=True)]
    for seats in (2,) if web is USUAL else (3, 4, 5):
        empty = draw(GAME.start(seats), theme=theme, wide=True)
        # On the outermost ring stand pawns of all, or their goals.
        shared = [" ".join(outermost[seat::seats]) for seat in range(seats)]
        for pawns, goals in ((shared, []), (["c1", "d1", "c2", "d2", "e2"][:seats], shared)):
            state = load(*pawns, goals=goals, counsellor="a1")
            for choices in marks:
                shown = draw(state, choices=choices, theme=theme, wide=True)
                for spoke in range(8):
                    x, y = web.polar_point(spoke, web.letters)
                    assert amount(empty, shown, box_around((round(x), round(y)), 12)) == 0, (seats, spoke)


def test_the_counsellor_has_a_ring_while_his_ways_are_marked() -> None:
    state = position("f2 d2", "f4", counsellor="a2")
    slides = tuple(Target(cell, False, "") for cell in ("a1", "a3", "h2"))
    chosen = draw(state, choices=Choices(targets=slides, kind="counsellor"))
    before = draw(state, choices=Choices(targets=slides, beforehand=True))
    entering = draw(state, choices=Choices(targets=(Target("g4"),), kind="enter"))
    for shown in (chosen, before):
        assert {DEEP, CREAM} <= inks_at(shown, NODES["a2"], 42)
    assert DEEP not in inks_at(entering, NODES["a2"], 26)


@pytest.mark.parametrize("theme", THEMES)
def test_goals_of_others_are_seen_under_pawns_and_under_the_counsellor(theme: str) -> None:
    for pawns, counsellor in (("a3", "h1"), ("f2", "a3")):
        states = [
            load(pawns, "f4", goals=[RED_GOALS, goals], counsellor=counsellor)
            for goals in (GREEN_GOALS, GREEN_GOALS.replace("a3", "a4"))
        ]
        first, second = (draw(state, viewer=0, theme=theme) for state in states)
        assert amount(first, second, box_around(NODES["a3"], 52)) > 150


def test_a_draw_does_not_look_like_a_victory() -> None:
    state = load("f2", "f4", "d2", extra={"played": 499}, goals=["a1", "b1", "c1"])
    after, last = turn(state, "f2-f3")
    assert after.outcome
    assert after.outcome.reason == "no-progress"
    shown = draw(after, last_turn=last)
    width, height = shown.size
    assert SAFFRON not in inks_within(shown, (0, height - 118, width, height))
    assert SAFFRON in inks_within(shown, (width // 2, 0, width, 92))


@pytest.mark.parametrize(
    ("seats", "wide", "theme"),
    [(2, False, "light"), (5, False, "dark"), (3, True, "contrast"), (4, True, "light"), (5, True, "dark")],
)
def test_marbles_are_14_pixels_wide_at_400_and_lie_apart(seats: int, wide: bool, theme: str) -> None:
    pawns = ["f2", "f4", "d2", "d4", "h2"][:seats]
    states = [load(*pawns, goals=[goal], counsellor="c4") for goal in ("a1", "b2")]
    shown, other = (draw(state, choices=Choices(kind="marble"), theme=theme, wide=wide) for state in states)
    left, _, right, _ = present(changed_mask(shown, other).crop(cell_box(shown, "a1", 30)).getbbox())
    assert (right - left) * 400 / shown.size[0] >= 14
    middles = [(x, y) for x, y, _ in shown.spots.values()]
    # The soft edges of both sides are counted in.
    assert min(starmap(math.dist, combinations(middles, 2))) > right - left - 2


@pytest.mark.parametrize("theme", THEMES)
def test_whose_pawn_was_removed_and_whose_goal_it_is_stay_to_be_seen_where_somebody_can_go(theme: str) -> None:
    choices, beside = Choices(targets=(Target("c2", False, "1"),), kind="step"), []
    for colour, goal in (("green", "c2"), ("yellow", "c2"), ("green", "b3")):
        caught = ("c2", "f3") if colour == "green" else ("f3", "c2")
        before = load("c1 d3", *caught, "", goals=["a1", "b4", "d4", goal], counsellor="h1")
        after, last = turn(before, "d3-c3")
        beside.append(draw(after, last_turn=last, choices=choices, viewer=0, theme=theme))
        place = cell_box(beside[-1], "c2", 110)
        assert {CROSS, THEMES[theme].sets[colour].face} <= inks_within(beside[-1], place)
        assert WATER in inks_at(beside[-1], NODES["c2"], 30)
    green, yellow, elsewhere = beside
    place = cell_box(green, "c2", 110)
    assert amount(green, yellow, place) > 150
    assert amount(green, elsewhere, cell_box(green, "c2", 52)) > 100
