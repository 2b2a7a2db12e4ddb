"""`tavoliere serve` as a process: its greeting, its end, and what keeps it from starting."""

import os
import re
import signal
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from bot.cli.serve import new_loop
from bot.kernel.operations.settings import find_reachable_address
from tests.cli.conftest import Run
from tests.cli.test_copies import change, everything
from tests.support.forked import Forked
from tests.support.ports import free_port

TIMEOUT_SECONDS = 60


class Program:
    """A running `tavoliere serve`."""

    terminal = False
    """Whether its output is a terminal."""
    fakes: tuple[str, str] | None = None
    """The addresses of a fake Discord's API and gateway."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.endswith(("TOKEN", "_URL"))}
        environment = {"LANG": "en_GB.UTF-8", "PYTHONPATH": str(Path(__file__).parents[2])} | environment
        self.process = Forked(
            ("serve", *arguments), folder, clean | environment, terminal=self.terminal, fakes=self.fakes
        )

    def address(self) -> str:
        """Wait for the page's address."""
        for line in self.process.stdout:
            found = re.search(r"http://\S+", line)
            if found:
                return found[0]
        raise AssertionError(self.process.communicate(timeout=TIMEOUT_SECONDS)[1])

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; return the exit code and what was printed after the greeting."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=TIMEOUT_SECONDS)
        return self.process.wait(), out

    def everything(self) -> tuple[str, str]:
        """Let it start, stop it, and return all that it printed and all that it complained of or logged."""
        out = ""
        for line in self.process.stdout:
            out += line
            if line.startswith("Telegram"):
                break
        self.process.send_signal(signal.SIGTERM)
        rest, err = self.process.communicate(timeout=TIMEOUT_SECONDS)
        return out + rest, err

    def failure(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and the error stream."""
        _, err = self.process.communicate(timeout=TIMEOUT_SECONDS)
        return self.process.wait(), err


@pytest.fixture
def programs() -> Iterator[list[Program]]:
    started: list[Program] = []
    yield started
    for program in started:
        if program.process.poll() is None:
            program.process.kill()
            program.process.communicate()


def test_serve_answers_requests_and_stops_on_a_signal(tmp_path: Path, programs: list[Program], run: Run) -> None:
    programs.append(program := Program(tmp_path, "--port", "0", TAVOLIERE_WEB_ADDRESS="https://games.example.org"))
    address = program.address()
    # Under the name at which others are said to open it, too.
    asked = urllib.request.Request(f"{address}healthz", headers={"Host": "games.example.org"})
    with urllib.request.urlopen(asked, timeout=TIMEOUT_SECONDS) as answer:
        assert answer.status == 200
    port = address.rstrip("/").rsplit(":", 1)[1]
    assert run("health", "--port", port).code == 0
    code, out = program.end()
    assert code == 0
    assert "stopped" in out
    assert (tmp_path / "data" / "tavoliere.db").exists()
    assert run("health", "--port", port).code == 1


@pytest.mark.usefixtures("new_database")
def test_its_health_is_asked_for_where_it_listens(tmp_path: Path, programs: list[Program], run: Run) -> None:
    port = str(free_port())
    where = {"TAVOLIERE_WEB_HOST": "127.0.0.2", "TAVOLIERE_WEB_PORT": port}
    programs.append(program := Program(tmp_path, **where))
    assert (program.address(), run("health", **where).code) == (f"http://127.0.0.2:{port}/", 0)
    assert run("health", "--host", "127.0.0.1", **where).code == 1


@pytest.mark.parametrize(
    ("listens", "asked"),
    [("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("", "127.0.0.1"), ("::1", "::1"), ("box", "box")],  # noqa: S104
)
def test_what_listens_at_all_addresses_is_reached_at_one(listens: str, asked: str) -> None:
    assert find_reachable_address(listens) == asked


def one_sentence(failure: tuple[int, str], said: str) -> None:
    code, err = failure
    assert code == 3
    assert said in err
    assert len(err.strip().splitlines()) == 1, err


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system does not let a program choose its CPUs")
@pytest.mark.usefixtures("new_database")
@pytest.mark.parametrize("setting", ["one", "any"])
def test_all_its_threads_stay_on_one_cpu_unless_they_may_use_any(
    tmp_path: Path, programs: list[Program], setting: str
) -> None:
    programs.append(program := Program(tmp_path, "--port", "0", TAVOLIERE_CPU_AFFINITY=setting))
    program.address()
    threads = [int(task.name) for task in Path(f"/proc/{program.process.pid}/task").iterdir()]
    used = {frozenset(os.sched_getaffinity(thread)) for thread in threads}
    allowed = os.sched_getaffinity(0)
    assert len(threads) > 1
    assert len(used) == 1
    assert next(iter(used)) <= allowed
    assert len(next(iter(used))) == (1 if setting == "one" else len(allowed))
    assert program.end()[0] == 0


@pytest.mark.usefixtures("new_database")
def test_serve_runs_without_uvloop(tmp_path: Path, programs: list[Program]) -> None:
    (tmp_path / "uvloop.py").write_text("raise ImportError")
    programs.append(Program(tmp_path, "--port", "0"))
    with urllib.request.urlopen(programs[0].address(), timeout=TIMEOUT_SECONDS) as page:
        assert page.status == 200
    assert programs[0].end()[0] == 0


def test_where_there_is_uvloop_it_runs_the_program() -> None:
    with closing(new_loop()) as loop:
        assert type(loop).__module__ == ("asyncio.unix_events" if find_spec("uvloop") is None else "uvloop")


@pytest.mark.usefixtures("new_database")
def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        one_sentence(Program(tmp_path, "--port", str(port)).failure(), f"Port {port}")


@pytest.mark.usefixtures("logs")
def test_a_second_program_on_the_same_database_is_refused_and_ctrl_c_stops_the_first(
    new_database: Path, tmp_path: Path, programs: list[Program], run: Run
) -> None:
    programs.append(program := Program(tmp_path, "--port", "0"))
    program.address()
    assert "running already" in run("serve", "--port", "0").sentence(3)
    elsewhere = run("serve", "--port", "0", "--data-dir", "elsewhere", DATABASE_URL=f"sqlite:///{new_database}")
    assert f"running already with the database {new_database}" in elsewhere.sentence(3)
    assert program.process.poll() is None
    assert program.end(signal.SIGINT)[0] == 0


@pytest.mark.usefixtures("new_database", "logs")
def test_unavailable_host_address_is_reported(run: Run) -> None:
    assert "192.0.2.1" in run("serve", "--port", "0", "--host", "192.0.2.1").sentence(3)


@pytest.mark.usefixtures("logs")
def test_data_folder_that_is_a_file_is_reported(run: Run) -> None:
    Path("file").touch()
    for folder in ("file", "file/inside"):
        assert "file" in run("serve", "--data-dir", folder).sentence(3)


@pytest.mark.usefixtures("logs")
def test_file_that_is_no_database_is_reported_and_kept(new_database: Path, run: Run) -> None:
    notes = b"these are my holiday notes " * 100
    new_database.write_bytes(notes)
    assert "damaged" in run("serve", "--port", "0").sentence(3)
    assert new_database.read_bytes() == notes


@pytest.mark.usefixtures("logs")
def test_newer_database_is_reported_and_left_unchanged(new_database: Path, run: Run) -> None:
    change("UPDATE alembic_version SET version_num = '9001'")
    before = everything()
    assert "newer Tavoliere" in run("serve", "--port", "0").sentence(3)
    assert everything() == before


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize("url", ["nonsense", "mysql://a:secret@host/db", "postgresql://anna:secret@127.0.0.1:1/db"])
def test_unreachable_database_is_reported_without_its_password(run: Run, url: str) -> None:
    said = run("serve", "--port", "0", DATABASE_URL=url).refusal(3)
    assert "DATABASE_URL" in said
    assert "secret" not in said
