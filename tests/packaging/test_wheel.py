"""The wheel, as the container's image installs it: in a fresh environment, outside the checkout, with no data yet."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from engine import games
from tests.support.present import present

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 240
BUILD = """
import os, shutil
from setuptools import build_meta

sources = build_meta.build_sdist("..")
os.chdir("..")
shutil.unpack_archive(sources)
os.chdir(sources.removesuffix(".tar.gz"))
build_meta.build_wheel("..")
"""
"""As `make dist` does, by what it calls: the wheel is made of what the source distribution holds."""
_INSIDE = """
import importlib.util, json, sys
from bot.__main__ import main
from engine import games
for game in games:
    assert main(["play", game, "--record", f"{game}.txt"]) == 0
for game in games:
    assert main(["render", f"{game}.txt", "-o", f"{game}.png"]) == 0
assert main(["oracle", "square.json"]) == 0
there = [name for name in ("tests", "tools", "bench") if importlib.util.find_spec(name)]
print(json.dumps({"games": list(games), "there": there}))
"""
"""What is tried in one process, since to start the program takes longer than all of it."""


def run(*command: str | Path, **options: Any) -> Any:
    """Run a command, which must end well and in time; return what it prints, if that is asked for."""
    return subprocess.run(command, check=True, timeout=TIMEOUT_SECONDS, **options).stdout


@pytest.fixture
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install what the repository holds (and only that) and return the folder of the commands."""
    folder = tmp_path_factory.mktemp("wheel")
    files = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT, stdout=PIPE, text=True)
    for name in files.split("\0"):
        if name and (ROOT / name).is_file():
            (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / "source" / name)
    run(sys.executable, "-c", BUILD, cwd=folder / "source", stdout=DEVNULL)
    (wheel,) = folder.glob("*.whl")
    # Neither a pip of its own nor what nobody imports is made ready there: that takes longer than all the rest.
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    pip = (Path(str(Distribution.from_name("pip").locate_file("pip"))), "--disable-pip-version-check", "--quiet")
    run(folder / "venv" / "bin" / "python", *pip, "install", "--no-compile", "--no-deps", wheel)
    (packages,) = (folder / "venv" / "lib").glob("*/site-packages")
    (information,) = packages.glob("tavoliere-*.dist-info")
    for distribution in required(PathDistribution(information)).values():
        link(distribution, packages)
    return folder / "venv" / "bin"


def required(of: Distribution) -> dict[str, Distribution]:
    """Return what a distribution needs, and what that needs, as it is installed here."""
    found, seen, left = dict[str, Distribution](), set[tuple[str, str]](), [(of, "")]
    while left:
        each, extra = left.pop()
        for requirement in map(Requirement, each.requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                name = canonicalize_name(requirement.name)
                found[name] = Distribution.from_name(name)
                asked = {(name, more) for more in ("", *requirement.extras)} - seen
                seen |= asked
                left += [(found[name], more) for _, more in asked]
    return found


def link(distribution: Distribution, packages: Path) -> None:
    """Make an installed distribution's files be found in another folder as well: to install it anew takes seconds."""
    for name in {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}:
        if not (packages / name).exists():
            (packages / name).symlink_to(Path(str(distribution.locate_file(name))))


@pytest.fixture
def environment() -> dict[str, str]:
    """Return an environment without a trace of the checkout or of anybody's settings."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("TAVOLIERE", "PYTHON"))}
    variables = {name: value for name, value in variables.items() if not name.endswith(("TOKEN", "_URL"))}
    return variables | {"LANG": "C.UTF-8"}


@pytest.fixture
def server(installed: Path, environment: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """Start the program with an empty data folder and return its address."""
    command = [str(installed / "tavoliere"), "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=PIPE, text=True)
    try:
        yield next(found[0] for line in present(process.stdout) if (found := re.search(r"http://\S+", line)))
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 0


def the_page_comes_with_all_it_needs(server: str, tmp_path: Path) -> None:
    with urllib.request.urlopen(server, timeout=TIMEOUT_SECONDS) as answer:
        page = answer.read().decode()
    linked = re.findall(r'(?:src|href)="/?((?:static|fonts)/[^"]+)"', page)
    assert linked
    for name in linked:
        with urllib.request.urlopen(server + name, timeout=TIMEOUT_SECONDS) as answer:
            assert answer.read()
    assert (tmp_path / "data" / "tavoliere.db").exists()


def pictures_and_words_come_too(installed: Path, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "square.json").write_text(json.dumps(games["annuvin"].start(2, {"board": "square"}).to_json()))
    italian, quitting = environment | {"TAVOLIERE_LANGUAGE": "it"}, "quit\n" * len(games)
    command = (installed / "python", "-c", _INSIDE)
    said = run(*command, cwd=tmp_path, env=italian, input=quitting, stdout=PIPE, stderr=PIPE, text=True)
    assert said.count("tocca a te") == len(games)
    assert "a1-a2  patta" in said
    for game in games:
        assert (tmp_path / f"{game}.png").read_bytes().startswith(b"\x89PNG")
    # Only the program is installed.
    assert json.loads(said.splitlines()[-1]) == {"games": list(games), "there": []}


def test_the_wheel_alone_runs_all(installed: Path, environment: dict[str, str], server: str, tmp_path: Path) -> None:
    """One test, so that the wheel is built and installed once, however many processes share the tests."""
    the_page_comes_with_all_it_needs(server, tmp_path)
    pictures_and_words_come_too(installed, environment, tmp_path)
