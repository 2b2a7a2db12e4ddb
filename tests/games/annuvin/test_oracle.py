"""What is proven about Annuvin: every value follows from those after each move, and a plain search finds the same."""

import random
from typing import Any

import pytest

from engine import State
from engine.games.annuvin.codes import FILE
from engine.search import players
from engine.search.result import list_known_actions
from tests.games.annuvin.board import ANNUVIN, load
from tests.games.annuvin.plain import expected_value, random_position, search_value
from tests.support.present import present

ORACLE = present(ANNUVIN.oracle)
LONG = [pytest.mark.full, pytest.mark.timeout(1800)]
MAX_BYTES = 8 << 20


def verdict(state: State) -> tuple[float, int | None]:
    """Return the value for the seat on the move, and the turns."""
    found = present(ORACLE.probe(state))
    assert sum(found.values) == 1.0
    return found.values[state.to_move or 0], found.turns


@pytest.mark.parametrize("board", ["hexagon", "square"])
@pytest.mark.parametrize(("count", "seed"), [(60, 1), pytest.param(50_000, 2, marks=LONG)])
def test_every_value_follows_from_those_after_each_move(board: str, count: int, seed: int) -> None:
    rng = random.Random(f"{board} {seed}")
    for _ in range(count):
        state = random_position(rng, board)
        assert verdict(state) == expected_value(state), state
        # In the middle of a turn it follows as well.
        captures = [action for action in state.legal_actions() if action.verb == "capture"]
        if captures:
            amid = state.advance(rng.choice(captures))
            if amid.outcome is None and amid.to_move == state.to_move:
                assert verdict(amid) == expected_value(amid), amid


@pytest.mark.parametrize(
    ("count", "turns", "least"),
    [(400, 1, 101), pytest.param(7_000, 2, 2_001, marks=LONG), pytest.param(3_000, 3, 1_501, marks=LONG)],
)
def test_a_plain_search_finds_the_same(count: int, turns: int, least: int) -> None:
    """So many random positions are compared, of which the plain search decides at least so many."""
    rng = random.Random(turns)
    decided = 0
    for number in range(count):
        state = random_position(rng, "square" if number % 4 == 0 else "hexagon")
        found = search_value(state, state.to_move or 0, turns)
        if found is not None:
            assert verdict(state)[0] == found, state
            decided += 1
    assert decided >= least


def test_the_square_is_a_draw_and_every_first_move_holds_it() -> None:
    start = ANNUVIN.start(2, {"board": "square"})
    assert verdict(start) == (0.5, None)
    assert [(each.values, each.turns) for each in list_known_actions(start)] == [((0.5, 0.5), None)] * 10
    assert verdict(ANNUVIN.start(2, {"board": "square", "setup": "empty"}))[0] == 0.5


@pytest.mark.parametrize(
    "state",
    [
        ANNUVIN.start(2),
        load("a1 b1 c1 d1 e2", "g7"),
        load("a1 b1", "g7", reserve=(1, 0)),
        load("a1 b1", "", None, outcome={"reason": "eliminated", "places": [1, 2]}),
    ],
)
def test_oracle_has_no_answer_for_unsolved_positions(state: State) -> None:
    assert ORACLE.probe(state) is None
    assert list_known_actions(state) == []


def quickest_quiet_win() -> State:
    """Return a position that is won, but not by a capture at once."""
    rng = random.Random(5)
    while True:
        state = random_position(rng, pieces=(3, 1))
        value, turns = verdict(state)
        if value == 1.0 and turns is not None and turns >= 3:
            return state


def with_extra(state: State, **extra: Any) -> State:
    position = state.to_json()
    return ANNUVIN.load({**position, "extra": {**position["extra"], **extra}})


def test_lack_of_progress_may_stop_a_win() -> None:
    state = quickest_quiet_win()
    turns = verdict(state)[1] or 0
    in_time = with_extra(state, quiet=100 - turns)
    assert verdict(in_time) == (1.0, turns)
    # Played as proven, the capture comes just before the draw.
    while verdict(in_time)[1] != 1:
        in_time = in_time.play(list_known_actions(in_time)[0].action)
    assert in_time.play(list_known_actions(in_time)[0].action).turn == in_time.turn + 1
    assert ORACLE.probe(with_extra(state, quiet=101 - turns)) is None


