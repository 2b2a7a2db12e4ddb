"""The fake Telegram as tests hold it: start it, people it, look at what was said."""

import asyncio
import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self
from urllib.parse import parse_qsl

import aiohttp
from aiohttp import web

from tests.fakes.platform import FakePlatform, refuse_if
from tests.fakes.telegram.limits import Limits
from tests.fakes.telegram.markup import Marked
from tests.fakes.telegram.members import member_json
from tests.fakes.telegram.methods import File, Methods, plain_parameters, read_parts
from tests.fakes.telegram.schema import ApiError, Json, check_call, check_type, shape_of_answer
from tests.fakes.telegram.world import Account, Asked, Chat, Message, Status, Tap

SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"


@dataclass(frozen=True)
class Call:
    """A call that was answered."""

    method: str
    given: Json


class FakeTelegram(FakePlatform[Call, ApiError]):
    """A Telegram with one bot; use as `async with FakeTelegram(clock) as telegram`."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__()
        self.clock = clock
        self.token = "4839574812:" + "x" * 35
        self.bot = Account(4839574812, "Tavoliere", "tavoliere_bot", is_bot=True)
        self.people: dict[int, Account] = {self.bot.id: self.bot}
        self.chats: dict[int, Chat] = {}
        self.topics: dict[int, dict[int, Message]] = defaultdict(dict)
        self.messages: dict[tuple[int, int], Message] = {}
        self._said: defaultdict[int, list[Message]] = defaultdict(list)
        """What the bot says by chat: it is asked for all the time."""
        self.files: dict[str, bytes] = {}
        self.taps: dict[str, Tap] = {}
        self.inline: dict[str, Message] = {}
        """What was put into chats through the bot, by its id there."""
        self.asked: dict[str, Asked] = {}
        self.lists = False
        """Whether inline mode and guest mode are switched on."""
        self.commands: dict[tuple[str, str], list[Json]] = {}
        self.descriptions: dict[str, str] = {}
        self.short_descriptions: dict[str, str] = {}
        self.knows_times = True
        """Whether it knows moments in texts; servers of older versions refuse them."""
        self.menu_button = "default"
        self.menu_labels: dict[int, str] = {}
        """What the menu button says in private chats that have one of their own."""
        self.webhook: tuple[str, str] | None = None
        self._queues: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.insists = False
        """Whether a webhook is called in the background, again and again until the bot takes the update."""
        self.pending: list[Json] = []
        self.offsets: list[int | None] = []
        self.limits = Limits(clock)
        self._methods = Methods(self)
        self._numbers = iter(range(1, 1_000_000))
        self._updates = iter(range(700_000_001, 800_000_000))
        self._first_forgotten_offset = math.inf
        self._polling = 0
        self._waiting = 0
        self._closing = False
        self._calling: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """What to give as the address of the Bot API."""
        return f"http://127.0.0.1:{self.port}/bot"

    @property
    def listening(self) -> bool:
        """Whether the bot has taken everything and waits for more."""
        if self.webhook is not None:
            return not self._calling
        return bool(self._waiting) and not self.pending

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/bot{token}/{method}", self._handle)
        await self._serve(app)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        for task in self._calling:
            task.cancel()
        await self._end()

    # The place and its people.

    def account(self, name: str, language: str | None = "en", username: str | None = None) -> Account:
        made = Account(5000 + len(self.people), name, username or f"{name.lower()}_here", language)
        self.people[made.id] = made
        return made

    def group(self, title: str, *people: Account, forum: bool = False, supergroup: bool = True) -> Chat:
        """Return a new group with people and the bot in it; the first of the people has made it."""
        number = -(len(self.chats) + 100) - (1_000_000_000_000 if supergroup else 0)
        chat = Chat(number, "supergroup" if supergroup else "group", title, forum=forum)
        chat.status = {each.id: "member" for each in (*people, self.bot)}
        if people:
            chat.status[people[0].id] = "creator"
        self.chats[number] = chat
        return chat

    def private(self, account: Account) -> Chat:
        """Return somebody's chat with the bot."""
        return self.chats.setdefault(account.id, Chat(account.id, "private", person=account))

    def elsewhere(self, title: str, *people: Account) -> Chat:
        """Return a group that the bot is not in."""
        chat = self.group(title, *people)
        del chat.status[self.bot.id]
        chat.gone = True
        return chat

    def topic(self, chat: Chat, name: str, who: Account) -> int:
        """Return a new topic of a forum."""
        message = self.put(Message(0, chat, who, 0, topic_created=name))
        message.thread = message.id
        self.topics[chat.id][message.id] = message
        return message.id

    def channel_post(self, group: Chat, text: str) -> Message:
        """Return the post of a new channel that belongs to a group, as Telegram brings it there for comments."""
        channel = {"id": -1_000_000_009_000 - len(self.messages), "type": "channel", "title": "News"}
        telegram = Account(777000, "Telegram")
        return self.put(Message(0, group, telegram, 0, marked=Marked(text), post=channel))

    def can_be_called(self, person: int, chat: Chat) -> bool:
        """Say whether a mention by id calls somebody: who is in the chat, or has spoken to the bot in private."""
        if chat.group and chat.status.get(person) not in (None, "left", "kicked"):
            return True
        return person in self.chats and not self.chats[person].blocked

    # What was said.

    def shown(self, chat: Chat) -> list[Message]:
        """Return what the bot shows in a chat, the oldest first."""
        return [message for message in self._said[chat.id] if not message.deleted]

    def put(self, message: Message) -> Message:
        """Put a message into its chat."""
        message.id, message.date = next(self._numbers), self.date()
        self.messages[message.chat.id, message.id] = message
        if message.author is self.bot:
            self._said[message.chat.id].append(message)
        return message

    def find(self, chat: int, message: int) -> Message | None:
        """Return a message that is there."""
        found = self.messages.get((chat, message))
        return None if found is None or found.deleted else found

    def keep(self, content: bytes) -> str:
        """Keep a file and return its id."""
        name = "f" + hashlib.sha256(content + str(len(self.files)).encode()).hexdigest()[:20]
        self.files[name] = content
        return name

    def date(self) -> int:
        """Return the time as Telegram says it."""
        return int(self.clock().timestamp())

    def count(self, method: str) -> int:
        """Return how often a method was called with success."""
        return sum(call.method == method for call in self.calls)

    # What people do becomes updates.

    def renumber(self) -> None:
        """Let a week pass without updates: their numbers are chosen anew, and an offset from before confirms nothing.

        A bot that never confirms the new numbers hears of the same update again and again:
        https://github.com/go-telegram-bot-api/telegram-bot-api/issues/156
        """
        self._first_forgotten_offset = next(self._updates)
        self._updates = iter(range(100_000_001, 200_000_000))

    async def update(self, **content: Any) -> Json:
        """Have the bot hear of something; with a webhook, return when it has taken it."""
        made: Json = {"update_id": next(self._updates), **content}
        check_type("Update", made, "update")
        if self.insists:
            task = asyncio.create_task(self._insist(made))
            self._calling.add(task)
            task.add_done_callback(self._calling.discard)
        else:
            await self.deliver(made)
        return made

    async def _insist(self, update: Json) -> None:
        tapped = update.get("callback_query")
        # What one person taps is brought one after the other; nothing is relied upon for the rest.
        queue = self._queues[tapped["from"]["id"]] if tapped is not None else asyncio.Lock()
        async with queue:
            while True:
                if 0 <= await self._tried(update) < 300:
                    break
                await asyncio.sleep(0.1)
        await self.tell()

    async def _tried(self, update: Json) -> int:
        if self.webhook is None:
            return -1
        try:
            return await self.deliver(update)
        except aiohttp.ClientError:
            return -1

    async def deliver(self, update: Json) -> int:
        """Deliver an update, perhaps once more, perhaps one that cannot be read.

        Return the status of the webhook's answer, 0 without one.
        """
        if self.webhook is None:
            self.pending.append(update)
            await self.tell()
            return 0
        url, secret = self.webhook
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, json=update, headers={SECRET_HEADER: secret}) as answer,
        ):
            return answer.status

    async def migrate(self, chat: Chat) -> Chat:
        """Make a supergroup of a group."""
        new = self.group(chat.title)
        new.status, chat.migrated_to = dict(chat.status), new.id
        return new

    async def change_bot(self, chat: Chat, by: Account, status: Status) -> None:
        old = member_json(chat, self.bot.to_json(), self.bot.id)
        chat.status[self.bot.id] = status
        chat.may_send = status != "restricted"
        new = member_json(chat, self.bot.to_json(), self.bot.id)
        changed = {"chat": chat.to_json(), "from": by.to_json(), "date": self.date()}
        await self.update(my_chat_member={**changed, "old_chat_member": old, "new_chat_member": new})

    @contextmanager
    def refusing(self, *words: str) -> Iterator[None]:
        """Expect that calls are refused, one after the other, with answers that hold exactly these words."""
        before = len(self.refused)
        yield
        found = [error.description for _, error in self.refused[before:]]
        assert len(found) == len(words), found
        assert all(word in said for word, said in zip(words, found, strict=True)), found
        del self.refused[before:]

    # Calls.

    async def _handle(self, request: web.Request) -> web.Response:
        method = request.match_info["method"]
        try:
            refuse_if(request.match_info["token"] != self.token, ApiError(401, "Unauthorized"))
            given, files = await _read(request)
            result = await self._call(method, given, files)
        except ApiError as error:
            if method != "getUpdates" and error.code != 401:
                self.refused.append((method, error))
            await self.tell()
            answer: Json = {"ok": False, "error_code": error.code, "description": error.description}
            if error.parameters:
                answer["parameters"] = error.parameters
            return web.json_response(answer, status=error.code)
        await self.tell()
        # What it tells of has tests of its own: an update that cannot be read is passed over.
        described: Json = {"ok": True, "result": [] if method == "getUpdates" else result}
        distorted = self.distort(method, described, shape_of_answer(method))
        return web.json_response({"ok": True, "result": result}) if distorted is None else distorted.response()

    async def _call(self, method: str, given: dict[str, str], files: dict[str, File]) -> Any:
        refuse_if(
            not self.knows_times and "<tg-time " in str(given),
            ApiError(400, 'Bad Request: can\'t parse entities: Unsupported start tag "tg-time" at byte offset 9'),
        )
        read = check_call(method, given, set(files))
        await self.gate(method)
        call = Call(method, read)
        self.notify_listeners(call, done=False)
        result = await self._updates_from(read) if method == "getUpdates" else self._methods.call(method, read, files)
        self.calls.append(call)
        self.notify_listeners(call, result, done=True)
        if isinstance(result, dict) and "message_id" in result:
            check_type("Message", result, "result")
        return result

    async def _updates_from(self, given: Json) -> list[Json]:
        refuse_if(
            self.webhook is not None, ApiError(409, "Conflict: can't use getUpdates method while webhook is active")
        )
        offset = given.get("offset")
        self.offsets.append(offset)
        if offset is not None and offset < self._first_forgotten_offset:
            self.pending = [update for update in self.pending if _number(update) >= offset]
        self._polling += 1
        mine = self._polling
        try:
            async with asyncio.timeout(given.get("timeout", 0)), self._changed:
                while not self.pending and not self._closing:
                    if self._waiting != mine:
                        self._waiting = mine
                        self._changed.notify_all()
                    await self._changed.wait()
                    refuse_if(self._polling != mine, ApiError(409, "Conflict: terminated by other getUpdates request"))
        except TimeoutError:
            return []
        finally:
            if self._waiting == mine:
                self._waiting = 0
        return self.pending[: given.get("limit", 100)]


def _number(update: Any) -> float:
    """Return the number of an update; one that has none is never confirmed."""
    number = update.get("update_id") if isinstance(update, dict) else None
    return number if type(number) is int else math.inf


async def _read(request: web.Request) -> tuple[dict[str, str], dict[str, File]]:
    kind = request.content_type
    if kind == "application/json":
        return plain_parameters(await request.read()), {}
    if kind == "application/x-www-form-urlencoded":
        return dict(parse_qsl(await request.text(), keep_blank_values=True)), {}
    if kind == "multipart/form-data":
        return await read_parts(await request.multipart())
    return dict(request.query), {}
