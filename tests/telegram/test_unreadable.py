"""What the library cannot read, or we cannot handle, is passed over alone; asking goes on whatever happens."""

import asyncio
import json
from collections import Counter
from functools import partial
from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from bot.kernel.operations import CONTESTED
from bot.kernel.operations.listening import CONTESTED_SECONDS, Listener
from bot.platforms.telegram.client import AiohttpRequest, CheckedBot
from bot.platforms.telegram.updates import WebhookSettings
from storage import Store
from tests.bot.party import Clock
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.schema import ApiError
from tests.fakes.telegram.server import FakeTelegram
from tests.support.figures import figure
from tests.support.pauses import Pauses
from tests.support.ports import free_port
from tests.support.present import present
from tests.support.program import connection_state
from tests.telegram.harness import Bot, Scene
from tests.telegram.raw import Caller

Update = dict[str, Any]

EARLY: Final = 600_000_000
"""A number before those of all other updates."""
CHAT: Final = {"id": 1, "type": "private"}
WHO: Final = {"id": 2, "is_bot": False, "first_name": "Zoe"}
HERE: Final = {"message_id": 1, "date": 1, "chat": CHAT, "text": "a board"}
UNREADABLE: Final[dict[str, Update]] = {
    "callback_query": {"callback_query": {"id": "1", "data": "a secret"}},
    "no_query": {"callback_query": "a secret"},
    "message": {"message": {"message_id": 1, "date": "a secret", "chat": CHAT}},
    "my_chat_member": {"my_chat_member": {"chat": CHAT, "from": WHO, "date": 1, "old_chat_member": ["a secret"]}},
    "edited_message": {"edited_message": {"text": "a secret"}},
}
MISLEADING: Final[dict[str, Update]] = {
    "list": {"message": {"message_id": 1, "date": 1, "chat": {"id": [1], "type": "private"}, "from": WHO}},
    "number": {"message": {"message_id": 1, "date": 1, "chat": CHAT, "from": WHO, "text": 7}},
    "nobody": {"callback_query": {"id": "1", "chat_instance": "1", "from": None, "data": "x", "message": HERE}},
    "nowhere": {"my_chat_member": {}},
    "nothing": {},
    "unknown": {"thought": {"id": 1}},
}


def unreadable(kind: str) -> float:
    return figure("tavoliere_unreadable_events_total", platform="telegram", kind=kind)


async def test_unreadable_or_unhandled_events_are_skipped_logged_and_counted(scene: Scene, anna: Person) -> None:
    kinds = [next(iter(update)) for update in UNREADABLE.values()]
    wanted = Counter(kinds) + Counter({kind: int(unreadable(kind)) for kind in kinds})
    with capture_logs() as logs:
        for number, update in enumerate([*UNREADABLE.values(), *MISLEADING.values()]):
            scene.telegram.pending.append({"update_id": EARLY + number, **update})
        await scene.say(anna, "/help")
    assert (len(scene.shown), scene.telegram.pending) == (1, [])
    assert connection_state(scene.bot) == (True, False)
    assert {kind: unreadable(kind) for kind in kinds} == wanted
    lines = [(each.get("platform"), each.get("kind"), each.get("update")) for each in logs]
    assert [("telegram", kind, EARLY + number) for number, kind in enumerate(kinds)] == lines[: len(kinds)]
    assert {each["event"] for each in logs} == {"update-failed", "event-not-readable"}
    assert "secret" not in str(logs)


async def test_skipped_update_is_skipped_once_while_an_earlier_one_is_handled(scene: Scene, mover: Person) -> None:
    before, values = unreadable("callback_query"), scene.bot.store.key_values
    async with scene.held_tap(mover) as tap:
        await scene.telegram.until(lambda: not scene.telegram.pending, "asking for later ones")
        (first,) = present(await values.get("telegram", "updates"))["updates"]
        await scene.telegram.deliver({"update_id": first["update_id"] + 1, **UNREADABLE["callback_query"]})
        asked = len(scene.telegram.offsets)
        await scene.telegram.until(lambda: len(scene.telegram.offsets) > asked + 2, "asking again and again")
        assert (unreadable("callback_query"), scene.telegram.pending) == (before + 1, [])
        assert present(await values.get("telegram", "updates"))["updates"] == [first]
    await tap.answered.wait()
    await scene.bot.settle()
    assert (scene.telegram.pending, unreadable("callback_query")) == ([], before + 1)


