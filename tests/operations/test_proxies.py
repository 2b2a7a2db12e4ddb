"""Outgoing connections through a proxy: both platforms, the gateway, webhooks, the check of the public address."""

import ast
import asyncio
import os
import re
import signal
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest

import bot
from bot.kernel.operations.settings import InvalidProxy, find_proxy, use_proxies
from bot.platforms.webhooks.sender import NotDelivered, Sender
from tests.bot.party import Clock
from tests.cli.test_serve import Program
from tests.fakes.discord.clock import RunningClock
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.telegram.server import FakeTelegram
from tests.public.conftest import certificate, receiver
from tests.public.receiver import Receiver
from tests.support.proxy import ConnectProxy, TlsFront

__all__ = ["certificate", "receiver"]

TIMEOUT_SECONDS: Final = 120
NAMES: Final = ("discord.com", "gateway.discord.gg", "api.telegram.org", "games.example")
USER: Final = "somebody:a-password"
PROXY_NAMES: Final = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def no_proxy_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have no proxy around, whatever the machine has."""
    for name in (*PROXY_NAMES, *map(str.lower, PROXY_NAMES)):
        # Set first, so that what a test sets by itself is taken away at its end.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    find_proxy.cache_clear()
    yield
    find_proxy.cache_clear()


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy"])
def test_both_spellings_and_exceptions_are_known(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "inner.example,.corp.example")
    assert find_proxy("https://api.telegram.org") == "http://proxy.example:3128"
    assert find_proxy("wss://gateway.discord.gg/") == "http://proxy.example:3128"
    assert find_proxy("https://inner.example/path") is None
    assert find_proxy("https://a.corp.example") is None
    assert find_proxy("http://127.0.0.1:8081") is None, "another setting is for http"


def test_settings_of_the_file_count_like_the_environment() -> None:
    use_proxies({"HTTPS_PROXY": "proxy.example:3128", "HTTP_PROXY": None, "NO_PROXY": "inner.example"})
    assert find_proxy("https://discord.com") == "http://proxy.example:3128"
    assert find_proxy("https://inner.example") is None


@pytest.mark.parametrize("wrong", ["socks5://127.0.0.1:1080", "http://", "a..b", "http://a b", "ftp://x", "http://h:0"])
def test_what_is_no_proxy_is_refused_without_its_password(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidProxy) as refused:
        use_proxies({"HTTPS_PROXY": wrong})
    assert (refused.value.name, wrong in str(refused.value)) == ("HTTPS_PROXY", False)


def test_a_wrong_proxy_is_one_sentence(tmp_path: Path) -> None:
    program = Program(tmp_path, "--port", "0", HTTPS_PROXY="socks5://x:secret@127.0.0.1")
    code, err = program.failure()
    assert (code, len(err.splitlines())) == (3, 1)
    assert "HTTPS_PROXY" in err
    assert "secret" not in err


def test_everything_that_connects_to_others_asks_for_the_proxy() -> None:
    """A session of aiohttp is opened, or discord.py's client is made, only where the proxy is looked up."""
    root, without = Path(bot.__file__).parent, []
    for path in root.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if "find_proxy(" in source or "Session(" not in source:
            continue
        calls = {ast.unparse(node.func) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)}
        if any(call.endswith(("ClientSession", "DiscordSession")) for call in calls):
            without.append(str(path.relative_to(root)))
    assert without == []


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for the platforms' names with its key."""
    names = ",".join(f"DNS:{name}" for name in NAMES)
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "-", "-days", "2",
         "-subj", "/CN=platforms", "-addext", f"subjectAltName={names}"],
        check=True, capture_output=True,
    )  # fmt: skip
    path = tmp_path_factory.mktemp("authority") / "both.pem"
    path.write_bytes(made.stdout)
    return path


