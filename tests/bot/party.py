"""A party to test with: people in a room, a program that serves them, an adapter that remembers what it showed."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Self

from bot.kernel.cards import Button, Card, Menu, Picture, Row
from bot.kernel.operations.clock import SystemTime
from bot.kernel.presses import read_press
from bot.kernel.requests import Adapter, Completion, Place, Reply, Request, Undeliverable, User
from bot.kernel.table import Table
from bot.kernel.texts import Texts, strip_styles
from bot.platforms.app import Tavoliere
from bot.table.ratings import MIN_RATED_TURNS
from bot.thinking.thinkers import SearchPool
from engine import games
from engine.search import Judged, players
from storage import GameRow, Store
from tests.support.fronts import make_front
from tests.support.present import present
from tests.support.settling import Settler
from tests.support.stores import START

SQUARE = "/play annuvin @bruno board:square"
"""Has a game start between two, on a small board."""


@cache
def load_texts(_keys: tuple[str, ...]) -> Texts:
    """Return the catalogues, read once for all tests that know games with these keys."""
    return Texts()


class Clock(SystemTime):
    """A machine's clocks, which tests turn: time passes, the time of day is set, or the machine is suspended."""

    def __init__(self) -> None:
        self._now = START
        self._seconds = 0.0
        self._suspended_seconds = 0.0
        self._stalled_seconds = 0.0

    def __call__(self) -> datetime:
        return self._now

    @property
    def now(self) -> datetime:
        return self._now

    @now.setter
    def now(self, now: datetime) -> None:
        self._seconds += (now - self._now).total_seconds()
        self._now = now

    def turn(self, **parts: float) -> None:
        """Let time pass."""
        self.now += timedelta(**parts)

    def set(self, **parts: float) -> None:
        """Set the time of day, so much later than it is."""
        self._now += timedelta(**parts)

    def stall(self, **parts: float) -> None:
        """Have the program's loop stand still for so long."""
        self.turn(**parts)
        self._stalled_seconds += timedelta(**parts).total_seconds()

    def suspend(self, **parts: float) -> None:
        """Suspend the machine for so long."""
        self._now += timedelta(**parts)
        self._suspended_seconds += timedelta(**parts).total_seconds()

    def monotonic(self) -> float:
        return self._seconds

    def loop_seconds(self) -> float:
        return self._stalled_seconds

    def boottime(self) -> float:
        return self._seconds + self._suspended_seconds

    async def read_shared(self, _: Store) -> datetime:
        return self._now


@dataclass
class Shown:
    """A message as somebody in the room sees it."""

    place: Place
    card: Card
    key: str
    edits: int = 0
    calls: tuple[int, ...] = ()
    """Whom it called when it came: an edit calls nobody."""
    retired: bool = False
    removed: bool = False

    @property
    def text(self) -> str:
        return strip_styles(self.card.text)


@dataclass
class Recorder(Adapter):
    """An adapter that shows nothing and remembers everything; `faults` are raised by the calls to come."""

    platform: str = "web"
    messages: dict[str, Shown] = field(default_factory=dict)
    faults: list[BaseException | None] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    sent: int = 0
    closed: set[str] = field(default_factory=set)
    """Those who take no private messages."""
    called: asyncio.Event = field(default_factory=asyncio.Event)

    async def until(self, wanted: Callable[[], bool]) -> None:
        """Wait until the calls made have brought something about."""
        async with asyncio.timeout(60):
            while not wanted():
                self.called.clear()
                await self.called.wait()

    def _call(self, what: str) -> None:
        self.calls.append(what)
        self.called.set()
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None:
            raise fault

    async def send(self, place: Place, card: Card, key: str) -> str:
        self._call("send")
        if place.kind == "private" and place.channel.removeprefix("@") in self.closed:
            raise Undeliverable("forbidden")
        for message, shown in self.messages.items():
            if shown.key == key:
                return message
        self.sent += 1
        message = f"m{self.sent}"
        self.messages[message] = Shown(place, card, key, calls=card.calls)
        return message

    async def private_chat(self, user: str) -> Place:
        if user in self.closed:
            raise Undeliverable("forbidden")
        return Place(self.platform, f"@{user}", kind="private")

    async def edit(self, place: Place, message: str, card: Card, *, urgent: bool = True) -> None:
        self._call("edit")
        if message not in self.messages:
            raise Undeliverable("message-gone")
        self.messages[message].card = card
        self.messages[message].edits += 1

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        self._call("retire")
        if message not in self.messages:
            raise Undeliverable("message-gone")
        self.messages[message].retired = True
        self.messages[message].removed = remove


