"""Gioco dell'Uomo Nero's picture: the courtyard, every kind of turn, every phase, the players' cards."""

from itertools import combinations
from typing import Final

import pytest

from engine import State, games
from engine.topology import square_grid
from render import THEMES, Choices, Target, draw
from render.theme import CREAM, CROSS, DEEP, PALE, SAFFRON, WATER
from tests.games.uomo_nero.court import begin_round, load, play, rolled_off
from tests.render.pixels import (
    RGB,
    amount,
    cell_box,
    changed_mask,
    check_inks,
    check_marks,
    count_colours,
    inks,
    inks_within,
    picture,
    turn,
)
from tests.support.present import present
from tests.support.samples import NAMES

GAME = games["uomo-nero"]
RIBBON = (0xD9, 0xA6, 0x42)
BAND = 700
ROUND = (BAND, 98, 900, 182)


def test_the_spots_are_the_cells_where_the_board_has_them() -> None:
    spots = draw(GAME.start(2)).spots
    board = square_grid(8, 13, diagonal=False)
    assert set(spots) == set(board.names)
    for name, (x, y) in zip(board.names, board.positions, strict=True):
        assert spots[name][:2] == (109 + 75 * x, 151 + 75 * (12 - y))


@pytest.mark.parametrize("theme", THEMES)
def test_one_moved_attacker_changes_its_two_cells_and_nothing_else(theme: str) -> None:
    first, second = (draw(load("c5 f9", cell, man="h7"), theme=theme) for cell in ("b3", "e3"))
    for cell in first.spots:
        assert (amount(first, second, cell_box(first, cell, 33)) > 1000) == (cell in {"b3", "e3"}), cell
    assert amount(first, second, (BAND, 0, 900, first.size[1])) == 0


@pytest.mark.parametrize("theme", THEMES)
def test_the_man_stays_within_his_cell(theme: str) -> None:
    first, second = (draw(load("c5", man=cell), theme=theme) for cell in ("h7", "b9"))
    for cell in ("h7", "b9"):
        x, y, _ = first.spots[cell]
        assert amount(first, second, (x - 37, y - 112, x + 37, y - 38)) == 0
        assert amount(first, second, (x - 37, y + 38, x + 37, y + 112)) == 0
        assert amount(first, second, (x - 37, y - 37, x + 37, y + 37)) > 1500
    assert RIBBON in inks(first, "h7")
    assert RIBBON not in inks(second, "h7")


@pytest.mark.parametrize("theme", THEMES)
def test_the_emblem_tells_the_colour(theme: str) -> None:
    drawings = [draw(load(*["c5" if colour == at else "" for colour in range(4)]), theme=theme) for at in range(4)]
    x, y, _ = drawings[0].spots["c5"]
    for one, other in combinations(drawings, 2):
        assert amount(one, other, (x - 15, y - 17, x + 15, y + 13)) > 250


MARKS: Final[dict[str, tuple[State, str, dict[str, set[RGB]], dict[str, set[RGB]]]]] = {
    # what a turn shows: before it, the turn, which inks are seen on cells and which are not
    "a split turn shows both ways": (
        load("b3 c5", "f9", man="h12", dice=(2, 3)),
        "b3-b5/2 c5-c8/3",
        {"b3 b5 c5 c8": {SAFFRON}},
        {"f9": {SAFFRON}},
    ),
    "the Man's turn shows from, to and whom he captured": (
        load("d6", "d4 b5", man="d7", dice=(2, 3), to_move=0),
        "xd6 xd4 e3",
        {"d7 e3": {SAFFRON}, "d6 d4": {PALE, CROSS}},
        {"b5": {CROSS}},
    ),
    "a capture on the cell where he lands is a small mark": (
        load("d6", "b5", man="d7", dice=(1, 2), to_move=0),
        "xd6 d6",
        {"d6": {SAFFRON, CROSS, RIBBON}},
        {},
    ),
    "pieces captured by a total block are crossed out": (
        load(yellow="d1 c13", seats=2, man="d4", dice=(1, 1), to_move=0, scores="1 0  - 1"),
        "d2",
        {"d1": {CROSS}},
        {},
    ),
    "the Man's first cell": (rolled_off(), "d13", {"d13": {SAFFRON}}, {}),
    "a picked colour": (play(rolled_off(), "d13"), "green", {"e1 f1": {SAFFRON}}, {"d1": {SAFFRON}}),
}


@pytest.mark.parametrize("what", MARKS)
def test_a_turn_is_shown(what: str) -> None:
    check_marks(*MARKS[what])


