"""The file with the secret of the manager's link: whole, closed to others, and read anew when it changes."""

import errno
import os
import re
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.kernel.operations.manager_secret import SECRET_FILE, ManagerSecret, manager_link


@pytest.fixture
def careless() -> Iterator[None]:
    """Create all files readable by everybody, unless the program restricts them."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    """Return who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("careless")
def test_it_is_long_and_for_its_owner_alone_from_the_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[int, int]] = []
    real = os.open

    def watched(path: Path, flags: int, mode: int = 0o777) -> int:
        made.append((flags, mode))
        return real(path, flags, mode)

    secret = ManagerSecret(tmp_path)
    # Only meanwhile: the folder is taken away by the same function.
    with monkeypatch.context() as watching:
        watching.setattr("bot.kernel.operations.manager_secret.os.open", watched)
        for known in (secret.load_or_create(), secret.renew()):
            assert re.fullmatch(r"[A-Za-z0-9_-]{43}", known), "256 bits"
            assert mode(tmp_path / SECRET_FILE) == 0o600
    assert [(flags & os.O_EXCL, mode) for flags, mode in made] == [(os.O_EXCL, 0o600)] * 2
    assert [path.name for path in tmp_path.iterdir()] == [SECRET_FILE], "nothing else stays"


def test_it_stays_and_two_folders_have_two(tmp_path: Path) -> None:
    known = ManagerSecret(tmp_path).load_or_create()
    assert ManagerSecret(tmp_path).load_or_create() == known
    assert ManagerSecret(tmp_path)() == known
    (tmp_path / SECRET_FILE).chmod(0o644)
    assert ManagerSecret(tmp_path).load_or_create() == known
    assert mode(tmp_path / SECRET_FILE) == 0o600, "an open file is closed to others"
    (tmp_path / "other").mkdir()
    assert ManagerSecret(tmp_path / "other").load_or_create() != known


def test_a_new_one_counts_at_once_for_a_program_that_runs(tmp_path: Path) -> None:
    running = ManagerSecret(tmp_path)
    old = running.load_or_create()
    assert running() == old
    new = ManagerSecret(tmp_path).renew()
    assert new != old
    assert running() == new
    (tmp_path / SECRET_FILE).unlink()
    assert running() is None, "without a secret nobody is the manager"
    assert running.load_or_create() == running()


@pytest.mark.parametrize("content", [b"", b"\n", b"swordfish", b"\xff" * 43, b"a" * 44, b"a" * 5000])
def test_invalid_secret_file_is_refused_and_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / SECRET_FILE).write_bytes(content)
    secret = ManagerSecret(tmp_path)
    assert secret() is None
    assert len(secret.load_or_create()) == 43
    assert secret() == secret.load_or_create()
    assert mode(tmp_path / SECRET_FILE) == 0o600


def test_two_programs_that_start_together_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: ManagerSecret(tmp_path).load_or_create(), range(32)))
    assert len(found) == 1
    assert [path.name for path in tmp_path.iterdir()] == [SECRET_FILE]


def test_a_disk_without_links_holds_it_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> None:
        raise OSError(errno.EPERM, "not here")

    monkeypatch.setattr("bot.kernel.operations.manager_secret.os.link", link)
    known = ManagerSecret(tmp_path).load_or_create()
    assert ManagerSecret(tmp_path)() == known
    assert [path.name for path in tmp_path.iterdir()] == [SECRET_FILE]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the administrator gives files away")
def test_secret_made_by_root_belongs_to_the_folder_owner(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12346)
    secret = ManagerSecret(tmp_path)
    for make in (secret.load_or_create, secret.renew):
        make()
        found = (tmp_path / SECRET_FILE).stat()
        assert (found.st_uid, found.st_gid, mode(tmp_path / SECRET_FILE)) == (12345, 12346, 0o600)


@pytest.mark.parametrize("address", ["http://127.0.0.1:8080", "http://127.0.0.1:8080/"])
def test_manager_link_has_the_secret_in_its_fragment(address: str) -> None:
    assert manager_link(address, "abc") == "http://127.0.0.1:8080/#manager=abc"
