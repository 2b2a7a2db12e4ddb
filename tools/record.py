"""Record what the fakes are told in seeded runs: python -m tools.record FOLDER, then compare with diff.

Whole games of all kinds on both platforms, and in rooms several games at once, lessons and puzzles, a cup, a ladder, a
league's month and a team's rounds. Each run is a file with a line for each call; what was drawn stands at its end, each
picture once. Clock and entropy are the run's own, so two checkouts that behave alike write the same files.
"""

import argparse
import asyncio
import json
import random
import secrets
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import pytest

from bot.kernel.cards import Card, Picture
from bot.kernel.presses import read_press
from bot.kernel.requests import Place, Reply
from engine import State, games
from storage import Store
from storage.boards import Lessons
from tests.bot.cups import a_cup, make_competition, played_out, time_passes
from tests.bot.ladders import a_ladder, challenged, ladder_of
from tests.bot.party import Clock, Party, Recorder, button, buttons, labelled
from tests.bot.test_leagues import resign_all as resign_season
from tests.bot.test_teams import propose, team_game, votes_counted
from tests.discord import harness as on_discord
from tests.discord.players import Players as DiscordPlayers
from tests.discord.test_games import sit_down as sit_down_on_discord
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.telegram.server import FakeTelegram
from tests.support.choosing import choose_cleverly
from tests.support.tiny import Tiny
from tests.telegram import harness as on_telegram
from tests.telegram.players import Players as TelegramPlayers
from tests.telegram.test_games import sit_down as sit_down_on_telegram

NAMES: Final = ("Anna", "Bruno", "Carla", "Dario", "Elena")
PEOPLE: Final = ("anna", "bruno", "cora", "dino", "elsa")
ACTS: Final = 40
"""How many actions of a game are recorded on each platform; the rooms' games are played to their ends."""
POLLING: Final = ("getUpdates", "getMe", "GET /gateway/bot")
"""Calls whose number depends on the machine's speed."""

Run = Callable[["Record", Path], Awaitable[None]]


class Record:
    """The lines of one run."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.drawn: set[str] = set()
        self._settled = 0

    def note(self, what: str, **details: Any) -> None:
        """Note a call."""
        self.lines.append(json.dumps({"call": what, **details}, default=_to_plain, ensure_ascii=False))

    def settle(self) -> None:
        """Sort what was noted since the last time: what happens at once comes in any order."""
        self.lines[self._settled :] = sorted(self.lines[self._settled :])
        self._settled = len(self.lines)

    async def draw(self, state: State, **options: Any) -> Any:
        """Note a position that is drawn with these options, and draw a picture of one pixel."""
        shown = {name: value for name, value in options.items() if value is not None}
        position = json.dumps(state.to_json(), sort_keys=True)
        self.drawn.add(f"{state.game.key} {sha256(position.encode()).hexdigest()[:16]} {shown!r}")
        return Tiny()

    @property
    def text(self) -> str:
        """The whole record."""
        return "\n".join([*self.lines, *(f"drawn: {each}" for each in sorted(self.drawn)), ""])


def _to_plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return f"{len(value)} bytes, {sha256(value).hexdigest()[:12]}"
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Picture):
        return {"alt": value.alt, "moving": value.animation is not None}
    if is_dataclass(value) and not isinstance(value, type):
        held = {each.name: getattr(value, each.name) for each in fields(value)}
        return {name: each for name, each in held.items() if each not in (None, "", (), False)}
    return sorted(value) if isinstance(value, set | frozenset) else repr(value)


@contextmanager
def seeded(name: str) -> Iterator[None]:
    """Have everything random come from a seed of its own inside."""
    letters, tokens = random.Random(f"{name} codes"), random.Random(f"{name} tokens")

    def token_bytes(count: int | None = None) -> bytes:
        return tokens.randbytes(count or 32)

    with (
        patch("storage.addresses.secrets", SimpleNamespace(choice=letters.choice)),
        patch.object(secrets, "choice", letters.choice),
        patch.object(secrets, "token_bytes", token_bytes),
        patch.object(secrets, "token_hex", lambda count=32: token_bytes(count).hex()),
        patch.object(secrets, "token_urlsafe", lambda count=32: token_bytes(count).hex()),
    ):
        yield


class Noting(Recorder):
    """An adapter that notes all that it is to show."""

    record: Record

    async def send(self, place: Place, card: Card, key: str) -> str:
        """Note a message."""
        self.record.note("send", place=place, card=card, key=key)
        return await super().send(place, card, key)

    async def edit(self, place: Place, message: str, card: Card, *, urgent: bool = True) -> None:
        """Note a change."""
        self.record.note("edit", place=place, message=message, card=card)
        await super().edit(place, message, card)

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Note that a message is retired."""
        self.record.note("retire", place=place, message=message, remove=remove)
        await super().retire(place, message, remove=remove)