class Quick(SearchPool):
    """Thinks here and now, a little; `thoughts` counts how often."""

    thoughts = 0

    async def turn(self, position: Mapping[str, Any], level: int, seed: int, *_: Any, **__: Any) -> tuple[str, ...]:
        self.thoughts += 1
        state = games[position["game"]].load(position)
        effort = 30 / players[state.game.key].level(level).iterations
        return tuple(action.text for action in players[state.game.key].turn(state, level, seed, effort=effort))

    async def analyse(self, position: Mapping[str, Any], iterations: int, *_: Any, **__: Any) -> tuple[Judged, ...]:
        self.thoughts += 1
        state = games[position["game"]].load(position)
        return players[state.game.key].analyse(state, min(iterations, 30))


class Party:
    """Calls the program as an adapter would; `room` is where everybody is unless told otherwise."""

    room = Place("web", "room", title="The room")

    def __init__(self, store: Store, **arguments: Any) -> None:
        self.store = store
        self.clock = Clock()
        self.adapter = Recorder()
        self.numbers = 0
        self._entropy = itertools.count(7)
        self.languages: dict[str, str] = {}
        self.managers: set[str] = set()
        self.thinking = True
        self.arguments: dict[str, Any] = {"thinkers": Quick(), "texts": load_texts(tuple(games)), **arguments}
        self.front = self.restarted()

    def restarted(self) -> Tavoliere:
        """Return the program as it comes up anew on the same store."""
        self.front = make_front(
            self.store, clock=self.clock, entropy=self._seed, adapters=[self.adapter], **self.arguments
        )
        self._settler = Settler(self.front)
        return self.front

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.front.close()

    def _seed(self) -> bytes:
        return next(self._entropy).to_bytes(32, "big")

    def request(self, who: str, place: Place | None = None, message: str | None = None, event: str = "") -> Request:
        language = self.languages.get(who, "en")
        user = User("web", who, who.capitalize(), language, who in self.managers)
        self.numbers += 1
        return Request(event or f"event-{self.numbers}", user, place or self.room, message)

    async def _settled(self, answering: Awaitable[Reply]) -> Reply:
        """Return what the program answers, once boards are delivered."""
        reply = await answering
        await self.settle()
        return reply

    async def say(self, who: str, line: str, **where: Any) -> Reply:
        """Have somebody type a line."""
        return await self._settled(self.front.typed_text(self.request(who, **where), line))

    async def command(self, who: str, command: str, **values: str) -> Reply:
        return await self._settled(self.front.command(self.request(who), command, values))

    async def press(self, who: str, button: str | Button, **where: Any) -> Reply:
        press = button.press if isinstance(button, Button) else button
        return await self._settled(self.front.press(self.request(who, **where), press))

    async def fill(self, who: str, reply: Reply, **values: str) -> Reply:
        """Have somebody fill in the form in a reply, and submit it."""
        return await self._settled(self.front.fill(self.request(who), present(card(reply).form).press, values))

    async def follow(self, who: str, reply: Reply, *labels: str) -> Reply:
        """Have somebody press the buttons with these labels, each on the reply to the one before; return the last."""
        for label in labels:
            reply = await self.press(who, labelled(card(reply), label))
        return reply

    async def resign(self, who: str, code: str = "") -> Reply:
        """Have somebody give up a game, and confirm it."""
        row = await self.load_row(code)
        return await self.press(who, f"resign!:{row.id}:{row.revision}")

    async def settle(self) -> None:
        """Let computers think until it is a person's move again, and all of it be shown."""
        await self._settler.settle(thinking=self.thinking)

    async def wait(self, **parts: float) -> None:
        """Let so much time pass, and what is due then be done and shown."""
        self.clock.turn(**parts)
        await self.settle()

    async def complete(self, who: str, command: str, parameter: str, **values: str) -> list[Completion]:
        return await self.front.complete(self.request(who), command, parameter, values)

    @property
    def shown(self) -> list[Shown]:
        """All messages, the oldest first."""
        return list(self.adapter.messages.values())

    @property
    def newest(self) -> Shown:
        return self.shown[-1]

    @property
    def board(self) -> Shown:
        """The newest message that is a board, or a lobby, rather than an offer beside one."""
        return next(shown for shown in reversed(self.shown) if "-board:" in shown.key or shown.key.endswith("-0-"))

    @property
    def code(self) -> str:
        """The code of the game of the newest message that has buttons of one."""
        pressed = (button.press for shown in reversed(self.shown) for button in buttons(shown.card))
        return next(filter(None, (read_press(press).game for press in pressed)))

    async def load_row(self, code: str = "") -> GameRow:
        """Return a game as it is stored, the newest message's unless another is named."""
        return present(await self.store.games.get(code or self.code))

    async def table(self, code: str = "") -> Table:
        """Return a game as the program knows it, the newest message's unless another is named."""
        return await self.front.context.table(code or self.code)

    async def mover_of(self, code: str) -> str:
        table = await self.table(code)
        return table.names[present(table.mover)].lower()

    async def legal(self, code: str = "", number: int = 0) -> str:
        """Return an action that is possible in a game: the first, or another by its number."""
        return (await self.table(code)).playing.state.legal_actions()[number].text

    async def play_first(self, code: str, **where: Any) -> str:
        """Have who is to move play the first action that is possible; return who it was."""
        who = await self.mover_of(code)
        await self.say(who, f"/move {await self.legal(code)} game:{code}", **where)
        return who

    async def meet(self, *people: str, **where: Any) -> None:
        """Have people come who were not here before: they ask what there is to know."""
        for who in people:
            await self.say(who, "/help", **where)

    async def id_of(self, who: str) -> int:
        """Return the number of somebody who has been here."""
        return (await self.store.people.find(who))[0].id

    @property
    def mover(self) -> str:
        """Whom the newest board asks."""
        return {1: "", **self._people()}[self.board.card.mention or 0]

    def _people(self) -> dict[int, str]:
        spans = [span for shown in self.shown for span in shown.card.text]
        return {span.person: span.text.lower() for span in spans if span.person is not None}

    async def started(self, line: str = "/play annuvin @bruno", *joining: str, **where: Any) -> str:
        """Have Anna start a game that the others join, and return its code."""
        await self.say("anna", line, **where)
        for who in joining or ("bruno",):
            await self.press(who, button(self.newest.card, "join"), **where)
        return self.code

    async def warm_up(self, code: str = "", turns: int = MIN_RATED_TURNS) -> str:
        """Have everybody in a game play so many turns, as the engine lists them first, and return its code."""
        code = code or self.code
        while True:
            table = await self.table(code)
            line, seats = table.playing, range(table.row.seat_count)
            if all((line.turn_count(seat) or 0) >= turns for seat in seats if line.state.is_playing(seat)):
                return code
            await self.play_first(code)

    def other(self, *people: str) -> str:
        """Return the first of the people who is not to move."""
        return next(person for person in (people or ("anna", "bruno")) if person != self.mover)


