"""Dictionaries that are no position, and unusual ones that are, from the games' kits (positions.json).

Every case is one of the kit's `bases` with some fields set and others dropped, or a whole `position` of its own.
"""

from typing import Any

import pytest

from bot.kernel.preferences import LANGUAGES
from bot.kernel.refusals import engine_words
from bot.kernel.texts import Texts, strip_styles
from engine import InvalidPosition, games
from tests.support import kits
from tests.support.present import catch_error

TEXTS = Texts()


def cases(kind: str) -> list[Any]:
    """Return the cases of all kits; each id has the game's key in it."""
    return [
        pytest.param(key, entry, id=f"{key}-{number}-{entry.get('why', entry.get('code'))}")
        for key in kits.with_kit()
        for number, entry in enumerate((kits.data(key, "positions.json") or {}).get(kind, []), start=1)
    ]


def build_position(key: str, entry: dict[str, Any]) -> Any:
    if "position" in entry:
        return entry["position"]
    base = kits.data(key, "positions.json")["bases"][entry["of"]]
    return {name: value for name, value in base.items() if name not in entry.get("drop", [])} | entry.get("set", {})


@pytest.mark.parametrize(("key", "entry"), cases("refused"))
def test_invalid_position_is_refused_with_its_error(key: str, entry: dict[str, Any]) -> None:
    error = catch_error(InvalidPosition, games[key].load, build_position(key, entry))
    assert (error.code, error.params) == (entry["code"], entry.get("params", error.params))
    for language in LANGUAGES:
        assert "{" not in strip_styles(engine_words(TEXTS.speaker(language), key, error))


@pytest.mark.parametrize(("key", "entry"), cases("loaded"))
def test_what_play_can_lead_to_is_loaded(key: str, entry: dict[str, Any]) -> None:
    position = build_position(key, entry)
    shown = games[key].load(position).to_json()
    assert {name: shown[name] for name in position if name != "extra"} == position


@pytest.mark.parametrize("key", [key for key in kits.with_kit() if kits.data(key, "positions.json")])
def test_the_positions_that_were_changed_for_this_are_themselves_possible(key: str) -> None:
    for base in kits.data(key, "positions.json")["bases"].values():
        state = games[key].load(base)
        assert games[key].load(state.to_json()) == state
