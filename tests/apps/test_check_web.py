"""`tavoliere check-web`: what it finds at an address that serves the apps, and at one that does not."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from bot.cli.operations import check_app
from tests.apps.hosts import Apps
from tests.support.ports import listening


async def test_the_address_of_the_apps_is_good(apps: Apps) -> None:
    assert await check_app(apps.server.address.rstrip("/"), "telegram") == []
    ((key, params),) = await check_app(apps.server.address.rstrip("/"), "discord")
    assert (key, params["status"]) == ("check-web.status", "404")


@pytest.fixture
async def proxy() -> AsyncIterator[str]:
    """The address of a proxy that forbids frames and lets no websockets through."""

    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<html data-platform='telegram'>", headers={"X-Frame-Options": "DENY"})

    app = web.Application()
    app.add_routes([web.get("/app/telegram/", page)])
    async with listening(app) as port:
        yield f"http://127.0.0.1:{port}"


async def test_a_proxy_that_spoils_it_is_found_out(proxy: str) -> None:
    assert [key for key, _ in await check_app(proxy, "telegram")] == ["check-web.frames", "check-web.websocket"]
    assert [key for key, _ in await check_app("http://127.0.0.1:1", "telegram")] == ["check-web.unreachable"]
