"""The whole program, connected to the fake Telegram, and people who use it there."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final, TypeVar

from bot.platforms.telegram.connection import TelegramConnection
from bot.platforms.telegram.markup import ANSWER_MARK, CELL_PRESS
from storage import GameChange, GameRow, NewEvent, Store
from tests.bot.party import Clock
from tests.fakes.platform import TIMEOUT_SECONDS
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Chat, Message, Tap
from tests.support.present import present
from tests.support.program import Program

OURS: Final = ("telegram", "update", "outbox", "delivery", "messenger", "alarms", "daily")
"""How the names of the program's own tasks begin."""

GROUP_BOT: Final = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}

Found = TypeVar("Found")


class Bot(Program[TelegramConnection]):
    """The program; `restart` ends it and starts it anew on the same store."""

    def __init__(self, telegram: FakeTelegram, store: Store, clock: Clock, **arguments: Any) -> None:
        super().__init__(store, clock, **arguments)
        self.telegram = telegram

    def connect(self) -> TelegramConnection:
        """Return a new connection to the fake Telegram."""
        return TelegramConnection(
            self.tavoliere,
            token=self.telegram.token,
            api=f"http://127.0.0.1:{self.telegram.port}",
            **self.connecting,
        )

    async def kill(self) -> None:
        """End the program where it stands: whatever it is about is cut off, and nothing is noted any more."""
        ours = {task for task in asyncio.all_tasks() if task.get_name().startswith(OURS)}
        for task in ours:
            task.cancel()
        await asyncio.gather(*ours, return_exceptions=True)
        # What the system does for a process that is gone: its timers and connections end.
        await self.connection.adapter.outbox.close()
        await self.connection._leave()

    async def settle(self) -> None:
        """Wait until everything is taken that was said, and shown what may be shown by now."""
        await self.telegram.until(lambda: self.telegram.listening, "the bot's listening")
        await super().settle()
        await self.connection.adapter.outbox.run_until_idle()

    async def wait(self, seconds: float = 12) -> None:
        """Let time pass, as people do between their moves, and have shown what had to wait."""
        self.clock.turn(seconds=seconds)
        await self.settle()

    async def until(self, found: Callable[[], Found], what: str, step: float = 3) -> Found:
        """Let computers move and the bot's time pass until a function returns something true, and return that."""
        begun = self.clock.now
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                while not (result := found()):
                    # They think by the machine's clock, which the bot's own would run far ahead of.
                    await self.tavoliere.jobs["computers"].run_until_idle()
                    await self.wait(step)
                return result
        except TimeoutError:
            raise AssertionError(f"waited in vain for {what}, {self.clock.now - begun} on the bot's clock") from None


