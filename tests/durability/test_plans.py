"""Plans and guesses, while the program is killed again and again, and while several processes work on one database."""

import asyncio
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from storage import Store
from tests.bot.party import Party, button, words
from tests.durability import planner
from tests.durability.ledger import Ledger, Written
from tests.support.present import present

SHORT: Final = 2
LONG: Final = 100
ROUNDS: Final = 4


@pytest.mark.parametrize("kills", [SHORT, pytest.param(LONG, marks=pytest.mark.full)])
@pytest.mark.timeout(1800)
async def test_kills_play_each_plan_once_and_lose_no_guess(tmp_path: Path, empty_database: Path, kills: int) -> None:
    path, log, rng = Path(shutil.copy(empty_database, tmp_path)), tmp_path / "told", random.Random(kills)
    ledger, life, planned = Ledger(path), 0, 0
    # A life may end before anything was planned: then there is another.
    while life < kills or not planned:
        life += 1
        await ledger.live(rng.randrange(8, 60), planner.main, path, life, log)
        notified = [line.split(" ", 3) for line in log.read_text().splitlines()] if log.exists() else []
        plans = [each for each in notified if each[0] in ("on", "off")]
        planned = sum(
            check_plans(written, [(what, int(at), line) for what, code, at, line in plans if code == game])
            for game, written in ledger.games.items()
        )
        guessed = [each for each in notified if each[0] in ("agreed", "guess")]
        async with await Store.open(path) as store:
            await check_guesses(store, guessed)
    assert any(each[0] == "guess" for each in guessed)
    ledger.close()


def check_plans(written: Sequence[Written], notified: Sequence[tuple[str, int, str]]) -> int:
    """Check that each plan that stood was played with what it answers, and no other; return how many were.

    A notification says that it is `on` or `off`, at a revision, for two turns with a bar between them.
    """
    by_number = {event.number: event for event in written}
    planned = [event for event in written if (event.cause or "").startswith("plan:")]
    causes = [event.cause for event in planned]
    assert len(causes) == len(set(causes)), "one event was answered twice"
    for event in planned:
        assert event.data["plan"] == event.number - 1, "something came between a turn and its answer"
    last = {revision: (what, line) for what, revision, line in notified}
    for stood, (what, line) in last.items():
        theirs, mine = (each.split() for each in line.split("|"))
        turn, at = list[str](), stood + 1
        while at in by_number and len(turn) < len(theirs):
            event = by_number[at]
            if event.kind == "action":
                turn.append(event.data["action"])
            at += 1
        while at in by_number and by_number[at].data.get("auto"):
            at += 1
        if turn != theirs:
            continue
        answer = by_number.get(at)
        is_planned = answer is not None and (answer.cause or "").startswith("plan:")
        if what == "off":
            assert not is_planned, "it was played though it was taken back"
        else:
            assert answer is not None, "what was planned is lost"
            assert is_planned
            assert answer.data["action"] == mine[0]
    return len(planned)


async def check_guesses(store: Store, notified: list[list[str]]) -> None:
    """Check that every consent and guess that somebody was told of is stored, once, and that hits are counted so."""
    party = Party(store)
    party.numbers = 10**9  # beyond those of all lives
    for code in {code for _, code, _, _ in notified}:
        row = present(await store.games.get(code))
        assert row.progress.guesses or ["agreed", code] not in [each[:2] for each in notified]
        await party.say("dora", f"/guess table game:{code}")
        stored = {each.revision: each for each in await store.guesses.list_in_game(code)}
        assert len(stored) == len(await store.guesses.list_in_game(code))
        played = [event for event in await store.games.events(code) if event.kind == "action"]
        for _, _, at, text in (each for each in notified if each[:2] == ["guess", code]):
            guess, after = stored[int(at)], [event for event in played if event.number > int(at)]
            chosen = [event.data["action"] for event in after]
            assert " ".join(guess.actions).startswith(text.split(" ", 1)[0])
            assert (guess.hit is None) == (not after)
            if chosen[: len(text.split(" "))] == text.split(" "):
                assert guess.hit, (code, at, text)


async def test_concurrent_planning_and_playing_is_atomic(two_stores: tuple[Store, Store]) -> None:
    here, there = (Party(store) for store in two_stores)
    there.numbers = 500_000
    for number in range(ROUNDS):
        await here.say("anna", "/play annuvin @bruno")
        (anna,) = await here.store.people.find("anna")
        (lobby,) = [each for each in await here.store.games.list_for_person(anna.id) if each.status == "lobby"]
        code = lobby.id
        await here.press("bruno", f"join:{code}:{lobby.revision}")
        row = present(await here.store.games.get(code))
        mover, planner = ("anna", "bruno") if row.to_move == anna.id else ("bruno", "anna")
        move, plan = f"/move #{code} b1-b2", f"/plan #{code} if b1-b2 then b5-b4"
        if number % 2:
            said = await here.say(planner, plan)
            off = f"unplan:{code}:0"
            listed = await there.say(planner, "/games")
            assert button(present(listed.card), "unplan").press == off
            reply, _ = await asyncio.gather(there.press(planner, off), here.say(mover, move))
            state = "not planned any more" not in words(reply)
        else:
            said, _ = await asyncio.gather(there.say(planner, plan), here.say(mover, move))
            state = "nobody knows" in words(said)
        events = [event for event in await here.store.games.events(code) if event.kind == "action"]
        assert [event.data["action"] for event in events] == ["b1-b2", *(["b5-b4"] if state else [])]
