"""Running the command in this process, in English unless a test says otherwise."""

import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.__main__ import main

SETTINGS = ("DISCORD_TOKEN", "TELEGRAM_TOKEN", "DATABASE_URL", "LC_ALL", "LC_MESSAGES")


@dataclass(frozen=True)
class Ran:
    """What a command did: its exit code and what it printed."""

    code: int
    out: str
    err: str

    def success(self) -> str:
        """Return what was printed by a command that ended well."""
        assert self.code == 0, self
        return self.out

    def refusal(self, code: int) -> str:
        """Return what was said of an error that ended the command with this exit code."""
        assert self.code == code, self
        return self.err

    def sentence(self, code: int) -> str:
        """Return the one line that was said of an error that ended the command with this exit code; no output."""
        assert (self.refusal(code).strip().count("\n"), self.out) == (0, ""), self
        return self.err


Run = Callable[..., Ran]


@pytest.fixture
def new_database(tmp_path: Path, empty_database: Path) -> Path:
    """A database with nothing in it where the program looks for one: to make one takes longer than most commands."""
    (tmp_path / "data").mkdir()
    return Path(shutil.copy(empty_database, tmp_path / "data"))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what runs `tavoliere` with arguments, perhaps typed lines and settings, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_GB.UTF-8")

    def command(*arguments: str, typed: str | None = None, **settings: str) -> Ran:
        if typed is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed.encode()), "utf-8"))
        capsys.readouterr()
        with monkeypatch.context() as patch:
            for name, value in settings.items():
                patch.setenv(name, value)
            try:
                code = main(arguments)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return command
