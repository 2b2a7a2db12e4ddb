"""Updates: each once, none lost, in the order of each chat, by asking and by being called."""

import asyncio
import io

import aiohttp
import pytest

from bot.platforms.telegram.updates import WebhookSettings
from storage import Store, Unreachable
from tests.bot.party import Clock
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.schema import ApiError
from tests.fakes.telegram.server import SECRET_HEADER, FakeTelegram
from tests.support.ports import free_port
from tests.support.present import present
from tests.telegram.harness import Bot, Scene, data_of, first_of


async def test_unfinished_updates_are_handled_after_a_change_to_a_webhook(scene: Scene, other: Person) -> None:
    async with scene.held_tap(other) as tap:
        await scene.telegram.until(lambda: not scene.telegram.pending, "the confirmation of the update")
        await scene.bot.kill()
    scene.bot.connecting["webhook"] = WebhookSettings(f"http://127.0.0.1:{free_port()}/path", port=0)
    with scene.telegram.refusing("query is too old"):
        await scene.bot.start()
        await scene.bot.settle()
    assert tap.answered.is_set()
    await scene.bot.stop()
    assert "updates" not in present(await scene.bot.store.key_values.get("telegram", "updates"))


async def test_updates_with_lower_numbers_after_a_quiet_week_are_handled_once(
    scene: Scene, anna: Person, bruno: Person
) -> None:
    await scene.say(anna, "/play annuvin")
    scene.telegram.renumber()
    await scene.tap(bruno, scene.board, "Join")
    assert scene.mover in (anna, bruno)
    await scene.bot.stop()
    offsets, shown = len(scene.telegram.offsets), len(scene.shown)
    await scene.bot.start()
    await scene.say(anna, "/play annuvin")
    assert len(scene.shown) == shown + 1
    assert scene.telegram.pending == []
    assert all(offset < 200_000_000 for offset in scene.telegram.offsets[offsets:] if offset)


async def test_a_move_stored_before_a_kill_is_not_made_twice(scene: Scene, mover: Person, other: Person) -> None:
    board = scene.board
    async with scene.telegram.holding("sendPhoto") as gate:
        await mover.say(board.marked.code[-1], answering=board)
        await scene.telegram.until(lambda: gate.waiting, "the new board")
        # Not confirmed yet, as far as Telegram knows: told again.
        pending = list(scene.telegram.pending)
        await scene.bot.kill()
    scene.telegram.pending = [*pending, *(each for each in scene.telegram.pending if each not in pending)]
    scene.bot.clock.turn(minutes=1)
    await scene.bot.start()
    await scene.finish()
    assert scene.mover is other
    (brief,) = await scene.bot.store.games.list_for_person((await scene.bot.store.people.find("Anna"))[0].id)
    events = await scene.bot.store.games.events(brief.id)
    assert [event.kind for event in events].count("action") == 1


async def test_one_chat_never_waits_for_another(scene: Scene, mover: Person) -> None:
    values, alone = scene.bot.store.key_values, scene.alone(scene.person("Zoe"))
    async with scene.held_tap(mover) as tap:
        await scene.telegram.until(lambda: not scene.telegram.pending, "the poll that confirms it")
        (stored,) = present(await values.get("telegram", "updates"))["updates"]
        assert stored["callback_query"]["id"] == tap.id, "what is not done with is kept"
        later = await mover.say("/rules annuvin")
        await alone.say("/help")
        await scene.telegram.until(lambda: scene.telegram.shown(alone.here), "the answer elsewhere")
        assert not any(message.reply_to is later for message in scene.shown)
    await tap.answered.wait()
    await scene.finish()
    assert any(message.reply_to is later for message in scene.shown)
    assert "updates" not in present(await values.get("telegram", "updates")), "before the next one comes"


