"""Addresses that no resolver can look up, wherever they are given: refused in a sentence, before anything asks."""

import argparse
import ast
import re
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

import bot
from bot.__main__ import COMMANDS
from bot.cli.console import USAGE, Console
from bot.kernel.operations.settings import Settings, SettingsError, check_host, read_settings, split_url
from bot.kernel.texts import Texts
from bot.platforms.web.request_guard import DIRECT_ADDRESSES, RequestGuard
from bot.platforms.webhooks.sender import InvalidAddress, NotDelivered, Sender, read_address
from storage import InvalidUrl
from storage.addresses import read_url
from tests.bot.party import Party, words
from tests.cli.conftest import Run, new_database, run

__all__ = ["new_database", "run"]

UNENCODABLE: Final = ("a..b", ".", "x" * 64 + ".example", "é" * 80 + ".example")
"""What a resolver refuses with a UnicodeError, and no OSError."""
HOSTS: Final = (*UNENCODABLE, ".".join(["abc"] * 80), "a b")
"""What is no name of a host."""
URL_READERS: Final = {"kernel/operations/settings.py", "platforms/discord/layout.py"}
"""The modules that take addresses apart: for all the program, and for those of Discord's own files."""
RESOLVERS: Final = {"platforms/webhooks/sender.py"}
"""The modules that ask a resolver by themselves."""
FORMS: Final = {"ADDRESS": "{}", "URL": "https://{}"}
"""What the options of the command with these placeholders take."""


@pytest.mark.parametrize("host", HOSTS)
def test_what_no_resolver_can_look_up_is_no_host(host: str) -> None:
    with pytest.raises(ValueError, match="no such host"):
        check_host(host)
    with pytest.raises(ValueError, match="no such host"):
        split_url(f"https://{host}/")
    if host in UNENCODABLE:
        for address in (f"postgresql://somebody@{host}/games", f"postgresql:///games?host={host}"):
            with pytest.raises(InvalidUrl):
                read_url(address)
    assert not RequestGuard([host]).is_known_host(host)
    assert not DIRECT_ADDRESSES.is_trusted_proxy(host)


@pytest.mark.parametrize("host", ["example.org", "münchen.example", "127.0.0.1", "::1", "localhost", "a.b."])
def test_other_names_are_taken(host: str) -> None:
    assert check_host(host) == host


@pytest.mark.parametrize("host", HOSTS)
async def test_as_a_webhook_it_is_refused_in_a_sentence(party: Party, host: str) -> None:
    party.front.context.web_address = "https://games.example"
    party.managers.add("anna")
    for language, known in (("en", ("no such host", "no address")), ("it", ("non esiste", "non può avere"))):
        party.languages["anna"] = language
        reply = await party.command("anna", "webhook", address=f"https://{host}/")
        assert any(each in words(reply) for each in known), words(reply)
    with pytest.raises(InvalidAddress):
        read_address(f"https://{host}:443/path")
    place = await party.store.places.get_or_create("web", "room")
    assert await party.store.webhooks.list_in_place(place.id) == []


@pytest.mark.parametrize("host", HOSTS)
async def test_nothing_is_sent_to_it_however_it_was_stored(host: str) -> None:
    with pytest.raises(InvalidAddress):
        await Sender().check(f"https://{host}/")
    with pytest.raises(NotDelivered):
        await Sender().send(f"https://{host}/", "whsec_AAAA", "msg_1", 1, b"{}")


def settings_with_addresses() -> dict[str, str]:
    """Return the names of the settings that take a host or an address, each with what a host becomes in it.

    Proxies are for others to be connected to: tests/operations/test_proxies.py.
    """
    found = {}
    for name, field in Settings.model_fields.items():
        if name.endswith(("_host", "_address", "_api", "_webhook")):
            found[str(field.validation_alias)] = "{}" if name.endswith("_host") else "https://{}"
    return found


@pytest.mark.parametrize("name", settings_with_addresses())
@pytest.mark.parametrize("host", HOSTS)
def test_as_a_setting_it_is_refused_by_name(
    name: str, host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, settings_with_addresses()[name].format(host))
    with pytest.raises(SettingsError) as refused:
        read_settings()
    assert refused.value.params["name"] == name
    for language in ("en", "it"):
        speaker = Texts().speaker(language).of("cli")
        assert name in speaker.line(refused.value.key, **refused.value.params)


def options_with_addresses() -> list[tuple[str, str, str]]:
    """Return each option of the command that takes an address: the subcommand, the option and its placeholder."""
    console, found = Console(Texts(), "en", Settings()), []
    for name, module in COMMANDS.items():
        parser: Any = argparse.ArgumentParser()
        for add_to in import_module(f"bot.cli.{module}").SUBCOMMANDS[name].arguments:
            add_to(parser, console)
        found += [(name, each.option_strings[0], each.metavar) for each in parser._actions if each.metavar in FORMS]
    return found


@pytest.mark.parametrize(("command", "option", "placeholder"), options_with_addresses())
@pytest.mark.parametrize("host", HOSTS)
def test_as_an_option_it_is_refused(run: Run, command: str, option: str, placeholder: str, host: str) -> None:
    assert host in run(command, option, FORMS[placeholder].format(host)).refusal(USAGE)


def test_addresses_are_taken_apart_and_looked_up_where_it_is_tested() -> None:
    root, readers, resolvers = Path(bot.__file__).parent, set(), set()
    for path in root.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        # Most modules need not be taken apart, which takes long.
        tree = ast.parse(source if re.search("urllib|Resolver|getaddrinfo", source) else "")
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "urllib.parse":
                readers |= {path for each in node.names if each.name in ("urlsplit", "urlparse")}
            if isinstance(node, ast.Name | ast.Attribute):
                name = node.id if isinstance(node, ast.Name) else node.attr
                resolvers |= {path} if name in ("ThreadedResolver", "AsyncResolver", "getaddrinfo") else set()
    assert {str(path.relative_to(root)) for path in readers} == URL_READERS
    assert {str(path.relative_to(root)) for path in resolvers} == RESOLVERS
