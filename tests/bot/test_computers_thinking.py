"""Computers that think: what people see meanwhile, restarts, thoughts that come too late or fail, crowds."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from sqlalchemy.exc import DBAPIError

from storage import GameChange, NewEvent, Store
from storage.games import StoredGames
from tests.bot.computers import SQUARE, Held, play_turn, wait_for_computers, wait_until
from tests.bot.party import Party, Quick, buttons, words
from tests.support.stores import START


@pytest.fixture
async def thinkers() -> Held:
    return Held()


@pytest.fixture
async def party(store: Store, thinkers: Held) -> AsyncIterator[Party]:
    """People in a room, with computers that think when they may."""
    async with Party(store, thinkers=thinkers) as gathered:
        yield gathered


async def test_board_of_a_thinking_computer_mentions_nobody(party: Party, thinkers: Held) -> None:
    thinkers.may.set()
    await party.say("anna", SQUARE)
    code, called = party.code, party.newest
    party.thinking = False
    await play_turn(party)
    assert party.newest is called
    assert called.text.endswith("Computer (level 1) to move."), "true also of a board of long ago"
    assert called.card.mention is None
    assert not [entry for entry in buttons(called.card) if entry.press.startswith("c:")]
    assert (await party.load_row(code)).deadline is None
    assert "Computer (level 1)'s turn" in words(await party.say("anna", f"/move b1-b2 game:{code}"))
    assert "the computer is thinking" in words(await party.say("anna", "/games"))
    await party.front.jobs["computers"].run_until_idle()
    await party.front.delivery.run_until_idle()
    assert party.newest is not called
    assert party.mover == "anna"
    assert called.retired


async def test_a_restart_in_the_middle_of_a_thought_thinks_again(party: Party, thinkers: Held) -> None:
    party.thinking = False
    code = await waiting_game(party, "anna")
    before = await party.load_row(code)
    assert (before.thinking, before.to_move) == (True, None)
    await party.front.start()
    await thinkers.asked.wait()
    await party.front.close()
    assert await party.load_row(code) == before

    party.arguments["thinkers"] = Quick()
    await party.restarted().start()
    await wait_for_computers(party, code)
    assert (await party.load_row(code)).turn == before.turn + 1


async def test_a_thought_that_the_game_has_moved_on_from_changes_nothing(party: Party, thinkers: Held) -> None:
    thinkers.may.set()
    await party.say("anna", SQUARE)
    code, first = party.code, (await party.load_row()).position
    thinkers.may.clear()
    thinkers.asked.clear()
    party.thinking = False
    await play_turn(party)
    thinking = asyncio.create_task(party.front.jobs["computers"].run_until_idle())
    await thinkers.asked.wait()
    assert "taken back" in words(await party.say("anna", "/undo"))
    thinkers.may.set()
    await thinking
    found = await party.load_row(code)
    assert found.position == first
    assert not found.thinking


async def test_what_fails_is_tried_again_later(party: Party, thinkers: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be it a worker, or the database in a way that has no name."""
    monkeypatch.setattr("bot.table.computers.job.MIN_BACKOFF_SECONDS", 0.01)
    monkeypatch.setattr("bot.table.computers.job.ComputerPlayers.failure_pause_seconds", 0.01)
    asked, errors = StoredGames.list_thinking, [DBAPIError("SELECT", {}, OSError("a block could not be read"))]

    async def list_thinking(subject: StoredGames, most: int) -> list[tuple[str, int]]:
        if errors:
            raise errors.pop()
        return await asked(subject, most)

    thinkers.failures = ["worker-died", "no-worker"]
    thinkers.may.set()
    party.thinking = False
    code = await waiting_game(party, "anna", "/play fagocitare size:7 computer:1")
    monkeypatch.setattr(StoredGames, "list_thinking", list_thinking)
    await party.front.start()
    await wait_for_computers(party, code)
    assert (thinkers.failures, errors) == ([], [])


async def test_a_game_that_makes_no_sense_is_left_alone_and_the_others_go_on(party: Party, thinkers: Held) -> None:
    party.thinking = False
    thinkers.may.set()
    codes = [await waiting_game(party, "anna", "/play fagocitare size:7 computer:1") for _ in range(2)]
    broken = replace(await party.load_row(codes[0]), position={"game": "fagocitare"})
    await party.store.games.commit(GameChange(game=broken, events=(NewEvent("broken"),), at=START))
    await party.front.start()
    await wait_for_computers(party, codes[1])
    assert [game for game, _ in await party.store.games.list_thinking()] == [codes[0]]


async def test_a_crowd_of_computer_games_leaves_people_alone(party: Party, thinkers: Held, store: Store) -> None:
    """While every worker is busy and many games wait, presses and games between people go on."""
    party.thinking = False
    await party.front.start()
    for number in range(12):
        await party.say(f"player{number}", "/play annuvin board:square computer:1 clock:1d")
    await thinkers.asked.wait()
    code = await party.started("/play annuvin @bruno board:square")
    for _ in range(6):
        found = await party.load_row(code)
        await play_turn(party, await party.mover_of(code), code)
        assert (await party.load_row(code)).turn == found.turn + 1
    assert "waiting" in words(await party.say("anna", "/games"))
    waiting = [game for game, _ in await store.games.list_thinking()]
    assert waiting
    thinkers.may.set()
    for waited in waiting:
        await wait_for_computers(party, waited)
        assert (await party.load_row(waited)).turn == 1


async def test_person_with_many_games_gets_only_a_share_of_the_searches(party: Party, thinkers: Held) -> None:
    """However long somebody's games have waited: a newcomer's is begun while one of theirs is thought about."""
    party.thinking = False
    for _ in range(8):
        await waiting_game(party, "anna")
    await party.front.start()
    await thinkers.asked.wait()
    code = await waiting_game(party, "bruno")

    async def begun() -> bool:
        return code in thinkers.games

    await wait_until(begun)
    assert len(thinkers.games) <= thinkers.most + 1
    thinkers.may.set()


async def waiting_game(party: Party, name: str, line: str = SQUARE) -> str:
    """Begin a game in which the computer is to move and return its code."""
    await party.say(name, line)
    code = party.code
    if not (await party.load_row(code)).thinking:
        await play_turn(party, name, code)
    return code
