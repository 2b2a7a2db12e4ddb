"""A cell of the board that cannot be used is explained as the typed move would be."""

from random import Random

import pytest

from bot.kernel.choices import Question, click_paths, next_question
from bot.kernel.refusals import engine_words
from bot.kernel.texts import strip_styles
from bot.people.advice.typed_lines import refused_cell_words
from engine import CHANCE, EngineError, State, games
from tests.support.program import TEXTS
from tests.support.samples import random_playout


def position(key: str, seed: int) -> State:
    """Return a position in which somebody chooses, somewhere in a game at random."""
    playout = random_playout(games[key], seed, games[key].seats[0], {}, 30)
    return Random(seed).choice([state for state, _ in playout if state.to_move not in (None, CHANCE)])


@pytest.mark.parametrize(("seed", "language"), [(3, "en"), (4, "it")])
@pytest.mark.parametrize("key", games)
def test_every_cell_that_cannot_be_used_says_why(key: str, seed: int, language: str) -> None:
    state, speaker, explained = position(key, seed), TEXTS.speaker(language), 0
    asked = next_question(state, state.legal_actions())
    assert isinstance(asked, Question)
    for cell in state.topology.cells(state.topology.all):
        said = strip_styles(refused_cell_words(speaker, state, asked, cell))
        assert (said == "") == (cell in click_paths(asked)), (state.to_json(), cell)
        assert said == "" or len(said) > len(cell)
        assert "refusal." not in said
        explained += said != ""
    assert explained


@pytest.mark.parametrize("key", [key for key in games if any(a.source for a in position(key, 4).legal_actions())])
def test_with_a_piece_in_hand_the_rule_is_that_of_the_typed_move(key: str) -> None:
    state = position(key, 4)
    asked = next_question(state, state.legal_actions())
    while isinstance(asked, Question) and asked.piece is None:
        entry = next((each for each in asked.entries if each.sort in ("kind", "column", "piece")), None)
        if entry is None:
            return
        asked = next_question(state, state.legal_actions(), (*asked.path, entry.key))
    assert isinstance(asked, Question)
    speaker, described = TEXTS.speaker("en"), 0
    for cell in state.topology.cells(state.topology.all):
        refused = refused_cell_words(speaker, state, asked, cell)
        if not refused:
            continue
        with pytest.raises(EngineError) as typed:
            state.parse(f"{asked.piece}-{cell}")
        assert refused == engine_words(speaker, key, typed.value)
        described += 1
    assert described
