"""A pipe, a socket or a device where a file is needed: refused in one sentence, without waiting and without harm."""

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from bot.__main__ import COMMANDS
from tests.cli.conftest import Run
from tests.cli.test_copies import DATABASE, filled

READING: Final = {
    "replay": ("replay", "{}"),
    "verify": ("verify", "{}"),
    "render": ("render", "{}", "-o", "picture.png"),
    "animate": ("animate", "{}", "-o", "film.gif"),
    "import": ("import", "{}"),
    "oracle": ("oracle", "{}"),
    "perft": ("perft", "annuvin", "--position", "{}"),
    "restore": ("restore", "{}"),
}
WRITING: Final = {
    "backup": ("backup", "{}"),
    "play": ("play", "annuvin", "--record", "{}"),
    "render": ("render", "0.txt", "-o", "{}"),
    "animate": ("animate", "0.txt", "-o", "{}"),
    "animate --sheet": ("animate", "0.txt", "-o", "film.gif", "--sheet", "{}"),
}
OPENING: Final = {
    "serve": ("serve", "--port", "0"),
    "backup": ("backup", "copy.db"),
    "restore": ("restore", "copy.db"),
    "check": ("check",),
    "check --repair": ("check", "--repair"),
    "import": ("import", "0.txt"),
    "puzzles": ("puzzles",),
}
WITHOUT_FILES: Final = {"health", "check-web", "games", "arena"}
SPECIAL: Final = ("pipe", "socket", "device", "link")
NO_FILE: Final = "is a pipe, a socket or a device"


@pytest.fixture
def special(run: Run) -> Iterator[Run]:
    """The command, in a folder with a game, a copy, a pipe, a socket, and links to a device and to the pipe."""
    filled(run, "resign\n")
    run("backup", "copy.db").success()
    os.mkfifo("pipe")
    Path("link").symlink_to("pipe")
    Path("device").symlink_to(os.devnull)
    with closing(socket.socket(socket.AF_UNIX)) as bound:
        bound.bind("socket")
        yield run


def check_refused(run: Run, said: str, *arguments: str) -> None:
    ran = run(*arguments, typed="resign\n")
    assert ran.code, ran
    assert said in ran.err, ran
    assert len(ran.err.strip().splitlines()) == 1, ran.err


def test_every_command_is_walked() -> None:
    walked = {command.partition(" ")[0] for command in READING | WRITING | OPENING}
    assert walked | WITHOUT_FILES | {"manager-link"} == set(COMMANDS)


@pytest.mark.parametrize("name", SPECIAL)
def test_a_path_that_is_no_file_is_refused_by_every_command(special: Run, name: str) -> None:
    mode = Path(name).stat().st_mode
    for arguments in [*READING.values(), *WRITING.values()]:
        check_refused(special, f"{name} {NO_FILE}", *(each.format(name) for each in arguments))
        assert Path(name).stat().st_mode == mode
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize(("name", "suffix"), [*product(SPECIAL, [""]), ("pipe", "-wal"), ("link", "-journal")])
def test_a_database_that_is_no_file_is_refused_by_every_command(special: Run, name: str, suffix: str) -> None:
    path = DATABASE.with_name(DATABASE.name + suffix)
    path.unlink(missing_ok=True)
    Path(name).rename(path)
    if name == "link":
        path.unlink()
        path.symlink_to(Path("pipe").absolute())
    for arguments in OPENING.values():
        check_refused(special, f"{path} {NO_FILE}", *arguments)


def test_a_folder_is_refused_by_every_command(special: Run) -> None:
    Path("folder").mkdir()
    for arguments in [*READING.values(), *WRITING.values()]:
        check_refused(special, "folder", *(each.format("folder") for each in arguments))
    DATABASE.unlink()
    DATABASE.mkdir()
    for name, arguments in OPENING.items():
        if name != "restore":  # it keeps the folder aside, as it does with a damaged database
            check_refused(special, "", *arguments)


@pytest.mark.parametrize("name", SPECIAL)
def test_a_managers_secret_that_is_no_file_is_refused(special: Run, name: str) -> None:
    secret = Path("data/manager.secret")
    Path(name).rename(secret)
    if name == "link":
        secret.unlink()
        secret.symlink_to(Path("pipe").absolute())
    assert "not an ordinary file" in special("manager-link").refusal(3)