class NotedParty(Party):
    """A party whose answers and messages are noted."""

    def __init__(self, store: Store, record: Record) -> None:
        super().__init__(store, draw=record.draw)
        self.record = record
        self.adapter = Noting()
        self.adapter.record = record
        self.restarted()

    async def say(self, who: str, line: str, **where: Any) -> Any:
        """Type a line and note the answer."""
        reply = await super().say(who, line, **where)
        self.record.note("answer", who=who, line=line, reply=reply)
        return reply

    async def press(self, who: str, button: Any, **where: Any) -> Any:
        """Press something and note the answer."""
        reply = await super().press(who, button, **where)
        self.record.note("answer", who=who, pressed=getattr(button, "press", button), reply=reply)
        return reply


@asynccontextmanager
async def gather(record: Record, folder: Path) -> AsyncIterator[NotedParty]:
    """Give a party in a room of its own."""
    async with await Store.open(folder / "tavoliere.db") as store, NotedParty(store, record) as party:
        yield party


@asynccontextmanager
async def settling(record: Record, bot: on_discord.Bot | on_telegram.Bot) -> AsyncIterator[None]:
    """Run a bot for people who know all games, and sort the record whenever it has nothing left to do."""
    settle = bot.settle

    async def noted() -> None:
        await settle()
        record.settle()

    async def is_new_to(*_: object) -> bool:
        return False

    with patch.object(bot, "settle", noted), patch.object(Lessons, "is_new_to", is_new_to):
        async with bot:
            yield
            record.settle()


