"""The fake Telegram called as any program could: by HTTP."""

import json
from dataclasses import dataclass
from typing import Any

import aiohttp

from tests.fakes.telegram.schema import Json
from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Chat, Message
from tests.support.present import present


@dataclass
class Caller:
    """Calls methods as any program could."""

    telegram: FakeTelegram
    session: aiohttp.ClientSession

    async def call(self, method: str, *files: tuple[str, bytes], **given: Any) -> Json:
        """Call a method and return the whole answer."""
        said = {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}
        form = aiohttp.FormData(said)
        for name, content in files:
            form.add_field(name, content, filename=f"{name}.png")
        data = form if files else said
        async with self.session.post(f"{self.telegram.url}{self.telegram.token}/{method}", data=data) as answer:
            made: Json = await answer.json()
            assert made["ok"] == (answer.status == 200)
            return made

    async def refused(self, method: str, *files: tuple[str, bytes], code: int = 400, **given: Any) -> str:
        """Call a method that is refused and return the words of the answer."""
        answer = await self.call(method, *files, **given)
        assert not answer["ok"], answer
        assert answer["error_code"] == code
        if self.telegram.refused:
            self.telegram.refused.pop()
        return str(answer["description"])

    async def sent(self, chat: Chat, text: str = "hello", **given: Any) -> Message:
        answer = await self.call("sendMessage", chat_id=chat.id, text=text, **given)
        assert answer["ok"], answer
        return present(self.telegram.find(chat.id, answer["result"]["message_id"]))


def keys(*rows: list[Json]) -> Json:
    return {"inline_keyboard": list(rows)}


def key(text: str = "Play", data: str = "x", **more: Any) -> Json:
    return {"text": text, "callback_data": data, **more}