def buttons(card: Card) -> list[Button]:
    """Return everything on a card that can be pressed."""
    return [entry for row in card.rows for entry in of_row(row)]


def of_row(row: Row) -> tuple[Button, ...]:
    return row.options if isinstance(row, Menu) else row


def button(card: Card, deed: str) -> Button:
    """Return the first button of a card that does a deed."""
    return next(entry for entry in buttons(card) if read_press(entry.press).deed == deed)


def labelled(card: Card, label: str) -> Button:
    """Return the button of a card with a label."""
    return next(entry for entry in buttons(card) if entry.label == label)


def words(reply: Reply) -> str:
    """Return the text of a reply, with the values of its form; empty for one without a card."""
    if reply.card is None:
        return ""
    fields = reply.card.form.fields if reply.card.form is not None else ()
    return "\n".join([strip_styles(reply.card.text), *(f"{each.label}: {each.words}" for each in fields)])


def missing(text: str, *phrases: str) -> list[str]:
    """Return the phrases that a text does not contain."""
    return [phrase for phrase in phrases if phrase not in text]


def card(reply: Reply) -> Card:
    """Return the card of a reply that has one."""
    return present(reply.card)


def picture_of(reply: Reply) -> Picture:
    """Return the picture of a reply that has one."""
    return present(card(reply).picture)


@contextmanager
def fail_next_calls(adapter: Recorder, *faults: Exception | None) -> Iterator[None]:
    """Have the next calls of an adapter fail; all of the faults must be used up."""
    adapter.faults += faults
    yield
    assert not adapter.faults
