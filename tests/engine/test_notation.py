"""Reading what players type, on a made-up game whose turns are written down (docs/rules/README.md, Writing actions)."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from engine import CHANCE, Action, AmbiguousAction, GameOver, IllegalAction, InvalidAction, State
from engine.notation import MAX_TEXT_LENGTH, normalise
from engine.topology import Topology, square_grid
from tests.engine.tiny import TINY
from tests.support.present import catch_error


class Script(State):
    """A game of one turn whose legal lines are given; everything else that looks like a move is forbidden."""

    game = TINY
    seats = 2
    outcome = None
    dropped = ()

    def __init__(self, lines: Sequence[str], at: tuple[str, ...] = (), to_move: int | None = 0) -> None:
        self.lines = [tuple(line.split("|")) for line in lines]
        self.at = at
        self.turn = int(at in self.lines)
        self.to_move = 1 - (to_move or 0) if self.turn and to_move == 0 else to_move

    @property
    def topology(self) -> Topology:
        return square_grid(8, 8)

    def legal_actions(self) -> Sequence[Action]:
        n = len(self.at)
        words = dict.fromkeys(line[n] for line in self.lines if line[:n] == self.at and len(line) > n)
        return [Action(word, "move") for word in words]

    def advance(self, action: Action) -> State:
        return Script(["|".join(line) for line in self.lines], (*self.at, action.text))

    def refusal(self, action: Action) -> IllegalAction:
        return IllegalAction("forbidden-here", action=action.text, after=len(self.at))

    def readings(self, action: Action) -> Iterable[str]:
        return (action.text, action.text[1:]) if action.text[0] in "xr" else (action.text,)

    def well_formed(self, text: str) -> Iterable[Action]:
        word = text.split()[0]
        return [Action(word, "move")] if word.removeprefix("x")[1:2].isdigit() else []

    def key(self) -> tuple[Any, ...]:
        return self.at

    def to_json(self) -> dict[str, Any]:
        return {}


def read(typed: str, *lines: str) -> list[str]:
    return [action.text for action in Script(lines).parse(typed)]


@pytest.mark.parametrize(
    "typed", ["a1-b2", "A1-B2", "a1b2", "a1 b2", "a1,b2", "a1 - b2", " a1—b2 ", "a1→b2", "a1->b2", "a1 > b2"]
)
def test_a_move_may_be_typed_in_many_ways(typed: str) -> None:
    assert read(typed, "a1-b2", "a1-c3") == ["a1-b2"]


@pytest.mark.parametrize("typed", ["a1xb2", "a1x b2", "a1 x b2", "A1×B2", "a1-b2", "a1 b2"])
def test_a_capture_may_be_typed_with_or_without_its_sign(typed: str) -> None:
    assert read(typed, "a1xb2", "a1-c3") == ["a1xb2"]


@pytest.mark.parametrize("typed", ["a1xb2", "a1 x b2", "a1×b2"])
def test_the_sign_of_a_capture_is_no_move(typed: str) -> None:
    with pytest.raises(IllegalAction):
        read(typed, "a1-b2", "a1-c3")


@pytest.mark.parametrize(
    "typed",
    ["d1 xc5 xc4 rd1", "d1xc5xc4rd1", "D1, xc5, xc4, rd1", "d1 c5 c4 d1", "d1-c5-c4-d1", "d1c5c4d1", "d1; c5; c4; rd1"],
)
def test_a_line_of_several_actions_is_read_to_its_end(typed: str) -> None:
    assert read(typed, "d1|xc5|xc4|rd1", "d1|xc5|xc4|rd2", "e1") == ["d1", "xc5", "xc4", "rd1"]


def test_a_line_may_stop_in_the_middle_of_the_turn() -> None:
    assert read("d1 xc5", "d1|xc5|xc4|rd1") == ["d1", "xc5"]


def test_a_whole_line_or_nothing() -> None:
    error = catch_error(IllegalAction, read, "d1 xc5 xg8", "d1|xc5|xc4|rd1")
    assert (error.code, error.params["after"]) == ("forbidden-here", 2)


def test_longer_numbers_are_not_cut() -> None:
    assert read("a1-b12", "a1-b1", "a1-b12") == ["a1-b12"]
    with pytest.raises(InvalidAction):
        read("a1-b12", "a1-b1")


@pytest.mark.parametrize("typed", ["passing", "pass2", "pass 2", "pass/2"])
def test_a_word_with_more_behind_it_is_another_word(typed: str) -> None:
    assert read("pass", "pass", "a1-b2") == ["pass"]
    assert read("pass a1-b2", "pass|a1-b2") == ["pass", "a1-b2"]
    with pytest.raises(InvalidAction):
        read(typed, "pass", "a1-b2")


def test_capital_letters_of_the_notation_need_not_be_capital() -> None:
    assert (read("kc1", "Kc1", "c1-c2"), read("Qe3 e4", "Qe3-e4", "Qe3")) == (["Kc1"], ["Qe3-e4"])


def test_what_fits_several_lines_is_answered_with_all_of_them() -> None:
    assert catch_error(AmbiguousAction, read, "c4", "xc4|d5", "rc4", "e1").params["options"] == ["rc4", "xc4"]


def test_the_canonical_text_is_never_ambiguous() -> None:
    assert (read("c4", "c4", "xc4", "rc4"), read("xc4", "c4", "xc4", "rc4")) == (["c4"], ["xc4"])


def test_after_the_end_of_the_turn_nothing_more_is_read() -> None:
    with pytest.raises(IllegalAction, match="turn-is-over"):
        read("a1-b2 c3-c4", "a1-b2")
    with pytest.raises(InvalidAction, match="not-understood"):
        read("a1-b2 please", "a1-b2")


@pytest.mark.parametrize("cell", ["i1", "a9", "a99", "h0"])
def test_a_cell_that_is_not_on_the_board_is_named(cell: str) -> None:
    for typed in (f"a1-{cell}", f"{cell}-a1", cell, f"x{cell}", f"a1-b2 {cell}"):
        error = catch_error(InvalidAction, read, typed, "a1-b2")
        assert (error.code, error.params) == ("no-such-cell", {"cell": cell})


NO_CELLS = dict.fromkeys(("hello1", "player12", "stay9", "-", ","), "not-understood") | {"": "empty", "   ": "empty"}


@pytest.mark.parametrize(("typed", "code"), NO_CELLS.items())
def test_neither_words_nor_an_empty_text_are_taken_for_cells(typed: str, code: str) -> None:
    assert catch_error(InvalidAction, read, typed, "a1-b2").code == code


def test_a_text_too_long_for_a_move_is_not_looked_at() -> None:
    error = catch_error(InvalidAction, read, "a1-b2 " + "x" * MAX_TEXT_LENGTH, "a1-b2")
    assert (error.code, error.params) == ("too-long", {"most": MAX_TEXT_LENGTH})


def test_typed_actions_are_refused_for_chance_and_after_the_end() -> None:
    with pytest.raises(InvalidAction, match="chance-to-move"):
        Script(["a1-b2"], to_move=CHANCE).parse("a1-b2")
    with pytest.raises(GameOver):
        Script(["a1-b2"], to_move=None).parse("a1-b2")


def test_normalise() -> None:
    assert normalise("  A1 — B2×C3 → D4 ") == "a1 - b2xc3 - d4"


@given(st.text(alphabet="abx12- ,r", max_size=30))
def test_parsed_input_is_always_a_legal_line(typed: str) -> None:
    state: State = Script(["a1-b2", "a1|xb2|ra1", "b1|b2", "ab"])
    try:
        actions = state.parse(typed)
    except (InvalidAction, IllegalAction, AmbiguousAction):
        return
    for action in actions:
        assert action in state.legal_actions()
        state = state.advance(action)
    letters = "".join(action.text for action in actions).replace("-", "").replace("x", "").replace("r", "")
    assert "".join(character for character in typed if character in "ab12") == letters