def test_while_he_names_captures_those_named_are_seen() -> None:
    state = play(load("d6 b5", "d4", man="d7", dice=(2, 3), to_move=0), "xd6")
    shown = draw(state, choices=Choices(targets=(Target("d4", True, "1"), Target("d6", False, "2")), kind="capture"))
    assert {WATER, CROSS} <= inks(shown, "d6")
    assert CROSS in inks(draw(state), "d6")


def test_attackers_of_a_picked_colour_are_shown() -> None:
    placed = play(rolled_off(), "d13")
    before, after = draw(placed), draw(play(placed, "green"))
    for cell in ("e1", "f1"):
        assert amount(before, after, cell_box(after, cell)) > 1000


def test_a_new_rounds_empty_court_has_no_marks_of_the_old() -> None:
    after, last = turn(load("c11", dice=(1, 1)), "c11-c13/2")
    assert SAFFRON not in inks_within(draw(after, last_turn=last), (60, 100, 680, 1000))


def test_last_turn_is_pale_during_a_choice() -> None:
    check_marks(load("c5 d5", dice=(1, 2)), "c5-c8/3", {"c5": {PALE}}, {"c5": {SAFFRON}}, choices=Choices())


def test_attackers_that_can_move_the_chosen_one_and_its_targets_are_marked() -> None:
    state = load("c5 f9", dice=(1, 2))
    shown = draw(state, choices=Choices(("c5", "f9"), "c5", (Target("c8", False, "1"),), "move"))
    check_inks(draw(state, choices=Choices(("c5", "f9"), None, (), "move")), {"c5 f9": {DEEP, CREAM}}, {}, 39)
    check_inks(draw(state), {}, {"c5 f9": {DEEP}}, 39)
    # The chosen one stands out: what could act as well keeps but a thin ring.
    check_inks(shown, {"c5": {DEEP, CREAM}, "f9": {DEEP}, "c8": {WATER}}, {"f9": {CREAM}}, 39)


def test_the_marks_of_a_finish_cell_leave_the_chequered_line_free() -> None:
    plain = draw(GAME.start(2))
    shown = draw(GAME.start(2), choices=Choices(targets=(Target("a13"), Target("b12"), Target("c2"), Target("d1"))))
    assert amount(plain, shown, (60, 177, 686, 202)) == 0
    assert amount(plain, shown, (60, 1010, 686, 1018)) == 0
    check_inks(shown, {"a13 b12 c2 d1": {WATER}}, {})


class TestCards:
    def test_the_round(self) -> None:
        assert amount(draw(GAME.start(3)), draw(begin_round(3)), ROUND) > 100
        assert amount(draw(begin_round(3)), draw(load("c5", seats=3, scores="0 0 0  - - 0")), ROUND) > 60

    @pytest.mark.parametrize(("seats", "theme"), list(zip([2, 3, 4, 5], ["light", *THEMES], strict=True)))
    def test_dice_lie_in_the_card_of_the_seat_to_move(self, seats: int, theme: str) -> None:
        rolls = [play(begin_round(seats), roll) for roll in ("roll 1 1", "roll 1 6")]
        first, second = (draw(state, theme=theme, names=NAMES) for state in rolls)
        box = present(changed_mask(first, second).getbbox())
        assert box[0] >= 800
        top, bottom = 182 + (1177 - 182 - 104) // seats, 182 + 2 * (1177 - 182 - 104) // seats + 106
        assert top <= box[1]
        assert box[3] <= bottom

    @pytest.mark.parametrize("dice", [(2, 3), pytest.param((2, 2), id="of a double only one")])
    def test_a_die_that_is_used_is_seen_to_be(self, dice: tuple[int, int]) -> None:
        first, second = draw(load("c5 d5", dice=dice)), draw(play(load("c5 d5", dice=dice), "stay/2"))
        assert present(changed_mask(first, second).crop((BAND, 182, 900, 1177)).getbbox())[2] <= 100

    def test_captured_and_arrived_attackers_are_seen(self) -> None:
        whole = draw(load("c5 d5", dice=(1, 2)))
        for other in (load("c5", dice=(1, 2)), load("c5 d13", dice=(1, 2))):
            assert amount(whole, draw(other), (BAND, 182, 900, 1177)) > 100

    def test_the_man_has_his_likeness(self) -> None:
        shown = draw(load("c5", dice=(1, 2)), names=("Anna", "Bruno"))
        assert RIBBON in inks_within(shown, (BAND, 182, 900, 640))
        assert RIBBON not in inks_within(shown, (BAND, 680, 900, 1177))

    def test_scores(self) -> None:
        one, two = (draw(load("c5", scores=scores)) for scores in ("1 0  - 1", "2 0  - 2"))
        assert present(changed_mask(one, two).getbbox())[0] > BAND

    def test_one_who_left_has_a_flag(self) -> None:
        state = load("c5", "d5", "e5", seats=4, to_move=2)
        assert amount(draw(state), draw(play(state, "drop 1")), (860, 182, 900, 900)) > 100


