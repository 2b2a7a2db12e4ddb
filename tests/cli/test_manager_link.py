"""`tavoliere manager-link`, and who is told the link when the program starts."""

import re
import signal
import stat
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
from tests.support.present import present

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


def test_manager_link_is_stable_until_a_new_one_replaces_it(run: Run, data: Path) -> None:
    links = set[str]()
    for arguments, said in ((), ""), (("--new",), "no longer do"):
        ran = run("manager-link", *arguments)
        assert ran.success() == f"http://127.0.0.1:8080/#manager={secret_of(data)}\n"
        assert (said in ran.err, bool(ran.err)) == (True, bool(said))
        assert (run("manager-link").out, stat.S_IMODE((data / SECRET_FILE).stat().st_mode)) == (ran.out, 0o600)
        links.add(ran.out)
    assert len(links) == 2


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
    assert "--address" in run("manager-link", "--new", TAVOLIERE_WEB_PORT="0").sentence(2)
    assert list(data.iterdir()) == [], "and nothing was done"


def test_missing_data_folder_is_reported_and_not_created(run: Run, tmp_path: Path) -> None:
    for folder in ("elsewhere", "file"):
        (tmp_path / "file").touch()
        assert f"no folder {folder}" in run("manager-link", "--data-dir", folder).sentence(3)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("arguments", [[], ["--new"]])
def test_unusable_secret_file_is_reported(run: Run, data: Path, arguments: list[str]) -> None:
    (data / SECRET_FILE).mkdir()
    assert SECRET_FILE in run("manager-link", *arguments).sentence(3)
    assert [path.name for path in data.iterdir()] == [SECRET_FILE]


def test_manager_link_errors_are_in_italian(run: Run) -> None:
    assert "La cartella data non c'è" in run("manager-link", LANG="it_IT.UTF-8").err


class AtTerminal(Program):
    """A running `tavoliere serve` whose output is a terminal."""

    terminal = True


def test_at_a_terminal_the_link_is_printed_but_not_logged(data: Path, programs: list[Program]) -> None:
    require("terminal")
    programs.append(program := AtTerminal(data.parent, "--port", "0"))
    with program.process.stdout as terminal, program.process.stderr as log:
        shown = ""
        while "Telegram" not in shown:
            shown += terminal.readline()
        link = present(LINK.search(shown))
        program.process.send_signal(signal.SIGTERM)
        assert link[2] not in log.read()
    program.process.wait(TIMEOUT_SECONDS)
    assert link[2] == secret_of(data)
    assert f"Play in the browser: http://127.0.0.1:{link[1]}/\n" in shown


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
    out, err = program.everything()
    assert "tavoliere manager-link" in out
    assert old not in out + err
    assert "#manager=" not in out + err


def test_program_runs_without_a_manager_if_the_secret_cannot_be_stored(data: Path, programs: list[Program]) -> None:
    (data / SECRET_FILE).mkdir()
    programs.append(program := Program(data.parent, "--port", "0"))
    out, err = program.everything()
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
