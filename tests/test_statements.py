"""What pages, rule sheets and lessons say of a game is so: statements of its kit, looked for in the text and tried.

A kit may have a list `statements.json`. An entry says where (`in`: the page, or a key of the catalogues of the game
or of its lesson) which words (`says`) stand, by language, `also` where else it is said in others, and what is to hold;
with `cases` it holds several such trials, each of which may differ from the entry, so that a statement is tried where
it holds and where it would not.

A trial begins with a `position`, with that of an `example` of the rule sheet or of a `step` of the lesson (by name), or
with a new game of so many `seats` with these `options`; `with` has fields of the position that are otherwise. `play`
are texts as they are typed, rolls, deals and drops as records have them, played `often` times. Then it says

- `allows` and `refuses`: texts, those refused with their code; `understands`: texts and what they stand for;
- `counts` how many actions are legal, `only` which (their texts), `verbs` of which kinds;
- `goes`: for a cell, the targets of all legal actions from there, `comes`: the sources of all that lead there;
- `ends`: the reason of the end, null where the game goes on, and `places`, those of the seats;
- `shows` what stands in the position's JSON, and `sizes` how many things, by name and places within (`pieces.0`);
- `cells`: how many the board has; `fails`: the code with which such a game cannot begin.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from bot.kernel.rulebook import read_entries
from bot.kernel.rulebook.lessons import lesson_of
from bot.kernel.texts import Texts
from engine import CHANCE, EngineError, State, games
from tests.support import kits
from tests.support.present import catch_error, present

PAGES: Final = Path(__file__).resolve().parent.parent / "docs" / "games"
TEXTS: Final = Texts()
CASES: Final = [
    pytest.param(key, entry, id=f"{key}-{number}")
    for key in kits.with_kit()
    for number, entry in enumerate(kits.entries(key, "statements.json"), start=1)
]
BEGINS: Final = {"position", "example", "step", "seats", "options", "with", "play", "often"}
CLAIMS: Final = {
    *("allows", "refuses", "understands", "counts", "only", "verbs", "goes", "comes"),
    *("ends", "places", "shows", "sizes", "cells", "fails"),
}


def plain(text: str) -> str:
    return " ".join(text.replace("*", "").replace("`", "").split())


def words_of(key: str, place: str, language: str) -> str:
    """Return the text of a page, or of a key of the game's catalogues, on one line."""
    if place == "page":
        folder = PAGES if kits.in_tree(key) else kits.home(key).parent / "docs"
        text = (folder / f"{key}.{language}.md").read_text(encoding="utf-8")
    else:
        speaker = TEXTS.speaker(language)
        lesson = speaker.of(f"lesson-{key}")
        text = (lesson if lesson.has(place) else speaker.of(key)).line(place)
    return plain(text)


def trials(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what is to be tried of a statement: its cases, each with what the entry says for all of them."""
    common = {name: value for name, value in entry.items() if name not in ("in", "says", "also", "cases")}
    return [{**common, **case} for case in entry.get("cases", [{}])]


def first_position(key: str, trial: Mapping[str, Any]) -> dict[str, Any]:
    if "position" in trial:
        return dict(trial["position"])
    if "step" in trial:
        steps = present(lesson_of(key)).steps
        return next(dict(step.position) for step in steps if step.name == trial["step"] and step.position)
    if "example" in trial:
        found = next(each for each in read_entries(key) if each["file"] == f"{key}-{trial['example']}.png")
        if "position" in found:
            return dict(found["position"])
        return games[key].start(found.get("seats", 2), found.get("options")).to_json()
    return games[key].start(trial.get("seats", 2), trial.get("options")).to_json()


def reached(key: str, trial: Mapping[str, Any]) -> State:
    """Return the position that a trial speaks of."""
    state = games[key].load({**first_position(key, trial), **trial.get("with", {})})
    for text in [*trial.get("play", [])] * trial.get("often", 1):
        if state.to_move == CHANCE or text.startswith("drop "):
            state = state.play(state.read(text))
        else:
            for action in state.parse(text):
                state = state.play(action)
    return state


def found(position: Any, name: str) -> Any:
    """Return what stands in a position's JSON under a name with the places within."""
    for part in name.split("."):
        position = position[int(part) if isinstance(position, list) else part]
    return position


def code_of(state: State, text: str) -> str:
    """Return the code with which a text is refused, or the actions that it stands for."""
    try:
        return " ".join(map(str, state.parse(text)))
    except EngineError as error:
        return error.code


def try_actions(state: State, trial: Mapping[str, Any]) -> None:
    for text in trial.get("allows", []):
        assert state.parse(text)
    for text, code in {**trial.get("refuses", {}), **trial.get("understands", {})}.items():
        assert code_of(state, text) == code, text
    legal = list(state.legal_actions())
    if "counts" in trial:
        assert len(legal) == trial["counts"]
    if "only" in trial:
        assert sorted(map(str, legal)) == sorted(trial["only"])
    if "verbs" in trial:
        assert {action.verb for action in legal} == set(trial["verbs"])
    for source, targets in trial.get("goes", {}).items():
        assert {action.target for action in legal if action.source == source} == set(targets), source
    for target, sources in trial.get("comes", {}).items():
        assert {action.source for action in legal if action.target == target} == set(sources), target


def try_position(state: State, trial: Mapping[str, Any]) -> None:
    if "ends" in trial:
        assert (state.outcome and state.outcome.reason) == trial["ends"]
    if "places" in trial:
        assert list(present(state.outcome).places) == trial["places"]
    shown = state.to_json()
    for name, value in trial.get("shows", {}).items():
        assert found(shown, name) == value, name
    for name, size in trial.get("sizes", {}).items():
        assert len(found(shown, name)) == size, name
    if "cells" in trial:
        assert len(state.topology) == trial["cells"]


@pytest.mark.parametrize(("key", "entry"), CASES)
def test_documented_statements_are_present_and_true(key: str, entry: dict[str, Any]) -> None:
    for place in (entry, *entry.get("also", [])):
        assert set(place["says"]) == {"en", "it"}
        for language, said in place["says"].items():
            assert plain(said) in words_of(key, place["in"], language), f"{place['in']} in {language}"
    for trial in trials(entry):
        assert set(trial) <= BEGINS | CLAIMS, "what a trial says is known"
        assert set(trial) & CLAIMS, "a trial claims something"
        if "fails" in trial:
            error = catch_error(EngineError, games[key].start, trial.get("seats", 2), trial.get("options"))
            assert error.code == trial["fails"]
            continue
        state = reached(key, trial)
        try_actions(state, trial)
        try_position(state, trial)
