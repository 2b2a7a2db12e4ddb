"""Two programs on one PostgreSQL: nobody wins twice, nothing is shown or thought twice, and the dead are replaced."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.kernel.cards import Card
from bot.kernel.choices import path_to
from bot.kernel.operations.clock import HEARTBEAT_NAME
from bot.kernel.presses import PATH_SEPARATOR
from bot.kernel.requests import Place
from bot.outbox import worker as delivery
from bot.table.commands import wait_for_computer
from bot.table.computers import job as computers
from engine import games
from storage import GameRow, News, Store
from storage.coordination import lock_number
from tests.bot.computers import Held
from tests.bot.party import SQUARE, Party, Recorder, words
from tests.support.postgres import Postgres
from tests.support.present import present
from tests.support.stores import START, connected_event, delay_notifications, list_posts_in

TIMEOUT_SECONDS = 60
CUT = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
"""Ends the connections by which anything is claimed."""
CLAIMED = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND (classid::bigint << 32) | objid::bigint = {}"
"""Whether anybody claims something: what was given up lingers for a moment."""


class Slow(Recorder):
    """A platform on which nothing appears before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.open = asyncio.Event()
        self.open.set()

    async def send(self, place: Place, card: Card, key: str) -> str:
        await self._wait()
        return await super().send(place, card, key)

    async def edit(self, place: Place, message: str, card: Card, *, urgent: bool = True) -> None:
        await self._wait()
        await super().edit(place, message, card)

    async def _wait(self) -> None:
        self.called.set()
        self.calls.append("asked")
        await self.open.wait()


class Together:
    """Two programs that show their boards on the same platform, at the same time of day."""

    def __init__(self, stores: list[Store]) -> None:
        self.stores = stores
        self.platform = Slow()
        self.minds = [Held(), Held()]
        self.programs = [Party(store, thinkers=mind) for store, mind in zip(stores, self.minds, strict=True)]
        for number, program in enumerate(self.programs):
            program.adapter, program.clock = self.platform, self.programs[0].clock
            program.numbers, program.thinking = 1000 * number, False
            program.restarted()

    async def row(self, code: str) -> GameRow:
        return present(await self.stores[1].games.get(code))

    async def half_shown(self) -> tuple[str, asyncio.Task[None]]:
        """Have a move made that the first program is about to show, once it may; return the game, and what shows it."""
        here, platform = self.programs[0], self.platform
        code = await here.started(SQUARE)
        platform.calls.clear()
        platform.open.clear()
        await here.front.typed_text(here.request(here.mover), "/move a1-a2")
        settling = asyncio.create_task(here.front.delivery.run_until_idle())
        await platform.until(lambda: "asked" in platform.calls)
        return code, settling

    async def kinds(self, code: str) -> list[str]:
        return [event.kind for event in await self.stores[1].games.events(code)]


@pytest.fixture
async def together(two_stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Together]:
    monkeypatch.setattr("storage.coordination.MIN_BACKOFF_SECONDS", 0.01)
    made = Together(list(two_stores))
    yield made
    for program in made.programs:
        await program.front.close(0)


async def test_of_two_presses_at_two_programs_one_wins_and_one_sent_to_both_is_handled_once(together: Together) -> None:
    here, there = together.programs
    code = await here.started(SQUARE)
    row = await together.row(code)
    state = games[row.game].load(row.position or {})
    actions = state.legal_actions()
    presses = [f"p:{code}:{row.revision}={PATH_SEPARATOR.join(path_to(state, actions, actions[at]))}" for at in (0, -1)]
    mover, waiting = here.mover, here.other()
    replies = await asyncio.gather(
        *(each.front.press(each.request(mover), press) for each, press in zip((here, there), presses, strict=True))
    )
    assert (await together.row(code)).revision == row.revision + 1
    voice = here.front.context.speaker("en")
    late = [reply for reply in replies if words(reply) in (voice.line("refusal.moved-on"), voice.line("refusal.stale"))]
    assert [reply.private for reply in late] == [True]
    request = here.request(waiting)
    answers = await asyncio.gather(*(each.front.typed_text(request, "/move d4-d3") for each in (here, there)))
    answers += [await each.front.typed_text(request, "/move d4-d3") for each in (here, there)]
    assert (await together.row(code)).revision == row.revision + 2
    assert len({words(reply) for reply in answers}) == 1