class Network:
    """A network out of which only the proxy leads: both platforms, and the public address, are behind it."""

    def __init__(self, discord: FakeDiscord, telegram: FakeTelegram, proxy: ConnectProxy, folder: Path) -> None:
        self.discord, self.telegram, self.proxy, self.folder = discord, telegram, proxy, folder

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start the command in the network."""
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.endswith(("TOKEN", "_URL")) and name.upper() not in PROXY_NAMES
        }
        clean |= {"PYTHONPATH": str(Path(bot.__file__).parents[1]), "LANG": "en_GB.UTF-8"} | environment
        command = [sys.executable, "-m", "bot", *arguments]
        return subprocess.Popen(
            command, cwd=self.folder, env=clean, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )


@pytest.fixture
async def network(authority: Path, tmp_path: Path) -> AsyncIterator[Network]:
    """Both platforms behind a proxy that wants a name and a password."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(authority)
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(FakeDiscord(RunningClock()))
        telegram = await stack.enter_async_context(FakeTelegram(Clock()))

        def at_gateway(head: bytes) -> bytes:
            return head.replace(b"GET /?", b"GET /gateway/?", 1)

        fronts = {
            "discord.com:443": TlsFront(context, discord.port),
            "gateway.discord.gg:443": TlsFront(context, discord.port, at_gateway),
            "api.telegram.org:443": TlsFront(context, telegram.port),
        }
        routes = {}
        for name, front in fronts.items():
            await stack.enter_async_context(front)
            routes[name] = ("127.0.0.1", front.port)
        proxy = await stack.enter_async_context(ConnectProxy(routes, USER))
        yield Network(discord, telegram, proxy, tmp_path)


async def test_the_program_connects_both_platforms_through_the_proxy(network: Network, authority: Path) -> None:
    """The proxy is in the file of settings for `serve`, and in the environment for `check-web`."""
    network.discord.guild("Friends")
    tokens = {"DISCORD_TOKEN": network.discord.token, "TELEGRAM_TOKEN": network.telegram.token}
    chosen = {"SSL_CERT_FILE": str(authority), "TAVOLIERE_WEB_ADDRESS": "https://games.example", **tokens}
    settings = network.folder / ".env"
    settings.write_text(f"HTTPS_PROXY={network.proxy.address}\n", encoding="utf-8")
    process = network.start("serve", "--port", "0", **chosen)
    try:
        assert process.stdout is not None
        said = ""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while not ("Discord:" in said and "Telegram:" in said):
                line = await asyncio.to_thread(process.stdout.readline)
                assert line, await asyncio.to_thread(process.communicate)
                said += line
        assert re.search("Discord: connected|connected as tavoliere", said), said
        assert "Telegram: connected as @tavoliere_bot" in said
        await network.discord.until(lambda: network.discord.gateway.connected, "the gateway")
        await network.telegram.until(lambda: network.telegram.listening, "Telegram")
        assert {each.rpartition(":")[0] for each in network.proxy.asked} == set(NAMES[:3])
        assert network.proxy.strangers == 0
        settings.unlink()
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(authority)
        async with TlsFront(context, int(present_port(said))) as front:
            network.proxy.routes["games.example:443"] = ("127.0.0.1", front.port)
            checked = network.start("check-web", https_proxy=network.proxy.address, **chosen)
            out, err = await asyncio.to_thread(checked.communicate, timeout=TIMEOUT_SECONDS)
        assert "games.example:443" in network.proxy.asked, out + err
        assert "https://games.example/app/telegram/" in out
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = await asyncio.to_thread(process.communicate, timeout=TIMEOUT_SECONDS)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert "a-password" not in said + out + err


def present_port(said: str) -> str:
    """Return the port of the page that the program has said."""
    found = re.search(r"http://127\.0\.0\.1:(\d+)", said)
    assert found is not None, said
    return found[1]


async def test_webhooks_go_through_the_proxy_to_the_address_that_was_checked(
    receiver: Receiver, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(receiver.address.rpartition(":")[2].partition("/")[0])
    targets = {f"127.0.0.1:{port}": ("127.0.0.1", port), f"[::1]:{port}": ("127.0.0.1", port)}
    trusted = ssl.create_default_context(cafile=str(certificate))
    async with ConnectProxy(targets, USER) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.address)
        find_proxy.cache_clear()
        sender = Sender(lambda _: True, trusted)
        await sender.check(receiver.address)
        await sender.send(receiver.address, "whsec_AAAA", "msg_1", 1, b"{}")
        # The name is never given to the proxy, whose resolver may lead elsewhere; the certificate is that of the name.
        (asked,) = proxy.asked
        assert asked.rpartition(":")[0] in ("127.0.0.1", "[::1]")
        assert len(receiver.taken) == 1
        proxy.asked.clear()
        with pytest.raises(NotDelivered):
            await Sender(context=trusted).send(receiver.address, "whsec_AAAA", "msg_2", 1, b"{}")
        with pytest.raises(NotDelivered):
            await Sender(context=trusted).send(f"https://127.0.0.1:{port}/hook", "whsec_AAAA", "msg_2", 1, b"{}")
        assert proxy.asked == [], "an inner address is not asked for"
        assert len(receiver.taken) == 1