class Scene:
    """A group with the bot in it, and people."""

    def __init__(self, telegram: FakeTelegram, bot: Bot) -> None:
        self.telegram = telegram
        self.bot = bot
        self.group = telegram.group("Friends")
        self.people: dict[str, Person] = {}

    def person(self, name: str, language: str | None = "en", here: Chat | None = None) -> Person:
        """Return somebody, new if need be."""
        if name not in self.people:
            account = self.telegram.account(name, language)
            chat = here or self.group
            if chat.group:
                chat.status[account.id] = "member"
            self.people[name] = Person(self.telegram, account, chat)
        return self.people[name]

    def alone(self, person: Person) -> Person:
        """Return somebody as they are in their own chat with the bot."""
        return Person(self.telegram, person.account, self.telegram.private(person.account))

    def go_to(self, chat: Chat, topic: int | None = None) -> None:
        """Have everybody go on in another chat, or in a topic of it."""
        self.group = chat
        for person in self.people.values():
            person.here, person.topic = chat, topic

    def private(self, person: Person) -> list[Message]:
        """Return what the bot shows in somebody's own chat with it."""
        return self.telegram.shown(self.telegram.private(person.account))

    def by(self, number: int) -> Person:
        """Return the person whose account it is."""
        return next(person for person in self.people.values() if person.id == number)

    async def say(self, person: Person, text: str, answering: Message | None = None, **more: Any) -> Message:
        """Write something and wait until all is shown."""
        message = await person.say(text, answering, **more)
        await self.finish()
        return message

    async def say_alone(self, person: Person, text: str, **more: Any) -> Message:
        """Write something to the bot in somebody's own chat with it; return the newest that it shows there then."""
        await self.say(self.alone(person), text, **more)
        return self.private(person)[-1]

    async def say_anonymously(self, person: Person, text: str) -> None:
        """Have an administrator write in the name of the group (Bot API, Message, `sender_chat`)."""
        message = (await person.say("hello")).to_json()
        message |= {"from": GROUP_BOT, "sender_chat": self.group.to_json(), "text": text}
        message["entities"] = [{"type": "bot_command", "offset": 0, "length": len(text.split()[0])}]
        await self.telegram.update(message=message)
        await self.finish()

    async def tap(self, person: Person, message: Message, label: str) -> Tap:
        """Press something and wait until all is shown."""
        tap = await person.tap(message, label)
        await self.finish()
        return tap

    @asynccontextmanager
    async def held_tap(self, person: Person) -> AsyncIterator[Tap]:
        """Have somebody tap the board, and hold the bot's answer back until the block ends."""
        async with self.telegram.holding("answerCallbackQuery") as gate:
            tap = await person.begin_tap(self.board, first_of(self.board)[0])
            await self.telegram.until(lambda: gate.waiting, "the answer to the tap")
            yield tap

    async def finish(self) -> None:
        """Wait until all is taken that was said, and let so much time pass that all of it is shown."""
        await self.bot.settle()
        await self.bot.wait()

    async def play(self, person: Person, board: Message, *, number: int = 0) -> list[Tap]:
        """Tap a move on a board: the first that can be tapped first, then what is offered for it; return the taps."""
        taps = [await self.tap(person, board, first_of(board)[number])]
        for _ in range(3):
            said = (taps[-1].text or "").splitlines()
            if len(said) < 2:
                break
            cell = said[-1].split(", ")[0]
            found = [each for each in board.labels if each.lstrip(f"{ANSWER_MARK}×…").rstrip("…") == cell.lstrip("×")]
            if not found:
                break
            taps.append(await self.tap(person, board, found[0]))
        return taps

    async def to_and_fro(self, person: Person, board: Message, times: int) -> None:
        """Have somebody choose on a board and take it back, so many taps in all, each changing its buttons."""
        choice = data_of(board, first_of(board)[0])
        back = choice.replace("c:", "p:").partition("=")[0]
        for number in range(times):
            without_keys(board)
            tap = await person.tap_data(board, back if number % 2 else choice)
            await tap.answered.wait()
            await self.bot.settle()
            self.bot.clock.turn(seconds=1.3)

    async def lay(self, **position: Any) -> GameRow:
        """Have the newest game go on from another position; return it as it was."""
        game = await self.row()
        laid = replace(game, position={**(game.position or {}), **position})
        await self.bot.store.games.commit(GameChange(game=laid, events=(NewEvent("laid"),), at=self.bot.clock.now))
        self.bot.tavoliere.delivery.wake()
        await self.bot.settle()
        return game

    async def row(self) -> GameRow:
        """Return the newest game in the group as it is stored."""
        return present(await self.bot.store.games.get(await self.code()))

    async def whose_move(self) -> Person:
        """Return who is to move in that game, as it is stored."""
        (known,) = await self.bot.store.people.identities(present((await self.row()).to_move))
        return self.by(int(known.user_id))

    async def code(self) -> str:
        """Return the code of the newest game in the group."""
        place = await self.bot.store.places.get_or_create("telegram", str(self.group.id))
        return (await self.bot.store.games.list_in_place(place.id))[0].id

    @property
    def shown(self) -> list[Message]:
        """What the bot shows in the group."""
        return self.telegram.shown(self.group)

    @property
    def board(self) -> Message:
        """The newest message with buttons that is for all."""
        ephemeral = self.bot.connection.ephemeral
        return next(message for message in reversed(self.shown) if ephemeral.owner(message.chat.id, message.id) is None)

    @property
    def mover(self) -> Person:
        """Whom the newest board calls."""
        (called,) = self.board.marked.called
        return self.by(called)

    async def started(self, line: str = "/play annuvin", *names: str) -> tuple[Person, Person]:
        """Have Anna start a game that the others join; return who is to move, and who is not."""
        anna = self.person("Anna")
        others = [self.person(name) for name in names or ("Bruno",)]
        await self.say(anna, line)
        for other in others:
            await self.tap(other, self.board, "Join")
        mover = self.mover
        return mover, next(person for person in (anna, *others) if person is not mover)


def first_of(message: Message) -> list[str]:
    """Return the labels of the buttons that are marked as what can be tapped first."""
    return [label for label in message.labels if label.startswith(ANSWER_MARK)]


def without_keys(message: Message) -> None:
    """Leave a board the buttons that it would have from a version that changed them with every choice."""
    rows = [
        [each for each in row if not str(each.get("callback_data")).startswith(f"{CELL_PRESS}:")]
        for row in message.keyboard
    ]
    message.keyboard = [row for row in rows if row]


def data_of(message: Message, label: str) -> str:
    """Return what the button with a label carries."""
    return str(next(button["callback_data"] for button in message.buttons if button["text"] == label))
