"""People who play on both fakes, whatever becomes of the program meanwhile.

On Discord, where the client says that something has failed, they try again; on Telegram nothing ever fails, and they
do everything once.
"""

import asyncio
import random
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from bot.kernel.choices import path_to
from bot.kernel.presses import PATH_SEPARATOR
from bot.kernel.question_cards import PUBLIC_CHOICE
from bot.platforms.telegram.markup import CELL_PRESS
from engine import Action, State
from tests.durability.process import TIMEOUT_SECONDS
from tests.durability.world import Spot, World, list_payloads, revision_of
from tests.fakes.discord.people import Person as DiscordPerson
from tests.fakes.discord.world import Channel, Guild, Interaction, Message as DiscordMessage
from tests.fakes.telegram.people import Person as TelegramPerson
from tests.fakes.telegram.world import Chat, Message as TelegramMessage, Tap
from tests.telegram.players import is_skipped, payload_of_path as carried_by

LOOK_AGAIN_SECONDS: Final = 10.0
"""Seconds after which somebody who taps looks at the board again, because nothing has come of it; then after twice as
many, and so on: on a slow machine that is all that several taps need.
"""


class Killed(Exception):
    """The program has ended before it did what somebody wanted."""


class Unreachable(Exception):
    """The database was away: somebody may have been told that what they want cannot be done now."""


@dataclass
class Player:
    """Somebody in a place, on one of the platforms; `sent` is what they did, by cause, with what should come of it."""

    world: World
    name: str
    rng: random.Random
    sent: dict[str, tuple[str, int, str]] = field(default_factory=dict)
    spot: Spot = ("", "")
    look_again_seconds: float = LOOK_AGAIN_SECONDS

    async def open(self, game: str, **terms: str | int) -> str:
        """Start a game; return its code."""
        raise NotImplementedError

    async def join(self, code: str) -> None:
        raise NotImplementedError

    async def act(self, code: str, revision: int, state: State, action: Action) -> None:
        """Play an action of a game that waits for them; return when it is stored."""
        raise NotImplementedError

    pressed: float = 0.0
    """When they last did something."""

    def note(self, cause: str, code: str, revision: int, action: str) -> None:
        """Remember what was done."""
        self.sent[cause] = (code, revision, action)
        self.pressed = time.perf_counter()

    def moved(self, code: str, revision: int) -> bool:
        return self.world.ledger.revision(code) > revision

    def twice(self) -> bool:
        """Say whether this time they press twice."""
        return self.rng.random() < 0.2


def _are_answered(sent: Sequence[Interaction]) -> bool:
    return all(each.answer for each in sent)