@pytest.mark.parametrize("broken", [{}, {"update_id": "7"}, {"update_id": True}, "an update"])
async def test_update_without_an_id_is_polled_with_back_off(scene: Scene, broken: Any) -> None:
    anna, pauses = scene.person("Anna"), resting(scene)
    await scene.bot.settle()
    with capture_logs() as logs:
        scene.telegram.pending.append(broken)
        await anna.say("/help")
        await scene.telegram.until(lambda: scene.shown, "the answer")
        for seconds in (1.0, 2.0, 4.0):
            assert await pauses.begun() == seconds
            pauses.end()
        assert await pauses.begun() == 8.0
    assert [each["seconds"] for each in logs if each["event"] == "update-without-number"] == pauses.asked
    scene.telegram.pending.remove(broken)
    pauses.end()
    await scene.say(anna, "/rules annuvin")
    assert len(scene.shown) == 2


def resting(scene: Scene) -> Pauses:
    """Return the pauses of asking for updates, which are up to the test now."""
    pauses, poller = Pauses(), scene.bot.connection._poller
    present(poller)._rest = pauses
    return pauses


def answering(patched: pytest.MonkeyPatch, answer: object) -> list[int]:
    """Have the bot be told this whenever it asks for updates; return how often it was, as it happens."""
    real, done = AiohttpRequest.do_request, [0]

    async def changed(self: AiohttpRequest, url: str, method: str, *arguments: Any, **more: Any) -> tuple[int, bytes]:
        status, body = await real(self, url, method, *arguments, **more)
        if url.endswith("/getUpdates"):
            done[0] += 1
            return 200, json.dumps(answer).encode()
        return status, body

    patched.setattr(AiohttpRequest, "do_request", changed)
    return done


