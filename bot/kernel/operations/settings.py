"""Settings of the operator: environment variables, or the same lines in a file `.env` in the working folder."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from dotenv.parser import parse_stream
from pydantic import AfterValidator, AliasGenerator, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, DotEnvSettingsSource, SettingsConfigDict

from engine.core import Json

WEB_SCHEMES: Final = frozenset({"http", "https"})
MAX_HOST_LENGTH: Final = 253
"""Maximum number of characters of the name of a host."""


def split_url(text: str) -> SplitResult:
    """Return the parts of an address; raises ValueError if its host or port, where given, cannot be valid."""
    parts = urlsplit(text)
    if parts.hostname:
        check_host(parts.hostname)
    if parts.port == 0:
        raise ValueError("nothing listens to port 0")
    return parts


def check_host(text: str) -> str:
    """Return the name or address of a host unchanged; raises ValueError if no resolver can look it up.

    Resolvers refuse a name that they cannot encode (an empty label, or one of 64 characters) with a UnicodeError.
    """
    if not 0 < len(text) <= MAX_HOST_LENGTH or not text.isprintable() or " " in text:
        raise ValueError("no such host")
    try:
        text.encode("idna")
    except UnicodeError:
        raise ValueError("no such host") from None
    return text


def check_web_url(text: str) -> str:
    """Return an http or https address unchanged; raises ValueError for any other text."""
    parts = split_url(text)
    if parts.scheme not in WEB_SCHEMES or not parts.hostname or not text.isprintable() or " " in text:
        raise ValueError("no web address")
    return text


SETTINGS_FILE: Final = ".env"
# Some editors write a byte order mark, which would become part of the first name.
ENCODING: Final = "utf-8-sig"
ENVIRONMENT_PREFIX: Final = "TAVOLIERE_"
"""Prefix of the names that only this program uses."""
_SHARED_NAMES: Final = ("discord_", "telegram_", "database_", "http_", "https_", "no_")
"""Prefixes of the settings whose variables lack `ENVIRONMENT_PREFIX`."""
SECRET_SETTINGS: Final = (
    "DISCORD_TOKEN",
    "DISCORD_CLIENT_SECRET",
    "TELEGRAM_TOKEN",
    "TELEGRAM_WEBHOOK_SECRET",
    "DATABASE_URL",
)
"""Settings that may be in separate files, whose path is given under the name with the suffix `_FILE`."""
_MAX_SECRET_BYTES: Final = 10_000
"""Maximum number of bytes read from such a file: no secret is longer, and a device file is endless."""
_MIN_SIMILARITY: Final = 0.8
"""Minimum similarity of an unknown name to a setting's; high because all names begin alike."""


Network = IPv4Network | IPv6Network
Host = Annotated[str, AfterValidator(check_host)]


class SettingsError(Exception):
    """Invalid settings: a key of the catalogue `cli` with its parameters."""

    def __init__(self, key: str, /, **params: Any) -> None:
        super().__init__(key, params)
        self.key = key
        self.params = params


