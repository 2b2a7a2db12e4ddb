"""Positions in which one rule stands in the way, from the games' kits: the refusal names it, in every language."""

from __future__ import annotations

from typing import Any

import pytest

from bot.interface.refusals import engine_words
from bot.language.texts import Texts
from bot.services.preferences import LANGUAGES
from engine import Action, IllegalAction, State, games
from tests.engine.codes import illegal_codes
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
    codes = illegal_codes(key)
    assert sorted(codes - shown - set(never)) == []
    assert sorted(set(never) - codes | set(never) & shown) == []
    assert all(never.values())
