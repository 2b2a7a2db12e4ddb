"""What is wrong with a game is said in the order in which it is best repaired, one line for each."""

import pytest

from tests.support.game_report import MISSING, PICTURES, PLATFORMS, PLAYER, RULES, WORDS, heading_of, report_lines


def test_all_is_said_together_the_worst_first() -> None:
    failures = [
        ("tests/telegram/test_games.py::test_every_game[hex]", "E   assert 1 == 2\nx.py:3: AssertionError", False),
        ("tests/test_whole.py::test_it_is_whole[hex]", "hex has no lesson: a.json\nhex: no word: name", False),
        ("tests/engine/test_conformance.py::test_a_game_ends[hex]", "E   KeyError: 'a1'\nE   more", False),
        ("tests/games/hex/test_rules.py", "SyntaxError: invalid syntax", True),
    ]
    assert list(report_lines(failures)) == [
        "It cannot be read (1)",
        "  tests/games/hex/test_rules.py: SyntaxError: invalid syntax",
        "Rules (1)",
        "  tests/engine/test_conformance.py::test_a_game_ends[hex]: KeyError: 'a1'",
        "Missing parts (2)",
        "  hex has no lesson: a.json",
        "  hex: no word: name",
        "On the platforms (1)",
        "  tests/telegram/test_games.py::test_every_game[hex]: assert 1 == 2",
    ]
    assert list(report_lines([])) == []


@pytest.mark.parametrize(
    ("node", "heading"),
    [
        ("tests/games/hex/test_refusals.py::test_x", RULES),
        ("tests/test_facts.py::test_x", RULES),
        ("tests/engine/search/test_strength.py::test_x", PLAYER),
        ("kit/test_picture.py::test_x", PICTURES),
        ("tests/render/test_draw.py::test_x", PICTURES),
        ("tests/games/hex/test_why.py::test_x", WORDS),
        ("tests/test_documents.py::test_x", WORDS),
        ("tests/bot/test_lesson_plans.py::test_x", WORDS),
        ("tests/discord/test_everything.py::test_x", PLATFORMS),
        ("tests/test_whole.py::test_x", MISSING),
    ],
)
def test_a_test_is_about_one_part(node: str, heading: str) -> None:
    assert heading_of(node) == heading