def _read_secret(name: str, path: str) -> str:
    """Return the content of a secret's file, as containers and systemd provide it; may raise SettingsError."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MAX_SECRET_BYTES).decode(ENCODING).strip()
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise SettingsError("setting-file", name=name, path=path, reason=reason) from None
    if not content:
        raise SettingsError("setting-file-empty", name=name, path=path)
    return content


def _name_variable(field: str) -> str:
    """Return the environment variable of a setting; names that other programs share have no prefix."""
    return field.upper() if field.startswith(_SHARED_NAMES) else f"{ENVIRONMENT_PREFIX}{field.upper()}"


class Settings(BaseSettings):
    """All settings with their defaults; the table in docs/operations.md explains each."""

    model_config = SettingsConfigDict(
        env_file=SETTINGS_FILE,
        env_file_encoding=ENCODING,
        env_ignore_empty=True,
        extra="ignore",
        populate_by_name=True,
        alias_generator=AliasGenerator(validation_alias=_name_variable),
    )

    discord_token: SecretStr | None = None
    discord_client_secret: SecretStr | None = None
    discord_shards: int | None = Field(None, ge=1, le=10_000)
    telegram_token: SecretStr | None = None
    telegram_api: str = "https://api.telegram.org"
    telegram_app: str = Field("", pattern=r"^([A-Za-z0-9_]{3,30})?$")
    telegram_store_chat: int | None = None
    telegram_webhook: str | None = Field(None, pattern=r"^https?://[^\s]+$", validation_alias="TELEGRAM_WEBHOOK_URL")
    telegram_webhook_host: Host = "127.0.0.1"
    telegram_webhook_port: int = Field(8081, ge=0, le=65535)
    telegram_webhook_secret: SecretStr | None = None
    database_url: SecretStr | None = None
    data_dir: Path = Path("data")
    web_host: Host = "127.0.0.1"
    web_port: int = Field(8080, ge=0, le=65535)
    web_names: str = ""
    web_address: str = Field("", pattern=r"^(https?://[^\s/?#@]+/?)?$")
    is_chat_public: bool = Field(False, validation_alias="TAVOLIERE_WEB_CHAT_PUBLIC")
    web_proxies: str = ""
    https_proxy: SecretStr | None = None
    http_proxy: SecretStr | None = None
    no_proxy: str | None = None
    web_newcomers: int = Field(30, ge=1, le=100_000)
    language: Literal["en", "it"] | None = None
    thinkers: int = Field(0, ge=0, le=64)
    cpu_affinity: Literal["one", "any"] = "one"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["text", "json"] = "text"
    operations_host: Host = "127.0.0.1"
    operations_port: int | None = Field(None, ge=0, le=65535)
    errors_to: str | None = Field(None, pattern=r"^(discord:[0-9]+|telegram:-?[0-9]+)(:[0-9]+)?$")

    @model_validator(mode="before")
    @classmethod
    def _read_secret_files(cls, values: Json) -> Json:
        """Return the values with the secrets in files."""
        given, secrets = _given_settings(), dict[str, str]()
        for name in SECRET_SETTINGS:
            file = f"{name}_FILE"
            if given.get(file) and given.get(name):
                raise SettingsError("setting-twice", name=name, file=file)
            if given.get(file):
                secrets[name] = _read_secret(file, given[file])
        return {**values, **secrets}

    @field_validator("log_level", "log_format", "language", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("web_address", "telegram_webhook", "telegram_api")
    @classmethod
    def _web_url(cls, value: str | None) -> str | None:
        return check_web_url(value) if value else value

    @field_validator("web_proxies")
    @classmethod
    def _networks(cls, value: str) -> str:
        read_networks(value)
        return value

    @property
    def proxies(self) -> dict[str, str | None]:
        """The settings of outgoing connections' proxies, by name."""
        found = {"HTTPS_PROXY": self.https_proxy, "HTTP_PROXY": self.http_proxy}
        values = {name: secret.get_secret_value() if secret is not None else None for name, secret in found.items()}
        return values | {"NO_PROXY": self.no_proxy}

    @property
    def database(self) -> str | Path:
        """The database's URL, or the path of the SQLite file in the data folder."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return self.data_dir / "tavoliere.db"


def read_settings() -> Settings:
    """Return the settings of this process; raises SettingsError for the first invalid one."""
    try:
        _check_lines(Path(SETTINGS_FILE))
        return Settings()
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False)[0]
        name = str(problem["loc"][0]) if problem["loc"] else "?"
        secret = name.endswith(("TOKEN", "URL", "SECRET"))
        value = "***" if secret else str(problem.get("input", ""))[:80]
        key, params = _allowed_values(name)
        raise SettingsError(key, name=name, value=value, **params) from None
    except UnicodeDecodeError:
        raise SettingsError("settings-not-utf8", path=str(Path(SETTINGS_FILE).absolute())) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise SettingsError("settings-unreadable", path=str(Path(SETTINGS_FILE).absolute()), reason=reason) from None


def _check_lines(path: Path) -> None:
    """Raise SettingsError, OSError or ValueError if a line of the settings file, if there is one, cannot be parsed.

    The error names the line's number, not its text, which may contain a secret.
    """
    if not path.is_file():
        return
    with path.open(encoding=ENCODING) as file:
        broken = next((each.original for each in parse_stream(file) if each.error), None)
    if broken is not None:
        # The parser counts preceding empty lines as part of the line.
        text = broken.string
        line = broken.line + text[: len(text) - len(text.lstrip())].count("\n")
        raise SettingsError("settings-line", path=str(path.absolute()), line=line)


def unknown_settings() -> list[tuple[str, str | None]]:
    """Return unknown names with our prefix, each with the one that was probably meant, if any."""
    known = [str(field.validation_alias) for field in Settings.model_fields.values()]
    found = []
    for name in sorted(_given_settings()):
        if name.upper().startswith(ENVIRONMENT_PREFIX) and name.upper() not in known:
            close = get_close_matches(name.upper(), known, n=1, cutoff=_MIN_SIMILARITY)
            found.append((name, close[0] if close else None))
    return found


def _given_settings() -> dict[str, str]:
    """Return all values that are set, in the environment or else in the settings file."""
    file = DotEnvSettingsSource(Settings, env_file=SETTINGS_FILE, env_file_encoding=ENCODING, case_sensitive=True)
    return {**{name: value or "" for name, value in file.env_vars.items()}, **os.environ}


def read_networks(text: str) -> list[Network]:
    """Return the addresses and networks in a comma-separated list; raises ValueError if one is invalid."""
    return [ip_network(each.strip()) for each in text.split(",") if each.strip()]


def find_reachable_address(host: str) -> str:
    """Return the address at which this machine reaches a listening address, which may be a wildcard."""
    return {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - nothing is bound


def page_address(host: str, port: int) -> str:
    """Return the URL of the page for a browser on this machine."""
    name = find_reachable_address(host)
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


def is_loopback(host: str) -> bool:
    """Return True if a listening address is reachable from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _allowed_values(name: str) -> tuple[str, dict[str, str | int]]:
    """Return the key of the sentence that says which values a setting allows, with its parameters."""
    field = next((field for field in Settings.model_fields.values() if field.validation_alias == name), None)
    if field is None:
        return "setting-wrong", {}
    choices = [value for part in (field.annotation, *get_args(field.annotation)) for value in get_args(part)]
    words = [value for value in choices if isinstance(value, str)]
    if words:
        return "setting-wrong.choice", {"choices": ", ".join(words)}
    least = next((each.ge for each in field.metadata if hasattr(each, "ge")), None)
    most = next((each.le for each in field.metadata if hasattr(each, "le")), None)
    if least is not None and most is not None:
        return "setting-wrong.number", {"least": least, "most": most}
    return "setting-wrong.host" if name.endswith("_HOST") else f"setting-wrong.{name}", {}


