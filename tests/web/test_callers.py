"""Where requests come from: forwarded addresses and protocols are believed of the proxies in the settings alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from bot.kernel.operations.settings import read_networks
from bot.kernel.texts import Texts
from bot.platforms.web.request_guard import ClientAddresses
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.sessions import MANAGER_COOKIE
from storage import Store
from tests.web.browser import Browser
from tests.web.front import FakeFront, serve_page

PROXIED = ClientAddresses(read_networks("10.0.0.0/8, 192.0.2.7,fd00::/8"))


def request(remote: str, **headers: str) -> web.Request:
    """Return a request as the server gets it from an address."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return make_mocked_request("GET", "/", headers={"Host": "games.example.org", **named}).clone(remote=remote)


@pytest.mark.parametrize(
    ("remote", "forwarded", "address"),
    [
        ("203.0.113.5", "", "203.0.113.5"),
        ("203.0.113.5", "198.51.100.1", "203.0.113.5"),
        ("10.0.0.3", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.3", "1.2.3.4, 198.51.100.1, 192.0.2.7", "198.51.100.1"),
        ("10.0.0.3", "1.2.3.4, nonsense", "10.0.0.3"),
        ("10.0.0.3", "", "10.0.0.3"),
        ("::ffff:10.0.0.3", "198.51.100.1", "198.51.100.1"),
        ("fd00::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
    ],
)
def test_client_address_comes_from_the_last_trusted_proxy(remote: str, forwarded: str, address: str) -> None:
    assert PROXIED.address(request(remote, **({"X_Forwarded_For": forwarded} if forwarded else {}))) == address


@pytest.mark.parametrize(
    ("remote", "headers", "encrypted"),
    [
        ("203.0.113.5", {}, False),
        ("203.0.113.5", {"X_Forwarded_Proto": "https"}, False),
        ("10.0.0.3", {"X_Forwarded_Proto": "https"}, True),
        ("10.0.0.3", {"X_Forwarded_Proto": "http"}, False),
        ("203.0.113.5", {"Origin": "https://games.example.org"}, True),
        ("203.0.113.5", {"Origin": "http://games.example.org"}, False),
        ("203.0.113.5", {"Referer": "https://games.example.org/"}, True),
        ("203.0.113.5", {"Referer": "https://elsewhere.example/"}, False),
        ("203.0.113.5", {"Referer": "https://[/"}, False),
    ],
)
def test_https_is_seen_by_a_trusted_proxy_or_own_address(remote: str, headers: dict[str, str], encrypted: bool) -> None:
    assert PROXIED.is_encrypted(request(remote, **headers)) is encrypted


@pytest.mark.parametrize("wrong", ["nonsense", "10.0.0.1/8", "127.0.0.1,,x"])
def test_invalid_networks_are_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"does not appear to be|has host bits set"):
        read_networks(wrong)


@asynccontextmanager
async def behind(callers: ClientAddresses, store: Store, texts: Texts, room: ChatRoom) -> AsyncIterator[Browser]:
    async with (
        serve_page(FakeFront(), store, texts, room, secret=lambda: "x" * 43, callers=callers) as server,
        Browser(server.address) as browser,
    ):
        yield browser


@pytest.mark.parametrize("trusted", [True, False])
async def test_cookies_are_secure_behind_https_proxies(
    store: Store, texts: Texts, room: ChatRoom, trusted: bool
) -> None:
    callers = ClientAddresses(read_networks("127.0.0.1" if trusted else ""))
    async with behind(callers, store, texts, room) as browser:
        for path, body in (("/api/names", {"name": "Anna"}), ("/api/manage", {"secret": "x" * 43})):
            answer = await browser.post(path, body, X_Forwarded_Proto="https")
            cookies = answer.headers.getall("Set-Cookie")  # type: ignore[attr-defined]
            assert cookies
            assert all(("Secure" in cookie) is trusted for cookie in cookies)
        assert any(cookie.startswith(MANAGER_COOKIE) for cookie in cookies)


async def test_cookies_are_secure_and_stay_so_where_the_page_is_https(
    store: Store, texts: Texts, room: ChatRoom
) -> None:
    async with behind(ClientAddresses(), store, texts, room) as browser:
        https = browser.origin.replace("http:", "https:")
        token = (await browser.post("/api/names", {"name": "Anna"}, Origin=https)).headers["Set-Cookie"]
        assert "Secure" in token
        cookie = token.partition(";")[0]
        again = await browser.get("/api/hello", Referer=f"{https}/", Cookie=cookie)
        assert "Secure" in again.headers["Set-Cookie"]
        plain = await browser.get("/api/hello", Cookie=cookie)
        assert "Secure" not in plain.headers["Set-Cookie"], "on this machine there is no https"
