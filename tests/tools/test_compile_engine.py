"""The compiled engine: what is left out for it, when it is used, and (the long version) that it plays the same."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bot.thinking.thinkers import FINGERPRINT_FILE, fingerprint, search_path
from tools import selfcheck
from tools.compile_engine import COLD, PLAIN, ROOT, main, remove_guards

MODULES = sorted((ROOT / "engine").rglob("*.py"))


def test_plain_modules_are_used_without_a_matching_build(tmp_path: Path) -> None:
    assert search_path(tmp_path) == []
    (tmp_path / FINGERPRINT_FILE).write_text("made from other sources", encoding="utf-8")
    assert search_path(tmp_path) == []
    (tmp_path / FINGERPRINT_FILE).write_text(fingerprint(), encoding="utf-8")
    assert search_path(tmp_path) == [str(tmp_path)]


def test_no_guard_is_left_and_nothing_else_is_lost() -> None:
    sealed = 0
    for path in MODULES:
        source = path.read_text(encoding="utf-8")
        bare = remove_guards(path.stem, source)
        ast.parse(bare)
        sealing = re.findall(r"self\.__class__ = (\w+)", source)
        sealed += len(sealing)
        assert set(sealing) == set(re.findall(r"^(\w+)(?:: Final)? = make_immutable\(", source, re.MULTILINE)), path
        assert "self.__class__ = " not in bare
        lost = len(source.splitlines()) - len(bare.splitlines())
        assert lost == (13 if path.stem == "core" else len(sealing)), path
    assert sealed


def test_only_games_say_themselves_that_they_stay_plain() -> None:
    plain = [path for path in MODULES if PLAIN.search(path.read_text(encoding="utf-8"))]
    assert plain
    assert [path for path in plain if not path.is_relative_to(ROOT / "engine" / "games")] == []


def test_a_guard_that_has_changed_is_noticed() -> None:
    with pytest.raises(ValueError, match="core"):
        remove_guards("core", "class Action: pass")


def test_modules_left_uncompiled_exist() -> None:
    assert {path.stem for path in MODULES} >= COLD


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.extensions
def test_it_is_built_and_plays_the_same(tmp_path: Path) -> None:
    place = tmp_path / "compiled"
    assert (main(place), (place / FINGERPRINT_FILE).read_text(encoding="utf-8")) == (0, fingerprint())
    program = f"import sys; sys.path.insert(0, {str(place)!r}); from tools import selfcheck; selfcheck.main()"
    said = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, text=True).strip()
    assert said == f"compiled {selfcheck.compute_digest()}"
