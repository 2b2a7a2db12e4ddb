"""The command as a whole: help, languages, settings that cannot be."""

from pathlib import Path

import pytest

from bot.__main__ import COMMANDS
from bot.kernel.operations.settings import Settings
from tests.cli.conftest import Run


def test_help_names_every_subcommand_which_has_help(run: Run) -> None:
    printed = run("--help").success()
    assert set(COMMANDS) <= {line.split()[0] for line in printed.splitlines() if line.startswith("    ")}
    for name in COMMANDS:
        assert f"tavoliere {name}" in run(name, "--help").success()


def test_help_uses_the_language_of_the_settings_or_else_of_the_system(run: Run) -> None:
    assert "Gioca una partita" in run("--help", LANG="it_IT.UTF-8").out
    assert "Gioca una partita" in run("--help", TAVOLIERE_LANGUAGE="it").out
    assert "Play a game" in run("--help", LANG="tlh_KX.UTF-8").out, "what nobody has translated is English"


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("TAVOLIERE_WEB_PORT", "eighty", "from 0 to 65535"),
        ("TAVOLIERE_WEB_PORT", "70000", "from 0 to 65535"),
        ("DISCORD_SHARDS", "0", "from 1 to 10000"),
        ("TAVOLIERE_LANGUAGE", "fr", "en, it"),
        ("TAVOLIERE_LOG_LEVEL", "loud", "debug, info, warning, error"),
        ("TAVOLIERE_ERRORS_TO", "me", "telegram:CHAT"),
        ("TAVOLIERE_WEB_ADDRESS", "https://games.example.org/page", "without a path"),
    ],
)
def test_invalid_setting_is_reported_with_allowed_values(run: Run, name: str, value: str, allowed: str) -> None:
    printed = run("perft", "annuvin", **{name: value}).sentence(3)
    for each in (name, value, allowed):
        assert each in printed


def test_an_address_that_cannot_be_is_not_shown(run: Run) -> None:
    printed = run("perft", "annuvin", TELEGRAM_WEBHOOK_URL="games.example.org/secret").refusal(3)
    assert "https://" in printed
    assert "secret" not in printed


@pytest.mark.parametrize("name", sorted(str(field.validation_alias) for field in Settings.model_fields.values()))
def test_every_invalid_setting_has_a_translated_error(run: Run, name: str) -> None:
    ran = run("perft", "annuvin", **{name: "\x7f no such thing"})
    assert (ran.code, ran.err) == (0, "") or (ran.code == 3 and "{" not in ran.err and "setting-" not in ran.err)


@pytest.mark.parametrize(
    ("content", "said"),
    [("TAVOLIERE_LANGUAGE=it".encode("utf-16"), "UTF-8"), (b"# perch\xe9\n", "UTF-8"), (None, "cannot be read")],
)
def test_a_file_of_settings_that_cannot_be_read_is_named(run: Run, content: bytes | None, said: str) -> None:
    path = Path(".env")
    if content is None:
        path.symlink_to("/proc/self/mem")  # not readable for any user
    else:
        path.write_bytes(content)
    printed = run("perft", "annuvin").sentence(3)
    assert str(path.absolute()) in printed
    assert said in printed


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"], ids=["plain", "with-a-mark-at-the-beginning"])
def test_settings_come_from_a_file_too(run: Run, encoding: str) -> None:
    Path(".env").write_text("TAVOLIERE_LANGUAGE=it\nSOMETHING_ELSE=1\n", encoding=encoding)
    assert "profondità 1: 11" in run("perft", "annuvin").out


def test_missing_subcommand_lists_all_subcommands(run: Run) -> None:
    ran = run()
    assert (ran.code, ran.out) == (2, "")
    assert all(name in ran.err for name in COMMANDS)


def test_an_unknown_subcommand_is_a_usage_error(run: Run) -> None:
    assert "Traceback" not in run("fly").refusal(2)
