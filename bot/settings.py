"""What an operator can set: environment variables, or the same lines in a file `.env` in the working folder."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class SettingsError(Exception):
    """A setting with a value that cannot be: `name` is the environment variable, `value` what it holds."""

    def __init__(self, name: str, value: str) -> None:
        super().__init__(name, value)
        self.name = name
        self.value = value


class Settings(BaseSettings):
    """All settings with their defaults; the table in README.md says what each does."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", env_ignore_empty=True, extra="ignore", populate_by_name=True
    )

    discord_token: SecretStr | None = Field(None, validation_alias="DISCORD_TOKEN")
    discord_shards: int | None = Field(None, ge=1, le=10_000, validation_alias="DISCORD_SHARDS")
    telegram_token: SecretStr | None = Field(None, validation_alias="TELEGRAM_TOKEN")
    telegram_api: str = Field("https://api.telegram.org", validation_alias="TELEGRAM_API")
    telegram_webhook: str | None = Field(None, pattern=r"^https?://[^\s]+$", validation_alias="TELEGRAM_WEBHOOK_URL")
    telegram_webhook_host: str = Field("127.0.0.1", validation_alias="TELEGRAM_WEBHOOK_HOST")
    telegram_webhook_port: int = Field(8081, ge=0, le=65535, validation_alias="TELEGRAM_WEBHOOK_PORT")
    telegram_webhook_secret: SecretStr | None = Field(None, validation_alias="TELEGRAM_WEBHOOK_SECRET")
    database_url: SecretStr | None = Field(None, validation_alias="DATABASE_URL")
    data_dir: Path = Field(Path("data"), validation_alias="TAVOLIERE_DATA_DIR")
    web_host: str = Field("127.0.0.1", validation_alias="TAVOLIERE_WEB_HOST")
    web_port: int = Field(8080, ge=0, le=65535, validation_alias="TAVOLIERE_WEB_PORT")
    web_names: str = Field("", validation_alias="TAVOLIERE_WEB_NAMES")
    language: Literal["en", "it"] | None = Field(None, validation_alias="TAVOLIERE_LANGUAGE")
    thinkers: int = Field(0, ge=0, le=64, validation_alias="TAVOLIERE_THINKERS")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", validation_alias="TAVOLIERE_LOG_LEVEL")
    log_format: Literal["text", "json"] = Field("text", validation_alias="TAVOLIERE_LOG_FORMAT")

    operations_host: str = Field("127.0.0.1", validation_alias="TAVOLIERE_OPERATIONS_HOST")
    operations_port: int | None = Field(None, ge=0, le=65535, validation_alias="TAVOLIERE_OPERATIONS_PORT")
    errors_to: str | None = Field(
        None, pattern=r"^(discord:[0-9]+|telegram:-?[0-9]+)(:[0-9]+)?$", validation_alias="TAVOLIERE_ERRORS_TO"
    )

    @field_validator("log_level", "log_format", "language", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @property
    def database(self) -> str:
        """Where the games are: the database's URL, or the SQLite file in the data folder."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return str(self.data_dir / "tavoliere.db")


def read_settings() -> Settings:
    """Return the settings of this process; SettingsError names the first one that cannot be."""
    try:
        return Settings()
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False)[0]
        name = str(problem["loc"][0]) if problem["loc"] else "?"
        secret = name.endswith(("TOKEN", "URL"))
        raise SettingsError(name, "***" if secret else str(problem.get("input", ""))[:80]) from None