async def test_a_reminder_comes_once_and_time_runs_out_once(together: Together) -> None:
    here, there = together.programs
    code = await here.started(f"{SQUARE} clock:1d")
    shown = together.platform.sent
    for wanted in ("reminder", "action"):
        row = await together.row(code)
        here.clock.now = present(row.alarm_at) if wanted == "reminder" else row.deadline or START
        await together.stores[0].alarms.record_heartbeat(HEARTBEAT_NAME, here.clock.now)
        before = await together.kinds(code)
        await asyncio.gather(*(each.front.alarms.tick() for each in (here, there)))
        await asyncio.gather(*(each.front.delivery.run_until_idle() for each in (here, there)))
        assert await together.kinds(code) == [*before, wanted]
    assert ((await together.row(code)).status, together.platform.sent) == ("over", shown + 2)


async def test_a_board_is_brought_by_one_program(together: Together) -> None:
    (_, there), platform = together.programs, together.platform
    code, settling = await together.half_shown()
    await there.front.delivery.run_until_idle()
    assert platform.calls == ["asked"]
    platform.open.set()
    await settling
    await there.front.delivery.run_until_idle()
    assert platform.calls.count("send") == 1
    assert (await together.stores[1].posts.list_for_game(code))[0].due_at is None


async def test_a_board_that_a_dead_program_had_begun_to_bring_comes_from_the_other(
    together: Together, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "CLAIM_RETRY_SECONDS", 0.1)
    (_, there), platform = together.programs, together.platform
    code, settling = await together.half_shown()
    there.front.delivery.start()
    await together.stores[0].close()
    await platform.until(lambda: platform.calls.count("asked") == 2)
    platform.open.set()
    await platform.until(lambda: "retire" in platform.calls)
    await asyncio.gather(settling, return_exceptions=True)
    await there.front.delivery.run_until_idle()
    (post,) = await together.stores[1].posts.list_for_game(code)
    assert (post.due_at, post.shown_revision) == (None, (await together.row(code)).revision)


async def test_boards_that_a_peer_brings_make_a_program_look_once_and_not_for_each(
    together: Together, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "CLAIM_RETRY_SECONDS", 600.0)
    monkeypatch.setattr(delivery, "ORPHAN_SCAN_INTERVAL_SECONDS", 6000.0)
    here, there = together.programs
    looked, received = 0, asyncio.Event()
    look = there.front.delivery._run_due

    async def count() -> bool:
        nonlocal looked
        looked += 1
        return await look()

    def on_change(news: News) -> None:
        if news.is_remote and news.kind == "due":
            received.set()

    monkeypatch.setattr(there.front.delivery, "_run_due", count)
    together.stores[1].add_listener(on_change)
    there.front.delivery.start()
    await here.started(SQUARE)
    before = looked
    for _ in range(4):
        received.clear()
        await here.say(here.mover, f"/move {await here.legal()}")
        await asyncio.wait_for(received.wait(), TIMEOUT_SECONDS)
        for _ in range(3):
            await asyncio.sleep(0)
    assert looked - before <= 1
    await there.front.delivery.close()


@pytest.mark.parametrize("by", ["edit", "message"])
async def test_what_lands_when_the_claim_is_lost_and_another_program_has_shown_more_is_put_right(
    together: Together, postgres: Postgres, by: str
) -> None:
    here, there = together.programs
    platform, back = together.platform, connected_event(together.stores[0])
    if by == "edit":
        await here.say("anna", "/play vedova-nera seats:3")
        first, second = ("bruno", f"/join {here.code}"), ("carla", f"/join {here.code}")
    else:
        await here.started(SQUARE)
        first, second = (here.mover, "a1-a2"), (here.other(), "d4-d3")
    code, at_once, slowly = here.code, platform.open, asyncio.Event()
    platform.calls.clear()
    platform.open = slowly
    await here.front.typed_text(here.request(first[0]), first[1])
    settling = asyncio.create_task(here.front.delivery.run_until_idle())
    await platform.until(lambda: "asked" in platform.calls)
    platform.open = at_once
    await postgres.execute(CUT)
    await asyncio.wait_for(back.wait(), TIMEOUT_SECONDS)
    await there.front.typed_text(there.request(second[0]), second[1])
    await there.front.delivery.run_until_idle()
    newest, place = there.newest.text, here.request("anna").place
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while await postgres.execute(CLAIMED.format(lock_number(f"chat {place.platform} {place.channel}"))):
            pass
    slowly.set()
    await settling
    await there.front.delivery.run_until_idle()
    (post,) = await together.stores[1].posts.list_for_game(code)
    assert post.due_at is None
    assert post.message is not None
    assert platform.messages[post.message].text == newest
    assert [each for each, shown in platform.messages.items() if not shown.retired and shown.card.rows] == [
        post.message
    ]


