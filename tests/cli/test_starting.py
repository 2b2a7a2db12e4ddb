"""What `tavoliere serve` says before it begins: settings that do nothing, and a database that takes no change."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from storage import Store
from tests.cli.conftest import Ran, Run
from tests.support.faults import told

pytestmark = pytest.mark.usefixtures("logs")


def start(run: Run) -> Ran:
    """Start the program where it cannot go on, with a file for its folder."""
    Path("file").touch()
    return run("serve", "--port", "0", "--data-dir", "file")


def test_a_mistyped_setting_is_named_with_what_was_meant(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVOLIERE_LANGAUGE", "it")
    Path(".env").write_text("TAVOLIERE_WEBPORT=9000\nTAVOLIERE_COLOUR=blue\nSOMETHING_ELSE=1\n", encoding="utf-8")
    colour, language, port, _ = start(run).err.splitlines()
    assert "TAVOLIERE_COLOUR" in colour
    assert "Perhaps" not in colour
    assert "TAVOLIERE_LANGAUGE" in language
    assert "Perhaps TAVOLIERE_LANGUAGE " in language
    assert "TAVOLIERE_WEBPORT" in port
    assert "Perhaps TAVOLIERE_WEB_PORT " in port


@pytest.mark.parametrize(("place", "token"), [("discord:5", "DISCORD_TOKEN"), ("telegram:-5", "TELEGRAM_TOKEN")])
def test_errors_told_on_a_platform_need_its_token(
    run: Run, monkeypatch: pytest.MonkeyPatch, place: str, token: str
) -> None:
    monkeypatch.setenv("TAVOLIERE_ERRORS_TO", place)
    warning, _ = start(run).err.splitlines()
    assert "TAVOLIERE_ERRORS_TO" in warning
    assert token in warning
    monkeypatch.setenv(token, "1:x")
    assert len(start(run).err.splitlines()) == 1


def test_settings_that_are_right_are_no_reason_to_say_anything(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("tavoliere_language", "en")
    assert len(start(run).err.splitlines()) == 1


def test_a_database_that_cannot_be_written_is_said_and_nothing_is_started(run: Run, tmp_path: Path) -> None:
    async def make() -> None:
        await (await Store.open(tmp_path / "data" / "tavoliere.db")).close()

    asyncio.run(make())
    with told("query_only = ON"):
        ran = run("serve", "--port", "0")
    assert ran.code == 3
    assert "may not be written" in ran.err
    assert len(ran.err.splitlines()) == 1
    assert ran.out == ""
