"""Secrets that stand in files of their own, as containers and systemd hand them over."""

from pathlib import Path

import pytest

from bot.kernel.operations.settings import Settings, SettingsError, read_settings


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return an empty working folder, with no secret set anywhere."""
    monkeypatch.chdir(tmp_path)
    for name in ("DISCORD_TOKEN", "TELEGRAM_TOKEN", "TELEGRAM_WEBHOOK_SECRET", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)
    return tmp_path


def secrets(settings: Settings) -> list[str | None]:
    """Return the two tokens."""
    return [each.get_secret_value() if each else None for each in (settings.discord_token, settings.telegram_token)]


def test_a_secret_is_read_from_the_file_that_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "discord").write_text("abc.def\n")
    (folder / "telegram").write_text("1:xyz")
    monkeypatch.setenv("DISCORD_TOKEN_FILE", str(folder / "discord"))
    (folder / ".env").write_text(f"TELEGRAM_TOKEN_FILE={folder / 'telegram'}\nTELEGRAM_TOKEN=\n")
    settings = read_settings()
    assert secrets(settings) == ["abc.def", "1:xyz"]
    assert "abc" not in repr(settings)


def test_a_database_in_a_file_is_the_one_that_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "url").write_text("sqlite:////games.db\n")
    monkeypatch.setenv("DATABASE_URL_FILE", "url")
    assert read_settings().database == "sqlite:////games.db"


@pytest.mark.parametrize(
    ("content", "token", "key"),
    [(None, "", "setting-file"), ("\n", "", "setting-file-empty"), ("abc", "other", "setting-twice")],
)
def test_unusable_secret_file_is_reported_without_the_secret(
    folder: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, token: str, key: str
) -> None:
    if content is not None:
        (folder / "token").write_text(content)
    monkeypatch.setenv("DISCORD_TOKEN_FILE", "token")
    monkeypatch.setenv("DISCORD_TOKEN", token)
    with pytest.raises(SettingsError) as caught:
        read_settings()
    assert caught.value.key == key
    assert not {"abc", "other"} & {str(value) for value in caught.value.params.values()}


def test_a_line_that_cannot_be_read_is_named_and_not_repeated(folder: Path) -> None:
    (folder / ".env").write_text("# tokens\nTAVOLIERE_PORT=8090\n\nDISCORD_TOKEN abc.def\n")
    with pytest.raises(SettingsError) as caught:
        read_settings()
    assert caught.value.key == "settings-line"
    assert caught.value.params == {"path": str(folder / ".env"), "line": 4}


def test_all_that_a_file_of_settings_may_hold_is_read(folder: Path) -> None:
    (folder / ".env").write_text(
        "\ufeff# a remark\n\nexport DISCORD_TOKEN='abc.def' # mine\nTELEGRAM_TOKEN=\"1:xyz\"\nEMPTY=\nALONE\n"
    )
    assert secrets(read_settings()) == ["abc.def", "1:xyz"]
