"""The command as a whole: help, languages, settings that cannot be."""

import pytest

from bot.__main__ import COMMANDS
from tests.cli.conftest import Run


def test_help_names_every_subcommand(run: Run) -> None:
    ran = run("--help")
    assert ran.code == 0
    assert all(f"  {name} " in ran.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_subcommand_has_help(run: Run, name: str) -> None:
    ran = run(name, "--help")
    assert ran.code == 0
    assert f"tavoliere {name}" in ran.out


def test_it_speaks_the_language_of_the_machine(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "it_IT.UTF-8")
    assert "Gioca una partita" in run("--help").out


def test_the_setting_for_the_language_comes_first(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVOLIERE_LANGUAGE", "it")
    assert "Gioca una partita" in run("--help").out


def test_an_unknown_language_of_the_machine_gives_english(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "tlh_KX.UTF-8")
    assert "Play a game" in run("--help").out


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TAVOLIERE_WEB_PORT", "eighty"),
        ("TAVOLIERE_WEB_PORT", "70000"),
        ("TAVOLIERE_LANGUAGE", "fr"),
        ("TAVOLIERE_LOG_LEVEL", "loud"),
    ],
)
def test_a_setting_that_cannot_be_is_named(run: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    ran = run("perft", "annuvin")
    assert ran.code == 3
    assert name in ran.err
    assert value in ran.err
    assert len(ran.err.splitlines()) == 1


def test_settings_come_from_a_file_too(run: Run) -> None:
    from pathlib import Path

    Path(".env").write_text("TAVOLIERE_LANGUAGE=it\nSOMETHING_ELSE=1\n", encoding="utf-8")
    assert "profondità 1: 11" in run("perft", "annuvin").out


def test_no_subcommand_is_a_usage_error(run: Run) -> None:
    assert run().code == 2


def test_an_unknown_subcommand_is_a_usage_error(run: Run) -> None:
    ran = run("fly")
    assert ran.code == 2
    assert "Traceback" not in ran.err