@pytest.mark.parametrize("theme", THEMES)
def test_whose_attacker_was_captured_is_seen_under_the_mark_and_on_the_card(theme: str) -> None:
    shown = {}
    for colour, cells in (("green", ("", "", "d6 a2", "")), ("blue", ("", "", "", "d6 a2"))):
        after, last = turn(load(*cells, seats=5, man="d7", dice=(1, 3), to_move=0), "xd6 d5")
        shown[colour] = draw(after, last_turn=last, theme=theme)
        assert {THEMES[theme].sets[colour].face, CROSS} <= inks(shown[colour], "d6")
    assert amount(shown["green"], shown["blue"], cell_box(shown["blue"], "d6", 20)) > 300
    # Below the Man: beside him.
    for colour, cells in (("green", ("", "", "d6 a2", "")), ("blue", ("", "", "", "d6 a2"))):
        after, last = turn(load(*cells, seats=5, man="d7", dice=(1, 2), to_move=0), "xd6 d6")
        assert {THEMES[theme].sets[colour].face, CROSS, RIBBON} <= inks(draw(after, last_turn=last, theme=theme), "d6")
    # Of two that a player had one is left: both have their colour on the card.
    one, two = (draw(load("a3 b3", "c3 d3", "e3 f3", cells, seats=5), theme=theme) for cells in ("a2", "a2 b2"))
    left, right = (count_colours(picture(each.png).crop((BAND, 182, 900, each.size[1]))) for each in (one, two))
    assert left[CROSS] > right.get(CROSS, 0) + 20
    assert left[THEMES[theme].sets["blue"].face] > right[THEMES[theme].sets["blue"].face] // 2 + 100


@pytest.mark.parametrize("theme", THEMES)
def test_with_three_players_the_attackers_of_one_are_square(theme: str) -> None:
    """Red and green are seat 1's, yellow and blue seat 2's: only what is square reaches into the corners."""
    for colour, square in (("red", False), ("yellow", True), ("green", False), ("blue", True)):
        there, gone = (draw(load(**{colour: cell}, seats=3, to_move=1 + square), theme=theme) for cell in ("c5", "f9"))
        x, y, _ = there.spots["c5"]
        corners = [(x + dx, y - 27, x + dx + 3, y - 24) for dx in (-25, 22)]
        assert [amount(there, gone, box) == 9 for box in corners] == [square, square], colour
    for seats in (2, 4, 5):
        there, gone = (draw(load("a2", cell, seats=seats), theme=theme) for cell in ("c5", "f9"))
        x, y, _ = there.spots["c5"]
        assert amount(there, gone, (x - 25, y - 27, x - 22, y - 24)) < 9


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("cell", ["a1", "c1", "g1", "e5"])
def test_the_chosen_attacker_has_rings_on_every_row(theme: str, cell: str) -> None:
    state = load("a1", "c1", "e5", "g1", seats=2)
    chosen = draw(state, choices=Choices(("a1", "c1", "e5", "g1"), cell, (Target("e8", False, "1"),)), theme=theme)
    x, y, _ = chosen.spots[cell]
    for box in ((x - 6, y - 42, x + 6, y - 30), (x - 6, y + 28, x + 6, y + 41), (x - 42, y - 6, x - 29, y + 6)):
        assert {DEEP, CREAM} <= inks_within(chosen, box)
    for other in {"a1", "c1", "e5", "g1"} - {cell}:
        x, y, _ = chosen.spots[other]
        assert CREAM not in inks_within(chosen, (x - 42, y - 6, x - 29, y + 6))


def test_two_players_fill_their_band() -> None:
    state = begin_round(2)
    shown = draw(state, names=NAMES[:2])
    rows = [y for y in range(190, shown.size[1] - 4, 4) if len(inks_within(shown, (BAND + 6, y, 894, y + 4))) > 1]
    assert len(rows) > (shown.size[1] - 194) // 4 * 0.55