class OnDiscord(Player):
    """Somebody on Discord."""

    def __init__(self, world: World, name: str, channel: Channel, rng: random.Random) -> None:
        super().__init__(world, name, rng)
        self.person = DiscordPerson(world.discord, world.discord.account(name), channel)
        self.spot = ("discord", channel.id)
        self._pressed: Interaction | None = None

    async def open(self, game: str, **terms: str | int) -> str:
        return await self._until_stored("play", game=game, **terms)

    async def join(self, code: str) -> None:
        await self._until_stored("play", join=code)

    async def act(self, code: str, revision: int, state: State, action: Action) -> None:
        until, timeout = time.monotonic() + TIMEOUT_SECONDS, self.look_again_seconds
        while not self.moved(code, revision):
            life = await self._there()
            try:
                if self.rng.random() < 0.4:
                    # Named, for a person cut off while starting a game may have started two.
                    await self._command("move", code, revision, action.text, move=action.text, game=code)
                    await self._while(life, lambda: self.moved(code, revision), f"{code} after {revision}")
                else:
                    async with asyncio.timeout(timeout):
                        await self._press(life, code, revision, state, action)
                        await self._while(life, lambda: self.moved(code, revision), f"{code} after {revision}")
            except TimeoutError:
                # A late answer to an earlier press may have taken the place of what they chose in: they begin anew.
                timeout *= 2
                assert time.monotonic() < until, f"{code} does not move on from {revision}: {self._describe()}"
            except (Killed, ConnectionError):
                continue

    async def _press(self, life: Hashable, code: str, revision: int, state: State, action: Action) -> None:
        path = path_to(state, state.legal_actions(), action)
        steps = [(depth, path[:depth]) for depth in range(1, len(path) + 1)]
        if len(path) == 1 and state.game.facts.is_weighty(action):
            # They are asked whether they mean it, and say so.
            steps.append((2, path))
        for at, (depth, here) in enumerate(steps, 1):
            rest = f":{code}:{revision}={PATH_SEPARATOR.join(here)}"

            def found(rest: str = rest, depth: int = depth) -> tuple[DiscordMessage | None, Any] | None:
                # What they pressed before something died may be done after all, by a process that lives.
                return (None, None) if self.moved(code, revision) else self._part(code, rest, depth)

            message, part = await self._while(life, found, f"a part {rest}")
            if message is None:
                return
            sent = [await self.person.send_press(message, part) for _ in range(2 if self.twice() else 1)]
            self._pressed = sent[-1]
            if at == len(steps):
                for interaction in sent:
                    self._sent(interaction, code, revision, action.text)
            else:
                # Nobody chooses between the two clicks of a double click: the second brings the first question anew.
                await self._while(life, partial(_are_answered, sent), f"answers to presses of {rest}")

    def _part(self, code: str, rest: str, depth: int) -> tuple[DiscordMessage, Any] | None:
        """Return the message that a press can be made on, and the part of it."""
        if depth == 1:
            found = self.world.board(self.spot, code)
            messages = [found[1]] if found and isinstance(found[1], DiscordMessage) else []
        else:
            messages = list(reversed(self.person.private))
        for message in messages:
            for part in message.pressable:
                value = part["value"] if part["type"] == 3 else part["custom_id"].split("|", 1)[1]
                if value[0] in "cp" and value[1:] == rest:
                    return message, part
        return None

    async def _until_stored(self, name: str, **options: str | int) -> str:
        """Type a command until it is stored; return the game that it was about."""
        causes: list[str] = []

        def stored() -> str:
            self.world.ledger.refresh()
            return next(filter(None, map(self._game_of, causes)), "")

        while not stored():
            life = await self._there()
            try:
                causes.append(await self._command(name, "", 0, "", **options))
                await self._while(life, stored, f"/{name} {options}")
            except (Killed, ConnectionError):
                continue
        return stored()

    def _game_of(self, cause: str) -> str:
        events = self.world.ledger.causes.get(cause)
        return events[0].game if events else ""

    async def _command(self, name: str, code: str, revision: int, action: str, **options: str | int) -> str:
        return self._sent(await self.person.send_command(name, **options), code, revision, action)

    def _sent(self, interaction: Interaction, code: str, revision: int, action: str) -> str:
        cause = f"discord:{interaction.id}"
        self.note(cause, code, revision, action)
        if code:
            self.world.await_answer(interaction.token, code, revision)
        return cause

    async def _there(self) -> Hashable:
        """Return the program's life, once it listens."""
        await self.world.until(self.spot, lambda: self.world.hears(self.person.here), "the program")
        return self.world.life_of(self.person.here)

    async def _while(self, life: Hashable, wanted: Callable[[], Any], what: str) -> Any:
        """Wait for something as long as the program lives; Killed."""
        gone = object()

        def found() -> Any:
            here = self.person.here
            return wanted() or (gone if self.world.life_of(here) != life or not self.world.hears(here) else None)

        try:
            result = await self.world.until(self.spot, found, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self._describe()}") from None
        if result is gone:
            raise Killed
        return result

    def _describe(self) -> str:
        """Say for the message of a failure what they have pressed last, how that was answered, and what they see."""
        pressed = self._pressed
        answers = [pressed.original, *pressed.followups] if pressed is not None else []
        said = [(each.id, each.deleted, each.text, list_payloads(each)) for each in answers if each is not None]
        seen = [(each.id, each.text, list_payloads(each)) for each in self.person.private[-2:]]
        answered = "nothing" if pressed is None else f"{pressed.id}, answered with {pressed.answer} and {said}"
        return f"{self.name} has pressed {answered}; sees {seen}"


def on_discord(world: World, guild: Guild, number: int, rng: random.Random, *names: str) -> list[Player]:
    """Return people who have a channel of a server to themselves."""
    channel = world.discord.text_channel(guild, f"table{number}")
    return [OnDiscord(world, f"{name}{number}", channel, rng) for name in names]


