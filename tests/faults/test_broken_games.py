"""A game whose stored data makes no sense is set aside and reported; all the others go on."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from bot.services.checking import check_games
from storage import Store
from tests.bot.party import Party, buttons, words


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tavoliere.db"


@pytest.fixture
async def hall(path: Path) -> AsyncIterator[Party]:
    """A party in which two games go on."""
    async with await Store.open(path) as store:
        gathered = Party(store)
        yield gathered
        await gathered.front.close()


def damage(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement, values).rowcount >= 1


DAMAGES = {
    "no JSON": 'UPDATE games SET position = \'{"game": "annu\', revision = revision + 1 WHERE id = ?',
    "a position that cannot be": "UPDATE games SET position = replace(position, 'b1', 'z9'), revision = 9 WHERE id = ?",
    "another game": "UPDATE games SET game = 'tombola', revision = revision + 1 WHERE id = ?",
    "a last turn": 'UPDATE games SET last_turn = \'{"draws": "x"}\', revision = 9 WHERE id = ?',
    "options that are no JSON": "UPDATE games SET options = '{', position = '[', revision = revision + 1 WHERE id = ?",
}


@pytest.mark.parametrize("how", DAMAGES)
async def test_a_broken_game_is_set_aside_and_the_others_go_on(hall: Party, path: Path, how: str) -> None:
    broken = await hall.started("/play annuvin @bruno clock:1d")
    board = buttons(hall.newest.card)[0]
    whole = await hall.started("/play annuvin @bruno")
    mover = hall.mover
    damage(path, DAMAGES[how], broken)
    with capture_logs() as logs:
        reply = await hall.press("anna", board)
        assert broken in words(reply)
        assert "damaged" in words(reply)
        for question in ("/board game:", "/move b1-b2 game:", "/export code:", "/resign game:"):
            said = words(await hall.say("anna", f"{question}{broken}"))
            assert "damaged" in said, (question, said)
    assert {entry["game"] for entry in logs if entry["event"] == "broken-game"} == {broken}
    assert whole in words(await hall.say("anna", "/games")) + str(buttons_of(await hall.say("anna", "/games")))
    hall.clock.turn(days=3)
    await hall.front.alarms.beat()
    await hall.front.alarms.beat()
    row = await hall.store.game(broken)
    assert row is not None
    assert row.status == "playing"
    await hall.say(mover, f"/move b1-b2 game:{whole}")
    moved = await hall.store.game(whole)
    assert moved is not None
    assert moved.turn == 1
    found = {game: findings async for game, findings in check_games(hall.store)}
    assert found[broken]
    assert not found[whole]


def buttons_of(reply: object) -> list[str]:
    card = getattr(reply, "card", None)
    return [entry.press for entry in buttons(card)] if card else []


async def test_a_game_whose_events_cannot_be_replayed_can_be_played_and_not_undone(hall: Party, path: Path) -> None:
    code = await hall.started("/play annuvin @bruno")
    mover = hall.mover
    await hall.say(mover, "b1-b2")
    damage(path, "UPDATE events SET data = replace(data, 'b1-b2', 'b1-b9') WHERE game = ? AND kind = 'action'", code)
    before = await hall.store.game(code)
    with capture_logs() as logs:
        await hall.say(mover, "/undo")
        said = words(await hall.say(hall.mover, "/export"))
    assert "damaged" in said or "damaged" in words(await hall.say(mover, "/undo"))
    assert any(entry["event"] == "broken-game" for entry in logs)
    assert await hall.store.game(code) == before


async def test_a_board_of_a_broken_game_holds_up_no_other(hall: Party, path: Path) -> None:
    broken = await hall.started("/play annuvin @bruno")
    whole = await hall.started("/play annuvin @bruno")
    mover, shown = hall.mover, len(hall.shown)
    damage(path, "UPDATE games SET position = '{' WHERE id = ?", broken)
    damage(path, "UPDATE surfaces SET due_at = '2026-01-01 00:00:00', shown_revision = 0 WHERE game = ?", broken)
    damage(path, "UPDATE games SET revision = revision + 1 WHERE id = ?", broken)
    with capture_logs() as logs:
        await hall.say(mover, f"/move b1-b2 game:{whole}")
    assert len(hall.shown) == shown + 1
    assert any(entry["event"] == "broken-game" for entry in logs)


async def test_a_time_that_is_none_does_not_end_deliveries(hall: Party, path: Path) -> None:
    code = await hall.started("/play annuvin @bruno")
    mover, shown = hall.mover, len(hall.shown)
    (surface,) = await hall.store.surfaces(code)
    damage(path, "UPDATE surfaces SET due_at = '2025-99-99 00:00:00' WHERE id = ?", surface.id)
    stumbled = asyncio.Event()

    def heard(_: object, __: str, entry: EventDict) -> EventDict:
        if "stumbled" in entry["event"]:
            stumbled.set()
        return entry

    with capture_logs([heard]):
        await hall.front.start()
        async with asyncio.timeout(60):
            await stumbled.wait()
    # Not in the loop's own thread: the program may be in the middle of a transaction.
    await asyncio.to_thread(damage, path, "UPDATE surfaces SET due_at = NULL WHERE id = ?", surface.id)
    await hall.front.typed(hall.request(mover), "b1-b2")
    await hall.adapter.until(lambda: len(hall.shown) == shown + 1)
