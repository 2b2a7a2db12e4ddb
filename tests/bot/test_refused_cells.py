"""A cell of the board that cannot be used is explained as the typed move would be."""

from random import Random

import pytest

from bot.kernel.choices import Question, click_paths, next_question
from bot.kernel.texts import Texts, strip_styles
from bot.people.advice.typed_lines import cell_words, refused_cell
from engine import CHANCE, EngineError, State, games


def position(key: str, seed: int) -> State:
    """Return a position in which somebody chooses, after some turns at random."""
    drawn = Random(seed)
    state = games[key].start(games[key].seats[0])
    for _ in range(drawn.randrange(4, 40)):
        if state.outcome is None:
            state = state.play(state.sample_chance(drawn) if state.to_move == CHANCE else state.random_action(drawn))
    while state.outcome is None and state.to_move == CHANCE:
        state = state.play(state.sample_chance(drawn))
    return state if state.outcome is None else position(key, seed + 100)


@pytest.mark.parametrize("key", games)
def test_every_cell_that_cannot_be_used_says_why_in_both_languages(key: str) -> None:
    texts, explained = Texts(), 0
    for seed in range(3):
        state = position(key, seed)
        asked = next_question(state, state.legal_actions())
        assert isinstance(asked, Question)
        for cell in state.topology.cells(state.topology.all):
            refused = refused_cell(state, asked, cell)
            if cell in click_paths(asked):
                assert refused is None
                continue
            assert refused is not None, (state.to_json(), cell)
            for language in ("en", "it"):
                said = strip_styles(cell_words(texts.speaker(language), key, cell, refused))
                assert len(said) > len(cell)
                assert "refusal." not in said
            explained += 1
    assert explained


@pytest.mark.parametrize("key", [key for key in games if any(a.source for a in position(key, 1).legal_actions())])
def test_with_a_piece_in_hand_the_rule_is_that_of_the_typed_move(key: str) -> None:
    state = position(key, 1)
    asked = next_question(state, state.legal_actions())
    while isinstance(asked, Question) and asked.piece is None:
        entry = next((each for each in asked.entries if each.sort in ("kind", "column", "piece")), None)
        if entry is None:
            return
        asked = next_question(state, state.legal_actions(), (*asked.path, entry.key))
    assert isinstance(asked, Question)
    described = 0
    for cell in state.topology.cells(state.topology.all):
        refused = refused_cell(state, asked, cell)
        if refused is None or refused.error is None:
            continue
        with pytest.raises(EngineError) as typed:
            state.parse(f"{asked.piece}-{cell}")
        assert (refused.error.code, refused.error.params) == (typed.value.code, typed.value.params)
        described += 1
    assert described
