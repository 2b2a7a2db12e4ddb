"""Write what four people read in one evening: python -m tools.transcripts FOLDER, then read it as on a phone.

Three games at once, a puzzle and a cup, on Discord, on Telegram and on the page, in English and in Italian: a file for
each. It has what somebody typed or pressed, and after it what came or changed anywhere, with its buttons.
"""

import argparse
import asyncio
import random
import tempfile
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from bot.kernel.cards import Card, row_buttons
from bot.kernel.requests import Reply
from bot.kernel.texts import strip_styles
from bot.platforms.app import Tavoliere
from engine import State
from storage import Store
from tests.bot.party import Clock, Party
from tests.discord import harness as on_discord
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.telegram.server import FakeTelegram
from tests.support.tiny import Tiny
from tests.telegram import harness as on_telegram
from tools.record import seeded

PEOPLE: Final = ("Anna", "Bruno", "Carla", "Dario")
LANGUAGES: Final = ("en", "it")
TABLES: Final = (("annuvin", "Anna", "Bruno"), ("real-queen", "Carla", "Dario"), ("vedova-nera", "Bruno", "Carla"))
"""The games that go on at once: who starts each, and who joins."""
TURNS: Final = 3
"""How many actions of each game are played before somebody resigns."""

Seen = tuple[str, tuple[str, ...], bool]
"""A message as somebody sees it: its text, the labels of its buttons, and whether it has a picture."""


async def draw(_state: State, **_options: Any) -> Any:
    """Draw a picture of one pixel."""
    return Tiny()


class Evening(ABC):
    """What happens on one front; `lines` is the transcript so far."""

    def __init__(self, tavoliere: Tavoliere, store: Store) -> None:
        self.tavoliere = tavoliere
        self.store = store
        self.lines: list[str] = []
        self._known: dict[str, Seen] = {}
        self._chance = random.Random("an evening")

    @abstractmethod
    def shown(self) -> Iterator[tuple[str, str, Seen]]:
        """Yield every message that is shown now: its id, where it is, and how it looks."""

    @abstractmethod
    async def type(self, who: str, command: str, /, **values: str) -> None:
        """Have somebody type a command."""

    @abstractmethod
    async def press(self, who: str, deed: str) -> None:
        """Have somebody press the newest button that they see with a deed."""

    def note(self, what: str) -> None:
        """Write down what was done, and all that has come or changed since."""
        self.lines.append(f"\n> {what}")
        now = {number: (place, seen) for number, place, seen in self.shown()}
        for number, (place, seen) in now.items():
            if self._known.get(number) != seen:
                self._tell(place, seen, new=number not in self._known)
        self._known = {number: seen for number, (_, seen) in now.items()}

    def _tell(self, place: str, seen: Seen, *, new: bool) -> None:
        text, labels, picture = seen
        self.lines.append(f"\n[{place}]{'' if new else ' changed'}{' (picture)' if picture else ''}")
        self.lines += [f"  {line}" for line in text.splitlines()]
        if labels:
            self.lines.append(f"  [ {' | '.join(labels)} ]")

    @abstractmethod
    async def let_manage(self, who: str) -> None:
        """Make somebody a manager of the place."""

    async def codes(self, kind: str) -> list[str]:
        """Return the codes of the running games, the newest first, of a kind of game."""
        found = [await self.store.games.get(code) for code in await self.store.games.list_ids()]
        return [row.id for row in found if row is not None and row.game == kind and row.status == "playing"]

    async def mover(self, code: str) -> str:
        """Return the name of the player to move."""
        table = await self.tavoliere.context.table(code)
        return table.names[table.mover or 0]

    async def turn(self, code: str) -> None:
        """Have who is to move play something."""
        table = await self.tavoliere.context.table(code)
        if table.mover is not None:
            move = str(table.playing.state.random_action(self._chance))
            await self.type(table.names[table.mover], "move", move=move, game=code)

    async def pass_by(self, language: str) -> None:
        """Play the evening, in a place that speaks a language."""
        await self.let_manage("Anna")
        await self.type("Anna", "settings", **{"language": language, "for": "channel"})
        await self.type("Anna", "help")
        for key, starter, other in TABLES:
            await self.type(starter, "play", game=key)
            await self.press(other, "join")
        await self.press("Bruno", "start")
        for _ in range(TURNS):
            for key, *_ in TABLES:
                for code in await self.codes(key):
                    await self.turn(code)
        await self.type("Dario", "rules", game="fagocitare")
        await self.type("Carla", "games")
        await self.type("Dario", "puzzle")
        await self.type("Dario", "hint")
        await self.type("Anna", "move", move="z9")
        for key, *_ in TABLES:
            for code in await self.codes(key):
                await self.type(await self.mover(code), "resign", game=code)
                await self.press(await self.mover(code), "resign!")
        await self.type("Anna", "cup", game="annuvin", clock="1d", players="4")
        for who in PEOPLE:
            await self.press(who, "cup=join")
        while codes := await self.codes("annuvin"):
            for code in codes:
                loser = await self.mover(code)
                await self.type(loser, "resign", game=code)
                await self.press(loser, "resign!")
        for who, command in (
            ("Bruno", "leaderboard"),
            ("Bruno", "profile"),
            ("Carla", "history"),
            ("Anna", "settings"),
        ):
            await self.type(who, command)