_HTTP_SCHEMES: Final = {"wss": "https", "ws": "http"}
"""The schemes of WebSockets, which use the proxies of HTTP."""


class InvalidProxy(ValueError):
    """The setting `name` is not an http or https proxy's address; its value is omitted: it may contain a password."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def use_proxies(settings: Mapping[str, str | None]) -> None:
    """Use these proxies, by the names of their settings, for all outgoing connections; may raise InvalidProxy.

    Settings from the file have the effect of environment variables, also for all processes that the program starts.
    """
    for name, value in settings.items():
        if value:
            os.environ[name.lower()] = value if name == "NO_PROXY" else _read_proxy(name, value)
    find_proxy.cache_clear()


@lru_cache(maxsize=1000)
def find_proxy(address: str) -> str | None:
    """Return the proxy for the origin of an address, None for a direct connection; may raise InvalidProxy.

    Cached, because some systems read files for it.
    """
    parts = split_url(address)
    if proxy_bypass(parts.hostname or ""):
        return None
    scheme = _HTTP_SCHEMES.get(parts.scheme, parts.scheme)
    found = getproxies().get(scheme)
    return _read_proxy(f"{scheme.upper()}_PROXY", found) if found else None


def _read_proxy(name: str, text: str) -> str:
    address = text if "://" in text else f"http://{text}"
    try:
        return check_web_url(address)
    except ValueError:
        raise InvalidProxy(name) from None
