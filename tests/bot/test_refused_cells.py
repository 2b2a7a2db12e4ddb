"""A cell of the board that cannot be used is explained as the typed move would be."""

from random import Random

import pytest

from bot.kernel.choices import Question, click_paths, next_question
from bot.kernel.refusals import engine_words
from bot.kernel.texts import Texts, strip_styles
from bot.people.advice.typed_lines import refused_cell_words
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
            for language in ("en", "it"):
                said = strip_styles(refused_cell_words(texts.speaker(language), state, asked, cell))
                assert (said == "") == (cell in click_paths(asked)), (state.to_json(), cell)
                assert said == "" or len(said) > len(cell)
                assert "refusal." not in said
                explained += said != ""
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
    speaker, described = Texts().speaker("en"), 0
    for cell in state.topology.cells(state.topology.all):
        refused = refused_cell_words(speaker, state, asked, cell)
        if not refused:
            continue
        with pytest.raises(EngineError) as typed:
            state.parse(f"{asked.piece}-{cell}")
        assert refused == engine_words(speaker, key, typed.value)
        described += 1
    assert described
