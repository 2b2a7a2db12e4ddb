"""Output in any encoding: what it lacks is printed plainer, and nothing ends with a traceback."""

import io
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from bot.__main__ import COMMANDS, main
from bot.cli.console import make_plain
from engine import games
from tests.cli.test_serve import Program, programs

__all__ = ["programs"]

LANGUAGES: Final = ("en", "it")
ENCODINGS: Final = {"cp1252": "en", "ascii": "it"}
"""Each with a language; that no sign of either is without a plainer form, the catalogues are asked."""
CATALOGUES: Final = Path(__file__).parents[2] / "bot" / "locales"
LINES: Final = (
    *((name, "--help") for name in COMMANDS),
    ("--help",),
    (),
    ("games",),
    ("check",),
    ("manager-link",),
    ("health", "--port", "1"),
    ("health", "--host", "perché…"),
    # As a file's name that is no text gets here, and signs that no encoding of these has.
    ("verify", "none-\udcff-漢.json"),
    ("perft", "annuvin", "--option", "size=\udcff"),
    *(("play", key) for key in games),
)

Terminal = Callable[[str], tuple[io.BytesIO, io.BytesIO]]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Terminal:
    """Return what puts a terminal of an encoding in the place of this one; it gives what is printed there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()

    def put(encoding: str) -> tuple[io.BytesIO, io.BytesIO]:
        out, err = io.BytesIO(), io.BytesIO()
        typed = io.BytesIO(b"?\nperch\xe9 \x81\nquit\n")
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding, write_through=True))
        monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(err, encoding, errors="strict", write_through=True))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(typed, encoding))
        return out, err

    return put


@pytest.mark.parametrize(("encoding", "language"), ENCODINGS.items())
@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(line).encode("ascii", "backslashreplace").decode())
def test_every_command_prints_whatever_the_encoding(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...], encoding: str, language: str
) -> None:
    monkeypatch.setenv("TAVOLIERE_LANGUAGE", language)
    out, err = terminal(encoding)
    with suppress(SystemExit):  # argparse's way to end
        main(line)
    printed = (out.getvalue() + err.getvalue()).decode(encoding)
    assert printed.strip()
    assert "Traceback" not in printed


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_our_signs_have_a_plainer_form(language: str) -> None:
    for path in sorted((CATALOGUES / language).glob("*.po")):
        text = path.read_text(encoding="utf-8")
        lost = {sign for sign in set(text) if not sign.isascii() and "?" in make_plain(sign)}
        assert lost == set(), path.name


def test_pieces_stay_different_where_they_are_plain(terminal: Terminal) -> None:
    out, _ = terminal("ascii")
    main(("play", "annuvin"))
    board = out.getvalue().decode("ascii").partition("Seat 1")[0]
    assert {"*", "o", "."} <= set(board)
    assert "?" not in board.partition("\n\n")[2]


# Every encoding and language is tried above, in this process; here are the pipes of a process of its own.
def test_the_program_serves_where_the_encoding_lacks_signs(tmp_path: Path, programs: list[Program]) -> None:
    programs.append(program := Program(tmp_path, "--port", "0", PYTHONIOENCODING="ascii", TAVOLIERE_LANGUAGE="it"))
    printed = "".join(program.everything())
    assert program.process.wait() == 0
    assert printed.isascii()
    assert "Traceback" not in printed
