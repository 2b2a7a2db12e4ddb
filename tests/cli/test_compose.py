"""The compose files and the example of settings: nothing in them that the program does not know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.settings import Settings

ROOT = Path(__file__).parents[2]
OTHERS = {"TELEGRAM_DOMAIN"}
"""What the proxy alone is told."""


def known() -> set[str]:
    """Return the names of all settings."""
    return {str(field.validation_alias) for field in Settings.model_fields.values()}


@pytest.mark.parametrize("name", ["compose.yaml", "compose.scale.yaml", ".env.example"])
def test_settings_are_called_as_the_program_calls_them(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    set_there = set(re.findall(r"^[ #]*((?:DISCORD|TELEGRAM|TAVOLIERE|DATABASE)_[A-Z_]+)[:=]", text, re.MULTILINE))
    assert set_there
    assert set_there - OTHERS <= known()


def test_the_processes_share_discord_out() -> None:
    text = (ROOT / "compose.scale.yaml").read_text("utf-8")
    processes = re.findall(r"^  tavoliere\d+:", text, re.MULTILINE)
    (shards,) = re.findall(r'DISCORD_SHARDS: "(\d+)"', text)
    assert Settings(discord_shards=shards).discord_shards == len(processes)
    addresses = re.findall(r"tavoliere\d+(?=:8081)", text)
    assert addresses == [process.strip(" :") for process in processes]


@pytest.mark.parametrize("shards", ["0", "a", "-1", "1/3"])
def test_a_number_of_shards_that_cannot_be_is_refused(shards: str) -> None:
    with pytest.raises(ValueError, match=r"discord_shards|DISCORD_SHARDS"):
        Settings(discord_shards=shards)
