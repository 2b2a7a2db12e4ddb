"""Scenes on Discord and on Telegram that are used in the same way; what only one of the platforms has is not here."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from bot.kernel.requests import Place
from bot.platforms.discord.decode import button_id
from tests.discord.harness import Scene as DiscordScene
from tests.fakes.discord.people import Person as DiscordPerson
from tests.fakes.discord.world import Message as DiscordMessage
from tests.fakes.telegram.people import Person as TelegramPerson
from tests.fakes.telegram.world import Message as TelegramMessage
from tests.telegram.harness import Scene as TelegramScene, first_of

Message = DiscordMessage | TelegramMessage
LANGUAGES = {"en": "en-US", "it": "it"}


class OnDiscord(DiscordScene):
    """A channel of a server, with people who are told things in ephemeral messages."""

    @property
    def place(self) -> Place:
        return Place("discord", self.channel.id, group=self.guild.id)

    def member(self, name: str, language: str = "en") -> DiscordPerson:
        """Return somebody who is there, new if need be."""
        return self.person(name, LANGUAGES[language])

    def make_manager(self, person: DiscordPerson) -> None:
        """Let somebody manage the place."""
        self.guild.managers.add(person.account)

    def alone(self, person: DiscordPerson) -> DiscordPerson:
        """Return somebody as they are in their own chat with the bot."""
        return DiscordPerson(self.discord, person.account, self.discord.dm(person.account))

    def name(self, person: DiscordPerson) -> str:
        """Return how texts name somebody."""
        return f"<@{person.id}>"

    async def give(self, person: DiscordPerson, command: str, **values: Any) -> None:
        """Have somebody give a command, with people among its values."""
        await self.give_and_go_on(person, command, **values)
        await self.bot.settle()

    async def give_and_go_on(self, person: DiscordPerson, command: str, **values: Any) -> None:
        """Have somebody give a command, and wait for no more than that it is carried out."""
        given = {key: value.account if isinstance(value, DiscordPerson) else value for key, value in values.items()}
        await person.command(command, **given)
        await self.bot.connection.dispatcher.wait_until_idle()

    async def press_payload(self, person: DiscordPerson, payload: str) -> None:
        """Press a button that carries this, as some message may have one."""
        message = next(each for each in reversed(self.shown) if each.pressable)
        part = message.pressable[0] | {"custom_id": button_id(1, payload), "type": 2}
        await self.press_part(person, message, part)

    def private(self, person: DiscordPerson) -> list[DiscordMessage]:
        """Return what somebody alone sees, the oldest first."""
        return person.private

    def chat(self, person: DiscordPerson) -> list[DiscordMessage]:
        """Return what the program has written to somebody directly."""
        return self.discord.shown(self.discord.dm(person.account))

    def last_answer(self, person: DiscordPerson) -> str:
        """Return what somebody alone was told last."""
        return person.newest_private.text.replace("**", "")

    def called(self, message: DiscordMessage) -> list[DiscordPerson]:
        """Return whom a message notified."""
        return [self.by(account) for account in message.pings]

    def picture(self, message: DiscordMessage) -> bytes | None:
        """Return the picture that a message shows."""
        return message.picture

    def choices(self, board: DiscordMessage) -> list[str]:
        """Return the labels of what goes on with a turn."""
        return [each for each in board.labels if re.fullmatch(r"(\d+ · )?[a-h]?×?[a-h]\d+", each)]

    def keep(self, message: DiscordMessage, label: str) -> Callable[[DiscordPerson], Any]:
        """Return how somebody presses a button that may be gone by then."""
        (part,) = [part for part in message.pressable if part["label"] == label]
        seen = message.to_json()
        return lambda person: person.press_part(message, part, seen)

    def closing(self, person: DiscordPerson) -> AbstractContextManager[None]:
        """Have somebody take no private messages, which the program finds out once."""
        self.discord.closed.add(person.account)
        return self.discord.refusing(50007)


class OnTelegram(TelegramScene):
    """A group, with people who are told things in their chats with the bot, in alerts, and in answers to them alone."""

    alert = ""

    @property
    def place(self) -> Place:
        return Place("telegram", str(self.group.id), title=self.group.title)

    def member(self, name: str, language: str = "en") -> TelegramPerson:
        """Return somebody who is there and has a chat with the bot, new if need be."""
        person = self.person(name, language)
        self.alone(person)
        return person

    def make_manager(self, person: TelegramPerson) -> None:
        """Let somebody manage the place."""
        self.group.status[person.id] = "administrator"

    def name(self, person: TelegramPerson) -> str:
        return person.account.first_name

    async def give(self, person: TelegramPerson, command: str, **values: Any) -> None:
        await self.give_and_go_on(person, command, **values)
        await self.finish()

    async def give_and_go_on(self, person: TelegramPerson, command: str, **values: Any) -> None:
        """Have somebody give a command, and wait for no more than that it is carried out."""
        given = [
            f"@{value.account.first_name.lower()}" if isinstance(value, TelegramPerson) else f"{key}:{value}"
            for key, value in values.items()
        ]
        self.alert = ""
        await person.say(" ".join([f"/{command}", *given]))
        await self.telegram.until(lambda: self.telegram.listening, "the bot's listening")
        await self.bot.connection.dispatcher.wait_until_idle()

    async def press(self, person: TelegramPerson, message: TelegramMessage, label: str) -> None:
        """Press something and wait until all is shown."""
        self.alert = (await self.tap(person, message, label)).text or ""

    async def press_payload(self, person: TelegramPerson, payload: str) -> None:
        """Press a button that carries this, as some message may have one."""
        await person.tap_data(self.board, payload)
        await self.finish()

    def private(self, person: TelegramPerson) -> list[TelegramMessage]:
        """Return what somebody alone sees, the oldest first."""
        mine = [message for message in super().shown if self.owner(message) == person.id]
        return sorted([*self.chat(person), *mine], key=lambda message: message.id)

    def chat(self, person: TelegramPerson) -> list[TelegramMessage]:
        """Return what the program has written to somebody directly."""
        return self.telegram.shown(self.alone(person).here)

    def owner(self, message: TelegramMessage) -> int | None:
        """Return who alone may press a message, None for one for everybody."""
        return self.bot.connection.ephemeral.owner(message.chat.id, message.id)

    @property
    def shown(self) -> list[TelegramMessage]:
        return [message for message in super().shown if self.owner(message) is None]

    def last_answer(self, person: TelegramPerson) -> str:
        """Return what somebody alone was told last."""
        return self.alert or self.private(person)[-1].text

    def called(self, message: TelegramMessage) -> list[TelegramPerson]:
        """Return whom a message notified; what notifies nobody makes no sound."""
        assert message.silent is not bool(message.pings)
        return [self.by(number) for number in message.pings if isinstance(number, int)]

    def picture(self, message: TelegramMessage) -> bytes | None:
        return message.photo

    def choices(self, board: TelegramMessage) -> list[str]:
        """Return the labels of what goes on with a turn; on boards that one person alone sees no cell has a mark."""
        return first_of(board) or [each for each in board.labels if re.fullmatch(r"×?[a-h]\d+…?", each)]

    def keep(self, message: TelegramMessage, label: str) -> Callable[[TelegramPerson], Any]:
        """Return how somebody presses a button that may be gone by then."""
        (data,) = [button["callback_data"] for button in message.buttons if button["text"] == label]

        async def press(person: TelegramPerson) -> None:
            tap = await person.tap_data(message, data)
            await self.bot.settle()
            self.alert = tap.text or ""

        return press

    def closing(self, person: TelegramPerson) -> AbstractContextManager[None]:
        """Have somebody take no private messages, which the program finds out once."""
        self.telegram.private(person.account).blocked = True
        return self.telegram.refusing("bot was blocked")

    async def wait(self, **parts: float) -> None:
        """Let time pass and have all shown that is due."""
        self.bot.clock.turn(**parts)
        await self.bot.settle()
        await self.bot.wait()


Room = Any
"""`OnDiscord` or `OnTelegram`: both have the same methods, but people and messages of their own."""


def platform_of(room: Room) -> Any:
    """Return the fake platform of a room."""
    return room.discord if isinstance(room, OnDiscord) else room.telegram


async def press_cell(room: Room, person: Any, board: Message, cell: str) -> None:
    (label,) = [each for each in board.labels if each.rpartition(" ")[2].strip("×…") == cell]
    await room.press(person, board, label)


async def start_annuvin(room: Room, **values: Any) -> tuple[Any, Any]:
    """Have Anna challenge Bruno to a game of Annuvin; return who is to move, and the other."""
    anna, bruno = room.member("Anna"), room.member("Bruno")
    await room.give(bruno, "help")  # people are challenged by name where they have been seen
    await room.give(anna, "play", game="annuvin", opponent=bruno, **values)
    await room.press(bruno, room.board, "Accept")
    return (anna, bruno) if room.mover is anna else (bruno, anna)


def suggested_move(board: Message) -> str:
    found: str = re.findall("/move ([a-z0-9-]+)", board.text)[-1]
    return found
