"""Fagocitare: what must never break, whatever is played."""

from itertools import combinations

from hypothesis import given, strategies as st

from engine.games.fagocitare import GAME as FAGOCITARE
from engine.games.fagocitare.rules import FagocitareState
from engine.topology import list_indices, square_grid
from tests.engine.playing import last_of, walk
from tests.games.fagocitare.sheet import draw, load
from tests.support.present import present, result

STARTS = (
    *(FAGOCITARE.start(2, {"size": size}) for size in (7, 10, 12)),
    load("b2 c3 d4 f6 b6 c5", "c2 d2 e5 f5 d6 b4"),
    load("b4 d4 f4 c2 e2", "b2 d2 f2 c4 e4 b5 d5 f5", to_move=1),
)
CHOICES = st.lists(st.integers(0, 10**6), min_size=1, max_size=80)


def point(cell: str) -> tuple[int, int]:
    """Return a cell's centre in half cells."""
    return 2 * "abcdefghijkl".index(cell[0]), 2 * int(cell[1:])


def points(line: list[str]) -> set[tuple[int, int]]:
    """Return the points of a line at every half cell: where two lines in the 8 directions can meet."""
    (a, b), (c, d) = map(point, line)
    length = max(abs(c - a), abs(d - b))
    return {(a + (c - a) * n // length, b + (d - b) * n // length) for n in range(length + 1)}


@given(st.sampled_from(STARTS), CHOICES)
def test_capture_lines_meet_in_common_ends_only(start: FagocitareState, numbers: list[int]) -> None:
    lines = [line for each in last_of(start, numbers).to_json()["lines"] for line in each]
    for one, other in combinations(lines, 2):
        assert points(one) & points(other) == {point(end) for end in {*one} & {*other}}


@given(st.sampled_from(STARTS), CHOICES)
def test_a_turn_adds_one_dot_and_dots_only_die(start: FagocitareState, numbers: list[int]) -> None:
    for before, action, after in walk(start, numbers):
        seat = present(before.to_move)
        new = 1 << before.sheet.board.index[action.text]
        assert before.free == after.free | new
        assert after.live[0] | after.live[1] | after.dead[0] | after.dead[1] | after.free == before.sheet.board.all
        for owner in range(2):
            assert before.dead[owner] & ~after.dead[owner] == 0
            mine = before.live[owner] | (new if owner == seat else 0)
            # A dot is live or has been captured by the other player.
            assert mine & ~after.live[owner] == (after.dead[1 - owner] & ~before.dead[1 - owner])


@given(st.sampled_from(STARTS[:3]), CHOICES)
def test_every_captured_dot_lies_under_one_line_of_its_captor(start: FagocitareState, numbers: list[int]) -> None:
    for _, _, after in walk(start, numbers):
        for captor in range(2):
            under = [after.sheet.segments[line] for line in after.lines[captor]]
            for dot in list_indices(after.dead[captor]):
                assert sum(line >> dot & 1 for line in under) == 1
            assert all(line & after.dead[captor] for line in under)


@given(st.sampled_from(STARTS), CHOICES)
def test_the_game_ends_exactly_with_a_lead_of_three_or_a_full_sheet(start: FagocitareState, numbers: list[int]) -> None:
    for _, _, after in walk(start, numbers):
        first, second = (cells.bit_count() for cells in after.dead)
        if abs(first - second) >= 3:
            assert result(after) == ("lead-of-three", (1, 2) if first > second else (2, 1))
        elif not after.free:
            assert result(after)[0] == "count"
        else:
            assert after.outcome is None


@given(st.sampled_from(STARTS), CHOICES)
def test_the_rim_is_open_exactly_for_dots_that_capture(start: FagocitareState, numbers: list[int]) -> None:
    final = last_of(start, numbers)
    seat = final.to_move
    if seat is None:
        return
    legal = {action.text for action in final.legal_actions()}
    for cell in list_indices(final.free & final.sheet.rim):
        action = final.sheet.actions[cell]
        captures = final.advance(action).dead[seat] != final.dead[seat]
        assert (action.text in legal) == (captures or not final.free & final.sheet.inner)


@given(st.sampled_from([7, 10, 12]), st.data())
def test_a_dot_between_two_is_captured_wherever_and_whichever_way_round(size: int, data: st.DataObject) -> None:
    names = square_grid(size, size).names
    inner = [index for index in range(size * size) if {index // size, index % size}.isdisjoint({0, size - 1})]
    middle = data.draw(st.sampled_from(inner))
    step = data.draw(st.sampled_from([1, size + 1, size, size - 1, -1, -size - 1, -size, 1 - size]))
    one, victim, other = (names[middle + sign * step] for sign in (-1, 0, 1))
    assert draw(load(one, victim, size=size), other).to_json()["dead"] == [[victim], []]


@given(st.sampled_from(STARTS), CHOICES)
def test_a_dot_is_said_to_capture_exactly_if_drawing_it_kills_an_enemy_dot(
    start: FagocitareState, numbers: list[int]
) -> None:
    final = last_of(start, numbers)
    seat = final.to_move
    if seat is None:
        assert not final.find_captures(())
        return
    scores = [len(cells) for cells in final.to_json()["dead"]]
    kills = {
        action for action in final.legal_actions() if len(final.play(action).to_json()["dead"][seat]) > scores[seat]
    }
    assert final.find_captures(final.legal_actions()) == kills


def test_a_dot_that_is_captured_itself_is_not_said_to_capture() -> None:
    state = load("", "b4 d4")
    assert not state.find_captures(state.parse("c4"))
