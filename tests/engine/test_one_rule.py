"""Positions in which one rule stands in the way, from the games' kits: the refusal names it, in every language.

A kit may also hold lines as people type them, typos and words included: under `typed` each with the code of the reason
that a referee would give, under `understood` each with the actions that it stands for, both in one of its `positions`.
"""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.preferences import LANGUAGES
from bot.interface.refusals import engine_words
from bot.language.texts import Texts
from engine import Action, EngineError, IllegalAction, State, games
from tests.engine.codes import own_codes
from tests.support import kits

TEXTS = Texts()
EVERY_GAME = pytest.mark.parametrize("key", kits.with_kit())


def refusals(key: str) -> list[dict[str, Any]]:
    """Return the positions of a game with the one rule that stands in the way."""
    found: list[dict[str, Any]] = (kits.data(key, "refusals.json") or {}).get("refusals", [])
    return found


def played(state: State, entry: dict[str, Any]) -> tuple[Action, ...]:
    """Return what the text of an entry is played as: typed, or as it would stand in a record."""
    return (state.read(entry["text"]),) if entry.get("recorded") else state.parse(entry["text"])


CASES = [
    pytest.param(key, entry, id=f"{key}-{entry['code']}-{number}")
    for key in kits.with_kit()
    for number, entry in enumerate(refusals(key), start=1)
]


@pytest.mark.parametrize(("key", "entry"), CASES)
def test_the_rule_in_the_way_is_named_and_without_it_nothing_is(key: str, entry: dict[str, Any]) -> None:
    state = games[key].load(entry["position"])
    with pytest.raises(IllegalAction) as caught:
        played(state, entry)
    assert caught.value.code == entry["code"]
    for language in LANGUAGES:
        speaker = TEXTS.speaker(language)
        assert speaker.of(key).has(f"refusal.{entry['code']}"), language
        assert engine_words(speaker, key, caught.value)
    if "without" in entry:
        free = games[key].load(entry["without"])
        assert free != state
        for action in played(free, entry):
            assert free.is_legal(action)
            free = free.play(action)


@EVERY_GAME
def test_every_code_has_its_position_or_a_reason_why_none_can_have_it(key: str) -> None:
    never = (kits.data(key, "refusals.json") or {}).get("never", {})
    shown = {entry["code"] for entry in refusals(key)}
    codes = own_codes(key)
    assert sorted(codes - shown - set(never)) == []
    assert sorted(set(never) - codes | set(never) & shown) == []
    assert all(never.values())


def lines(key: str, kind: str) -> list[dict[str, str]]:
    """Return the lines of a kit that are refused (`typed`) or understood, none where it has none."""
    found: list[dict[str, str]] = (kits.data(key, "refusals.json") or {}).get(kind, [])
    return found


def position(key: str, name: str) -> State:
    return games[key].load(kits.data(key, "refusals.json")["positions"][name])


@EVERY_GAME
def test_a_line_as_people_type_it_is_refused_for_the_reason_that_a_referee_gives(key: str) -> None:
    for entry in lines(key, "typed"):
        state = position(key, entry["position"])
        with pytest.raises(EngineError) as caught:
            pytest.fail(f"{entry} was taken for {state.parse(entry['text'])}")
        assert caught.value.code == entry["code"], entry
        for language in LANGUAGES:
            speaker = TEXTS.speaker(language)
            assert speaker.of(key).has(f"refusal.{entry['code']}"), (language, entry)
            assert str(engine_words(speaker, key, caught.value)), entry


@EVERY_GAME
def test_a_line_in_words_is_understood(key: str) -> None:
    for entry in lines(key, "understood"):
        found = position(key, entry["position"]).parse(entry["text"])
        assert " ".join(map(str, found)) == entry["actions"], entry
