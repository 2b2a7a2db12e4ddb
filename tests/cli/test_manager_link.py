"""`tavoliere manager-link`, and who is told the link when the program starts."""

import os
import pty
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import structlog

from bot.cli.serve import start_logs
from bot.kernel.operations.manager_secret import SECRET_FILE, ManagerSecret
from bot.kernel.operations.settings import Settings
from tests.cli.conftest import Run
from tests.cli.test_serve import TIMEOUT_SECONDS, Program, programs
from tests.support.abilities import require
from tests.support.ports import free_port

__all__ = ["programs"]

LINK = re.compile(r"http://127\.0\.0\.1:(\d+)/#manager=([A-Za-z0-9_-]{43})")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of a program that does not run."""
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def secret_of(folder: Path) -> str:
    """Return the secret that a data folder holds."""
    return (folder / SECRET_FILE).read_text().strip()


def test_manager_link_is_stable(run: Run, data: Path) -> None:
    ran = run("manager-link")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"http://127.0.0.1:8080/#manager={secret_of(data)}\n"
    assert (run("manager-link").out, stat.S_IMODE((data / SECRET_FILE).stat().st_mode)) == (ran.out, 0o600)


def test_a_new_one_replaces_it(run: Run, data: Path) -> None:
    old = run("manager-link").out
    ran = run("manager-link", "--new")
    assert ran.code == 0
    assert ran.out == f"http://127.0.0.1:8080/#manager={secret_of(data)}\n"
    assert ran.out != old
    assert "no longer do" in ran.err
    assert (run("manager-link").out, stat.S_IMODE((data / SECRET_FILE).stat().st_mode)) == (ran.out, 0o600)


def test_manager_link_uses_the_address_of_settings_and_options(run: Run, data: Path) -> None:
    secret = ManagerSecret(data).load_or_create()
    where = {"TAVOLIERE_WEB_HOST": "0.0.0.0", "TAVOLIERE_WEB_PORT": "9000"}  # noqa: S104 - nothing listens
    ran = run("manager-link", **where)
    assert ran.out == f"http://127.0.0.1:9000/#manager={secret}\n"
    assert "--address" in ran.err, "it may be opened from elsewhere"
    assert secret not in ran.err
    ran = run("manager-link", "--address", "https://games.example.org", **where)
    assert (ran.out, ran.err) == (f"https://games.example.org/#manager={secret}\n", "")


@pytest.mark.parametrize("address", ["games.example.org", "https://games.example.org/#x", "ftp://a", "https:// a"])
def test_manager_link_refuses_an_invalid_address(run: Run, data: Path, address: str) -> None:
    assert "http://" in run("manager-link", "--address", address).refusal(2)
    assert list(data.iterdir()) == []


def test_automatic_port_needs_an_explicit_address(run: Run, data: Path) -> None:
    ran = run("manager-link", "--new", TAVOLIERE_WEB_PORT="0")
    assert (ran.code, ran.out) == (2, "")
    assert "--address" in ran.err
    assert list(data.iterdir()) == [], "and nothing was done"


def test_missing_data_folder_is_reported_and_not_created(run: Run, tmp_path: Path) -> None:
    for folder in ("elsewhere", "file"):
        (tmp_path / "file").touch()
        ran = run("manager-link", "--data-dir", folder)
        assert (ran.code, ran.out) == (3, "")
        assert f"no folder {folder}" in ran.err
        assert len(ran.err.splitlines()) == 1
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("arguments", [[], ["--new"]])
def test_unusable_secret_file_is_reported(run: Run, data: Path, arguments: list[str]) -> None:
    (data / SECRET_FILE).mkdir()
    ran = run("manager-link", *arguments)
    assert (ran.code, ran.out) == (3, "")
    assert SECRET_FILE in ran.err
    assert (len(ran.err.splitlines()), [path.name for path in data.iterdir()]) == (1, [SECRET_FILE])


def test_manager_link_errors_are_in_italian(run: Run) -> None:
    assert "La cartella data non c'è" in run("manager-link", LANG="it_IT.UTF-8").err


@dataclass
class Terminal:
    """A running `tavoliere serve` whose output is a terminal."""

    folder: Path
    shown: str = ""
    _process: subprocess.Popen[bytes] = field(init=False)
    _end: int = field(init=False)

    def __post_init__(self) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.endswith(("TOKEN", "_URL"))}
        self._end, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bot", "serve", "--port", "0"],
            cwd=self.folder,
            env=clean | {"LANG": "en_GB.UTF-8", "PYTHONPATH": str(Path(__file__).parents[2])},
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.PIPE,
        )
        os.close(theirs)

    def until(self, wanted: str) -> str:
        """Read until something is shown; return all that was."""
        # When its last program ends, a terminal raises an error for its reader.
        with suppress(OSError):
            while wanted not in self.shown and (part := os.read(self._end, 4096)):
                self.shown += part.decode()
        assert wanted in self.shown, self.shown
        return self.shown

    def end(self) -> str:
        """Stop it; return what went to its error stream, where the log is."""
        self._process.send_signal(signal.SIGTERM)
        self.until("stopped")
        _, log = self._process.communicate(timeout=TIMEOUT_SECONDS)
        os.close(self._end)
        return log.decode()


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    """Programs at terminals, which are ended with the test."""
    require("terminal")
    started: list[Terminal] = []
    yield started
    for terminal in started:
        if terminal._process.poll() is None:
            terminal._process.kill()
            terminal._process.communicate()


def everything(program: Program) -> tuple[str, str]:
    """Let a program start, stop it, and return all that it printed and all that it complained of or logged."""
    out = ""
    assert program.process.stdout is not None
    for line in program.process.stdout:
        out += line
        if line.startswith("Telegram"):
            break
    program.process.send_signal(signal.SIGTERM)
    rest, err = program.process.communicate(timeout=TIMEOUT_SECONDS)
    return out + rest, err


def test_at_a_terminal_the_link_is_printed_but_not_logged(tmp_path: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal(tmp_path)
    terminals.append(terminal)
    shown = LINK.search(terminal.until("Telegram"))
    assert shown is not None, terminal.shown
    assert shown[2] == secret_of(tmp_path / "data")
    assert f"Play in the browser: http://127.0.0.1:{shown[1]}/\r" in terminal.shown
    assert shown[2] not in terminal.end()


def test_output_to_a_pipe_names_only_the_command_for_the_link_which_works_meanwhile(
    tmp_path: Path, programs: list[Program], run: Run
) -> None:
    port = str(free_port())
    programs.append(program := Program(tmp_path, TAVOLIERE_WEB_PORT=port, TAVOLIERE_LOG_LEVEL="debug"))
    address = program.address()
    old = secret_of(tmp_path / "data")
    assert run("manager-link", TAVOLIERE_WEB_PORT=port).out == f"{address}#manager={old}\n"
    new = run("manager-link", "--new", TAVOLIERE_WEB_PORT=port).out
    assert new == f"{address}#manager={secret_of(tmp_path / 'data')}\n"
    assert secret_of(tmp_path / "data") != old
    out, err = everything(program)
    assert "tavoliere manager-link" in out
    assert old not in out + err
    assert "#manager=" not in out + err


def test_program_runs_without_a_manager_if_the_secret_cannot_be_stored(data: Path, programs: list[Program]) -> None:
    (data / SECRET_FILE).mkdir()
    programs.append(program := Program(data.parent, "--port", "0"))
    out, err = everything(program)
    assert "no manager for now" in err
    assert "Play in the browser" in out
    assert "manager" not in out


def test_the_secret_is_blacked_out_in_the_log(logs: None, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    secret = ManagerSecret(tmp_path)
    start_logs(Settings(), secret.load_or_create())
    structlog.get_logger("ours").warning("opened", by=secret.load_or_create(), other=f"http://x/#manager={'y' * 43}&z")
    err = capsys.readouterr().err
    assert "opened" in err
    assert secret.load_or_create() not in err
    assert "y" * 43 not in err
