"""Games of packages are found with where they come from; those that are broken are set aside, and the others run."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.kernel.commandline import PLAY_PARAMETERS
from bot.platforms.app import COMMANDS
from engine.discovery import Parts, Source, Unusable, file_of
from engine.games import games
from engine.search.policies import POLICY
from render.games import PICTURE
from tests.support.packages import POLICY as MODULE, RULES, run, write_metadata, write_package

PROGRAM = """
    import json
    from structlog.testing import capture_logs
    from bot.cli.installed_games import examine_games, log_set_aside_games, set_aside_reason
    from bot.kernel.texts import Texts
    from engine.games import games

    examine_games()
    texts = Texts()
    speakers = [texts.speaker(language) for language in ("en", "it")]
    with capture_logs() as logs:
        log_set_aside_games(texts)
    def describe(each):
        return [each.source.key, each.reason, *(set_aside_reason(each, speaker) for speaker in speakers)]

    aside = [describe(each) for each in games.set_aside]
    told = [[entry["game"], entry["package"], entry["reason"], entry["log_level"]] for entry in logs]
    print(json.dumps({"games": list(games), "ours": games.ours, "aside": aside, "told": told}))
"""


WITH_CLOCK = RULES.replace('{"size"', '{"clock"').replace('["size"]', '["clock"]')
BROKEN: dict[str, tuple[dict[str, Any], str, str]] = {
    # what of its modules is otherwise, the reason, and what the sentence about it names
    "no-rules": ({"rules": None}, "import", "game_no_rules.rules"),
    "no-import": ({"rules": "import nothing_like_that"}, "import", "nothing_like_that"),
    "leaves": ({"rules": "raise SystemExit(3)"}, "import", "SystemExit"),
    "no-game": ({"rules": "game = 1"}, "attribute", "game_no_game.rules.GAME"),
    "no-real-game": ({"rules": "GAME = 1"}, "attribute", "game_no_real_game.rules.GAME"),
    "other-key": ({"rules": RULES.replace("KEY", "another")}, "contract", "another"),
    "no-start": ({"rules": RULES.replace("(self, seats=2, options=None)", "(self)")}, "contract", "TypeError"),
    "no-version": ({"rules": RULES.replace("rules_version = 1", "rules_version = '1'")}, "contract", "rules_version"),
    "no-policy": ({"policy": None}, "parts", "game_no_policy.policy"),
    "bad-policy": ({"policy": "import nothing_like_that"}, "import", "game_bad_policy.policy"),
    "few-levels": ({"policy": MODULE.replace("range(1, 6)", "range(1, 4)")}, "contract", "levels: 3"),
    "bad-option": ({"rules": WITH_CLOCK}, "contract", "clock"),
    "no-words": ({}, "parts", "locales/en/no-words.po"),
    "bad-words": ({}, "file", "locales/en/bad-words.po"),
    "no-lesson": ({}, "file", "lesson.json"),
    "bad-puzzle": ({}, "file", "puzzles.json: KeyError"),
    # A catalogue of ours has this name.
    "cli": ({}, "key", "cli"),
    "no-palette": ({}, "parts", "palettes/no-palette-dark.bin"),
}
STRANGE = {
    # keys that the metadata of some distribution gives to a package, the reason, and what the sentence names
    "annuvin": ("game_dwindle", "taken", "tavoliere"),
    "Upper Case": ("game_dwindle", "key", "Upper Case"),
    "nowhere": ("not a package", "package", "not a package"),
    "far-away": ("package_that_is_gone", "import", "package_that_is_gone"),
}


def write_broken(folder: Path) -> dict[str, tuple[str, str]]:
    """Write packages that cannot be used, and metadata that is none.

    Return for each key the reason, and what the sentence about it names.
    """
    places = {key: write_package(folder, key, **changed) for key, (changed, _, _) in BROKEN.items()}
    (places["no-words"] / "locales" / "en" / "no-words.po").unlink()
    (places["bad-words"] / "locales" / "en" / "bad-words.po").write_bytes(b"msgid \xff\nmsgstr")
    (places["no-lesson"] / "lesson.json").write_text("{", encoding="utf-8")
    (places["bad-puzzle"] / "puzzles.json").write_text('[{"id": "bad-puzzle-1"}]', encoding="utf-8")
    (places["no-palette"] / "palettes" / "no-palette-dark.bin").unlink()
    write_metadata(folder, "somebody-elses", {key: package for key, (package, _, _) in STRANGE.items()})
    write_metadata(folder, "third", {"dwindle": "game_dwindle"})
    for number, text in enumerate(("[tavoliere.games]\nnonsense", "\0", "[tavoliere.games]\n = x")):
        write_metadata(folder, f"strange-{number}", {})
        (folder / f"strange_{number}-1.0.dist-info" / "entry_points.txt").write_text(text, encoding="utf-8")
    expected = {key: (reason, named) for key, (_, reason, named) in (*BROKEN.items(), *STRANGE.items())}
    return {**expected, "dwindle": ("taken", "tavoliere-dwindle 1.0"), "": ("key", "")}


def test_broken_packages_are_set_aside_with_reasons_while_others_run(tmp_path: Path) -> None:
    write_package(tmp_path, "dwindle")
    expected = write_broken(tmp_path)
    found = json.loads(run(PROGRAM, tmp_path))
    assert (found["games"], found["ours"]) == ([*games, "dwindle"], list(games))
    reasons = {key: (reason, english, italian) for key, reason, english, italian in found["aside"]}
    assert reasons.keys() == expected.keys()
    for key, (why, named) in expected.items():
        reason, english, italian = reasons[key]
        assert reason == why, key
        assert named in english, key
        assert named in italian
        assert english != italian
    examined = {key: (package, reason, level) for key, package, reason, level in found["told"]}
    assert examined.keys() == expected.keys()
    assert examined["no-import"] == ("tavoliere-no-import 1.0", reasons["no-import"][1], "error")


LISTED = """
    import os
    from bot.__main__ import main

    for language in ("en_GB", "it_IT"):
        os.environ["LANG"] = f"{language}.UTF-8"
        print("\\f")
        main(["games"])