class OnTelegram(Player):
    """Somebody on Telegram."""

    waits_for_answers = False
    """Whether they tap again only when what they tapped was answered: until then their app shows that it is at work."""
    _tapped: Tap | None = None
    _wanted: tuple[str, ...] = ()
    """Which answers of a path they look for a button of, or have tapped last."""

    def __init__(self, world: World, name: str, chat: Chat, rng: random.Random) -> None:
        super().__init__(world, name, rng)
        account = world.telegram.account(name)
        chat.status[account.id] = "member"
        self.person = TelegramPerson(world.telegram, account, chat)
        self.spot = ("telegram", str(chat.id))

    async def open(self, game: str, **terms: str | int) -> str:
        return await self._say(" ".join(["/play", game, *(f"{name}:{value}" for name, value in terms.items())]))

    async def join(self, code: str) -> None:
        await self._say(f"/play join:{code}")

    async def act(self, code: str, revision: int, state: State, action: Action) -> None:
        typing, until = self.rng.random() < 0.4, time.monotonic() + TIMEOUT_SECONDS
        timeout = self.look_again_seconds
        while not self.moved(code, revision):
            outages = self.world.outages
            try:
                if typing:
                    await self._type(outages, code, revision, action)
                    await self._while(outages, lambda: self.moved(code, revision), f"{code} after {revision}")
                else:
                    async with asyncio.timeout(timeout):
                        await self._tap(outages, code, revision, state, action)
                        await self._while(outages, lambda: self.moved(code, revision), f"{code} after {revision}")
            except TimeoutError:
                tap, timeout = self._tapped, 2 * timeout
                if self.waits_for_answers and tap is not None:
                    await self._while(outages, tap.answered.is_set, f"an answer to a tap on {code} at {revision}")
                # What they tapped had other buttons by then, as the answer told them: they begin anew.
                assert time.monotonic() < until, (
                    f"{code} does not move on from {revision}, however often it is tapped: {self._describe(code)}"
                )
            except Unreachable:
                typing = True  # what was chosen before may still stand below the board, or not

    def _describe(self, code: str) -> str:
        """Say for the message of a failure what they look for, what they have tapped, and what the boards offer."""
        tap = self._tapped
        tapped = "nothing" if tap is None else f"{tap.data!r}, answered {tap.answered.is_set()}: {tap.text!r}"
        shown = [(board.id, list_payloads(board)) for board in self.world.boards[self.spot] if revision_of(board, code)]
        return f"wants {self._wanted}, has tapped {tapped}, sees {shown[-2:]}"

    async def _type(self, outages: int, code: str, revision: int, action: Action) -> None:
        board = await self._board(outages, code, revision)
        if board is None:
            return
        said = await self.person.say(action.text, answering=board)
        self.note(f"telegram:m{said.chat.id}.{said.id}", code, revision, action.text)

    async def _tap(self, outages: int, code: str, revision: int, state: State, action: Action) -> None:
        path = path_to(state, state.legal_actions(), action)
        for depth in range(1, len(path) + 1):
            self._wanted = path[:depth]
            if await self._board(outages, code, revision) is None:
                return

            def found(depth: int = depth) -> tuple[Any, str] | None:
                if self.moved(code, revision):
                    return None, ""
                # A board that was sent just before a kill is sent once more: a choice goes on where it was begun.
                for board in reversed(self.world.boards[self.spot]):
                    if not isinstance(board, TelegramMessage):
                        continue
                    if is_skipped(board, path, depth):
                        return board, ""
                    if data := carried_by(board, path[:depth], of=(code, revision)):
                        return board, data
                return None

            board, data = await self._while(outages, found, f"a button for {code} at {revision}: {path[:depth]}")
            if board is None:
                return
            # They are asked whether they mean it, and tap once more.
            asks = data.startswith(f"{PUBLIC_CHOICE}:") and state.game.facts.is_weighty(action) and depth == len(path)
            for _ in range(2 if data and (asks or self.twice()) else 1 if data else 0):
                tap = self._tapped = await self.person.tap_data(board, data)
                if depth == len(path):
                    self.note(f"telegram:c{tap.id}", code, revision, action.text)
                    if not asks and not data.startswith(f"{CELL_PRESS}:"):
                        # A key may be answered by what is to be tapped first.
                        self.world.await_answer(tap.id, code, revision)
                if asks:
                    await self._while(outages, tap.answered.is_set, f"an answer to a tap on {code} at {revision}")

    async def _board(self, outages: int, code: str, revision: int) -> Any:
        """Return the board at a revision, None when the game has moved on by what they did before an outage."""

        def found() -> Any:
            board = self.world.board(self.spot, code)
            shown = board[1] if board is not None and board[0] == revision else None
            return (shown,) if shown is not None or self.moved(code, revision) else None

        (board,) = await self._while(outages, found, f"a board of {code} at {revision}")
        return board

    async def _say(self, line: str) -> str:
        causes: list[str] = []

        def game() -> str:
            self.world.ledger.refresh()
            events = next(filter(None, map(self.world.ledger.causes.get, causes)), None)
            return events[0].game if events else ""

        while True:
            outages = self.world.outages
            said = await self.person.say(line)
            causes.append(f"telegram:m{said.chat.id}.{said.id}")
            try:
                code: str = await self._while(outages, game, f"a game by {line}")
            except Unreachable:
                continue
            return code

    async def _while(self, outages: int, wanted: Callable[[], Any], what: str) -> Any:
        """Wait for something as long as the database is there; Away."""
        gone = object()
        result = await self.world.until(
            self.spot, lambda: wanted() or (gone if self.world.outages != outages else None), what
        )
        if result is gone:
            raise Unreachable
        return result


def on_telegram(world: World, number: int, rng: random.Random, *names: str) -> list[OnTelegram]:
    """Return people who have a group to themselves."""
    chat = world.telegram.group(f"Table {number}")
    return [OnTelegram(world, f"{name}{number}", chat, rng) for name in names]
