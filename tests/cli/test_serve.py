"""`tavoliere serve` as a process: its greeting, its end, and what keeps it from starting."""

import os
import re
import signal
import socket
import sqlite3
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from bot.cli.serve import new_loop
from bot.kernel.operations.settings import find_reachable_address
from tests.support.forked import Forked
from tests.support.ports import free_port

TIMEOUT_SECONDS = 60


class Program:
    """A running `tavoliere serve`."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.endswith(("TOKEN", "_URL"))}
        environment = {"LANG": "en_GB.UTF-8", "PYTHONPATH": str(Path(__file__).parents[2])} | environment
        self.process = Forked(("serve", *arguments), folder, clean | environment)

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


def ask_health(folder: Path, *arguments: str, **environment: str) -> int:
    """Run `tavoliere health` and return how it ends."""
    process = Forked(("health", *arguments), folder, {**os.environ, "LANG": "en_GB.UTF-8"} | environment)
    process.communicate(timeout=TIMEOUT_SECONDS)
    return process.wait()


def test_serve_answers_requests_and_stops_on_a_signal(tmp_path: Path, programs: list[Program]) -> None:
    programs.append(program := Program(tmp_path, "--port", "0", TAVOLIERE_WEB_ADDRESS="https://games.example.org"))
    address = program.address()
    # Under the name at which others are said to open it, too.
    asked = urllib.request.Request(f"{address}healthz", headers={"Host": "games.example.org"})
    with urllib.request.urlopen(asked, timeout=TIMEOUT_SECONDS) as answer:
        assert answer.status == 200
    port = address.rstrip("/").rsplit(":", 1)[1]
    assert ask_health(tmp_path, "--port", port) == 0
    code, out = program.end()
    assert code == 0
    assert "stopped" in out
    assert (tmp_path / "data" / "tavoliere.db").exists()
    assert ask_health(tmp_path, "--port", port) == 1


@pytest.mark.usefixtures("new_database")
def test_its_health_is_asked_for_where_it_listens(tmp_path: Path, programs: list[Program]) -> None:
    port = str(free_port())
    where = {"TAVOLIERE_WEB_HOST": "127.0.0.2", "TAVOLIERE_WEB_PORT": port}
    programs.append(program := Program(tmp_path, **where))
    assert (program.address(), ask_health(tmp_path, **where)) == (f"http://127.0.0.2:{port}/", 0)
    assert ask_health(tmp_path, "--host", "127.0.0.1", **where) == 1


@pytest.mark.parametrize(
    ("listens", "asked"),
    [("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("", "127.0.0.1"), ("::1", "::1"), ("box", "box")],  # noqa: S104
)
def test_what_listens_at_all_addresses_is_reached_at_one(listens: str, asked: str) -> None:
    assert find_reachable_address(listens) == asked


@pytest.mark.usefixtures("new_database")
def test_serve_stops_on_ctrl_c(tmp_path: Path, programs: list[Program]) -> None:
    programs.append(program := Program(tmp_path, "--port", "0"))
    program.address()
    assert program.end(signal.SIGINT)[0] == 0


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


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        one_sentence(Program(tmp_path, "--port", str(port)).failure(), f"Port {port}")


@pytest.mark.usefixtures("new_database")
def test_unavailable_host_address_is_reported(tmp_path: Path) -> None:
    one_sentence(Program(tmp_path, "--port", "0", "--host", "192.0.2.1").failure(), "192.0.2.1")


def test_data_folder_that_is_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    one_sentence(Program(tmp_path, "--data-dir", "file").failure(), "file")
    one_sentence(Program(tmp_path, "--data-dir", "file/inside").failure(), "file/inside")


@pytest.mark.usefixtures("new_database")
def test_a_second_program_in_the_same_folder_is_refused(tmp_path: Path, programs: list[Program]) -> None:
    programs.append(program := Program(tmp_path, "--port", "0"))
    program.address()
    one_sentence(Program(tmp_path, "--port", "0").failure(), "running already")
    assert program.process.poll() is None


def test_file_that_is_no_database_is_reported_and_kept(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "tavoliere.db").write_bytes(b"these are my holiday notes " * 100)
    one_sentence(Program(tmp_path, "--port", "0").failure(), "damaged")
    assert (tmp_path / "data" / "tavoliere.db").read_bytes() == b"these are my holiday notes " * 100


def test_newer_database_is_reported_and_left_unchanged(tmp_path: Path, new_database: Path) -> None:
    with closing(sqlite3.connect(new_database)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9001'")
        connection.commit()
        before = list(connection.iterdump())
    one_sentence(Program(tmp_path, "--port", "0").failure(), "newer Tavoliere")
    with closing(sqlite3.connect(new_database)) as connection:
        assert list(connection.iterdump()) == before


def test_a_second_program_on_the_same_file_is_refused_from_any_folder(tmp_path: Path, programs: list[Program]) -> None:
    url = f"sqlite:///{tmp_path / 'games.db'}"
    programs.append(program := Program(tmp_path, "--port", "0", DATABASE_URL=url))
    program.address()
    other = Program(tmp_path, "--port", "0", "--data-dir", "elsewhere", DATABASE_URL=url)
    one_sentence(other.failure(), f"running already with the database {tmp_path / 'games.db'}")
    assert program.process.poll() is None


@pytest.mark.parametrize("url", ["nonsense", "mysql://a:secret@host/db", "postgresql://anna:secret@127.0.0.1:1/db"])
def test_unreachable_database_is_reported_without_its_password(tmp_path: Path, url: str) -> None:
    code, err = Program(tmp_path, "--port", "0", DATABASE_URL=url).failure()
    assert code == 3
    assert "DATABASE_URL" in err
    assert "secret" not in err
    assert "Traceback" not in err