def test_a_draw_is_not_known_to_be_the_best_where_a_win_is_doubtful() -> None:
    rng = random.Random(8)
    states = (random_position(rng, pieces=(2, 2)) for _ in range(400))
    state, turns = next((each, turns) for each in states if (turns := verdict(each)[1] or 0) >= 3 and has_draw(each))
    assert list_known_actions(state)[0].values[state.to_move or 0] == 1.0
    assert list_known_actions(with_extra(state, quiet=101 - turns)) == []


def has_draw(state: State) -> bool:
    return any(judged.values == (0.5, 0.5) for judged in list_known_actions(state))


def test_repetition_may_stop_a_win() -> None:
    state = quickest_quiet_win()
    nearer = state.play(list_known_actions(state)[0].action)
    assert ORACLE.probe(with_extra(state, history=[_key(nearer)] * 2)) is None
    assert verdict(with_extra(state, history=[_key(nearer)])) == verdict(state)
    # What lies behind can have stood as often as it likes.
    assert verdict(with_extra(nearer, history=[_key(state)] * 2)) == verdict(nearer)


def _key(state: Any) -> Any:
    return state.history.key


def test_following_the_oracle_wins_won_endings() -> None:
    rng = random.Random(11)
    for _ in range(6):
        state = random_position(rng, pieces=(4, 3))
        value, _ = verdict(state)
        seat = state.to_move or 0
        winner = seat if value == 1.0 else 1 - seat if value == 0.0 else None
        while state.outcome is None and winner is not None:
            if state.to_move == winner:
                state = state.play(players["annuvin"].choose(state, 4, 1))
            else:
                state = state.play(state.random_action(rng))
        assert state.outcome is None or state.outcome.winner == winner


def test_levels_below_four_do_not_ask() -> None:
    rng = random.Random(3)
    erred = 0
    for _ in range(5):
        state = hard(rng)
        seat = state.to_move or 0
        values = {each.action: each.values[seat] for each in list_known_actions(state)}
        erred += values[players["annuvin"].choose(state, 1, 1)] < max(values.values())
        assert values[players["annuvin"].choose(state, 4, 1)] == max(values.values())
        assert values[players["annuvin"].analyse(state, 400)[0].action] == max(values.values())
    assert erred


def hard(rng: random.Random) -> State:
    """Return a hard ending: two to four pieces each, at most 6 % of the moves keep the value, none is a capture."""
    while True:
        state = random_position(rng, pieces=(rng.randint(2, 4), rng.randint(2, 4)))
        if is_hard(state):
            return state


def is_hard(state: State) -> bool:
    value, turns = verdict(state)
    if value == 0.0 or turns == 1:
        return False
    judged = list_known_actions(state)
    seat = state.to_move or 0
    keeping = [each.action for each in judged if each.values[seat] == value]
    return len(keeping) <= 0.06 * len(judged) and not any(action.verb == "capture" for action in keeping)


@pytest.mark.parametrize("count", [25, pytest.param(1000, marks=LONG)])
def test_analysis_names_what_keeps_the_value(count: int) -> None:
    """By the plain rules the other gains nothing by any answer."""
    rng = random.Random(count)
    for _ in range(count):
        state = hard(rng)
        seat = state.to_move or 0
        best = players["annuvin"].analyse(state, 400)[0]
        assert best.known
        after = state.play(best.action)
        assert (verdict(after)[0], expected_value(after)) == (1.0 - best.values[seat], verdict(after))


def test_the_tables_are_small() -> None:
    assert FILE.stat().st_size < MAX_BYTES


def test_the_search_knows_what_captures_into_the_tables_come_to() -> None:
    rng, seen = random.Random(8), set[float]()
    for _ in range(12):
        state = random_position(rng, pieces=(4, 5), to_move=0)
        assert ORACLE.probe(state) is None
        for judged in players["annuvin"].analyse(state, 1):
            after = state.play(judged.action)
            if judged.action.verb == "capture" and after.outcome is None:
                assert (judged.values, judged.known) == (present(ORACLE.probe(after)).values, True)
                seen.add(judged.values[0])
    assert {0.0, 1.0} <= seen
