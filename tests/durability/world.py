"""Both fakes with the program between them, and what is seen on them."""

import asyncio
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Hashable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, Self

from bot.kernel.presses import TRY_CONTROL
from bot.kernel.texts import Texts
from storage import utc_now
from tests.durability.ledger import Ledger
from tests.durability.process import TIMEOUT_SECONDS, Program
from tests.fakes.discord.answering import DEFERRED, DEFERRED_UPDATE
from tests.fakes.discord.clock import RunningClock
from tests.fakes.discord.rest import Call as DiscordCall
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import Channel as DiscordChannel, Guild, Message as DiscordMessage
from tests.fakes.telegram.server import Call as TelegramCall, FakeTelegram
from tests.fakes.telegram.world import Message as TelegramMessage
from tests.support.present import present

Message = DiscordMessage | TelegramMessage
Spot = tuple[str, str]
"""A platform and the id of a channel or chat there."""

_PRESS: Final = re.compile(rf"\b(?!{TRY_CONTROL}:)[a-z]+!?:([3-9A-Z]{{6}}):(\d+)")
"""Where a line is tried out, what is counted are the changes of that board."""
_ANSWERS: Final = ("PATCH /webhooks", "DELETE /webhooks", "POST /webhooks", "POST /interactions")


class World:
    """The fakes, the program's lives, the ledger; `shown` is the newest revision of each game that anybody saw.

    `outages` counts how often the database was away and has come back, `readable` says that it is not away.
    """

    def __init__(self, folder: Path, *, ledger: Ledger | None = None, **environment: str) -> None:
        self.folder = folder
        self.address: str | Path = folder / "data" / "tavoliere.db"
        self.environment = environment
        self.discord = FakeDiscord(RunningClock())
        self.discord.answering.timeout_seconds = TIMEOUT_SECONDS
        self.telegram = FakeTelegram(utc_now)
        self.telegram.limits.off = True
        self.ledger = ledger or Ledger(folder / "data" / "tavoliere.db")
        self.guild = self.discord.guild("Friends", "talk")
        self.lives = 0
        self.outages = 0
        self.readable = asyncio.Event()
        self.readable.set()
        self.killed = False
        self.program: Program | None = None
        self.prepare: Callable[[], None] | None = None
        """What is called in every process of the program before it begins."""
        self.shown: dict[str, int] = defaultdict(int)
        self.evidence: dict[str, str] = {}
        """What showed the newest revision of each game, for the message of a failure."""
        self.boards: dict[Spot, list[Message]] = defaultdict(list)
        self.awaited: dict[str, tuple[str, int]] = {}
        self.unavailable = Texts().speaker("en").line("refusal.unavailable")
        self.calls = 0
        self.waiting: list[tuple[Spot, str, float]] = []
        self.on_call: Callable[[bool], None] = lambda _: None
        self._news: dict[Spot, asyncio.Event] = defaultdict(asyncio.Event)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self.discord)
        await self._stack.enter_async_context(self.telegram)
        self.discord.listeners.append(self._on_discord)
        self.telegram.listeners.append(self._on_telegram)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.program is not None and self.program.alive:
            self.program.kill()
            await self.program.ended()
        self.ledger.close()
        await self._stack.aclose()

    # The program.

    def start(self) -> None:
        """Begin a life of the program."""
        self.program = self.begun(self.folder)
        self.lives += 1
        self.killed = False
        self.calls = 0
        self.tell()

    def begun(self, folder: Path, who: str = "", **environment: str) -> Program:
        """Return a process of the program that works in a folder; Discord's fake knows it by `who`."""
        environment = {
            "DISCORD_TOKEN": self.discord.token,
            "TELEGRAM_TOKEN": self.telegram.token,
            "TELEGRAM_API": f"http://127.0.0.1:{self.telegram.port}",
            **self.environment,
            **environment,
        }
        return Program(folder, environment, self.discord.api_url, self.discord.gateway_url + who, self.prepare)

    def kill(self) -> None:
        """End the program at once."""
        if self.program is not None:
            self.program.kill()
            self.killed = True

    async def leave(self) -> None:
        """Ask the program to end, and see that it does."""
        present(self.program).terminate()
        await self.ended()
        assert present(self.program).exit_code == 0

    async def ended(self) -> None:
        """Return when the program has ended and Discord knows."""
        await present(self.program).ended()
        await self.discord.until(lambda: not self.discord.gateway.connected, "the end of the connection")

    @property
    def connected(self) -> bool:
        """Whether the program hears what people do on Discord."""
        return self.program is not None and self.program.alive and self.discord.gateway.connected

    def guild_for(self, number: int) -> Guild:
        """Return the server in which a table shall be."""
        return self.guild

    def hears(self, channel: DiscordChannel) -> bool:
        return self.connected

    def life_of(self, channel: DiscordChannel) -> Hashable:
        """Return something that changes when what was done in a channel may have been lost."""
        return self.lives

    # Seeing.

    def tell(self) -> None:
        """Let everybody look again."""
        for event in self._news.values():
            event.set()

    async def until(self, spot: Spot, wanted: Callable[[], Any], what: str) -> Any:
        """Return the first true value of a function, called again whenever something has changed in a place."""
        news = self._news[spot]
        waited = (spot, what, time.monotonic())
        self.waiting.append(waited)
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                while not (found := wanted()):
                    news.clear()
                    self.check_life()
                    # What is written before it is shown is seen a little later.
                    try:
                        async with asyncio.timeout(0.25):
                            await news.wait()
                    except TimeoutError:
                        continue
                return found
        except TimeoutError:
            now = time.monotonic()
            others = "; ".join(f"{what} in {spot} for {now - since:.0f} s" for spot, what, since in self.waiting)
            left = "".join(f"\n{line}" for line in self.left_over())
            raise AssertionError(f"waited in vain for {what} in {spot} (waits: {others}){left}") from None
        finally:
            self.waiting.remove(waited)

    def left_over(self) -> list[str]:
        """Describe the remaining work in lines, for the message of a timeout."""
        return []

    def check_life(self) -> None:
        """Fail if the program has ended by itself."""
        if self.program is not None and not self.killed and self.program.exit_code:
            said = (self.folder / "output.txt").read_text("utf-8")[-2000:]
            raise AssertionError(f"the program has ended by itself: {said}")

    def board(self, spot: Spot, code: str) -> tuple[int, Message] | None:
        """Return the newest board of a game in a place with its revision, None if there is none (any more)."""
        for message in reversed(self.boards[spot]):
            revision = revision_of(message, code)
            if revision is not None and not message.deleted:
                return revision, message
        return None

    def await_answer(self, key: str, code: str, revision: int) -> None:
        """Have an answer taken as a sign that a game has moved on, unless it says that nothing can be done now."""
        self.awaited[key] = (code, revision)

    def _on_discord(self, call: DiscordCall, result: Any, done: bool) -> None:
        if done:
            spot = ("discord", call.path.get("channel_id", ""))
            token = call.path.get("webhook_token") or call.path.get("interaction_token")
            if token in self.discord.interactions:
                spot = ("discord", self.discord.interactions[token].channel.id)
            if call.operation == "POST /channels/{channel_id}/messages":
                self._put(spot, self.discord.messages[result["id"]])
            self._saw(spot, call.body)
            deferred = "callback" in call.operation and call.body["type"] in (DEFERRED, DEFERRED_UPDATE)
            if token is not None and call.operation.startswith(_ANSWERS) and not deferred:
                self._answered(token, call.body)
        self._count(done)

    def _on_telegram(self, call: TelegramCall, result: Any, done: bool) -> None:
        if call.method == "getUpdates":
            return
        if done:
            spot = ("telegram", str(call.given.get("chat_id", "")))
            query = call.given.get("callback_query_id")
            if query is not None:
                spot = ("telegram", str(self.telegram.taps[query].message.chat.id))
                self._answered(query, call.given)
            if call.method.startswith("send") and isinstance(result, dict):
                self._put(spot, self.telegram.messages[result["chat"]["id"], result["message_id"]])
            self._saw(spot, call.given)
        self._count(done)

    def _count(self, done: bool) -> None:
        self.calls += 1
        self.on_call(done)

    def _put(self, spot: Spot, message: Message) -> None:
        if message not in self.boards[spot]:
            self.boards[spot].append(message)

    def _saw(self, spot: Spot, content: Any) -> None:
        for code, revision in _PRESS.findall(json.dumps(content)):
            self._note_shown(code, int(revision), content)
        self._news[spot].set()

    def _answered(self, key: str, content: Any) -> None:
        if key in self.awaited:
            code, revision = self.awaited.pop(key)
            if self.unavailable not in json.dumps(content, ensure_ascii=False):
                self._note_shown(code, revision + 1, content)

    def _note_shown(self, code: str, revision: int, content: Any) -> None:
        if revision > self.shown[code]:
            self.shown[code] = revision
            self.evidence[code] = repr(content)[:1000]


def list_payloads(message: Message) -> list[str]:
    """Return what the buttons and menus of a message carry."""
    if isinstance(message, TelegramMessage):
        return [button["callback_data"] for button in message.buttons if "callback_data" in button]
    return [part["value"] if part["type"] == 3 else part["custom_id"].split("|", 1)[1] for part in message.pressable]


def revision_of(message: Message, code: str) -> int | None:
    """Return the revision of a game that a message shows, None if it shows none."""
    found = [
        int(revision) for each in list_payloads(message) for game, revision in _PRESS.findall(each) if game == code
    ]
    return max(found, default=None)
