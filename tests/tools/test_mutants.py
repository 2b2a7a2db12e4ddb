"""tools/mutants.py: what it draws from two commits."""

import json
import subprocess
from pathlib import Path

import pytest

from tools import mutants

OLD = "def kept(x: int) -> bool:\n    return x > 1\n\n\ndef changed(x: int) -> bool:\n    return x > 2\n"
NEW = OLD.replace("x > 2", "x > 3") + "\n\ndef added(x: int) -> bool:\n    return x > 4\n"


@pytest.mark.parametrize(
    ("options", "drawn"), [([], ["kept"]), (["--new", "storage/numbers.py"], ["added", "changed"])]
)
def test_draws_functions_that_two_commits_share_or_that_the_base_does_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], drawn: list[str]
) -> None:
    module = tmp_path / "storage" / "numbers.py"
    module.parent.mkdir()
    module.write_text(OLD)
    author = ("-c", "user.name=Eve", "-c", "user.email=eve@example.org")
    for command in (("init", "-q"), ("add", "."), (*author, "commit", "-q", "-m", "Numbers")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    module.write_text(NEW)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    file = tmp_path / "mutants.json"
    monkeypatch.setattr("sys.argv", ["mutants", "draw", "--base", "HEAD", *options, str(file)])
    mutants.main()
    assert sorted(entry["function"] for entry in json.loads(file.read_text())) == drawn
