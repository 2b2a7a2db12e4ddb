"""Refusals of La Vedova Nera beyond refusals.json: what only programs ask for, and how codes are named."""

import re
from typing import Any

import pytest

from engine.core import Action, IllegalAction, State
from engine.games.vedova_nera import GAME as VEDOVA_NERA, rules
from tests.games.vedova_nera.board import DEAL_FOR_3, load, play
from tests.support import kits
from tests.support.present import catch_error, present


def dealt() -> State:
    return play(VEDOVA_NERA.start(3), DEAL_FOR_3)


CASES: list[tuple[str, str, dict[str, Any], State, State]] = [
    # what no record can hold: code, text, params, where it is refused, where the hindrance is gone
    ("deal-first", "red", {}, VEDOVA_NERA.start(3), dealt()),
    ("wrong-deal", DEAL_FOR_3, {}, VEDOVA_NERA.start(4), VEDOVA_NERA.start(3)),
    ("no-chance-due", DEAL_FOR_3, {}, dealt(), VEDOVA_NERA.start(3)),
    ("no-chance-due", DEAL_FOR_3, {}, load("b1", "", ""), VEDOVA_NERA.start(3)),
    ("no-such-seat", "drop 1", {"seat": "1"}, play(dealt(), "drop 1"), dealt()),
    ("no-such-seat", "drop 2", {"seat": "2"}, load("b1", ""), load("b1", "", "")),
]


def action(text: str) -> Action:
    """Return the action with this canonical text."""
    if text.startswith("drop "):
        return Action.drop(int(text[5:]))
    if text.startswith("deal "):
        return Action(text, "deal")
    return next(iter(rules.well_formed(text.lower())))


@pytest.mark.parametrize(("code", "text", "params", "refusing", "allowing"), CASES)
def test_each_refusal_has_exactly_one_cause(
    code: str, text: str, params: dict[str, Any], refusing: State, allowing: State
) -> None:
    assert action(text).text == text
    error = catch_error(IllegalAction, refusing.play, action(text))
    assert (error.code, error.params) == (code, params)
    assert allowing.is_legal(action(text))
    allowing.play(action(text))


def test_a_marble_goes_to_no_hollow_that_is_not_there() -> None:
    error = catch_error(IllegalAction, load("a1", "").play, Action("Ma5-a6", "marble", "a5", "a6"))
    assert (error.code, error.params) == ("foreign-action", {"text": "Ma5-a6"})


def test_a_typed_slide_that_starts_where_the_counsellor_is_not_says_where_it_is() -> None:
    error = catch_error(IllegalAction, load("a1", "", counsellor="e2").parse, "Kc2-c3")
    assert (error.code, error.params) == ("counsellor-elsewhere", {"piece": "c2", "counsellor": "e2"})
    assert [str(slide) for slide in load("a1", "", counsellor="c2").parse("Kc2-c3")] == ["Kc3"]


def test_two_cells_of_which_the_first_could_be_entered_are_answered_as_a_step() -> None:
    error = catch_error(IllegalAction, load("a1", "").parse, "c4-c3")
    assert (error.code, error.params) == ("no-pawn", {"cell": "c4"})


CODES = {entry["code"] for entry in kits.data("vedova-nera", "refusals.json")["refusals"]}
CODES |= {code for code, *_ in CASES} | {"counsellor-elsewhere", "turn-is-over", "foreign-action"}


def test_every_code_that_the_module_names_is_held_by_a_test() -> None:
    assert set(re.findall(r"[a-z]+(?:-[a-z]+)+", present(rules.__doc__).split("params:")[1])) == CODES
