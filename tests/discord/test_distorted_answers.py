"""Whatever Discord answers against its own description is one line in the log, and what was to be shown is shown."""

import asyncio
import random
import re
from functools import partial
from typing import Any, Final

import pytest

from bot.kernel.features import commands_on
from bot.kernel.operations.clock import BackgroundRetry
from bot.kernel.operations.listening import Listener
from bot.platforms.app import COMMANDS
from storage import Store
from tests.discord.harness import Bot, Scene
from tests.discord.players import payload_of
from tests.discord.test_everything import kind, visible
from tests.fakes.discord.people import Person
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import Message
from tests.fakes.distortion import Distortion
from tests.support.present import present
from tests.support.quiet_logs import without_tracebacks

ACTS: Final = 30
SHARE: Final = 0.3
STATUSES: Final = (201, 204, 301, 400, 401, 403, 404, 405, 409, 418, 429, 503, 520, 599)
"""Not 500, 502, 504 and 524, after which discord.py waits for seconds before it tries again."""
ERRORS: Final[list[tuple[int, dict[str, Any]]]] = [
    (429, {"message": "You are being rate limited.", "retry_after": "soon", "global": True}),
    (503, {"message": "API resource is currently overloaded.", "code": 130000}),
]
BEGINNING: Final = ("play", "cup", "league", "ladder", "team", "join", "rematch", "form", "do", "new", "solo", "learn")
"""What begins something."""
LAST: Final = ("forget", "forget!", "resign", "resign!", "leave")
"""What ends something."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nobody wait before they try to log in again."""

    async def rest(_: float) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr("bot.platforms.discord.client.Listener", partial(Listener, rest=rest))
    monkeypatch.setattr("bot.platforms.discord.client.BackgroundRetry", partial(BackgroundRetry, rest=rest))


async def live(scene: Scene, rng: random.Random, acts: int) -> None:
    """Have people type and press whatever there is."""
    names = [name for name in commands_on("discord") if name not in BEGINNING + LAST and not COMMANDS[name].managed]
    for _ in range(acts):
        person = scene.person(rng.choice(("Anna", "Bruno")))
        parts = [
            (message, part)
            for message, part in visible(scene, person)[:20]
            if kind(part).split("=")[0] not in BEGINNING + LAST
        ]
        if parts and rng.random() < 0.7:
            message, part = rng.choice(parts)
            await scene.press_part(person, message, part)
        else:
            name = rng.choice(names)
            await scene.command(person, name, **({"move": "a1-a2"} if name == "move" else {}))
        scene.bot.clock.turn(seconds=3)


def boards(scene: Scene, code: str, revision: int) -> list[Message]:
    """Return the boards of a game with buttons of a revision."""
    wanted = re.compile(rf":{code}:{revision}\b")
    return [each for each in scene.shown if any(wanted.search(payload_of(part)) for part in each.pressable)]


async def wait_for_board(scene: Scene, code: str, revision: int) -> None:
    """Let time pass until a game's board shows a revision."""
    for _ in range(60):
        if boards(scene, code, revision):
            return
        await scene.wait(seconds=10)
    raise AssertionError(f"no board of {code} at {revision}")


async def play_on(scene: Scene, store: Store, code: str) -> None:
    """Have a turn played, and see that its board is shown."""
    row = present(await store.games.get(code))
    if row.status != "playing" or len(await store.games.list_ids()) > 1:
        return  # it has ended, or there is another one, and a move would have to name it
    await wait_for_board(scene, code, row.revision)
    state = (await scene.bot.tavoliere.context.table(code)).playing.state
    for name in ("Anna", "Bruno"):
        await scene.command(scene.person(name), "move", move=str(state.legal_actions()[0]))
    after = present(await store.games.get(code))
    assert after.revision > row.revision, [scene.person(name).newest_private.text for name in ("Anna", "Bruno")]
    await wait_for_board(scene, code, after.revision)


async def begin(scene: Scene, store: Store, anna: Person, bruno: Person) -> str:
    """Have a game begun, however often that must be tried; return its code."""
    await scene.discord.until(lambda: scene.discord.commands, "the commands")
    for _ in range(20):
        await scene.command(anna, "play", game="annuvin", opponent=bruno.account)
        code = next(iter(await store.games.list_ids()), "")
        for _ in range(5):
            message = next((each for each in scene.shown if "Accept" in each.labels), None)
            if message is not None:
                await scene.press(bruno, message, "Accept")
            row = await store.games.get(code)
            if row is not None and row.status == "playing":
                return code
            await scene.wait(seconds=30)
    raise AssertionError("no game has begun")


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(each, marks=pytest.mark.full) for each in range(2, 40))])
async def test_distorted_answers_lose_nothing(
    discord: FakeDiscord, store: Store, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    discord.distortion = Distortion(seed, SHARE, STATUSES, ERRORS)
    scene = Scene(discord, Bot(discord, store))
    with without_tracebacks(caplog) as logs:
        async with scene.bot:
            code = await begin(scene, store, scene.person("Anna"), scene.person("Bruno"))
            await live(scene, random.Random(seed), ACTS)
            discord.distortion.active = False
            await scene.wait(minutes=20)
            for _ in range(3):
                await play_on(scene, store, code)
    # An answer that could not be read may have been that of a call which was carried out: it is made again.
    discord.refused.clear()
    discord.lapses.clear()
    assert len(discord.distortion.seen) > 2
    assert any(line["event"] == "answer-not-readable" for line in logs)
