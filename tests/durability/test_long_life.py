"""After a year of use: nothing is scanned that grows, nothing is kept for ever that need not be, games are whole."""

import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from bot.kernel.requests import Undeliverable
from bot.platforms.web.room import ROOM_PLACE, ChatRoom
from storage import Store
from storage.migrate import MAX_BACKUPS, back_up
from tests.bot.party import Clock, Party
from tests.durability.ledger import Ledger
from tests.durability.year import live_through
from tests.support.stores import START, some_people
from tests.web.front import board_card, make_card


@pytest.mark.parametrize("count", [30, pytest.param(3000, marks=pytest.mark.full)])
@pytest.mark.timeout(3600)
async def test_year_of_games_is_stored_and_play_continues(tmp_path: Path, empty_database: Path, count: int) -> None:
    path = Path(shutil.copy(empty_database, tmp_path))
    async with await Store.open(path) as store:
        await live_through(store, count)
        assert await store.posts.next_due_at() is None
        party = Party(store)
        await party.started()
        before = len(party.shown)
        (move, *_) = (await party.table(party.code)).playing.state.legal_actions()
        await party.say(party.mover, f"/move {move}")
        assert len(party.shown) > before
        (standing, *_) = await store.ratings.best("annuvin")
        assert standing.played > 0
        assert (await party.say("anna", "/leaderboard")).card is not None
        assert (await party.say("p1", "/history")).card is not None
        assert (await party.say("p1", "/games")).card is not None
    ledger = Ledger(path)
    ledger.check()
    ledger.close()


async def test_room_keeps_the_newest_messages_and_running_games(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.platforms.web.room.MAX_MESSAGES", 10)
    monkeypatch.setattr("bot.platforms.web.room.CLEANUP_BATCH", 12)
    room = ChatRoom(store, Clock())
    people = await some_people(store, "Anna", "Bruno")
    going = await room.send(ROOM_PLACE, board_card("a board", mention=people[0].id), "going")
    old = await room.send(ROOM_PLACE, make_card("old"), "old")
    for number in range(20):
        await room.send(ROOM_PLACE, make_card(str(number)), f"card{number}")
    shown = [message.text for message in await store.room.list_messages(None, limit=100)]
    assert shown[0] == "a boardAnna"
    assert shown[-1] == "19"
    assert "old" not in shown
    assert len(shown) < 25
    with pytest.raises(Undeliverable):
        await room.edit(ROOM_PLACE, old, make_card("new"))
    await room.edit(ROOM_PLACE, going, make_card("it goes on"))


async def test_private_messages_have_a_lower_limit_and_the_file_gives_back_what_nothing_needs(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.platforms.web.room.MAX_PRIVATE_MESSAGES", 3)
    room = ChatRoom(store, Clock())
    anna, bruno = await some_people(store, "Anna", "Bruno")
    await store.room.add_message(START, recipient=bruno.id, text="his")
    await store.room.add_message(START, text="everybody's")
    for number in range(12):
        film = bytes([number]) * (1 << 20)
        await store.room.add_message(START, recipient=anna.id, text=str(number), picture=film)
    before = await store.size()
    await room.remove_old_messages()
    found = await store.room.list_messages(anna.id)
    assert [message.text for message in found] == ["everybody's", "9", "10", "11"]
    assert [message.text for message in await store.room.list_messages(bruno.id)] == ["his", "everybody's"]
    assert await store.size() < before - (8 << 20)
    assert await store.release_free_space() == 0


async def test_older_file_gives_space_back_after_opening(tmp_path: Path, empty_database: Path) -> None:
    path = Path(shutil.copy(empty_database, tmp_path))
    async with await Store.open(path) as store:
        (anna,) = await some_people(store, "Anna")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA auto_vacuum = NONE")
        connection.execute("VACUUM")
    async with await Store.open(path) as store:
        assert await store.people.get(anna.id) == anna
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


async def test_periodic_cleanup_runs_when_due(store: Store) -> None:
    party = Party(store)
    done = []

    async def tidy() -> None:
        done.append(party.clock())

    party.front.alarms.cleanup.append(tidy)
    for _ in range(3):
        await party.front.alarms.tick()
        party.clock.now += timedelta(hours=5)
    assert len(done) == 2


def test_few_copies_from_before_migrations_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"")
    made = [back_up(path, str(number)) for number in range(MAX_BACKUPS + 2)]
    assert sorted(tmp_path.glob("*before-migration*")) == made[2:]
