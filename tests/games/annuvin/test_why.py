"""Why a turn of Annuvin is good, in one sentence."""

import pytest

from bot.boards.puzzles.puzzle import puzzle_by_id
from bot.kernel.explanations import explain_oversight, explain_turn
from bot.kernel.texts import strip_styles
from engine.search import Judged
from tests.bot.reasons import NAMES, TEXTS
from tests.games.annuvin.board import load
from tests.support.present import present

STATE = load("d5 g7 a1", "c4 c3 a2 f7")


def test_explanation_names_proven_results() -> None:
    state = load("d5 g7 a1", "c4 c3 a2 f7 g6")
    first, second = state.parse("g7-f6")[0], state.parse("a1-b1")[0]
    won = (Judged(first, (1.0, 0.0), 5, True), Judged(second, (0.4, 0.6), 5))
    said = strip_styles(explain_turn(TEXTS.speaker("en"), state, [first], NAMES, won))
    assert "leads to a win that nobody can stop any more" in said
    lost = tuple(Judged(each, (0.0, 1.0), 1, True) for each in state.legal_actions() if each != first)
    only = strip_styles(explain_turn(TEXTS.speaker("en"), state, [first], NAMES, (Judged(first, (0.3, 0.7), 5), *lost)))
    assert "is the only move that does not lose for certain" in only


def proven(value: float, turns: int | None = None) -> tuple[Judged, ...]:
    """Return what the oracle says of a move, with another one that loses."""
    first, second = STATE.parse("g7-f6")[0], STATE.parse("a1-b1")[0]
    return Judged(first, (value, 1.0 - value), 1, True, True, turns), Judged(second, (0.0, 1.0), 1, True, True, 2)


def within(value: float, turns: int) -> tuple[Judged, ...]:
    """Return what the prover says of all moves."""
    return tuple(Judged(each, (value, 1.0 - value), 1, True, True, None, turns) for each in STATE.legal_actions())


@pytest.mark.parametrize(
    ("judged", "english", "italian"),
    [
        (proven(1.0, 7), "is proven to win: the next decisive capture comes within 7 turns", "entro 7 turni"),
        (proven(1.0, 1), "is proven to win", "vince, è dimostrato"),
        (proven(0.5), "is proven to be the only move that holds the draw", "è l'unica mossa che mantiene la parità"),
        (proven(0.0, 6), "puts off the next decisive capture for 6 turns", "di 6 turni"),
        (within(1.0, 2), "is proven to win within 2 turns, counting this one", "vince in 2 turni al massimo"),
        (within(1.0, 1), "is proven to win", "vince, è dimostrato"),
        (within(0.0, 2), "the other wins within 2 turns of their own", "l'avversario vince entro 2 turni suoi"),
    ],
)
def test_explanation_names_results_of_oracle_and_prover(judged: tuple[Judged, ...], english: str, italian: str) -> None:
    for language, expected in (("en", english), ("it", italian)):
        text = strip_styles(explain_turn(TEXTS.speaker(language), STATE, [judged[0].action], NAMES, judged))
        assert expected in text
        assert "%" not in text


def test_what_dice_may_be_expected_to_bring_is_said() -> None:
    moves = [action for action in STATE.legal_actions() if action.verb == "move"]
    judged = tuple(Judged(move, (0.62, 0.38), 1, expected=True) for move in moves)
    for language, said in (("en", "is worth 62%, counted over all dice"), ("it", "vale il 62%, contando tutti i dadi")):
        assert said in strip_styles(explain_turn(TEXTS.speaker(language), STATE, moves[-1:], NAMES, judged))


def test_oversight_is_explained_in_terms_of_the_game() -> None:
    state = present(puzzle_by_id("annuvin-71519954e5")).state()
    played = state.parse("a4xa1")
    answer = state.play(played[0]).parse("b1xa1")
    said = strip_styles(explain_oversight(TEXTS.speaker("en"), state, played, answer, NAMES))
    assert said.startswith(f"With 2 pieces left, each piece of {NAMES[1]} reaches 3 cells away. b1xa1 stops {NAMES[0]}")
    assert "threatens to win in 2 ways next turn (a1xb4 or c1xb4)" in said
    said = strip_styles(explain_oversight(TEXTS.speaker("it"), state, played, answer, NAMES))
    assert said.startswith(f"Con 2 pedine rimaste, ogni pedina di {NAMES[1]} arriva a 3 caselle di distanza.")
