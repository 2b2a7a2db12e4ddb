"""Whatever a platform answers against its own description is one line in the log, and what was to be shown is shown."""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pkgutil import resolve_name
from typing import Any, Final

import pytest

from bot.kernel.features import commands_on
from bot.kernel.presses import find_press
from bot.platforms.app import COMMANDS
from storage import Store
from tests.bot.party import Clock
from tests.discord.harness import Bot as DiscordBot, direct_to
from tests.discord.players import payload_of
from tests.discord.test_everything import visible
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.distortion import Distortion
from tests.fakes.telegram.server import FakeTelegram
from tests.platforms.room import OnDiscord, OnTelegram, Room, platform_of
from tests.support.present import present
from tests.support.quiet_logs import without_tracebacks
from tests.telegram.harness import Bot as TelegramBot

ACTS: Final = 30
SHARE: Final = 0.3
SEEDS: Final = {"discord": 2, "telegram": 4}
"""How many are tried in the short run."""
STATUSES: Final = {
    # Not 500, 502, 504 and 524, after which discord.py waits for seconds before it tries again.
    "discord": (201, 204, 301, 400, 401, 403, 404, 405, 409, 418, 429, 503, 520, 599),
    "telegram": (201, 204, 301, 400, 401, 403, 404, 409, 418, 429, 500, 502, 503, 520, 599),
}
ERRORS: Final[dict[str, list[tuple[int, dict[str, Any]]]]] = {
    "discord": [
        (429, {"message": "You are being rate limited.", "retry_after": "soon", "global": True}),
        (503, {"message": "API resource is currently overloaded.", "code": 130000}),
    ],
    "telegram": [
        (429, {"ok": False, "error_code": 429, "description": "Too Many Requests", "parameters": {"retry_after": 3}}),
        (502, {"ok": False, "error_code": 502, "description": "Bad Gateway"}),
    ],
}
WAITING: Final = {
    "discord": ("client.Listener", "client.BackgroundRetry"),
    "telegram": ("connection.Listener", "connection.UpdatePoller", "connection.BackgroundRetry"),
}
"""What rests before it tries again."""
REPEATED: Final = re.compile("not modified|not found|can't be|wrong remote file")
"""What Telegram refuses after an answer with something missing, such as the size of a photo that is sent again."""
BEGINNING: Final = ("play", "cup", "league", "ladder", "team", "join", "rematch", "form", "do", "new", "solo", "learn")
"""What begins something."""
LAST: Final = ("forget", "forget!", "resign", "resign!", "leave")
"""What ends something."""


def list_presses(room: Room, person: Any) -> list[tuple[str, Callable[[], Awaitable[Any]]]]:
    """Return what somebody can press, without what begins or ends something: what it carries, and how it is pressed."""
    found: list[tuple[str, Callable[[], Awaitable[Any]]]] = []
    if isinstance(room, OnDiscord):
        for message, part in visible(room, person)[:20]:
            found.append((payload_of(part), partial(room.press_part, person, message, part)))
    else:
        for message in room.telegram.shown(room.group)[-4:]:
            found += [(payload, partial(person.tap_data, message, payload)) for payload in payloads_of(message)]
    read = [(find_press(payload), press) for payload, press in found]
    return [(each.deed, press) for each, press in read if each is not None and each.deed not in BEGINNING + LAST]


def payloads_of(message: Any) -> list[str]:
    """Return what the buttons of a message on Telegram carry."""
    return [str(button["callback_data"]) for button in message.buttons if "callback_data" in button]


async def live(room: Room, rng: random.Random) -> None:
    """Have people type and press whatever there is."""
    platform = room.place.platform
    # On Discord what is for managers is hidden from others.
    hidden = {name for name, command in COMMANDS.items() if command.managed and platform == "discord"}
    names = [name for name in commands_on(platform) if name not in {*BEGINNING, *LAST, *hidden}]
    for _ in range(ACTS):
        person = room.person(rng.choice(("Anna", "Bruno")))
        found = list_presses(room, person)
        if found and rng.random() < 0.7:
            _, press = rng.choice(found)
            await press()
        else:
            name = rng.choice(names)
            await room.give(person, name, **({"move": "a1-a2"} if name == "move" else {}))
        await room.wait(seconds=3)