async def test_update_that_takes_long_lets_all_others_be_heard_and_survives_a_kill_and_a_start_that_cannot_read_it(
    scene: Scene, mover: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    values, alone = scene.bot.store.key_values, scene.alone(scene.person("Zoe"))
    async with scene.held_tap(mover) as tap:
        later = await mover.say("/rules annuvin")
        # More than Telegram tells at a time, so that it is asked for later ones; nothing comes of them.
        for _ in range(120):
            await scene.telegram.update()
        await alone.say("/help")
        await scene.telegram.until(lambda: scene.telegram.shown(alone.here), "the answer to the last")
        await scene.telegram.until(lambda: not scene.telegram.pending, "all that was sent")
        await scene.bot.kill()
    stored, read = present(await values.get("telegram", "updates")), values.get
    taps = [update["callback_query"]["id"] for update in stored["updates"] if "callback_query" in update]
    assert taps == [tap.id], "it is stored here alone"

    async def fail(platform: str, name: str) -> object:
        if name == "updates":
            raise Unreachable(reason="gone")
        return await read(platform, name)

    with monkeypatch.context() as patched:
        patched.setattr(values, "get", fail)
        await scene.bot.start()
        await scene.bot.stop()
    assert await values.get("telegram", "updates") == stored
    scene.bot.clock.turn(minutes=1)
    # The answer that was under way when the program ended has arrived: the tap is answered once more.
    with scene.telegram.refusing("query is too old"):
        await scene.bot.start()
        await scene.finish()
    assert tap.answered.is_set()
    assert any(message.reply_to is later for message in scene.shown), "what had to wait for it is not lost, either"
    # Once handled, it is kept no longer.
    assert "updates" not in present(await values.get("telegram", "updates"))


async def test_updates_stay_with_telegram_while_very_many_are_handled(
    scene: Scene, mover: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.platforms.telegram.updates.MAX_HANDLED", 1)
    monkeypatch.setattr("bot.platforms.telegram.updates.BUSY_POLL_SECONDS", 0.0)
    monkeypatch.setattr("bot.platforms.telegram.updates.MAX_STORED_PER_SECOND", 1_000_000)
    alone = scene.alone(scene.person("Zoe"))
    async with scene.held_tap(mover):
        polls = len(scene.telegram.offsets)
        asked = await alone.say("/help")
        for _ in range(100):
            await scene.bot.store.key_values.get("telegram", "updates")
        assert len(scene.telegram.offsets) == polls
        assert asked.id in {update.get("message", {}).get("message_id") for update in scene.telegram.pending}
    await scene.finish()
    assert scene.telegram.shown(alone.here)


async def test_updates_that_another_process_has_stored_are_handled_once_it_is_gone(
    scene: Scene, anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.platforms.telegram.updates.MIN_BACKOFF_SECONDS", 0.0)
    values = scene.bot.store.key_values
    message = await scene.say(anna, "/help")
    noted, shown = present(await values.get("telegram", "updates")), len(scene.shown)
    number = noted["next"]
    raw = {"update_id": number, "message": {**message.to_json(), "message_id": 990, "text": "/rules annuvin"}}
    await values.set("telegram", "updates", {**noted, "next": number + 1, "updates": [raw]})
    scene.telegram.fail("getUpdates", ApiError(409, "Conflict: terminated by other getUpdates request"))
    await scene.telegram.deliver(raw)
    await scene.telegram.until(lambda: len(scene.shown) > shown, "the answer")
    await scene.finish()
    assert ["Annuvin" in each.text for each in scene.shown[shown:]] == [True]
    assert "updates" not in present(await values.get("telegram", "updates"))


async def test_updates_are_confirmed_while_the_database_is_away(
    scene: Scene, mover: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise Unreachable(reason="gone")

    with monkeypatch.context() as patched:
        patched.setattr("storage.key_values.KeyValues.set", fail)
        # More than Telegram sends at a time.
        for _ in range(120):
            await scene.telegram.update()
        await scene.say(mover, "/help")
        assert not scene.telegram.pending
    await scene.say(mover, "/help")
    last = present(scene.telegram.offsets[-1])
    assert present(await scene.bot.store.key_values.get("telegram", "updates"))["next"] == last


async def test_an_answer_that_telegram_refuses_does_not_stop_the_chat(scene: Scene, anna: Person) -> None:
    scene.telegram.fail("sendMessage", ApiError(400, "Bad Request: something new"))
    with scene.telegram.refusing("something new"):
        await scene.say(anna, "/help")
    await scene.say(anna, "/rules annuvin")
    assert "Annuvin" in scene.shown[-1].text


async def test_an_answer_is_shown_while_the_database_is_away(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, _ = await scene.started()

    async def fail(*_: object) -> None:
        raise Unreachable(reason="gone")

    with monkeypatch.context() as patched:
        for method in ("key_values.KeyValues.set", "key_values.KeyValues.get", "posts.Posts.list_for_game"):
            patched.setattr(f"storage.{method}", fail)
        patched.setattr("storage.posts.Posts.find_by_message", fail)
        shown = len(scene.shown)
        await scene.say(mover, "/move z9")
        assert len(scene.shown) == shown + 1
        tap = await mover.tap(scene.board, "In words")
        await scene.bot.settle()
        assert tap.answered.is_set()
    await scene.say(mover, "/move z8")
    # What could not be noted goes away all the same.
    scene.bot.clock.turn(minutes=6)
    await scene.bot.connection.ephemeral.run_until_idle()
    assert len(scene.shown) == shown


async def test_a_game_begins_and_goes_on_by_calls_however_many_press_at_once(called: Scene) -> None:
    mover, other = await called.started()
    await called.play(mover, called.board)
    board = called.board
    data = data_of(board, first_of(board)[0])
    taps = await asyncio.gather(*(person.tap_data(board, data) for person in called.people.values()))
    await called.bot.settle()
    assert {tap.who: (tap.answered.is_set(), tap.alert) for tap in taps} == {
        mover.account: (True, True),
        other.account: (True, False),
    }
    assert called.telegram.count("getUpdates") == 0


async def test_a_call_that_is_repeated_does_nothing_and_answers_nothing_twice(called: Scene) -> None:
    anna = called.person("Anna")
    message = await anna.say("/play annuvin")
    update = await called.telegram.update(message=message.to_json())
    assert await called.telegram.deliver(update) == 200
    await called.bot.settle()
    assert ["Join" in each.labels for each in called.shown] == [True]
    await called.say(anna, "/help")
    update = await called.telegram.update(message={**message.to_json(), "message_id": 990, "text": "/games"})
    await called.bot.settle()
    before = len(called.shown)
    assert await called.telegram.deliver(update) == 200
    await called.bot.wait()
    assert len(called.shown) == before
    # With several connections it may come once more while the first is still at work.
    update = await called.telegram.update(message={**message.to_json(), "message_id": 991, "text": "/games"})
    await asyncio.gather(*(called.telegram.deliver(update) for _ in range(3)))
    await called.bot.wait()
    assert len(called.shown) == before + 1
    called.telegram.refused.clear()  # her private chat, where the games are listed, is not open


async def test_webhook_call_during_registration_is_answered(telegram: FakeTelegram, store: Store, clock: Clock) -> None:
    bot = Bot(telegram, store, clock)
    scene, port = Scene(telegram, bot), free_port()
    settings = WebhookSettings(f"http://127.0.0.1:{port}/path", port=port)
    bot.connecting["webhook"] = settings
    anna = scene.person("Anna")
    async with telegram.holding("setWebhook") as gate:
        starting = asyncio.create_task(bot.start())
        await telegram.until(lambda: gate.waiting, "the address")
        # Another process of ours has told it before.
        telegram.webhook = (settings.url, settings.secret_for(telegram.token))
        await anna.say("/play annuvin")
    await starting
    await bot.settle()
    assert any("Join" in each.labels for each in scene.shown)
    await bot.stop()


async def test_calls_of_anybody_else_are_refused(called: Scene) -> None:
    url, secret = present(called.telegram.webhook)
    message = await called.person("Anna").say("hello")
    update = {"update_id": 1, "message": {**message.to_json(), "text": "/help"}}
    async with aiohttp.ClientSession() as session:
        for headers in ({}, {SECRET_HEADER: "wrong"}, {SECRET_HEADER: secret + "x"}, {SECRET_HEADER: "è"}):
            async with session.post(url, json=update, headers=headers) as answer:
                assert answer.status == 403
        for body in ("nonsense", "[]", "{}"):
            async with session.post(url, data=body, headers={SECRET_HEADER: secret}) as answer:
                assert answer.status == 400
        async with session.post(url, data=io.BytesIO(b"x" * 2_000_000), headers={SECRET_HEADER: secret}) as answer:
            assert answer.status == 413
        async with session.post(url.replace("path", "other"), json=update, headers={SECRET_HEADER: secret}) as answer:
            assert answer.status == 404
    await called.bot.settle()
    assert called.shown == []


async def test_asking_again_after_having_been_called(called: Scene) -> None:
    anna = called.person("Anna")
    await called.bot.stop()
    called.bot.connecting.clear()
    await called.bot.start()
    assert called.telegram.webhook is None
    await called.say(anna, "/help")
    assert len(called.shown) == 1
