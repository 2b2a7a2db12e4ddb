"""After a year of use: nothing is scanned that grows, nothing is kept for ever that need not be, games are whole."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.web.room import ChatRoom
from storage import Store
from storage.migrate import MOST_BACKUPS, back_up
from tests.bot.party import Party
from tests.durability.ledger import Ledger
from tests.durability.year import live_through
from tests.support.stores import START


@pytest.mark.parametrize("count", [30, pytest.param(3000, marks=pytest.mark.full)])
@pytest.mark.timeout(3600)
async def test_a_year_is_stored_as_it_was_played_and_play_goes_on(tmp_path: Path, count: int) -> None:
    path = tmp_path / "tavoliere.db"
    async with await Store.open(path) as store:
        await live_through(store, count)
        assert await store.next_due() is None
        party = Party(store)
        await party.started()
        before = len(party.shown)
        (move, *_) = (await party.front.context.table(party.code)).playing.state.legal_actions()
        await party.say(party.mover, f"/move {move}")
        assert len(party.shown) > before
        (standing, *_) = await store.best("annuvin")
        assert standing.played > 0
        assert (await party.say("anna", "/leaderboard")).card is not None
        assert (await party.say("p1", "/history")).card is not None
        assert (await party.say("p1", "/games")).card is not None
    ledger = Ledger(path)
    ledger.check()
    ledger.close()


async def test_the_room_keeps_pictures_of_the_newest_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.room.MOST_PICTURES", 10)
    async with await Store.open(tmp_path / "tavoliere.db") as store:
        room = ChatRoom(store, lambda: START)
        first = await store.say("room", START, card={"picture": {}}, picture=b"\x89PNG old")
        for number in range(10):
            await store.say("room", START, text=str(number))
        kept = await store.say("room", START, card={"picture": {}}, picture=b"\x89PNG new")
        await room.tidy()
        assert await store.picture(first.id, None) is None
        assert await store.picture(kept.id, None) == b"\x89PNG new"
        old = await store.message(first.id)
        assert old is not None
        assert old.picture is None


async def test_what_is_due_now_and_then_is_done(tmp_path: Path) -> None:
    async with await Store.open(tmp_path / "tavoliere.db") as store:
        party = Party(store)
        done = []

        async def tidy() -> None:
            done.append(party.clock())

        party.front.alarms.tidying.append(tidy)
        for _ in range(3):
            await party.front.alarms.beat()
            party.clock.now += timedelta(hours=5)
        assert len(done) == 2


def test_few_copies_from_before_migrations_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"")
    made = [back_up(path, str(number)) for number in range(MOST_BACKUPS + 2)]
    assert sorted(tmp_path.glob("*before-migration*")) == made[2:]
