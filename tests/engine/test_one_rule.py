"""Positions in which one rule stands in the way, from the games' kits: the refusal names it, in every language.

`params` are the refusal's numbers and cells, `nearest` is what is legal where no position allows the text, and `unsaid`
are the parameters that a sentence leaves out. A kit may also hold lines as people type them, typos and words included:
under `typed` each with the code of the reason that a referee would give, under `understood` each with the actions that
it stands for, both in one of its `positions`.
"""

from collections.abc import Callable
from typing import Any

import pytest

from bot.kernel.preferences import LANGUAGES
from bot.kernel.refusals import engine_words
from bot.kernel.texts import Texts, strip_styles
from engine import EngineError, IllegalAction, State, games
from tests.engine.codes import own_codes
from tests.support import kits
from tests.support.present import catch_error

TEXTS = Texts()
EVERY_GAME = pytest.mark.parametrize("key", kits.with_kit())


def entries(key: str, kind: str = "refusals") -> list[dict[str, Any]]:
    """Return positions of a game with the one rule that stands in the way, or lines that are `typed`, `understood`."""
    found: list[dict[str, Any]] = (kits.data(key, "refusals.json") or {}).get(kind, [])
    return found


def readers(state: State, entry: dict[str, Any]) -> list[Callable[[str], object]]:
    """Return what refuses the text of an entry: a record that holds it, a person who types it, or both."""
    if "params" not in entry:
        return [state.read if entry.get("recorded") else state.parse]
    return [state.read] if entry.get("recorded") else [state.read, state.parse]


def numbers(key: str, entry: dict[str, Any]) -> list[str]:
    """Return the cells and numbers that the sentence of a refusal has to name."""
    unsaid = kits.data(key, "refusals.json").get("unsaid", {}).get(entry["code"], [])
    values = [value for name, value in entry.get("params", {}).items() if name not in unsaid]
    parts = [str(part) for value in values for part in (value if isinstance(value, list) else [value])]
    return [part for part in parts if part[-1:].isdigit()]


def check_refusal(error: EngineError, key: str, entry: dict[str, Any]) -> None:
    """Check that an error is that of an entry, and that it is said in every language with its cells and numbers."""
    assert (error.code, error.params) == (entry["code"], entry.get("params", error.params)), entry
    for language in LANGUAGES:
        speaker = TEXTS.speaker(language)
        assert speaker.of(key).has(f"refusal.{entry['code']}"), (language, entry)
        said = strip_styles(engine_words(speaker, key, error))
        assert said, entry
        assert "{" not in said, entry
        assert [part for part in numbers(key, entry) if part not in said] == [], entry


CASES = [
    pytest.param(key, entry, id=f"{key}-{entry['code']}-{number}")
    for key in kits.with_kit()
    for number, entry in enumerate(entries(key), start=1)
]


@pytest.mark.parametrize(("key", "entry"), CASES)
def test_the_rule_in_the_way_is_named_and_without_it_nothing_is(key: str, entry: dict[str, Any]) -> None:
    state = games[key].load(entry["position"])
    for reader in readers(state, entry):
        check_refusal(catch_error(IllegalAction, reader, entry["text"]), key, entry)
    if "without" not in entry and "nearest" not in entry:
        return
    text, free = entry.get("nearest", entry["text"]), games[key].load(entry.get("without", entry["position"]))
    assert free != state or "nearest" in entry
    actions = (free.read(text),) if entry.get("recorded") else free.parse(text)
    if text == entry["text"] and len(actions) == 1:
        with pytest.raises(IllegalAction):
            state.play(actions[0])
    for action in actions:
        assert free.is_legal(action)
        free = free.play(action)


@EVERY_GAME
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_refusals_say_the_same(key: str, language: str) -> None:
    params = {entry["code"]: entry["params"] for entry in entries(key) if "params" in entry}
    speaker = TEXTS.speaker(language)
    said = {strip_styles(engine_words(speaker, key, IllegalAction(code, **params[code]))) for code in params}
    assert len(said) == len(params)


@EVERY_GAME
def test_every_code_has_its_position_or_a_reason_why_none_can_have_it(key: str) -> None:
    never = (kits.data(key, "refusals.json") or {}).get("never", {})
    shown = {entry["code"] for entry in entries(key)}
    codes = own_codes(key)
    assert (sorted(codes - shown - set(never)), sorted(set(never) - codes | set(never) & shown)) == ([], [])
    assert all(never.values())


def position(key: str, name: str) -> State:
    return games[key].load(kits.data(key, "refusals.json")["positions"][name])


@EVERY_GAME
def test_a_line_as_people_type_it_is_refused_for_the_reason_that_a_referee_gives(key: str) -> None:
    for entry in entries(key, "typed"):
        check_refusal(catch_error(EngineError, position(key, entry["position"]).parse, entry["text"]), key, entry)


@EVERY_GAME
def test_a_line_in_words_is_understood(key: str) -> None:
    for entry in entries(key, "understood"):
        assert " ".join(map(str, position(key, entry["position"]).parse(entry["text"]))) == entry["actions"], entry
