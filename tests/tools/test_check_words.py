"""The check of words finds replaced names and phrases, in code and documents, and nothing else."""

from pathlib import Path

import pytest

from tools.check_words import find_problems


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("bot/a.py", "patience = 3\n", ["patience"]),
        ("engine/a.py", "def _told(whoever: int) -> None:\n    self.kept = whoever\n", ["_told", "whoever", "kept"]),
        ("storage/a.py", "class Company: ...\n", ["Company"]),
        ("render/a.py", "MOST_ROWS = 3\n_GRACE: Final = 2\nADS_AN_HOUR = 9\n", ["MOST_ROWS", "_GRACE", "ADS_AN_HOUR"]),
        ("tools/a.py", '"""Whoever asks."""\n# Nothing but words.\n', ["Whoever", "Nothing but"]),
        (
            "bot/a.js",
            "// Whoever waits.\nconst SOON = 9;\nfunction told(crowd) {}\n  /** Nothing but that. */\n",
            ["Whoever", "SOON", "told", "Nothing but"],
        ),
        ("docs/a.md", "# A page\n\nWhoever is told that it sees to it.\n", ["Whoever", "is told that", "sees to"]),
    ],
)
def test_a_replaced_word_is_found_with_what_to_say(tmp_path: Path, name: str, text: str, words: list[str]) -> None:
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text(text)
    found = list(find_problems(tmp_path, [name]))
    assert sorted(line.split("“")[1].split("”")[0] for line in found) == sorted(words)
    assert all(line.startswith(f"{name}:") and ": say " in line for line in found)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bot/a.py", 'MAX_ROWS = 3\nTIMEOUT_SECONDS = 1.0\nLABEL = "whoever is told what"\nkept_files = timeout = 1\n'),
        ("bot/a.txt", "whoever\n"),
        ("bot/a.js", 'const label = "whoever is told what";\nlog.kept(told);\n'),
        ("bot/platforms/apps/static/discord-sdk.js", "// Whoever.\n"),
        ("docs/rules/a.md", "Whoever begins.\n"),
        ("CHANGELOG.md", "whoever\n"),
    ],
)
def test_texts_for_players_and_lists_of_old_words_are_left_alone(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    assert list(find_problems(tmp_path, [name])) == []
