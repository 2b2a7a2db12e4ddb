"""Fagocitare: which rule stands in the way, what players may type, and dictionaries that are no position."""

from hypothesis import given, strategies as st

from engine.core import Action, IllegalAction, State
from engine.games.fagocitare import GAME as FAGOCITARE
from tests.engine.playing import last_of
from tests.games.fagocitare.sheet import all_cells_but, load
from tests.support import kits
from tests.support.present import catch_error, result

ENTRIES = kits.data("fagocitare", "refusals.json")["refusals"]
CODES = {entry["code"] for entry in ENTRIES}
LOADED = [FAGOCITARE.load(entry[name]) for entry in ENTRIES for name in ("position", "without") if name in entry]


def test_what_is_never_legal_is_refused_with_its_code() -> None:
    # Nothing makes these legal: nobody ever passes, a text that names no cell is no dot, and only two play.
    never = {"must-act": Action("pass", "pass"), "foreign-action": Action("Ke4", "x"), "no-such-seat": Action.drop(2)}
    never["captures-happen"] = Action("xe4", "capture", None, "e4")
    for code, action in never.items():
        assert catch_error(IllegalAction, load("d4").play, action).code == code
    for read in (load("d4").parse, load("d4").read):
        assert catch_error(IllegalAction, read, "pass").code == "must-act"


@given(st.sampled_from(LOADED), st.lists(st.integers(0, 10**6), max_size=20), st.integers(0, 48))
def test_every_dot_is_legal_or_refused_by_a_rule_of_its_own(state: State, numbers: list[int], cell: int) -> None:
    state = last_of(state, numbers)
    name = state.topology.names[cell]
    action = Action(name, "draw", target=name)
    assert state.is_legal(action) == (action in state.legal_actions())
    if state.to_move is not None and not state.is_legal(action):
        assert state.refusal(action).code in CODES


def test_a_position_that_shows_a_win_or_a_full_sheet_is_the_finished_game() -> None:
    assert result(load("", "", ("", "a1 a2 a3"))) == ("lead-of-three", (2, 1))
    assert result(load(all_cells_but(7, rim=True))) == ("count", (1, 1))


def test_lines_are_read_in_any_order_and_written_sorted() -> None:
    state = load("b4 d4 d2", "", ("d3 c4", ""), ("d4-d2 d4-b4", ""))
    assert state.to_json()["lines"] == [[["b4", "d4"], ["d2", "d4"]], []]
    ten = load("b2 b4 b10 d10", "", ("b3 c10", ""), ("b10-d10 b2-b4", ""), size=10)
    assert ten.to_json()["lines"] == [[["b2", "b4"], ["b10", "d10"]], []]


def test_a_line_may_end_in_a_dot_captured_since() -> None:
    assert load("b4", "d5 d3", ("c4", "d4"), ("b4-d4", "")).to_json()["lines"] == [[["b4", "d4"]], []]
