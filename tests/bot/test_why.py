"""Every turn of every game can be explained in one sentence; what the sentences say is tested in the games' kits."""

from itertools import islice

import pytest

from bot.kernel.explanations import explain_turn
from bot.kernel.preferences import LANGUAGES
from bot.kernel.texts import strip_styles
from engine import CHANCE, Action, State, games
from engine.search import Judged
from tests.bot.reasons import NAMES, TEXTS, explain_line
from tests.engine.playing import playout, settings
from tests.support import kits


@pytest.mark.parametrize("key", games)
def test_every_turn_of_a_game_can_be_explained(key: str) -> None:
    explained = 0
    for setting in [setting for setting in settings() if setting.key == key][:3]:
        line = [state for state, _ in islice(playout(setting, 5), 240) if state.to_move not in (None, CHANCE)]
        for state in line[:: max(1, len(line) // 8)]:
            actions = state.legal_actions()
            judged = tuple(Judged(action, (0.5,) * state.seats, 1) for action in actions[:: max(1, len(actions) // 3)])
            turn = _rest_of_turn(state, judged[-1].action)
            speaker = TEXTS.speaker(LANGUAGES[explained % len(LANGUAGES)])
            sentence = strip_styles(explain_turn(speaker, state, turn, NAMES, judged))
            assert sentence.endswith(".")
            assert "why." not in sentence
            assert "{" not in sentence
            explained += 1
    assert explained


def _rest_of_turn(state: State, action: Action) -> list[Action]:
    seat, number, line = state.to_move, state.turn, [action]
    state = state.play(action)
    while state.to_move == seat and state.turn == number:
        line.append(state.legal_actions()[0])
        state = state.play(line[-1])
    return line


@pytest.mark.parametrize("key", [key for key in kits.with_kit() if kits.entries(key, "why.json")])
def test_the_turns_of_a_kit_are_explained_in_every_language(key: str) -> None:
    for entry in kits.entries(key, "why.json"):
        expected = {language: entry[language] for language in LANGUAGES if language in entry}
        assert {language: explain_line(entry["position"], entry["line"], language) for language in expected} == expected
