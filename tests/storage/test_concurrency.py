"""Several writers at once: one wins, the others are told, and nothing is overwritten."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from sqlalchemy import Engine, event

from storage import (
    AlreadyProcessed,
    Conflict,
    GameChange,
    GameRow,
    NewEvent,
    NewNotice,
    Person,
    PlaceRow,
    Post,
    ProcessedEvent,
    ShownPost,
    Store,
)
from storage.sqlite import Connection
from tests.support.postgres import Postgres
from tests.support.present import present
from tests.support.sent import each_sent
from tests.support.stores import (
    START,
    add_post,
    due_posts,
    make_new_game,
    reply_of,
    time_after,
)

WRITERS = 6


@pytest.fixture
async def other(address: str, store: Store) -> AsyncIterator[Store]:
    """A second store on the same database, as another process has it."""
    async with await Store.open(address) as opened:
        yield opened


def step(game: GameRow, writer: int, processed: ProcessedEvent | None = None) -> GameChange:
    """Return a change that says who made it."""
    moved = replace(game, position={"by": writer})
    return GameChange(game=moved, events=(NewEvent("action", {"by": writer}),), at=START, processed=processed)


async def test_only_one_of_concurrent_writers_succeeds(store: Store, other: Store, game: GameRow) -> None:
    changes = [step(game, i, ProcessedEvent("web", f"{i}")) for i in range(WRITERS)]
    outcomes = await asyncio.gather(
        *((store, other)[i % 2].games.commit(change) for i, change in enumerate(changes)), return_exceptions=True
    )
    assert Counter(type(outcome) for outcome in outcomes) == {GameRow: 1, Conflict: WRITERS - 1}
    (winner,) = (i for i, outcome in enumerate(outcomes) if isinstance(outcome, GameRow))
    now = present(await store.games.get(game.id))
    assert (now.revision, now.position) == (1, {"by": winner})
    assert [event.data for event in await other.games.events(game.id)] == [{"by": winner}]
    # The losers' events count as not handled: they may be tried again.
    for i in range(WRITERS):
        assert (await store.processed_events.get("web", f"{i}") is not None) == (i == winner)


async def test_an_event_delivered_many_times_at_once_counts_once(store: Store, other: Store, game: GameRow) -> None:
    changes = [step(game, i, ProcessedEvent("web", "same", reply_of(str(i)))) for i in range(WRITERS)]
    outcomes = await asyncio.gather(
        *((store, other)[i % 2].games.commit(change) for i, change in enumerate(changes)), return_exceptions=True
    )
    (winner,) = (i for i, outcome in enumerate(outcomes) if isinstance(outcome, GameRow))
    replies = [outcome.reply for outcome in outcomes if isinstance(outcome, AlreadyProcessed)]
    assert replies == [reply_of(str(winner))] * (WRITERS - 1)
    assert len(await store.games.events(game.id)) == 1


async def test_a_command_delivered_many_times_at_once_creates_one_game(
    store: Store, other: Store, place: PlaceRow, people: list[Person]
) -> None:
    outcomes = await asyncio.gather(
        *(
            (store, other)[i % 2].games.create(
                make_new_game(place, people), START, processed=ProcessedEvent("web", "same", reply_of(str(i)))
            )
            for i in range(WRITERS)
        ),
        return_exceptions=True,
    )
    (winner,) = (i for i, outcome in enumerate(outcomes) if isinstance(outcome, GameRow))
    replies = [outcome.reply for outcome in outcomes if isinstance(outcome, AlreadyProcessed)]
    assert replies == [reply_of(str(winner))] * (WRITERS - 1)
    assert len(await store.games.list_in_place(place.id)) == 1


async def test_writers_that_try_again_all_come_through(store: Store, other: Store, game: GameRow) -> None:

    async def insist(writer: int) -> None:
        where = (store, other)[writer % 2]
        while True:
            now = present(await where.games.get(game.id))
            try:
                await where.games.commit(step(now, writer))
            except Conflict:
                continue
            return

    await asyncio.gather(*(insist(i) for i in range(WRITERS)))
    events = await store.games.events(game.id)
    assert [event.number for event in events] == list(range(1, WRITERS + 1))
    assert sorted(event.data["by"] for event in events) == list(range(WRITERS))
    now = present(await store.games.get(game.id))
    assert now.position == events[-1].data


async def test_moves_during_deliveries_keep_the_last_revision_due(store: Store, other: Store, game: GameRow) -> None:
    post = await add_post(store, game.id, game.place, START)

    async def play() -> None:
        now = game
        for i in range(10):
            now = await store.games.commit(step(now, i))

    async def deliver() -> None:
        for _ in range(20):
            for due in await due_posts(other, time_after(hours=1)):
                await other.posts.record_shown(due, ShownPost("m", due.revision, 0), START)

    await asyncio.gather(play(), deliver(), deliver())
    now = present(await store.posts.get(post.id))
    assert (now.due_at is None) == (now.shown_revision == 10)


async def test_a_game_that_moves_on_just_before_its_post_is_noted_as_shown_stays_due(
    address: str, store: Store, game: GameRow
) -> None:
    post = await add_post(store, game.id, game.place, START)

    async def move() -> None:
        async with await Store.open(address) as opened:
            await opened.games.commit(step(game, 1))

    mover = threading.Thread(target=lambda: asyncio.run(move()))

    def let_it_move(statement: str, _: object) -> None:
        if "UPDATE posts" in statement and mover.ident is None:
            mover.start()
            # It ends within this time if nothing holds it back; if it has to wait for us, it goes on afterwards.
            mover.join(0.5)

    with each_sent(let_it_move):
        await store.posts.record_shown(post, ShownPost("m", 0, 0), START)
    await asyncio.to_thread(mover.join)
    (due,) = await due_posts(store, time_after(hours=1))
    assert (due.shown_revision, due.revision) == (0, 1)


async def has_to_wait(postgres: Postgres, work: Coroutine[Any, Any, Post | None]) -> asyncio.Task[Post | None]:
    """Begin something that has to wait for what another transaction has not committed yet."""
    task = asyncio.create_task(work)
    while not await postgres.execute("SELECT 1 FROM pg_locks WHERE NOT granted"):
        continue
    return task


@pytest.mark.parametrize("address", ["postgresql"], indirect=True)
@pytest.mark.parametrize("verb", ["shown", "retired"])
async def test_a_game_that_is_about_to_move_on_while_its_post_is_noted_stays_due(
    store: Store, other: Store, postgres: Postgres, game: GameRow, verb: str
) -> None:
    post = await add_post(store, game.id, game.place, START)
    if verb == "retired":
        for message in ("m1", "m2"):
            post = present(await store.posts.record_shown(post, ShownPost(message, 0, 0), START))
    async with other.transaction():
        await other.games.commit(step(game, 1))
        noting = await has_to_wait(
            postgres,
            store.posts.record_shown(post, ShownPost("m", 0, 0), START)
            if verb == "shown"
            else store.posts.record_retired(post, ["m1"], START),
        )
    await noting
    now = present(await store.posts.get(post.id))
    assert (now.shown_revision, now.revision) == (0, 1)
    assert now.due_at is not None


@pytest.mark.parametrize("address", ["postgresql"], indirect=True)
async def test_a_board_and_a_step_that_concern_the_same_notice_do_not_wait_for_each_other(
    store: Store, other: Store, postgres: Postgres, game: GameRow, ada: Person
) -> None:
    post = await add_post(store, game.id, game.place, START)
    notice = NewNotice(ada.id, "turn", "0", START)
    game = await store.games.commit(replace(step(game, 1), promised=(notice,)))
    (made,) = await store.notices.list_for_game(game.id)
    async with other.transaction():
        await other.games.commit(step(game, 2))
        noting = await has_to_wait(
            postgres, store.posts.record_shown(post, ShownPost("m", 1, 1), START, notices=[made])
        )
        await other.notices.record_delivered([made], START)
    assert present(await noting).message == "m"
    assert present(await store.notices.find(made.person, made.kind, made.subject)).route == "here"


async def test_a_reader_sees_a_game_and_its_seats_of_one_moment(store: Store, other: Store, game: GameRow) -> None:

    async def play() -> None:
        now = game
        for i in range(1, 15):
            seats = tuple(replace(seat, name=f"{i}") for seat in now.seats)
            now = await store.games.commit(replace(step(now, i), game=replace(now, turn=i, seats=seats)))

    async def look() -> None:
        for _ in range(15):
            seen = present(await other.games.get(game.id))
            assert {seat.name for seat in seen.seats} in ({f"{seen.turn}"}, {"Ada", "Bob"})

    await asyncio.gather(play(), look(), look())


@contextmanager
def at_statement(number: int, act: Callable[[], object]) -> Iterator[None]:
    """Do something when the statement of this number, from 1, is about to be sent."""
    sent = count(1)

    def watch(*_: object) -> None:
        if next(sent) == number:
            act()

    with each_sent(watch):
        yield


async def whole(store: Store, game: GameRow) -> bool:
    """Say whether the writer came through, having checked that it did so with everything or with nothing."""
    now = present(await store.games.get(game.id))
    assert len(await store.games.events(game.id)) == now.revision
    assert now.position == ({"by": 1} if now.revision else None)
    assert (await store.processed_events.get("web", "1") is not None) == (now.revision == 1)
    # And the store goes on working.
    assert (await store.games.commit(step(now, 2, ProcessedEvent("web", "2")))).position == {"by": 2}
    return now.revision == 1


@pytest.mark.parametrize("number", range(1, 9))
async def test_a_writer_that_is_cancelled_leaves_all_or_nothing(store: Store, number: int, game: GameRow) -> None:
    task = asyncio.create_task(store.games.commit(step(game, 1, ProcessedEvent("web", "1"))))
    with at_statement(number, task.cancel):
        await asyncio.wait([task])
    assert await whole(store, game) != task.cancelled()


async def test_a_writer_that_is_cancelled_while_it_commits_leaves_all_or_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, game: GameRow
) -> None:
    task = asyncio.create_task(store.games.commit(step(game, 1, ProcessedEvent("web", "1"))))
    commit, cancelled = Connection.commit, asyncio.Event()

    def cancel(*_: object) -> None:
        task.cancel()
        cancelled.set()

    async def commit_cancelled(connection: Connection) -> None:
        cancel()
        await commit(connection)

    event.listen(Engine, "commit", cancel)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(Connection, "commit", commit_cancelled)
            await asyncio.wait([task])
    finally:
        event.remove(Engine, "commit", cancel)
    assert cancelled.is_set()
    assert await whole(store, game) or task.cancelled()


@pytest.mark.parametrize("number", range(1, 9))
async def test_a_writer_that_fails_leaves_nothing(store: Store, number: int, game: GameRow) -> None:

    def fail() -> None:
        raise ZeroDivisionError

    with at_statement(number, fail):
        (outcome,) = await asyncio.gather(
            store.games.commit(step(game, 1, ProcessedEvent("web", "1"))), return_exceptions=True
        )
    assert await whole(store, game) == isinstance(outcome, GameRow)


async def test_a_task_that_outlives_a_transaction_works_outside_it(store: Store, game: GameRow) -> None:
    over = asyncio.Event()

    async def later() -> GameRow | None:
        await over.wait()
        return await store.games.get(game.id)

    async with store.transaction():
        moved = await store.games.commit(step(game, 1))
        task = asyncio.create_task(later())
    over.set()
    assert await task == moved
