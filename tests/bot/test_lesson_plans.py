"""The lessons as they are written: every step can be played, everything said of it is so, in both languages.

What the words of a lesson claim of its positions is tested in the game's kit, by `test_lesson.py`.
"""

import re
from collections.abc import Iterator

import pytest

from bot.kernel.line import Line, play_line
from bot.kernel.preferences import LANGUAGES
from bot.kernel.texts import Texts, strip_styles
from engine import games
from tests.bot.lesson_moments import list_draws, list_moments, load_lesson
from tests.support.present import present

TEXTS = Texts()
MAX_TEACH_CHARACTERS = 450
MAX_CHARACTERS = 220
MAX_STEPS = 9
"""About three minutes."""
PASS = "pass"


def keys_said(key: str) -> Iterator[tuple[str, bool]]:
    """Yield the keys of all words that a lesson says, and whether each must be there."""
    for step in load_lesson(key).steps:
        yield f"{step.name}.teach", True
        yield f"{step.name}.done", True
        if step.free:
            yield f"{step.name}.task.1", True
    for position in list_moments(key):
        name, number = position.step.name, position.ask.number
        yield f"{name}.task.{number}", True
        yield f"{name}.hint.{number}", True
        yield f"{name}.well.{number}", False
        yield f"{name}.other.{number}", any(not position.ask.answer(position.state, each) for each in position.others)
        for other in position.ask.others:
            yield f"{name}.other.{number}.{other}", True


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_every_lesson_has_all_its_words_and_no_others(key: str, language: str) -> None:
    catalogue = present(TEXTS.catalogue(language, f"lesson-{key}"))
    said = list(keys_said(key))
    assert {name for name, needed in said if needed} <= catalogue.keys
    # A well.n after the last ask would never be said, an other.n after other choices may.
    assert catalogue.keys <= {name for name, _ in said}
    voice = TEXTS.speaker(language).of(f"lesson-{key}")
    for name in catalogue.keys:
        assert len(voice.line(name)) <= (MAX_TEACH_CHARACTERS if name.endswith(".teach") else MAX_CHARACTERS), name
        assert not set("*`{}") & set(strip_styles(voice.say(name))), f"{name}: markup that is left over"


@pytest.mark.parametrize("key", games)
def test_every_lesson_is_short_and_is_played_out_at_its_end(key: str) -> None:
    steps = load_lesson(key).steps
    assert 2 <= len(steps) <= MAX_STEPS
    assert [step.free for step in steps] == [False] * (len(steps) - 1) + [True]
    assert len({step.name for step in steps}) == len(steps)
    assert steps[-1].position is not None
    for step in steps:
        if step.position is not None:
            state = games[key].load(step.position)
            assert state.to_move == step.position["to_move"]
            assert state.legal_actions()
            assert state.outcome is None


@pytest.mark.parametrize("key", games)
def test_every_kind_of_action_of_a_game_is_asked_for(key: str) -> None:
    catalogue = present(TEXTS.catalogue("en", key))
    verbs = {name.removeprefix("verb.") for name in catalogue.keys if name.startswith("verb.")} - {PASS}
    assert {action.verb for position in list_moments(key) for action in position.wanted} >= verbs > set()
    assert TEXTS.speaker("en").of(key).has(f"verb.{PASS}")


@pytest.mark.parametrize("key", games)
def test_lesson_task_can_be_solved_is_suggested_and_has_answers_for_other_actions(key: str) -> None:
    for position in list_moments(key):
        assert position.wanted, str(position)
        suggested = position.ask.suggested(position.state)
        assert suggested in position.wanted, str(position)
        assert suggested.text in position.ask.suggest, str(position)
        assert len(position.state.legal_actions()) > 1, f"{position}: there is a choice"
        given = {position.ask.answer(position.state, action) for action in position.others}
        assert set(position.ask.others) <= given, f"{position}: an answer that no action gets"


def later(key: str, number: int, line: Line, at: int) -> Iterator[Line]:
    """Yield how a step can end, whatever wanted actions are played, the steps that go on from it included."""
    step = load_lesson(key).steps[number]
    if at < len(step.asks):
        wanted = [each for each in line.state.legal_actions() if step.asks[at].is_met(line.state, each)]
        assert wanted, (key, step.name, at)
        for action in wanted:
            yield from later(key, number, play_line(line, [action], list_draws)[0], at + 1)
        return
    for text in step.reply:
        line = play_line(line, [line.state.read(text)], list_draws)[0]
    steps = load_lesson(key).steps
    if number + 1 < len(steps) and steps[number + 1].position is None:
        yield from later(key, number + 1, line, 0)
    else:
        yield line


@pytest.mark.parametrize("key", games)
def test_a_step_can_be_brought_to_its_end_in_every_way(key: str) -> None:
    ends = 0
    for number, step in enumerate(load_lesson(key).steps):
        if step.position is not None and not step.free:
            seat = step.position["to_move"]
            for line in later(key, number, load_lesson(key).first_line(number), 0):
                ends += 1
                assert line.state.to_move != seat or line.begun is None
    assert ends


@pytest.mark.parametrize("key", games)
def test_both_languages_speak_of_the_same_cells_and_buttons(key: str) -> None:
    english, italian = (TEXTS.speaker(language).of(f"lesson-{key}") for language in LANGUAGES)
    catalogue = present(TEXTS.catalogue("en", f"lesson-{key}"))
    board = {cell for each in list_moments(key) if each.state.topology for cell in each.state.topology.names}
    for name in catalogue.keys:
        cells = [board & set(re.findall(r"\w+", voice.line(name))) for voice in (english, italian)]
        assert cells[0] == cells[1], name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", games)
def test_buttons_that_are_named_exist(key: str, language: str) -> None:
    """Bold words in tasks and answers, where they begin with a capital, are those of buttons."""
    game, voice = TEXTS.speaker(language).of(key), TEXTS.speaker(language).of(f"lesson-{key}")
    labels = {game.line(name) for name in present(TEXTS.catalogue(language, key)).keys if name.startswith("verb.")}
    for name in present(TEXTS.catalogue(language, f"lesson-{key}")).keys:
        if ".task." in name or ".other." in name:
            for span in voice.say(name):
                if span.bold and span.text[0].isupper():
                    assert span.text in labels, (name, span.text)
