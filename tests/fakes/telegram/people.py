"""What people do on the fake Telegram: write, answer, tap."""

import asyncio
import re
from dataclasses import dataclass
from typing import Any

from tests.fakes.platform import TIMEOUT_SECONDS
from tests.fakes.telegram import inline
from tests.fakes.telegram.markup import Marked
from tests.fakes.telegram.schema import Json
from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Account, Asked, Chat, Message, Tap
from tests.support.present import present

_COMMAND = re.compile(r"/(\w+)(?:@(\w+))?")
_MENTION = re.compile(r"@\w{5,32}")


@dataclass(eq=False)
class Person:
    """Somebody at their screen; `here` is the chat that they look at, `topic` the topic of it.

    `post` is the channel's post below which they write.
    """

    telegram: FakeTelegram
    account: Account
    here: Chat
    topic: int | None = None
    post: Message | None = None

    @property
    def id(self) -> int:
        return self.account.id

    async def say(self, text: str, answering: Message | None = None, naming: Account | None = None) -> Message:
        """Write something; `naming` is somebody without a username whom the first `@…` means.

        In groups the bot hears of commands and of answers to itself alone, as with privacy mode on.
        """
        thread = self.topic
        message = self.telegram.put(
            Message(0, self.here, self.account, 0, thread, Marked(text), reply_to=answering or self._topic())
        )
        if self._can_bot_read(text, answering):
            await self.telegram.update(message={**message.to_json(), **_entities(text, naming)})
        return message

    async def tap(self, message: Message, label: str) -> Tap:
        """Press the button with a label and return when the bot has answered."""
        tap = await self.begin_tap(message, label)
        await asyncio.wait_for(tap.answered.wait(), TIMEOUT_SECONDS)
        return tap

    async def begin_tap(self, message: Message, label: str) -> Tap:
        """Press the button with a label."""
        assert not message.deleted, "that message is gone"
        found = [button for button in message.buttons if button["text"] == label]
        assert len(found) == 1, f"{label!r} is not among {message.labels}"
        return await self.tap_data(message, found[0]["callback_data"])

    async def tap_data(self, message: Message, data: str) -> Tap:
        """Press a button that carries some data, be it still shown or not."""
        tap = Tap(f"q{len(self.telegram.taps)}", self.account, message, data)
        self.telegram.taps[tap.id] = tap
        await self.telegram.update(callback_query=tap_json(tap))
        return tap

    async def ask(self, text: str, kind: str = "group") -> Asked:
        """Write the bot's name in the chat, and this after it; return what it lists."""
        asked = self.asks(text)
        query = {"id": asked.id, "from": self.account.to_json(), "query": text, "offset": "", "chat_type": kind}
        await self.telegram.update(inline_query=query)
        await asyncio.wait_for(asked.answered.wait(), TIMEOUT_SECONDS)
        return asked

    async def choose(self, asked: Asked, name: str, *, feedback: bool = True) -> Message:
        """Put what is listed by a name into the chat; `feedback`: the bot is told."""
        message = inline.choose_inline_result(self.telegram, asked, name)
        if feedback:
            result = {"result_id": name, "from": self.account.to_json(), "query": asked.text}
            await self.telegram.update(chosen_inline_result={**result, "inline_message_id": message.inline})
        return message

    async def call(self, text: str, answering: Message | None = None) -> Message:
        """Mention the bot where it is a guest, or answer what it has posted there; return what it answers."""
        asked = await self.begin_call(text, answering)
        await asyncio.wait_for(asked.answered.wait(), TIMEOUT_SECONDS)
        return present(asked.sent)

    async def begin_call(self, text: str, answering: Message | None = None) -> Asked:
        """Mention the bot where it is a guest, or answer what it has posted there."""
        assert f"@{self.telegram.bot.username}" in text or (answering and answering.author is self.telegram.bot)
        asked = self.asks(text)
        said = Message(0, self.here, self.account, 0, marked=Marked(text), reply_to=answering)
        message = self.telegram.put(said)
        await self.telegram.update(
            guest_message={**message.to_json(), **_entities(text, None), "guest_query_id": asked.id}
        )
        return asked

    def asks(self, text: str) -> Asked:
        """Return what is asked of the bot in the chat, of which it is not told yet."""
        asked = Asked(f"i{len(self.telegram.asked)}", self.account, text, self.here)
        self.telegram.asked[asked.id] = asked
        return asked

    async def send_service(self, **content: Any) -> Message:
        """Have something be said in the chat by Telegram itself."""
        message = self.telegram.put(Message(0, self.here, self.account, 0))
        made = {name: value for name, value in message.to_json().items() if name != "text"}
        await self.telegram.update(message={**made, **content})
        return message

    def _topic(self) -> Message | None:
        if self.topic is None:
            return self.post
        return self.telegram.topics[self.here.id].get(self.topic)

    def _can_bot_read(self, text: str, answering: Message | None) -> bool:
        if not self.here.group:
            return True
        command = _COMMAND.match(text)
        if command is not None:
            return command[2] in (None, self.telegram.bot.username)
        return answering is not None and answering.author is self.telegram.bot


def tap_json(tap: Tap) -> Json:
    """Return a press as the Bot API does."""
    made = {"id": tap.id, "from": tap.who.to_json(), "chat_instance": tap.message.chat.instance, "data": tap.data}
    inline = tap.message.inline
    return {**made, **({"message": tap.message.to_json()} if inline is None else {"inline_message_id": inline})}


def _entities(text: str, naming: Account | None) -> Json:
    found: list[Json] = []
    command = _COMMAND.match(text)
    if command is not None:
        found.append({"type": "bot_command", "offset": 0, "length": _units(command[0])})
    if naming is not None:
        at = text.index("@")
        name = text[at:].split()[0]
        found.append(
            {"type": "text_mention", "offset": _units(text[:at]), "length": _units(name), "user": naming.to_json()}
        )
    else:
        for mention in _MENTION.finditer(text):
            if command is None or mention.start() >= command.end():
                offset = _units(text[: mention.start()])
                found.append({"type": "mention", "offset": offset, "length": _units(mention[0])})
    return {"entities": found} if found else {}


def _units(text: str) -> int:
    """Return the length of a text as Telegram counts it, in UTF-16."""
    return len(text.encode("utf-16-le")) // 2