async def play_on_discord(record: Record, folder: Path, key: str, locale: str) -> None:
    """Play a game on Discord."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        async with FakeDiscord() as discord, await Store.open(folder / "tavoliere.db") as store:
            on_discord.direct_to(discord, monkeypatch)

            def note(call: Any, _: object, done: bool) -> None:
                if done and call.operation not in POLLING and "commands" not in call.operation:
                    record.note(call.operation, path=_known(call.path), body=_unnumbered(call.body))

            discord.listeners.append(note)
            scene = on_discord.Scene(discord, on_discord.Bot(discord, store, draw=record.draw))
            async with settling(record, scene.bot):
                await sit_down_on_discord(scene, key, locale, *NAMES[: _seat_count(key)])
                await DiscordPlayers(scene, f"{key} {locale}", choose_cleverly).play(ACTS)


async def play_on_telegram(record: Record, folder: Path, key: str, language: str) -> None:
    """Play a game on Telegram."""
    clock = Clock()
    async with FakeTelegram(clock) as telegram, await Store.open(folder / "tavoliere.db") as store:

        def note(call: Any, _: object, done: bool) -> None:
            if done and call.method not in POLLING:
                record.note(call.method, given=call.given)

        telegram.listeners.append(note)
        scene = on_telegram.Scene(telegram, on_telegram.Bot(telegram, store, clock, draw=record.draw))
        async with settling(record, scene.bot):
            await sit_down_on_telegram(scene, key, language, *NAMES[: _seat_count(key)])
            await TelegramPlayers(scene, f"{key} {language}", choose_cleverly).play(ACTS)


def _seat_count(key: str) -> int:
    seats = games[key].seats
    return seats[len(seats) // 2]


def _known(path: Any) -> Any:
    return {name: value for name, value in path.items() if "token" not in name}


def _unnumbered(body: Any) -> Any:
    """Leave out the ids of files that stay attached to a message: those of what happens at once come in any order."""
    if not isinstance(body, Mapping) or "attachments" not in body:
        return body
    attached = [{**each, "id": "unnumbered"} if isinstance(each["id"], str) else each for each in body["attachments"]]
    return {**body, "attachments": attached}


async def room(record: Record, folder: Path) -> None:
    """Play a game of each kind in one room, by turns, with late and wrong presses, offers, undos, hints and plans."""
    chance = random.Random("room")
    async with gather(record, folder) as party:
        codes = [
            await party.started(f"/play {key} seats:{game.seats[0]}", *PEOPLE[1 : game.seats[0]])
            for key, game in games.items()
        ]
        for number in range(60):
            code = chance.choice(codes)
            if (await party.load_row(code)).status != "playing":
                continue
            state = (await party.table(code)).playing.state
            mover = await party.mover_of(code)
            await party.say(mover, f"/move {state.random_action(chance)} game:{code}")
            await party.say(chance.choice(PEOPLE), f"/move {state.random_action(chance)} game:{code}")
            if number % 10 == 5:
                for line in ("/undo", "/draw", "/hint", "/history", "/board"):
                    await party.say("anna", f"{line} {code}")
        for line in ("/games", "/profile", "/leaderboard", "/settings", "/help", "/privacy"):
            await party.say("bruno", line)
        for code in codes:
            while (await party.load_row(code)).status == "playing":
                await party.resign(await party.mover_of(code), code)


async def alone(record: Record, folder: Path) -> None:
    """Learn and solve, in private boards."""
    async with gather(record, folder) as party:
        for key in games:
            reply = await party.say("anna", f"/learn {key}")
            for number in range(12):
                if reply.card is None or not buttons(reply.card):
                    break
                reply = await party.press("anna", buttons(reply.card)[number % 2 - 1])
        await party.say("anna", "/puzzle")
        await party.say("anna", "/hint")
        for key in games:
            await wander(party, await party.say("bruno", f"/puzzle {key}"))
            await party.say("cora", f"/play {key} computer:1 hints:yes")
            await wander(party, await party.say("cora", f"/try {party.code}"), "cora")
        await party.wait(hours=20)


async def wander(party: Party, reply: Reply, who: str = "bruno", presses: int = 12) -> None:
    """Press the buttons of a private board one after the other, in turn from the end and the beginning."""
    for number in range(presses):
        if reply.card is None:
            break
        known = [each for each in buttons(reply.card) if read_press(each.press).deed not in ("puzzle", "rules")]
        if not known:
            break
        reply = await party.press(who, known[(-number if number % 3 else number) % len(known)])


async def cup(record: Record, folder: Path) -> None:
    """Play a cup to its end."""
    async with gather(record, folder) as party:
        code = await a_cup(party, "/cup annuvin clock:1d players:4", *PEOPLE[:4])
        await played_out(party, code)
        await party.say("anna", f"/export {code}")


async def ladder(record: Record, folder: Path) -> None:
    """Challenge and climb on a ladder."""
    async with gather(record, folder) as party:
        code = await a_ladder(party, "/ladder annuvin clock:1d", *PEOPLE[:4])
        await challenged(party, code, "dino", "cora")
        notice = next(each for each in reversed(party.shown) if "-notice:" in each.key)
        await party.press("cora", labelled(notice.card, "Accept"))
        for challenge in (await ladder_of(party, code)).state.open.values():
            await party.resign("cora", challenge.game or "")
        await challenged(party, code, "bruno", "anna")
        await time_passes(party, 80, "ladders")


async def league(record: Record, folder: Path) -> None:
    """Play a month of a league, and into the next season."""
    async with gather(record, folder) as party:
        code = await make_competition(party, "/league annuvin clock:1d", *PEOPLE)
        await resign_season(party, code)
        await time_passes(party, 24 * 31, "leagues")
        await party.say("anna", f"/league {code}")


async def team(record: Record, folder: Path) -> None:
    """Vote on turns against a computer."""
    async with gather(record, folder) as party:
        code = await team_game(party)
        for _ in range(3):
            await propose(party, "bruno", await party.legal(code), code)
            await propose(party, "cora", await party.legal(code, 1), code)
            await votes_counted(party, minutes=1)
            await party.press("anna", button(party.board.card, "vote"))
            await votes_counted(party, hours=24)


def list_runs() -> dict[str, Run]:
    """Return all runs by name."""
    runs: dict[str, Run] = {each.__name__: each for each in (room, alone, cup, ladder, league, team)}
    for number, key in enumerate(games):
        english, italian = ("en", "it") if number % 2 else ("it", "en")

        async def discord(record: Record, folder: Path, key: str = key, language: str = english) -> None:
            await play_on_discord(record, folder, key, {"en": "en-US"}.get(language, language))

        async def telegram(record: Record, folder: Path, key: str = key, language: str = italian) -> None:
            await play_on_telegram(record, folder, key, language)

        runs |= {f"discord-{key}": discord, f"telegram-{key}": telegram}
    return runs


async def record_run(name: str) -> str:
    """Return the record of a run."""
    record = Record()
    with tempfile.TemporaryDirectory() as folder, seeded(name):
        await list_runs()[name](record, Path(folder))
    return record.text


def main() -> None:
    """Write the records of all runs, or of those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("runs", nargs="*", default=list(list_runs()), metavar="RUN")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.runs:
        text = asyncio.run(record_run(name))
        (options.folder / f"{name}.txt").write_text(text, encoding="utf-8")
        print(f"{name}: {text.count(chr(10))} lines, {sha256(text.encode()).hexdigest()[:12]}")


if __name__ == "__main__":
    main()