class OnTelegram(Evening):
    """A group on Telegram; everybody has a private chat with the bot."""

    def __init__(self, scene: on_telegram.Scene, language: str) -> None:
        super().__init__(scene.bot.tavoliere, scene.bot.store)
        self.scene = scene
        for name in PEOPLE:
            scene.alone(scene.person(name, language))

    async def let_manage(self, who: str) -> None:
        self.scene.group.status[self.scene.people[who].id] = "administrator"

    def shown(self) -> Iterator[tuple[str, str, Seen]]:
        chats = [("the group", self.scene.shown)]
        chats += [(f"{name}, alone", self.scene.private(self.scene.people[name])) for name in PEOPLE]
        for place, messages in chats:
            for message in messages:
                yield f"{place} {message.id}", place, (message.text, tuple(message.labels), bool(message.photo))

    async def type(self, who: str, command: str, /, **values: str) -> None:
        typed = " ".join([f"/{command}", *(f"{name}:{value}" for name, value in values.items())])
        await self.scene.say(self.scene.people[who], typed)
        self.note(f"{who}: {typed}")

    async def press(self, who: str, deed: str) -> None:
        person = self.scene.people[who]
        for here, messages in ((person, self.scene.shown), (self.scene.alone(person), self.scene.private(person))):
            for message in reversed(messages):
                for button in message.buttons:
                    if str(button.get("callback_data", "")).startswith(deed):
                        tap = await here.tap_data(message, button["callback_data"])
                        await self.scene.finish()
                        above = f"\n  (above the chat: {tap.text})" if tap.text else ""
                        self.note(f"{who} taps {button['text']}{above}")
                        return
        raise LookupError(f"{who} finds no button for {deed}")


class OnDiscord(Evening):
    """A channel on Discord."""

    def __init__(self, scene: on_discord.Scene, language: str) -> None:
        super().__init__(scene.bot.tavoliere, scene.bot.store)
        self.scene = scene
        for name in PEOPLE:
            scene.person(name, {"en": "en-US"}.get(language, language))

    async def let_manage(self, who: str) -> None:
        self.scene.guild.managers.add(self.scene.people[who].account)

    def shown(self) -> Iterator[tuple[str, str, Seen]]:
        for message in self.scene.shown:
            yield str(message.id), "the channel", (message.text, tuple(message.labels), bool(message.files))
        for name in PEOPLE:
            for message in self.scene.people[name].private:
                yield (
                    f"{name} {message.id}",
                    f"{name}, alone",
                    (message.text, tuple(message.labels), bool(message.files)),
                )

    async def type(self, who: str, command: str, /, **values: str) -> None:
        options: dict[str, Any] = {name: int(value) if value.isdecimal() else value for name, value in values.items()}
        await self.scene.command(self.scene.people[who], command, **options)
        await self._settle()
        self.note(f"{who}: /{command} {' '.join(f'{name}:{value}' for name, value in values.items())}")

    async def press(self, who: str, deed: str) -> None:
        person = self.scene.people[who]
        for messages in (person.private, self.scene.shown):
            for message in reversed(messages):
                for part in message.pressable:
                    if str(part["custom_id"]).partition("|")[2].startswith(deed) and not part.get("disabled"):
                        await self.scene.press_part(person, message, part)
                        await self._settle()
                        self.note(f"{who} presses {part.get('label')}")
                        return
        raise LookupError(f"{who} finds no button for {deed}")

    async def _settle(self) -> None:
        """Wait until cups have gone on, and all of it is shown."""
        await self.tavoliere.jobs["cups"].run_until_idle()
        await self.scene.bot.settle()


