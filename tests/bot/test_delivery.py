"""Delivery: newest only, after restarts, through failures, one chat never waiting for another."""

import asyncio
from datetime import datetime, timedelta

import pytest

from bot.kernel.cards import Card
from bot.kernel.requests import Place, TryLater, Undeliverable
from bot.kernel.table import Table
from bot.outbox.worker import FIRST_RETRY_SECONDS, pause_after
from storage import DuePost, Post, Store
from tests.bot.party import SQUARE, Party, button, fail_next_calls, words
from tests.support.present import present
from tests.support.stores import make_place


async def post(party: Party) -> Post:
    (found,) = await party.store.posts.list_for_game(party.code)
    return found


async def test_only_the_newest_board_is_delivered_also_after_a_restart(duel: Party) -> None:
    code, sent = duel.code, len(duel.shown)
    for who, move in ((duel.mover, "a1-a2"), (duel.other(), "d4-d3")):
        await duel.front.typed_text(duel.request(who), f"/move {move}")
    duel.restarted()
    await duel.front.delivery.run_until_idle()
    assert len(duel.shown) == sent + 1
    assert "played d4-d3" in duel.newest.text
    assert (duel.code, (await post(duel)).due_at) == (code, None)


async def test_a_crash_after_sending_makes_no_second_message(duel: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = len(duel.shown)
    with monkeypatch.context() as patch:

        async def crash(*_: object, **__: object) -> None:
            raise RuntimeError("the power went")

        patch.setattr(duel.store.posts, "record_shown", crash)
        await duel.say(duel.mover, "a1-a2")
    assert len(duel.shown) == sent + 1
    duel.clock.turn(minutes=1)
    duel.restarted()
    await duel.front.delivery.run_until_idle()
    assert (len(duel.shown), (await post(duel)).due_at) == (sent + 1, None)


@pytest.mark.parametrize("fault", [TryLater(), TryLater(30.0), RuntimeError("out of order")])
async def test_what_fails_is_tried_again_with_growing_pauses(duel: Party, fault: Exception) -> None:
    sent = len(duel.shown)
    with fail_next_calls(duel.adapter, fault, fault, fault):
        await duel.say(duel.mover, "a1-a2")
        pauses = []
        for _ in range(2):
            waiting = await post(duel)
            assert waiting.due_at is not None
            pauses.append((waiting.due_at - duel.clock.now).total_seconds())
            duel.clock.now = waiting.due_at
            await duel.front.delivery.run_until_idle()
    assert len(duel.shown) == sent
    asked = fault.seconds if isinstance(fault, TryLater) else None
    assert pauses == ([asked, asked] if asked else [2.0, 4.0])
    duel.clock.turn(minutes=5)
    await duel.front.delivery.run_until_idle()
    assert "a1-a2" in duel.newest.text
    assert (await post(duel)).attempts == 0


def test_pauses_grow_to_ten_minutes_and_no_longer() -> None:
    pauses = [pause_after(attempts).total_seconds() for attempts in range(40)]
    assert (pauses, pauses[-1]) == (sorted(pauses), 600.0)
    assert pause_after(3, 7.0).total_seconds() == 7.0


async def test_a_board_that_is_due_though_it_is_up_to_date_is_due_no_more(duel: Party) -> None:
    await duel.settle()
    # As a process notes it whose call has failed when another one has shown the board meanwhile.
    await duel.store.posts.record_failure((await post(duel)).id, duel.clock.now)
    calls = len(duel.adapter.calls)
    async with asyncio.timeout(60):
        await duel.front.delivery.run_until_idle()
    assert ((await post(duel)).due_at, len(duel.adapter.calls)) == (None, calls)


async def test_a_channel_that_is_gone_is_left_alone_until_the_board_is_asked_for(duel: Party) -> None:
    code, mover = duel.code, duel.mover
    with fail_next_calls(duel.adapter, Undeliverable("channel-gone")):
        await duel.say(mover, "a1-a2")
    assert await duel.store.posts.list_for_game(code) == []
    calls = len(duel.adapter.calls)
    await duel.front.delivery.run_until_idle()
    assert len(duel.adapter.calls) == calls
    await duel.say(mover, f"/board game:{code}", place=Place("web", "garden"))
    assert duel.newest.place.channel == "garden"
    assert "a1-a2" in duel.newest.text


async def test_deleted_board_is_sent_again(party: Party) -> None:
    await party.say("anna", "/play vedova-nera")
    code = party.code
    party.adapter.messages.clear()
    await party.say("bruno", f"/join {code}")
    assert "Anna and Bruno are in" in party.newest.text
    await party.press("anna", button(party.newest.card, "start"))
    party.adapter.messages.popitem()
    await party.press("bruno", f"board:{code}:{(await party.load_row(code)).revision}")
    assert "turn" in party.newest.text


async def test_one_that_hangs_does_not_hold_up_another_that_is_tried_again(party: Party) -> None:
    await party.say("anna", "/play annuvin", place=Place("web", "hangs"))
    await party.say("carla", "/play annuvin", place=Place("web", "fails"))
    first, second = (shown.card for shown in party.shown)
    hold, failed, hangs, noted = asyncio.Event(), asyncio.Event(), asyncio.Event(), asyncio.Event()
    send, post_failed = party.adapter.send, party.store.posts.record_failure

    async def noting(post: int, next_try: datetime) -> None:
        await post_failed(post, next_try)
        noted.set()

    async def hanging(place: Place, card: Card, key: str) -> str:
        if place.channel == "hangs":
            hangs.set()
            await hold.wait()
        elif not failed.is_set():
            await hangs.wait()
            failed.set()
            raise TryLater(0.2)
        return await send(place, card, key)

    party.adapter.send = hanging  # type: ignore[method-assign]
    party.store.posts.record_failure = noting  # type: ignore[method-assign]
    await party.front.start()
    await party.front.press(party.request("bruno", Place("web", "hangs")), button(first, "join").press)
    await party.front.press(party.request("dora", Place("web", "fails")), button(second, "join").press)
    await noted.wait()
    party.clock.turn(seconds=1)
    await party.adapter.until(lambda: any(shown.place.channel == "fails" for shown in party.shown[2:]))
    hold.set()
    await party.adapter.until(lambda: len(party.shown) == 4)


async def test_who_cannot_wait_for_a_delivery_does_not_cut_it_off(duel: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    await duel.front.typed_text(duel.request(duel.mover), "a1-a2")
    asked, may, send, sent = asyncio.Event(), asyncio.Event(), duel.adapter.send, []

    async def slow(place: Place, card: Card, key: str) -> str:
        sent.append(key)
        asked.set()
        await may.wait()
        return await send(place, card, key)

    monkeypatch.setattr(duel.adapter, "send", slow)
    waiting = asyncio.create_task(duel.front.delivery.run_until_idle())
    await asked.wait()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    may.set()
    await duel.front.delivery.run_until_idle()
    assert (len(sent), (await post(duel)).due_at) == (1, None)


async def test_a_platform_that_is_not_served_now_keeps_its_boards_for_later(party: Party) -> None:
    await party.say("anna", "/play annuvin", place=Place("elsewhere", "room"))
    assert party.shown == []
    (waiting,) = await party.store.posts.list_for_game((await party.store.games.list_in_place(1))[0].id)
    assert present(waiting.due_at) > party.clock.now


async def test_the_board_comes_down_to_the_newest_message_which_may_be_the_only_one(duel: Party) -> None:
    old = duel.newest
    assert words(await duel.say("anna", "/board")) == ""
    new = duel.newest
    assert new is not old
    assert new.text == old.text
    assert (old.retired, old.removed) == (True, False)
    await duel.store.places.change_settings((await post(duel)).place.id, {"newest_only": True})
    await duel.say(duel.mover, "a1-a2")
    assert new.removed


async def test_old_boards_that_have_to_wait_are_retired_later_while_new_ones_come_at_once(duel: Party) -> None:
    first, second = duel.mover, duel.other()
    vars(duel.adapter)["seconds_to_retire"] = lambda _, **__: 7.0
    await duel.say(first, "/move a1-a2")
    assert [shown.retired for shown in duel.shown[-2:]] == [False, False]
    await duel.say(second, "/move d4-d3")
    assert "d4-d3" in duel.newest.text
    assert [shown.retired for shown in duel.shown[-3:]] == [False, False, False]
    await duel.wait(seconds=7)
    assert [shown.retired for shown in duel.shown[-3:]] == [True, True, False]


async def test_every_place_has_its_own_language(party: Party) -> None:
    garden = Place("web", "garden")
    party.managers.add("bruno")
    await party.say("bruno", "/settings language:it for:channel", place=garden)
    await party.say("anna", "/play annuvin")
    await party.say("bruno", f"/join {party.code}", place=garden)
    texts = {shown.place.channel: shown.text for shown in party.shown}
    assert "tocca a te" in texts["garden"]
    assert "your turn" in texts["room"]


async def test_outdated_list_of_due_boards_sends_nothing_twice(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    await party.front.typed_text(party.request("anna"), "/play annuvin")
    listed = [await party.store.posts.list_due(party.clock()), []]
    await party.front.delivery.run_until_idle()

    async def late(*_: object, **__: object) -> list[DuePost]:
        return listed.pop(0) if listed else []

    monkeypatch.setattr(party.store.posts, "list_due", late)
    assert len(listed[0]) == 1
    await party.front.delivery.run_until_idle()
    assert party.adapter.calls == ["send"]


async def test_boards_of_unserved_platforms_do_not_delay_others(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    code = await party.started(SQUARE)
    long_ago = party.clock.now - timedelta(hours=1)
    async with party.store.transaction():
        # More than are looked at in one go.
        for number in range(110):
            place = await make_place(party.store, f"channel{number}", "discord")
            await party.store.posts.add(code, place.id, long_ago)
    monkeypatch.setattr(Store, "is_shared", True)
    sent = len(party.shown)
    await party.say(party.mover, "a1-a2")
    assert len(party.shown) == sent + 1


async def test_a_board_is_never_shown_as_it_was_before_the_step_that_made_it_due(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    await party.started(SQUARE)
    sent, before = len(party.shown), await party.table(party.code)
    await party.front.typed_text(party.request(party.mover), "a1-a2")
    with monkeypatch.context() as patch:

        async def remembered(_: str) -> Table:
            return before

        patch.setattr(party.front.context, "table", remembered)
        await party.front.delivery.run_until_idle()
        assert len(party.shown) == sent
    party.clock.turn(seconds=FIRST_RETRY_SECONDS)
    await party.front.delivery.run_until_idle()
    (post,) = await party.store.posts.list_for_game(party.code)
    assert (len(party.shown), post.shown_revision) == (sent + 1, (await party.load_row()).revision)