async def begin(room: Room) -> str:
    """Have a game begun, however often that must be tried; return its code."""
    anna, bruno, games = room.person("Anna"), room.person("Bruno"), room.bot.store.games
    for _ in range(20):
        await room.give(anna, "play", game="annuvin", seats=2)
        for _ in range(5):
            message = next((each for each in room.shown if "Join" in each.labels), None)
            if message is not None:
                await room.press(bruno, message, "Join")
            for code in await games.list_ids():
                if present(await games.get(code)).status == "playing":
                    return str(code)
            await room.wait(seconds=30)
    raise AssertionError("no game has begun")


async def wait_for_board(room: Room, code: str, revision: int) -> None:
    """Let time pass until a game's board shows a revision."""
    for _ in range(60):
        for message in room.shown:
            carried = map(payload_of, message.pressable) if isinstance(room, OnDiscord) else payloads_of(message)
            read = [find_press(payload) for payload in carried]
            if (code, revision) in [(each.game, each.revision) for each in read if each is not None]:
                return
        await room.wait(seconds=10)
    raise AssertionError(f"no board of {code} at {revision}")


async def play_on(room: Room, code: str) -> None:
    """Have a turn played, and see that its board is shown."""
    games = room.bot.store.games
    row = present(await games.get(code))
    if row.status != "playing":
        return
    await wait_for_board(room, code, row.revision)
    state = (await room.bot.tavoliere.context.table(code)).playing.state
    for name in ("Anna", "Bruno"):
        await room.give(room.person(name), "move", move=str(state.legal_actions()[0]), game=code)
    after = present(await games.get(code))
    assert after.revision > row.revision
    await wait_for_board(room, code, after.revision)


@asynccontextmanager
async def open_room(platform: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Room]:
    """Give a place on a fake, and a program that does not run yet and will not wait before it tries again."""

    async def rest(_: float) -> None:
        await asyncio.sleep(0)

    for name in WAITING[platform]:
        path = f"bot.platforms.{platform}.{name}"
        monkeypatch.setattr(path, partial(resolve_name(path), rest=rest))
    if platform == "discord":
        async with FakeDiscord() as discord:
            direct_to(discord, monkeypatch)
            yield OnDiscord(discord, DiscordBot(discord, store))
    else:
        clock = Clock()
        async with FakeTelegram(clock) as telegram:
            yield OnTelegram(telegram, TelegramBot(telegram, store, clock))
            # An answer that could not be read may have been that of a call which was carried out: it is made again.
            assert all(REPEATED.search(error.description) for _, error in telegram.refused), telegram.refused
            assert telegram.lapses == []


@pytest.mark.parametrize(
    ("platform", "seed"),
    [
        pytest.param(platform, seed, marks=() if seed < short else pytest.mark.full)
        for platform, short in SEEDS.items()
        for seed in range(40)
    ],
)
async def test_distorted_answers_lose_nothing(
    store: Store, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, platform: str, seed: int
) -> None:
    distortion = Distortion(seed, SHARE, STATUSES[platform], ERRORS[platform])
    async with open_room(platform, store, monkeypatch) as room:
        platform_of(room).distortion = distortion
        with without_tracebacks(caplog) as logs:
            async with room.bot:
                if platform == "discord":
                    await room.discord.until(lambda: room.discord.commands, "the commands")
                code = await begin(room)
                await live(room, random.Random(seed))
                distortion.active = False
                await room.wait(minutes=20)
                for _ in range(3):
                    await play_on(room, code)
    assert len(distortion.seen) > 2
    assert any(line["event"] == "answer-not-readable" for line in logs)
