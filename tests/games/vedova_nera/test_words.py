"""The words of La Vedova Nera: every refusal is worded in both languages, with its numbers and cells."""

from __future__ import annotations

from typing import Any

import pytest

from bot.interface.refusals import engine_words
from bot.language.rich_text import plain
from bot.language.texts import Texts
from bot.words.describe import cell_words
from engine.core import IllegalAction
from tests.games.vedova_nera.board import load
from tests.games.vedova_nera.test_refusals import CASES, CODES, NEVER

TEXTS = Texts()
REFUSALS: list[tuple[str, dict[str, Any]]] = [
    *((code, params) for code, _, params, *_ in CASES),
    *((code, params) for code, _, params, *_ in NEVER),
    ("counsellor-elsewhere", {"piece": "c2", "counsellor": "e2"}),
    ("turn-is-over", {"text": "c3-c4"}),
]


def words(language: str, code: str, params: dict[str, Any]) -> str:
    speaker = TEXTS.speaker(language)
    return plain(engine_words(speaker, "vedova-nera", IllegalAction(code, **params)))


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize(("code", "params"), REFUSALS)
def test_every_refusal_is_worded_and_names_its_cells_and_numbers(
    language: str, code: str, params: dict[str, Any]
) -> None:
    said = words(language, code, params)
    assert said != words(language, "no such code", {})
    assert "{" not in said
    for name, value in params.items():
        cells = value if isinstance(value, list) else [value]
        if name in ("piece", "counsellor", "blockers", "distance", "ring", "n", "needed") or code in (
            "node-taken", "no-pawn", "not-your-pawn", "counsellor-blocked", "entry-ban", "hollow-taken",
        ):  # fmt: skip
            assert all(str(cell) in said for cell in cells), (code, name)


@pytest.mark.parametrize("language", ["en", "it"])
def test_no_two_refusals_of_the_game_say_the_same(language: str) -> None:
    every = {words(language, code, params) for code, params in dict(REFUSALS).items()}
    assert {code for code, _ in REFUSALS} == CODES
    assert len(every) == len(CODES)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["red pawn", "red pawn, red goal", "green pawn, red goal", "the Counsellor", "green goal"]),
        (
            "it",
            [
                "pedina rossa",
                "pedina rossa, obiettivo rosso",
                "pedina verde, obiettivo rosso",
                "il Consigliere",
                "obiettivo verde",
            ],
        ),
    ],
)
def test_cells_are_named_with_what_stands_there(language: str, said: list[str]) -> None:
    state = load("a1 b2", "c3", goals=("b2 c3", "d4"), counsellor="h1")
    found = cell_words(TEXTS.speaker(language).of("vedova-nera"), state, ("Anna", "Bruno"))
    assert found is not None
    assert [found[cell] for cell in ("a1", "b2", "c3", "h1", "d4")] == said
