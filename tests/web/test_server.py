"""Starting and stopping the page's server, and what it does when the rest of the program cannot."""

import asyncio
import json
import logging
import random
from typing import Any

import pytest
from aiohttp import WSMsgType

from bot.kernel.operations.logs import is_own_logger
from bot.kernel.requests import Reply
from bot.kernel.texts import Texts
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.server import PageCannotListen, WebServer, start_web
from storage import Store, Unavailable
from tests.web.browser import Browser, Tab
from tests.web.front import FakeFront, make_card


async def test_a_taken_address_is_named(server: WebServer, front: FakeFront, room: ChatRoom) -> None:
    with pytest.raises(PageCannotListen) as raised:
        await start_web(front.program, room, host="127.0.0.1", port=server.port)
    assert (raised.value.reason, raised.value.host, raised.value.port) == ("taken", "127.0.0.1", server.port)
    with pytest.raises(PageCannotListen) as raised:
        await start_web(front.program, room, host="203.0.113.1", port=0)
    assert raised.value.reason == "no-such-address"


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:80/"),
        ("0.0.0.0", "http://127.0.0.1:80/"),  # noqa: S104 - only named
        ("::1", "http://[::1]:80/"),
        ("table.lan", "http://table.lan:80/"),
    ],
)
def test_the_address_is_one_that_a_browser_takes(host: str, address: str) -> None:
    assert WebServer(None, host, 80, None).address == address  # type: ignore[arg-type]


async def test_stopping_closes_streams_at_once(front: FakeFront, store: Store, texts: Texts, room: ChatRoom) -> None:
    front.use(store, texts)
    server = await start_web(front.program, room, host="127.0.0.1", port=0)
    async with Browser(server.address) as browser:
        anna = await browser.name("Anna")
        await anna.listen()
        assert anna.socket is not None
        async with asyncio.timeout(60):
            await server.stop()
            while (message := await anna.socket.receive()).type is WSMsgType.TEXT:
                pass
        assert message.type is WSMsgType.CLOSE


async def test_after_a_database_outage_it_can_be_repeated(
    anna: Tab, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def fail(*_: object, **__: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch:
        patch.setattr(store.room, "add_message", fail)
        answer = await anna.say("hello", "event0001")
        assert (answer.status, answer.refusal) == (503, "unavailable")
    assert (await anna.say("hello", "event0001")).status == 200
    assert [message["text"] for message in await anna.sees()] == ["hello"]


async def test_failed_answers_have_an_error_status(anna: Tab, front: FakeFront) -> None:
    failures: dict[Any, int] = {"unavailable": 503, "failed": 500}
    for failed, status in failures.items():
        front.replies[f"/{failed}"] = Reply(make_card("The games cannot be reached."), failed=failed)
        answer = await anna.say(f"/{failed}")
        assert (answer.status, answer.refusal) == (status, failed)
    assert await anna.sees() == []


@pytest.mark.parametrize("ending", [b"", b"zz\r\n"], ids=["breaks off", "no chunk"])
async def test_a_broken_upload_is_no_error_of_ours(
    server: WebServer, caplog: pytest.LogCaptureFixture, ending: bytes
) -> None:
    logger = logging.getLogger("aiohttp.server")
    logger.addFilter(is_own_logger)
    head = f"POST /api/say HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: http://127.0.0.1:{server.port}\r\n"
    kind = "Content-Type: application/json\r\n"
    length = "Transfer-Encoding: chunked" if ending else "Content-Length: 100"
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"{head}{kind}{length}\r\n\r\n".encode() + (ending or b"{"))
    if not ending:
        writer.write_eof()
    async with asyncio.timeout(60):
        answer = await reader.read()
    writer.close()
    logger.removeFilter(is_own_logger)
    assert answer == b"" or answer.split()[1] == b"400", answer
    assert [record for record in caplog.records if record.levelno > logging.INFO] == []


def rubbish(rng: random.Random, depth: int = 0) -> Any:
    """Return something that JSON can say."""
    kind = rng.randrange(9 if depth < 3 else 6)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.choice([0, -1, 1, 2**31, 2**63, 2**70, -(2**70), 1.5, 1e308])
    if kind < 6:
        return "".join(
            chr(rng.choice([rng.randrange(32, 127), rng.randrange(0xD7FF)])) for _ in range(rng.randrange(70))
        )
    if kind == 6:
        return [rubbish(rng, depth + 1) for _ in range(rng.randrange(4))]
    names = ("as", "event", "text", "message", "press", "answers", "cursor", "language", "name")
    return {rng.choice(names): rubbish(rng, depth + 1) for _ in range(rng.randrange(5))}


async def test_malformed_requests_are_refused(anna: Tab) -> None:
    rng = random.Random(0)
    paths = ("/api/names", "/api/manage", "/api/say", "/api/press", "/api/dismiss", "/api/complete")
    for _ in range(120):
        path = rng.choice(paths)
        body = rubbish(rng)
        if isinstance(body, dict) and rng.random() < 0.8:
            body |= {"as": anna.me["user"]} | (
                {"event": "event" + str(rng.randrange(10**6))} if rng.random() < 0.8 else {}
            )
        answer = await anna.browser.post(path, json.dumps(body).encode(), Content_Type="application/json")
        assert answer.status in (200, 400, 403, 404, 409, 413, 429), (path, body, answer)
        assert answer.status == 200 or answer.refusal
    await anna.listen()