"""
SAID = {
    "en": ("of this project", "from the package tavoliere-dwindle 1.0", "lacks: rule sheet, lesson"),
    "it": ("di questo progetto", "dal pacchetto tavoliere-dwindle 1.0", "manca: esempi delle regole"),
}


def test_the_command_lists_where_each_comes_from(tmp_path: Path) -> None:
    write_package(tmp_path)
    write_package(tmp_path, "no-import", rules="import nothing_like_that")
    _, *printed = run(LISTED, tmp_path).split("\f")
    for said, language in zip(printed, SAID, strict=True):
        for key in games:
            assert f"\n{key} – " in said
        for words in (*SAID[language], "dwindle – Dwindle", "no-import (tavoliere-no-import 1.0)", "nothing_like_that"):
            assert words in said


def test_a_game_of_this_project_is_found_by_its_key_alone() -> None:
    for key in games:
        source = games.source(key)
        assert PICTURE.module(source) == f"render.games.{key.replace('-', '_')}"
        assert (source.package, source.key) == (None, key)
    assert list(games) == sorted(games, key=lambda key: (games[key].order, key))


def test_a_game_of_a_package_has_its_own_puzzles(tmp_path: Path) -> None:
    position = {"game": "dwindle", "options": {"size": 3}, "to_move": 0, "stones": ["b1"]}
    puzzle = {"id": "dwindle-1", "position": position, "goal": ["win", 1], "tree": [["b1"]], "size": 1}
    written = json.dumps([{**puzzle, "difficulty": 1, "motif": "quiet"}])
    (write_package(tmp_path) / "puzzles.json").write_text(written, encoding="utf-8")
    program = """
        from bot.boards.puzzles.puzzle import puzzle_by_id
        from bot.boards.puzzles.solving import PuzzleAttempt

        solving = PuzzleAttempt(puzzle_by_id("dwindle-1"))
        print(solving.goal.kind, solving.play(solving.line.state.legal_actions()).verdict)
    """
    assert run(program, tmp_path).split() == ["win", "solved"]


def test_a_part_that_is_missing_is_none() -> None:
    parts = Parts[object](games, POLICY)
    assert list(parts) == list(games)
    assert "no-such-game" not in parts
    with pytest.raises(KeyError):
        parts["no-such-game"]
    source = Source("no-such-game")
    assert not POLICY.exists(source)
    assert file_of(source, "bot", "kernel/rulebook/lessons/no-such-game.json", "lesson.json") is None
    with pytest.raises(Unusable):
        POLICY.load(Source("no-such-game", "no_such_package"))


def test_no_option_may_be_called_like_a_parameter_of_play() -> None:
    assert set(PLAY_PARAMETERS) == {each.name for each in COMMANDS["play"].parameters if each.kind != "option"}
