"""The HTTP requests of python-telegram-bot as we make them: what goes wrong has the library's names."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import certifi
import pytest
from aiohttp import web
from telegram import Bot, InputFile
from telegram.error import NetworkError, TimedOut

from bot.platforms.telegram.client import AiohttpRequest
from tests.support.ports import listening
from tests.support.present import present

TOKEN = "5550001:AAneverseenbyanybody-neverseenbyanybody"

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def served(answer: Answer) -> AsyncIterator[Bot]:
    """Serve Telegram's API with one answer to everything; a bot that asks there over two connections."""
    app = web.Application(client_max_size=10**7)
    app.router.add_route("*", "/{tail:.*}", answer)
    requests = AiohttpRequest(2)
    async with listening(app, ending_seconds=0.1) as port:
        bot = Bot(TOKEN, f"http://127.0.0.1:{port}/bot", request=requests, get_updates_request=AiohttpRequest(1))
        await requests.initialize()
        try:
            yield bot
        finally:
            await requests.shutdown()


def done(result: object = True) -> web.Response:
    return web.json_response({"ok": True, "result": result})


async def test_a_file_and_words_of_all_alphabets_arrive() -> None:
    seen: dict[str, object] = {}

    async def answer(request: web.Request) -> web.Response:
        form = await request.post()
        seen.update(form, path=request.path)
        photo = form["photo"]
        assert isinstance(photo, web.FileField)
        seen["photo"] = (photo.filename, photo.content_type, photo.file.read())
        return done({"message_id": 1, "date": 0, "chat": {"id": 5, "type": "private"}})

    content = bytes(range(256)) * 1000
    async with served(answer) as bot:
        await bot.send_photo(
            5, InputFile(content, "board.png"), caption="La Vedova è nera — 黒", disable_notification=True
        )
    assert seen["path"] == f"/bot{TOKEN}/sendPhoto"
    assert seen["photo"] == ("board.png", "image/png", content)
    assert seen["caption"] == "La Vedova è nera — 黒"
    assert (seen["chat_id"], seen["disable_notification"]) == ("5", "true")


async def test_a_character_that_is_damaged_spoils_no_answer() -> None:
    damaged = (
        b'{"ok": true, "result": {"message_id": 1, "date": 0, "chat": {"id": 5, "type": "group", "title": "caf\xe9"}}}'
    )

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=damaged, content_type="application/json")

    async with served(answer) as bot:
        assert (await bot.send_message(5, "café")).chat.title == "caf\N{REPLACEMENT CHARACTER}"


async def test_no_answer_in_time_has_timed_out() -> None:
    asked, over = asyncio.Event(), asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        asked.set()
        await over.wait()
        return done()

    async with served(answer) as bot:
        with pytest.raises(TimedOut):
            await bot.delete_webhook(read_timeout=0.05)
        assert asked.is_set()
        over.set()


async def test_one_that_is_cut_off_is_an_error_of_the_network_without_the_token() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        present(request.transport).abort()
        return web.Response()

    async with served(answer) as bot:
        with pytest.raises(NetworkError) as error:
            await bot.delete_webhook()
    assert not isinstance(error.value, TimedOut)
    assert TOKEN not in str(error.value)
    assert error.value.__cause__ is None


async def test_connection_error_hides_the_token() -> None:
    requests = AiohttpRequest(2)
    await requests.initialize()
    bot = Bot(TOKEN, "http://127.0.0.1:9/bot", request=requests)
    with pytest.raises(NetworkError, match=r"ClientConnectorError") as error:
        await bot.delete_webhook()
    assert TOKEN not in str(error.value)
    await requests.shutdown()


async def test_more_than_there_are_connections_wait_for_one() -> None:
    under_way, most, full, go = 0, 0, asyncio.Event(), asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == 2:
            full.set()
        await go.wait()
        under_way -= 1
        return done()

    async with served(answer) as bot:
        calls = asyncio.gather(*(bot.delete_webhook() for _ in range(6)))
        await full.wait()
        go.set()
        assert await calls == [True] * 6
    assert most == 2


async def test_a_proxy_that_the_machine_is_set_to_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(str(request.url))
        return done()

    async with served(answer) as proxy:
        address = proxy.base_url.removesuffix(f"/bot{TOKEN}")
        monkeypatch.setenv("http_proxy", address)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        requests = AiohttpRequest(1)
        await requests.initialize()
        assert await Bot(TOKEN, "http://telegram.example/bot", request=requests).delete_webhook()
        assert await proxy.delete_webhook()
        await requests.shutdown()
    assert asked == [f"http://telegram.example/bot{TOKEN}/deleteWebhook", f"{address}/bot{TOKEN}/deleteWebhook"]


async def test_it_can_be_opened_again_and_closed_twice() -> None:
    requests = AiohttpRequest(1)
    with pytest.raises(RuntimeError):
        await requests.do_request("http://127.0.0.1:9/", "POST")
    await requests.initialize()
    await requests.initialize()
    await requests.shutdown()
    await requests.shutdown()
    with pytest.raises(RuntimeError):
        await requests.do_request("http://127.0.0.1:9/", "POST")


async def test_what_browsers_trust_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    browsers = ssl.create_default_context(cafile=certifi.where())
    made: list[ssl.SSLContext] = []

    def seen(purpose: object = None) -> ssl.SSLContext:
        # As on a machine that comes without any certificates.
        made.append(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        return made[-1]

    from bot.platforms.telegram import client as http

    monkeypatch.setattr(ssl, "create_default_context", seen)
    http._ssl_context.cache_clear()
    requests = AiohttpRequest(1)
    await requests.initialize()
    await requests.shutdown()
    http._ssl_context.cache_clear()
    assert {each["serialNumber"] for each in made[0].get_ca_certs()} == {
        each["serialNumber"] for each in browsers.get_ca_certs()
    }


async def test_of_a_message_of_ours_only_what_telegram_adds_is_read() -> None:
    keys = {"inline_keyboard": [[{"text": "a1", "callback_data": "c"}]]}

    async def answer(_: web.Request) -> web.Response:
        chat = {"id": 5, "type": "private"}
        photo = [{"file_id": "f", "file_unique_id": "u", "width": 9, "height": 9}]
        before = {"message_id": 6, "date": 0, "chat": chat}
        message = {"message_id": 7, "date": 0, "chat": chat, "photo": photo, "reply_markup": keys}
        return done(message | {"reply_to_message": before})

    async with served(answer) as bot:
        sent = await bot.send_message(5, "hello")

    assert (sent.message_id, sent.chat.id, sent.photo[0].file_id) == (7, 5, "f")
    assert sent.reply_markup is None
    assert sent.reply_to_message is None
