"""Whatever Telegram answers against its own description is one line in the log, and what was to be shown is shown."""

import asyncio
import random
import re
from functools import partial
from typing import Any, Final

import pytest

from bot.kernel.features import commands_on
from bot.kernel.operations.clock import BackgroundRetry
from bot.kernel.operations.listening import Listener
from bot.kernel.presses import BrokenPress, read_press
from bot.platforms.telegram.markup import read_button
from bot.platforms.telegram.updates import UpdatePoller
from storage import Store
from tests.bot.party import Clock
from tests.fakes.distortion import Distortion
from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Message
from tests.support.present import present
from tests.support.quiet_logs import without_tracebacks
from tests.telegram.harness import Bot, Scene

ACTS: Final = 25
SHARE: Final = 0.3
STATUSES: Final = (201, 204, 301, 400, 401, 403, 404, 409, 418, 429, 500, 502, 503, 520, 599)
ERRORS: Final[list[tuple[int, dict[str, Any]]]] = [
    (429, {"ok": False, "error_code": 429, "description": "Too Many Requests", "parameters": {"retry_after": 3}}),
    (502, {"ok": False, "error_code": 502, "description": "Bad Gateway"}),
]
REPEATED: Final = re.compile("not modified|not found|can't be|wrong remote file")
"""What is refused after an answer with something missing, such as the size of a photo that is sent again."""
BEGINNING: Final = ("play", "cup", "league", "ladder", "team", "join", "rematch")
"""What begins something."""
LAST: Final = ("forget", "forget!", "resign", "resign!", "leave")
"""What ends something."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nobody wait before they try again."""

    async def rest(_: float) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr("bot.platforms.telegram.connection.Listener", partial(Listener, rest=rest))
    monkeypatch.setattr("bot.platforms.telegram.connection.UpdatePoller", partial(UpdatePoller, rest=rest))
    monkeypatch.setattr("bot.platforms.telegram.connection.BackgroundRetry", partial(BackgroundRetry, rest=rest))


def presses(message: Message) -> list[str]:
    """Return what the buttons of a message carry, without what ends something."""
    found = [str(button["callback_data"]) for button in message.buttons if "callback_data" in button]
    return [data for data in found if deed(data) not in BEGINNING + LAST]


def deed(data: str) -> str:
    try:
        return read_press(data).deed
    except BrokenPress:
        return data


async def live(scene: Scene, rng: random.Random, acts: int) -> None:
    """Have people type and tap whatever there is."""
    names = [name for name in commands_on("telegram") if name not in BEGINNING + LAST]
    for _ in range(acts):
        person = scene.person(rng.choice(("Anna", "Bruno")))
        shown = [message for message in scene.shown[-4:] if presses(message)]
        if shown and rng.random() < 0.7:
            message = rng.choice(shown)
            await person.tap_data(message, rng.choice(presses(message)))
        else:
            await person.say(f"/{rng.choice(names)}")
        await scene.finish()


async def play_on(scene: Scene, store: Store, code: str) -> None:
    """Have a turn played, and see that its board is shown."""
    row = present(await store.games.get(code))
    if row.status != "playing":
        return
    board = await scene.bot.until(lambda: boards(scene, code, row.revision), "the newest board")
    state = (await scene.bot.tavoliere.context.table(code)).playing.state
    for name in ("Anna", "Bruno"):
        await scene.say(scene.person(name), str(state.legal_actions()[0]), board[-1])
    after = present(await store.games.get(code))
    assert after.revision > row.revision
    await scene.bot.until(lambda: boards(scene, code, after.revision), "the next board")


def boards(scene: Scene, code: str, revision: int) -> list[Message]:
    """Return the boards of a game with buttons of a revision."""
    shown = [message for message in scene.shown if message.photo is not None]
    read = [(message, read_button(button.get("callback_data"))) for message in shown for button in message.buttons]
    return [message for message, press in read if press and (press.game, press.revision) == (code, revision)]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(each, marks=pytest.mark.full) for each in range(4, 40))])
async def test_distorted_answers_lose_nothing(
    telegram: FakeTelegram, store: Store, clock: Clock, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    scene = Scene(telegram, Bot(telegram, store, clock))
    with without_tracebacks(caplog) as logs:
        telegram.distortion = Distortion(seed, SHARE, STATUSES, ERRORS)
        async with scene.bot:
            anna, bruno = scene.person("Anna"), scene.person("Bruno")
            await scene.say(anna, "/play annuvin")
            await scene.bot.until(lambda: scene.shown and "Join" in scene.board.labels, "the challenge")
            await scene.tap(bruno, scene.board, "Join")
            code = await scene.code()
            await live(scene, random.Random(seed), ACTS)
            telegram.distortion.active = False
            await scene.bot.wait(600)
            for _ in range(3):
                await play_on(scene, store, code)
    # An answer that could not be read may have been that of a call which was carried out: it is made again.
    assert all(REPEATED.search(error.description) for _, error in telegram.refused), telegram.refused
    telegram.refused.clear()
    assert len(telegram.distortion.seen) > 3
    assert any(line["event"] == "answer-not-readable" for line in logs)