@pytest.mark.parametrize("answer", [None, {"ok": True}, {"ok": True, "result": {}}, {"ok": False}])
async def test_invalid_answer_of_telegram_is_retried(
    telegram: FakeTelegram, store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    monkeypatch.setattr("bot.platforms.telegram.updates.MIN_BACKOFF_SECONDS", 0.001)
    scene = Scene(telegram, Bot(telegram, store, clock))
    with capture_logs() as logs, monkeypatch.context() as patched:
        asked = answering(patched, answer)
        await scene.bot.start()
        await telegram.until(lambda: asked[0] > 2, "asking again")
        assert connection_state(scene.bot) == (False, False)
    await scene.say(scene.person("Anna"), "/help")
    assert (len(scene.shown), connection_state(scene.bot)) == (1, (True, False))
    assert {each["event"] for each in logs if each["log_level"] != "info"} == {"updates-not-fetched"}
    await scene.bot.stop()


async def test_telegram_outage_is_reported_as_disconnected_without_failure(scene: Scene) -> None:
    anna, pauses = scene.person("Anna"), resting(scene)
    await scene.bot.settle()
    scene.telegram.fail("getUpdates", ApiError(502, "Bad Gateway"), ApiError(409, "Conflict: terminated by other"))
    await anna.say("/help")
    for seconds in (1.0, 2.0):
        assert (await pauses.begun(), connection_state(scene.bot)) == (seconds, (False, False))
        pauses.end()
    await scene.say(anna, "/rules annuvin")
    assert (connection_state(scene.bot), len(scene.shown)) == ((True, False), 2)


async def test_another_process_with_the_same_token_is_reported_once_and_as_long_as_it_is_there(
    scene: Scene, caller: Caller
) -> None:
    now, pauses, connection = [0.0], resting(scene), scene.bot.connection
    connection._listener._clock = lambda: now[0]
    await scene.bot.settle()

    def problem() -> str | None:
        return connection.problem

    assert problem() is None
    with capture_logs() as logs:
        for _ in range(3):
            # Both ask for updates in turn, and each ends the other's asking.
            await scene.telegram.until(lambda: scene.telegram.listening, "the bot's listening")
            other = asyncio.create_task(caller.call("getUpdates", timeout=50))
            await pauses.begun()
            assert problem() == CONTESTED
            pauses.end()
            assert (await other)["error_code"] == 409
            now[0] += CONTESTED_SECONDS - 1
        await scene.say(scene.person("Anna"), "/help")
        assert problem() == CONTESTED, "it may be waiting to ask again"
        now[0] += 1
        await scene.say(scene.person("Anna"), "/help")
        assert problem() is None
    logged = [(each["event"], each["log_level"]) for each in logs if each["event"].startswith("telegram-")]
    assert logged == [("telegram-token-in-use", "error"), ("telegram-token-free", "info")]
    scene.telegram.refused.clear()


async def test_a_mistake_of_ours_does_not_end_the_asking_and_answers_nothing_twice(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, pauses = scene.person("Anna"), Pauses()
    scene.bot.connection._listener._rest = pauses
    await scene.bot.settle()

    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr("bot.platforms.telegram.updates.update_number", lambda _: 1 // 0)
        await anna.say("/help")
        for _ in range(3):
            await pauses.begun()
            assert connection_state(scene.bot) == (False, True)
            pauses.end()
        await pauses.begun()
    assert [each["event"] for each in logs] == ["listener-failed"] * 4
    assert pauses.asked[0] < pauses.asked[1] < pauses.asked[2]
    pauses.end()
    await scene.say(anna, "/rules annuvin")
    assert (connection_state(scene.bot), len(scene.shown)) == ((True, False), 2)
    # Asking that begins anew answers nothing twice.
    with monkeypatch.context() as patched:
        patched.setattr("storage.key_values.KeyValues.set", mistaken)
        await anna.say("/help")
        await pauses.begun()
        assert len(scene.shown) == 3
    pauses.end()
    await scene.say(anna, "/rules annuvin")
    assert len(scene.shown) == 4


async def test_revoked_token_is_reported(scene: Scene) -> None:
    await scene.bot.settle()
    task = present(scene.bot.connection._listener._task)
    with capture_logs() as logs:
        scene.telegram.token = "4839574812:" + "y" * 35
        await scene.person("Anna").say("/help")
        await task
    assert "telegram-token-refused" in [each["event"] for each in logs]
    assert connection_state(scene.bot) == (False, True)


async def test_webhook_call_that_is_unreadable_or_unhandled_is_accepted_once(called: Scene) -> None:
    updates = {**UNREADABLE, **MISLEADING}
    for number, (name, update) in enumerate(updates.items()):
        kind = next(iter(update), "")
        before = unreadable(kind)
        assert await called.telegram.deliver({"update_id": EARLY + number, **update}) == 200, name
        assert name in MISLEADING or unreadable(kind) == before + 1, name
    await called.say(called.person("Anna"), "/help")
    assert (len(called.shown), connection_state(called.bot)) == (1, (True, False))
    await called.bot.stop()
    assert connection_state(called.bot) == (False, False)
    await called.bot.start()


@pytest.mark.parametrize("said", [400, None])
async def test_rejected_webhook_address_is_registered_again(
    telegram: FakeTelegram, store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch, said: int | None
) -> None:
    bot, pauses, port = Bot(telegram, store, clock), Pauses(), free_port()
    monkeypatch.setattr("bot.platforms.telegram.connection.Listener", partial(Listener, rest=pauses))
    bot.connecting["webhook"] = WebhookSettings(f"http://127.0.0.1:{port}/path", port=port)
    refused = ApiError(said, "Bad Request: bad webhook: HTTPS url must be provided") if said else None
    with monkeypatch.context() as patched, capture_logs() as logs:
        if refused is None:
            patched.setattr(CheckedBot, "set_webhook", mistaken)
        else:
            telegram.fail("setWebhook", refused)
        with telegram.refusing(*([refused.description] if refused else [])):
            await bot.start()
            await pauses.begun()
    assert connection_state(bot) == (False, True)
    assert [each["event"] for each in logs if each["log_level"] == "error"] == [
        "telegram-refused" if refused else "listener-failed"
    ]
    pauses.end()
    await telegram.until(lambda: telegram.webhook, "the address")
    scene = Scene(telegram, bot)
    await scene.say(scene.person("Anna"), "/help")
    assert (len(scene.shown), connection_state(bot)) == (1, (True, False))
    await bot.stop()


async def mistaken(*_: object, **__: object) -> None:
    """Do what only a mistake of ours could do."""
    raise ZeroDivisionError