async def test_a_thought_is_thought_by_one_program_and_taken_over_from_the_dead(
    together: Together, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computers, "CLAIM_RETRY_SECONDS", 0.1)
    here, there = together.programs
    await here.say("anna", "/play annuvin board:square computer:1")
    code = here.code
    while not (await together.row(code)).thinking:
        state = games["annuvin"].load((await together.row(code)).position or {})
        await here.say("anna", f"/move {state.legal_actions()[0].text}")
    ours, theirs = together.minds
    thinking = asyncio.create_task(here.front.jobs["computers"].run_until_idle())
    await asyncio.wait_for(ours.asked.wait(), TIMEOUT_SECONDS)
    await there.front.jobs["computers"].run_until_idle()
    assert not theirs.asked.is_set()
    there.front.jobs["computers"].start()
    await together.stores[0].close()
    await asyncio.wait_for(theirs.asked.wait(), TIMEOUT_SECONDS)
    theirs.may.set()
    await wait_for_computer(there.front.context, code, TIMEOUT_SECONDS)
    assert not (await together.row(code)).thinking
    revision = (await together.row(code)).revision
    # What the first one thinks of at last is too late.
    ours.may.set()
    await asyncio.gather(thinking, return_exceptions=True)
    assert (await together.row(code)).revision == revision


async def test_process_drops_cached_data_changed_by_another(together: Together) -> None:
    here, there = together.programs
    code = await here.started(SQUARE)
    mover, waiting = here.mover, here.other()
    before = {each.value for each in await there.complete(mover, "move", "move", game=code)}
    assert before
    assert not await there.complete(waiting, "move", "move", game=code)
    notified = asyncio.Event()
    together.stores[1].add_listener(lambda news: notified.set() if news == News("game", code, is_remote=True) else None)
    await here.front.typed_text(here.request(mover), "/move a1-a2")
    await asyncio.wait_for(notified.wait(), TIMEOUT_SECONDS)
    assert not await there.complete(mover, "move", "move", game=code)
    assert await there.complete(waiting, "move", "move", game=code)


async def show_puzzle(program: Party) -> None:
    """Have a program promise the puzzle of the date and show it."""
    await program.front.jobs["puzzles"].run_until_idle()
    await program.front.delivery.run_until_idle()


async def test_the_puzzle_of_a_date_is_sent_once_also_when_its_sender_loses_the_lock(
    together: Together, postgres: Postgres
) -> None:
    here, there = together.programs
    platform, place = together.platform, await together.stores[0].places.get_or_create("web", "room", title="The room")
    here.managers.add("anna")
    platform.open.clear()
    await here.front.typed_text(here.request("anna"), "/puzzle daily:on")
    sending = asyncio.create_task(show_puzzle(here))
    await platform.until(lambda: "asked" in platform.calls)
    await show_puzzle(there)
    assert platform.calls == ["asked"], "the other program has the claim of the place"
    platform.open.set()
    await sending
    await asyncio.gather(*map(show_puzzle, (here, there)))
    assert platform.sent == 1
    # On the next date both look at once.
    here.clock.turn(days=1)
    await asyncio.gather(*map(show_puzzle, (here, there)))
    assert platform.sent == 2
    # And on the one after that the lock of one is lost while it sends.
    here.clock.turn(days=1)
    back = connected_event(together.stores[0])
    platform.calls.clear()
    platform.open.clear()
    sending = asyncio.create_task(show_puzzle(here))
    await platform.until(lambda: "asked" in platform.calls)
    await postgres.execute(CUT)
    await asyncio.wait_for(back.wait(), TIMEOUT_SECONDS)
    taking = asyncio.create_task(show_puzzle(there))
    await platform.until(lambda: platform.calls.count("asked") == 2)
    platform.open.set()
    await asyncio.gather(sending, taking)
    assert platform.sent == 3
    assert (await list_posts_in(together.stores[0], place.id, "daily"))[0].message == "m3"


async def test_a_private_notice_waits_for_no_news_of_the_step_that_promised_it(together: Together) -> None:
    here, there = together.programs
    code = await here.started(SQUARE)
    mover, waiting = here.mover, here.other()
    await here.say(waiting, "/settings notices:private")
    assert (await there.table(code)).row.to_move == (await here.table(code)).row.to_move
    with delay_notifications(together.stores[1]):
        await here.front.typed_text(here.request(mover), f"/move a1-a2 game:{code}")
        await there.front.messenger.run_until_idle()
        await there.front.messenger.run_until_idle()
        await there.front.delivery.run_until_idle()
    private = [shown for shown in together.platform.messages.values() if shown.place.channel == f"@{waiting}"]
    assert [code in shown.text for shown in private] == [True]
    (notice,) = await together.stores[1].notices.list_for_game(code)
    assert (notice.kind, notice.delivered_at) == ("turn", here.clock.now)
