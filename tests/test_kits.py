"""The tests of one game alone, and the kit of a game that another package brings."""

from pathlib import Path

import pytest

from engine import games
from tests.conftest import pytest_configure
from tests.support import kits
from tests.support.packages import run_pytest

ONE = "tests/engine/test_diagram.py"
TEST = f"{ONE}::test_every_piece_of_every_game_is_shown_once_and_apart_from_all_else"


def test_only_what_concerns_one_game_is_run() -> None:
    key = next(iter(games))
    own = kits.files(key, "test_*.py")[0].relative_to(kits.ROOT)
    other = kits.files(list(games)[-1], "test_*.py")[0].relative_to(kits.ROOT)
    asked = ("--collect-only", "-q", "-p", "no:cacheprovider", "--game", key, ONE, own, other)
    lines = [line for line in run_pytest(*asked, path=(kits.ROOT,)).stdout.splitlines() if "::" in line]
    assert {line for line in lines if line.startswith(ONE)} == {f"{TEST}[{key}]"}
    assert any(line.startswith(str(own)) for line in lines)
    assert not any(line.startswith(str(other)) for line in lines)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [("game", "no-such-game", "there is no game no-such-game"), ("kit", "no/such/folder", "no/such/folder")],
)
def test_what_is_not_there_is_said(
    option: str, value: str, said: str, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytestconfig.option, option, value)
    with pytest.raises(pytest.UsageError, match=said):
        pytest_configure(pytestconfig)


def test_a_game_is_known_by_its_key_in_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kits, "games", {"hex": None, "hex-plus": None, "go": None})
    assert kits.named("hex-2-small") == {"hex"}
    assert kits.named("light-hex-plus") == {"hex-plus"}
    assert kits.named("go-home-hex") == {"go", "hex"}
    assert kits.named("hexagon-goal") == set()


def test_a_kit_that_is_given_belongs_to_the_game_that_does_not_stand_in_this_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kits, "_given", [])
    key = next(iter(games))
    assert kits.kit("from-elsewhere") is None
    assert kits.files("from-elsewhere", "*.json") == []
    kits.give(tmp_path)
    (tmp_path / "perft.json").write_text("[]")
    assert kits.kit("from-elsewhere") == tmp_path.resolve()
    assert [path.name for path in kits.files("from-elsewhere", "*.json")] == ["perft.json"]
    assert kits.kit(key) == kits.FOLDER / kits.name_of(key)