class OnPage(Evening):
    """A room of the page."""

    def __init__(self, party: Party, language: str) -> None:
        super().__init__(party.front, party.store)
        self.party = party
        party.languages |= dict.fromkeys(map(str.lower, PEOPLE), language)
        self._answers: list[tuple[str, Card]] = []

    async def let_manage(self, who: str) -> None:
        self.party.managers.add(who.lower())

    def shown(self) -> Iterator[tuple[str, str, Seen]]:
        for name, message in self.party.adapter.messages.items():
            place = "the room" if message.place.kind == "group" else message.place.channel
            yield name, place, _look(message.card)
        for number, (who, card) in enumerate(self._answers):
            yield f"answer {number}", who, _look(card)

    async def type(self, who: str, command: str, /, **values: str) -> None:
        typed = " ".join([f"/{command}", *(f"{name}:{value}" for name, value in values.items())])
        await self._take(who, await self.party.say(who.lower(), typed), typed)

    async def press(self, who: str, deed: str) -> None:
        cards = [card for name, card in reversed(self._answers) if name == f"{who}, alone"]
        cards += [message.card for message in reversed(self.party.shown)]
        for card in cards:
            for row in card.rows:
                for button in row_buttons(row):
                    if button.press.startswith(deed):
                        await self._take(who, await self.party.press(who.lower(), button), f"presses {button.label}")
                        return
        raise LookupError(f"{who} finds no button for {deed}")

    async def _take(self, who: str, reply: Reply, what: str) -> None:
        if reply.card is not None:
            self._answers.append((f"{who}, alone" if reply.private else "the room", reply.card))
        await self.party.settle()
        await self.party.front.jobs["cups"].run_until_idle()
        await self.party.settle()
        self.note(f"{who}: {what}")


def _look(card: Card) -> Seen:
    labels = tuple(button.label for row in card.rows for button in row_buttons(row))
    return strip_styles(card.text), labels, card.picture is not None


@asynccontextmanager
async def open_telegram(folder: Path, language: str) -> AsyncIterator[Evening]:
    """Give an evening on Telegram."""
    clock = Clock()
    async with FakeTelegram(clock) as telegram, await Store.open(folder / "tavoliere.db") as store:
        scene = on_telegram.Scene(telegram, on_telegram.Bot(telegram, store, clock, draw=draw))
        async with scene.bot:
            yield OnTelegram(scene, language)


@asynccontextmanager
async def open_discord(folder: Path, language: str) -> AsyncIterator[Evening]:
    """Give an evening on Discord."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        async with FakeDiscord() as discord, await Store.open(folder / "tavoliere.db") as store:
            on_discord.direct_to(discord, monkeypatch)
            scene = on_discord.Scene(discord, on_discord.Bot(discord, store, draw=draw))
            async with scene.bot:
                yield OnDiscord(scene, language)


@asynccontextmanager
async def open_page(folder: Path, language: str) -> AsyncIterator[Evening]:
    """Give an evening on the page."""
    async with await Store.open(folder / "tavoliere.db") as store, Party(store, draw=draw) as party:
        yield OnPage(party, language)


FRONTS: Final[dict[str, Callable[[Path, str], Any]]] = {
    "discord": open_discord,
    "telegram": open_telegram,
    "page": open_page,
}


async def write_evening(front: str, language: str) -> str:
    """Return the transcript of an evening on one front in one language."""
    with tempfile.TemporaryDirectory() as folder, seeded(f"{front} {language}"):
        async with FRONTS[front](Path(folder), language) as evening:
            try:
                await evening.pass_by(language)
            except LookupError as error:
                evening.lines.append(f"\n!! {error}")
            return "\n".join(evening.lines) + "\n"


def main() -> None:
    """Write all transcripts, or those whose names are given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="such as telegram-it")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for front in FRONTS:
        for language in LANGUAGES:
            name = f"{front}-{language}"
            if not arguments.names or name in arguments.names:
                text = asyncio.run(write_evening(front, language))
                (arguments.folder / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
