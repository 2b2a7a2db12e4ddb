"""Packages that bring games, written into a folder that a test puts on the path of another process.

The game is the smallest that is whole: stones on a line of cells, of which the seats take one each in turn. Taking the
last one wins. It has an option, a picture, a computer player, words in English, and no lesson.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from textwrap import dedent

from render.theme import MARKS, THEMES, list_inks
from tests.support.prepared import Prepared

AUDIOOP = "ignore:'audioop' is deprecated:DeprecationWarning"
"""What discord.py imports that newer versions of Python do not have."""
ROOT = Path(__file__).resolve().parents[2]
# For pytest where hypothesis has been imported already: its asserts say nothing to us.
UNREWRITTEN = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
Ended = subprocess.CompletedProcess[str]

DWINDLE = Path(__file__).with_name("dwindle")
"""The game's modules, with KEY for its key, and its English words."""
RULES, POLICY, PICTURE, WORDS, REASONS = (
    (DWINDLE / f"{module}.txt").read_text(encoding="utf-8")
    for module in ("rules", "policy", "picture", "words", "reasons")
)
CATALOGUE: dict[str, str] = json.loads((DWINDLE / "catalogue.json").read_text(encoding="utf-8"))


def palette(theme: str) -> bytes:
    """Return a palette of the colours that every picture has."""
    return bytes(value for colour in dict.fromkeys([*list_inks(THEMES[theme]), *MARKS]) for value in colour)


def catalogue(words: Mapping[str, str], language: str = "en") -> str:
    """Return a catalogue with these words."""
    lines = "".join(f'\nmsgid "{key}"\nmsgstr {json.dumps(said, ensure_ascii=False)}\n' for key, said in words.items())
    return f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n{lines}'


def write_metadata(folder: Path, distribution: str, points: Mapping[str, str], version: str = "1.0") -> None:
    """Write into a folder what says that a distribution is installed there, and which games it brings."""
    info = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    lines = "".join(f"{key} = {package}\n" for key, package in points.items())
    (info / "entry_points.txt").write_text(f"[tavoliere.games]\n{lines}", encoding="utf-8")


def write_package(
    folder: Path, key: str = "dwindle", *, words: Mapping[str, str] | None = None, **changed: str | None
) -> Path:
    """Write a package that brings the game under a key, and return its folder.

    `words` change those of its catalogue; `changed` are other texts for its modules (`rules`, `policy` ...), None to
    leave one out.
    """
    name = f"game_{key.replace('-', '_')}"
    place = folder / name
    place.mkdir(parents=True)
    modules = {"rules": RULES, "policy": POLICY, "picture": PICTURE, "words": WORDS, "reasons": REASONS} | changed
    for module, text in {"__init__": "", **modules}.items():
        if text is not None:
            (place / f"{module}.py").write_text(dedent(text).replace("KEY", key), encoding="utf-8")
    (place / "palettes").mkdir()
    for theme in THEMES:
        (place / "palettes" / f"{key}-{theme}.bin").write_bytes(palette(theme))
    (place / "locales" / "en").mkdir(parents=True)
    (place / "locales" / "en" / f"{key}.po").write_text(catalogue({**CATALOGUE, **(words or {})}), encoding="utf-8")
    write_metadata(folder, f"tavoliere-{key}", {key: name})
    return place


def environment(*folders: Path, **more: str) -> dict[str, str]:
    """Return an environment in which packages in these folders are found, and nobody's settings."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("TAVOLIERE", "LC_"))}
    variables = {name: value for name, value in variables.items() if not name.endswith(("TOKEN", "_URL"))}
    return variables | {"PYTHONPATH": os.pathsep.join(map(str, (*folders, ROOT))), "LANG": "en_GB.UTF-8", **more}


def run_python(
    *arguments: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None, timeout: float | None = None
) -> Ended:
    """Run this Python with arguments, in the environment of the test unless it is given, and return how it ended."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=timeout)


@cache
def prepared() -> Prepared:
    """Return the interpreter from which programs are forked, for which each warning is an error."""
    return Prepared(("-W", "error", "-W", AUDIOOP), environment())


def run(program: str, *folders: Path, cwd: Path | None = None, **more: str) -> str:
    """Run a program in a Python that finds packages in these folders, and return what it prints."""
    code, out, err = prepared().run(dedent(program), environment(*folders, **more), cwd)
    assert code == 0, err
    return out


def run_pytest(*arguments: str | Path, path: tuple[Path, ...], cwd: Path = ROOT) -> Ended:
    """Run pytest in a Python that finds packages and modules in these folders alone, and return how it ended."""
    given = [*UNREWRITTEN, *map(str, arguments)]
    variables = {name: value for name, value in environment().items() if not name.startswith(("PYTEST", "COV"))}
    call = f"import sys; import pytest; sys.exit(pytest.main({given!r}))"
    places = os.pathsep.join(map(str, path))
    return Ended(given, *prepared().run(call, variables | {"PYTHONPATH": places}, cwd))


def run_tavoliere(*arguments: str, folders: tuple[Path, ...] = (), cwd: Path | None = None, **more: str) -> str:
    """Run the command with packages in these folders, and return what it prints; it must go well."""
    call = f"import sys; from bot.__main__ import main; sys.exit(main({list(arguments)!r}))"
    return run(call, *folders, cwd=cwd, **more)


def run_module(name: str, *arguments: object, folders: tuple[Path, ...] = (), **more: str) -> str:
    """Run a module of the tests as a program, with packages in these folders, and return what it prints."""
    given = [str(each) for each in arguments]
    call = f"import runpy, sys; sys.argv[1:] = {given!r}; runpy.run_module({name!r}, run_name='__main__')"
    return run(call, *folders, cwd=None, **more)
