"""Real Queen: what must never break, whatever is played."""

from hypothesis import given, strategies as st

from engine.games.real_queen import GAME as REAL_QUEEN
from engine.games.real_queen.rules import BOARD, PIECES, RealQueenState, find_alignments, find_completing_cells
from engine.topology import list_indices
from tests.engine.playing import last_of, walk
from tests.games.real_queen.board import position

POSITIONS = (
    position("a1 b2 c3 e5 g2 g3 g4", "a7 b7 c7 e3 f1 f2 f3", ("d1", None), (2, 1)),
    position("a1 b2 c3 e5 g2 g3 g4", "a7 b7 c7 e3 f1 f2 f3", ("d1", "g7"), (0, 0)),
    position("a1 a2 a3", "", ("c6", "f2"), (0, 1)),
)
STARTS = (REAL_QUEEN.start(), *map(REAL_QUEEN.load, POSITIONS))
CHOICES = st.lists(st.integers(0, 10**6), min_size=1, max_size=60)


@given(st.sampled_from(STARTS), CHOICES)
def test_pieces_are_conserved_and_leave_only_one_at_a_time_by_capture(start: RealQueenState, picks: list[int]) -> None:
    for before, action, after in walk(start, picks):
        for seat in range(2):
            total = before.pieces[seat].bit_count() + before.reserve[seat]
            lost = action.verb == "capture" and seat != before.to_move
            assert after.pieces[seat].bit_count() + after.reserve[seat] == total - lost
            assert 0 <= total <= PIECES


@given(st.sampled_from(STARTS), CHOICES)
def test_queens_never_leave_the_board_and_no_cell_holds_two_pieces(start: RealQueenState, picks: list[int]) -> None:
    for before, _, after in walk(start, picks):
        for seat in range(2):
            assert bool(after.queens[seat]) >= bool(before.queens[seat])
        held = [*after.pieces, *after.queens]
        assert sum(members.bit_count() for members in held) + after.free.bit_count() == len(BOARD)


@given(st.sampled_from(STARTS), CHOICES)
def test_a_turn_has_one_action_on_the_board_then_captures_then_returns(start: RealQueenState, picks: list[int]) -> None:
    verbs: list[str] = []
    for before, action, after in walk(start, picks):
        verbs.append(action.verb)
        if after.turn > before.turn:
            captures, returns = verbs.count("capture"), verbs.count("return")
            assert verbs[1:] == ["capture"] * captures + ["return"] * returns
            assert captures == 0 or returns >= 2
            verbs = []


@given(st.integers(0, BOARD.all), st.integers(0, BOARD.all))
def test_completing_cells_are_those_where_a_piece_forms_an_alignment(one: int, other: int) -> None:
    own = one & other
    free = BOARD.all & ~own
    completing = sum(1 << cell for cell in list_indices(free) if find_alignments(cell, own | 1 << cell))
    assert find_completing_cells(own) & free == completing


@given(st.integers(0, BOARD.all))
def test_an_alignment_is_the_whole_unbroken_run_through_its_cell(own: int) -> None:
    for cell in list_indices(own):
        x, y = divmod(cell, 7)
        expected = set()
        for dx, dy in ((0, 1), (1, 0), (1, 1), (1, -1)):
            run = {cell}
            for sign in (1, -1):
                i, j = x + sign * dx, y + sign * dy
                while 0 <= i < 7 and 0 <= j < 7 and own >> (i * 7 + j) & 1:
                    run.add(i * 7 + j)
                    i, j = i + sign * dx, j + sign * dy
            if len(run) >= 4:
                expected.add(sum(1 << member for member in run))
        assert set(find_alignments(cell, own)) == expected


@given(st.sampled_from(STARTS), CHOICES)
def test_an_action_is_said_to_capture_exactly_if_its_turn_takes_a_piece_or_wins_by_the_queen(
    start: RealQueenState, picks: list[int]
) -> None:
    state = last_of(start, picks)
    seat = state.to_move
    if seat is None:
        return
    legal = list(state.legal_actions())[:: 1 + len(state.legal_actions()) // 40]
    said = state.find_captures(legal)
    for action in legal:
        after = state.play(action)
        # Whatever is chosen, the turn captures as many: what is due first shows it.
        while after.to_move == seat and after.legal_actions()[0].verb == "capture":
            after = after.play(after.legal_actions()[0])
        if action.verb == "return":
            assert action not in said
            continue
        took = len(after.to_json()["pieces"][1 - seat]) < len(state.to_json()["pieces"][1 - seat])
        won = after.outcome is not None and after.outcome.reason in ("plain", "royal")
        assert (action in said) == (took or won)


def test_a_line_with_nothing_to_capture_is_not_said_to_capture() -> None:
    state = REAL_QUEEN.load(position("a1 a2 a3"))
    assert not state.find_captures(state.parse("a4"))


def test_a_line_beside_the_enemy_queen_captures_her() -> None:
    state = REAL_QUEEN.load(position("a1 a2 a3", queens=(None, "b5")))
    assert {action.text for action in state.find_captures(state.legal_actions())} == {"a4", "Qa4"}
